// This file connects commands to the registry that this machine follows.

package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/guard"
	"toolcrib/gateway/instructions"
	"toolcrib/gateway/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/signing/signers"
	"toolcrib/store"
	"toolcrib/store/catalog"
	"toolcrib/tui/wording"
)

// Following is the registry that this machine follows.
type Following struct {
	settings.FollowConfig
	Copy    *follow.Copy
	Journal *follow.Journal
	Reports follow.Outbox
}

// Following returns the registry that this machine follows, or nil.
func (a *App) Following() (*Following, error) {
	c, err := a.Settings()
	if err != nil || c.Follow.Source == "" {
		return nil, err
	}
	return a.Follow(c.Follow)
}

// Follow returns the registry to follow according to f. Config must be set.
func (a *App) Follow(f settings.FollowConfig) (*Following, error) {
	data, err := process.DataHome(a.Env)
	if err != nil {
		return nil, err
	}
	copied := &follow.Copy{Dir: filepath.Join(data, "toolcrib", "followed"), MaxAge: f.Oldest(), Now: a.Env.Now}
	copied.Trust.Approvals = a.Config.Approvals()
	switch {
	case f.Signers != "":
		text, err := os.ReadFile(f.Signers)
		if err != nil {
			return nil, ReadError("file", f.Signers, err)
		}
		if copied.Trust.Signers, err = signers.Parse(text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Signers, err)
		}
	case !f.Unsigned:
		copied.Trust.Signers, err = a.Config.Signers.Signers()
		if errors.Is(err, signers.ErrNoFile) {
			return nil, process.Usagef("no trusted signers on this machine; name a file of signers with --signers FILE, or accept a registry that anybody with write access to its source can change with --unsigned")
		}
		if err != nil {
			return nil, err
		}
	}
	return &Following{FollowConfig: f, Copy: copied, Journal: &follow.Journal{Dir: filepath.Join(data, "toolcrib", "calls")}, Reports: follow.Outbox{Dir: filepath.Join(data, "toolcrib", "reports", registry.HashBytes([]byte(f.Source))[:16])}}, nil
}

// Own opens the machine's own database if it exists and [follow] local allows its approvals, and reports whether it did.
func (f *Following) Own(ctx context.Context, a *App) (bool, error) {
	if f.Local != "allow" {
		return false, nil
	}
	_, err := a.Database(ctx)
	if errors.Is(err, store.ErrNoDatabase) {
		return false, nil
	}
	return err == nil, err
}

// ledger returns the ledger of the registry, which is the database if it counts, too.
func (f *Following) ledger(ctx context.Context, a *App, registry func(context.Context) (*follow.Registry, error)) (gateway.Ledger, error) {
	own, err := f.Own(ctx, a)
	if err != nil || !own {
		return follow.Ledger{Registry: registry, Journal: f.Journal}, err
	}
	return follow.OwnLedger{Ledger: a.DB.Calls(), Registry: registry, Journal: f.Journal, Journaled: &sync.Map{}}, nil
}

// Subject returns the subject of the definition with an id.
func (f *Following) Subject(ctx context.Context, id string) (registry.Subject, error) {
	r, err := f.Copy.Whole(ctx)
	if err != nil {
		return registry.Subject{}, err
	}
	at := slices.IndexFunc(r.Lives, func(l registry.Live) bool { return l.Subject.ID == id })
	if at < 0 {
		return registry.Subject{}, NotFoundf("%s in the registry that this machine follows", id)
	}
	if another := slices.IndexFunc(r.Lives[at+1:], func(l registry.Live) bool { return l.Subject.ID == id }); another >= 0 {
		return registry.Subject{}, process.Usagef("several definitions are called %s; name one, such as %s or %s", id, r.Lives[at].Subject, r.Lives[at+1+another].Subject)
	}
	return r.Lives[at].Subject, nil
}

// Update checks the source once.
func (f *Following) Update(ctx context.Context) (changed bool, err error) {
	source, err := f.source()
	if err != nil {
		return false, err
	}
	return f.Copy.Update(ctx, f.Source, source)
}

func (f *Following) source() (follow.Source, error) {
	if f.Token == "" {
		return follow.NewSource(f.Source, f.Copy.Dir, "")
	}
	token, err := os.ReadFile(f.Token)
	if err != nil {
		return nil, ReadError("file", f.Token, err)
	}
	return follow.NewSource(f.Source, f.Copy.Dir, strings.TrimSpace(string(token)))
}

// Poll checks the source until ctx ends.
func (f *Following) Poll(ctx context.Context, problem func(error)) {
	source, err := f.source()
	if err != nil {
		problem(err)
		return
	}
	f.Copy.Looked = func(ctx context.Context) {
		err := f.Reports.Send(ctx, source)
		if f.Calls == "send" {
			err = errors.Join(err, f.Reports.SendCalls(ctx, source, f.Journal))
		}
		if err != nil && ctx.Err() == nil {
			problem(err)
		}
	}
	f.Copy.Poll(ctx, f.Source, source, f.Interval(), problem)
}

// Report sends the unapproved tools in a server's list to the reviewers, with the next update of the copy or at once.
func (f *Following) Report(ctx context.Context, server string, l guard.Listing) error {
	r, err := f.Copy.Server(ctx, server)
	if err != nil {
		return err
	}
	approved := map[string]bool{} // by hash
	for _, live := range r.Lives {
		if s := live.Definition.Tool.Source; s != nil {
			approved[s.Hash] = true
		}
	}
	l.Texts, l.Tools = nil, slices.DeleteFunc(slices.Clone(l.Tools), func(raw json.RawMessage) bool {
		hash, err := wire.HashRaw(raw)
		return err != nil || approved[hash]
	})
	if len(l.Tools) == 0 {
		return nil
	}
	source, err := f.source()
	if err != nil {
		return err
	}
	return errors.Join(f.Reports.Add(follow.Report{Server: server, Document: l.Document()}), f.Reports.Send(ctx, source))
}

// Others returns a listing of a server without the tools and texts of the registry that the machine's own database does
// not have.
func (f *Following) Others(ctx context.Context, a *App, server string, l guard.Listing) (guard.Listing, error) {
	r, err := f.Copy.Server(ctx, server)
	if err != nil {
		return l, err
	}
	own, err := ReadView(ctx, a.DB.View, func(r review.Reader) ([]registry.Live, error) { return r.FromServer(ctx, server) })
	if err != nil {
		return l, err
	}
	known := map[string]bool{}
	for _, live := range r.Lives {
		known[live.Definition.Tool.OriginName()] = true
	}
	for _, live := range own {
		delete(known, live.Definition.Tool.OriginName())
	}
	without := func(format wire.Format, entries []json.RawMessage) []json.RawMessage {
		return slices.DeleteFunc(slices.Clone(entries), func(raw json.RawMessage) bool {
			item, err := wire.ReadItem(format, raw)
			return err == nil && known[item.Name]
		})
	}
	l.Tools, l.Texts = without(wire.MCP, l.Tools), without(wire.MCPText, l.Texts)
	return l, nil
}

// ReportFiles queues reports about the changed and unapproved files of a layer, and tries to send queued reports for a
// short time. If newOnly is set, it sends nothing unless a report is new, so that a hook does not wait at each prompt
// for an unreachable source.
func (f *Following) ReportFiles(ctx context.Context, layer registry.Layer, differences []instructions.Difference, newOnly bool) error {
	var errs []error
	before, _, _ := f.Reports.State() // the error also occurs below
	for _, d := range differences {
		if d.Change != instructions.New && d.Change != instructions.Changed {
			continue
		}
		id := cmp.Or(d.Subject.ID, instructions.NewID(d.Kind, d.Path, func(string) bool { return false }))
		errs = append(errs, f.Reports.Add(follow.Report{Kind: d.Kind, Layer: layer, Document: instructions.Definition(d.Kind, id, d.Found.Folder).Canonical()}))
	}
	waiting, _, err := f.Reports.State()
	if waiting == 0 || newOnly && waiting == before || err != nil {
		return errors.Join(append(errs, err)...)
	}
	source, err := f.source()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return errors.Join(append(errs, f.Reports.Send(ctx, source))...)
}

// CountMachine records that the machine of a report has seen a text, and comments on the revision that contains the
// text with the number of such machines, according to the holder of a token.
func (a *App) CountMachine(ctx context.Context, b Session, t tokens.Token, machine, label string, text catalog.Raw, met proposals.Revision) error {
	by := t.Caller.Actor
	n, err := catalog.KeepReport(ctx, a.DB.Imports, catalog.Import{
		ID: a.Env.NewID(), At: a.Env.Now(), Actor: by.String(), Label: label, Tools: []catalog.Raw{text},
	}, t.ID, machine)
	leading := n
	for leading > 0 && leading%10 == 0 {
		leading /= 10
	}
	if err != nil || leading != 1 && leading != 2 && leading != 5 { // 0 means that the machine was counted before
		return err
	}
	comment := fmt.Sprintf("%s reported the text of revision %d. Nobody verified the reports.", output.Counted(n, "machine"), met.Number)
	_, err = b.Desk.Drafting.Comment(ctx, by, met.Proposal, comment, review.Anchor{Revision: met.Number})
	if errors.Is(err, review.ErrPace) {
		return nil
	}
	return err
}

// Reviewed returns a phrase that describes where and by whom tools are approved.
func (f *Following) Reviewed() string {
	who := "anyone who can write to it"
	if s := f.Copy.Trust.Signers; s != nil {
		var names []string
		for _, e := range s.Entries() {
			names = append(names, e.Principals...)
		}
		slices.Sort(names)
		who = strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("This machine follows %s. There, it can be approved by %s.", f.Source, who)
}

// Connection connects the guard of a server to the copy.
func (f *Following) Connection(ctx context.Context, a *App, name string, warn func(string)) (guard.Connection, error) {
	caller, err := CallerFlags{Where: WhereFlags{Local: true}}.Caller(a)
	if err != nil {
		return guard.Connection{}, err
	}
	server := &follow.Server{Copy: f.Copy, Name: name}
	if _, err := server.Registry(ctx); err != nil {
		return guard.Connection{}, err
	}
	ledger, err := f.ledger(ctx, a, server.Registry)
	if err != nil {
		return guard.Connection{}, err
	}
	g, err := gateway.New(gateway.Config{Ledger: ledger, Now: a.Env.Now, NewID: a.Env.NewID, Warn: warn, Signatures: a.Config.SignaturePolicy()})
	if err != nil {
		return guard.Connection{}, err
	}
	c := guard.Connection{Store: server, Gateway: g, Caller: caller, Close: func() error { return nil }}
	if _, own := ledger.(follow.OwnLedger); own {
		stop := a.KeepCalls(ctx, warn)
		c.Store, c.Close = &ownStore{Server: server, own: a.DB}, func() error { stop(); return nil }
	}
	return c, nil
}

// ownStore is the store of a guard that reads the copy and the machine's own database.
type ownStore struct {
	*follow.Server
	own  *store.DB
	seen [2]int64
}

// Raw implements guard.Store.
func (s *ownStore) Raw(ctx context.Context, hash string) ([]byte, bool, error) {
	raw, ok, err := s.Server.Raw(ctx, hash)
	if err != nil || ok {
		return raw, ok, err
	}
	return s.own.Raw(ctx, hash)
}

// Wait implements guard.Store.
func (s *ownStore) Wait(ctx context.Context, seen int64, every time.Duration) int64 {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var both sync.WaitGroup
	for i, wait := range []func(context.Context, int64, time.Duration) int64{s.Server.Wait, s.own.Wait} {
		both.Go(func() {
			defer cancel()
			s.seen[i] = wait(ctx, s.seen[i], every)
		})
	}
	both.Wait()
	return seen
}

// Path implements guard.Store.
func (s *ownStore) Path() string { return s.own.Path() }

// DocFollowing describes the registry that a machine follows.
type DocFollowing struct {
	output.Head
	Source    string         `json:"source"`
	Events    int64          `json:"events"` // number of events in the log of the copy
	Accepted  string         `json:"accepted_at,omitempty"`
	Confirmed string         `json:"confirmed_at,omitempty"` // time when the source last returned this copy
	Age       int64          `json:"age_seconds"`            // age of the copy, in seconds
	Problem   string         `json:"problem,omitempty"`      // error of the last check
	Live      map[string]int `json:"live"`                   // numbers of live definitions by kind
	Signed    bool           `json:"signed"`
	Local     bool           `json:"local,omitempty"` // approvals of the machine's own database count, too
	Waiting   int            `json:"reports_waiting"` // reports that were not sent yet
	Refused   *DocRefusal    `json:"reports_refused,omitempty"`
}

// State describes the state of the copy for users.
func (d DocFollowing) State() string {
	if d.Accepted == "" {
		return "none yet"
	}
	return fmt.Sprintf("%s of its log; confirmed %s ago", output.Counted(int(d.Events), "event"), wording.Age(time.Duration(d.Age)*time.Second))
}

// DocRefusal describes the reports that the server rejected last.
type DocRefusal struct {
	At      string `json:"at"`
	Reports int    `json:"reports"`
	Reason  string `json:"reason"` // reason for the first rejected report
}

// Describe returns the status of the copy.
func (f *Following) Describe(ctx context.Context, now time.Time) (DocFollowing, error) {
	doc := DocFollowing{Head: output.NewHead("follow"), Source: f.Source, Signed: f.Copy.Trust.Signers != nil, Local: f.Local == "allow", Live: map[string]int{}}
	waiting, last, err := f.Reports.State()
	if err != nil {
		return doc, err
	}
	if doc.Waiting = waiting; last.Reports > 0 {
		doc.Refused = &DocRefusal{output.Timestamp(last.At), last.Reports, last.Reason}
	}
	checked := f.Copy.Checked()
	doc.Problem = checked.Problem
	if !checked.At.IsZero() {
		doc.Confirmed, doc.Age = output.Timestamp(checked.At), int64(now.Sub(checked.At).Seconds())
	}
	accepted, err := f.Copy.Accepted()
	if errors.Is(err, follow.ErrNoCopy) {
		return doc, nil
	}
	if err != nil {
		return doc, err
	}
	doc.Events, doc.Accepted = accepted.Size, output.Timestamp(accepted.At)
	r, err := f.Copy.Whole(ctx)
	if err != nil {
		doc.Problem = err.Error()
		return doc, nil //nolint:nilerr // the document reports it
	}
	for _, l := range r.Lives {
		doc.Live[string(l.Subject.Kind)]++
	}
	return doc, nil
}
