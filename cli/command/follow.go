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
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/signing/signers"
	"toolcrib/store"
	"toolcrib/store/catalog"
	"toolcrib/tui/wording"
)

// Following provides access to the registry that this machine follows. It contains the configuration, the local copy,
// the journal of calls, and the queue of reports to the reviewers of the registry.
type Following struct {
	settings.FollowConfig
	Copy    *follow.Copy
	Journal *follow.Journal
	Reports follow.Outbox
}

// Following returns the registry that this machine follows, or nil if it follows none.
func (a *App) Following() (*Following, error) {
	c, err := a.Settings()
	if err != nil || c.Follow.Source == "" {
		return nil, err
	}
	return a.Follow(c.Follow)
}

// Follow returns the registry that the configuration f specifies. a.Config must be set.
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
			return nil, process.Usagef("no trusted signers on this machine; specify a file of signers with --signers FILE, or add --unsigned to accept a registry that anyone with write access to its source can change")
		}
		if err != nil {
			return nil, err
		}
	}
	return &Following{FollowConfig: f, Copy: copied, Journal: &follow.Journal{Dir: filepath.Join(data, "toolcrib", "calls")}, Reports: follow.Outbox{Dir: filepath.Join(data, "toolcrib", "reports", registry.HashBytes([]byte(f.Source))[:16])}}, nil
}

// Own reports whether this machine also uses the approvals in its local database, in addition to those in the followed
// registry. This requires that [follow] local is "allow" and that the database exists. In this case, Own opens the
// database.
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

// ledger returns the ledger for tool calls. The ledger reads the followed registry. If the approvals in the local
// database also apply (see Own), the ledger reads the database, too. Without the database, calls are recorded only in
// the journal.
func (f *Following) ledger(ctx context.Context, a *App, registry func(context.Context) (*follow.Registry, error)) (gateway.Ledger, error) {
	own, err := f.Own(ctx, a)
	if err != nil || !own {
		return follow.Ledger{Registry: registry, Journal: f.Journal}, err
	}
	return follow.OwnLedger{Ledger: a.DB.Calls(), Registry: registry, Journal: f.Journal, Journaled: &sync.Map{}}, nil
}

// Subject returns the subject of the definition with the given id. It returns an error if no definition or several
// definitions have the id.
func (f *Following) Subject(ctx context.Context, id string) (registry.Subject, error) {
	r, err := f.Copy.Whole(ctx)
	if err != nil {
		return registry.Subject{}, err
	}
	at := slices.IndexFunc(r.Lives, func(l registry.Live) bool { return l.Subject.ID == id })
	if at < 0 {
		return registry.Subject{}, NotFoundf("definition %s in the registry that this machine follows", id)
	}
	if another := slices.IndexFunc(r.Lives[at+1:], func(l registry.Live) bool { return l.Subject.ID == id }); another >= 0 {
		return registry.Subject{}, process.Usagef("several definitions have the id %s; specify a subject, such as %s or %s", id, r.Lives[at].Subject, r.Lives[at+1+another].Subject)
	}
	return r.Lives[at].Subject, nil
}

// Update checks the source of the registry once, and reports whether the copy changed.
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

// Poll checks the source of the registry repeatedly in the background, until ctx is done or stop is called. After each
// successful check, it sends queued reports and, if configured, the log of calls. It passes each error to problem. stop
// waits until no goroutine writes to the copy.
func (f *Following) Poll(ctx context.Context, problem func(error)) (stop func()) {
	source, err := f.source()
	if err != nil {
		problem(err)
		return func() {}
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
	ctx, cancel := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() { f.Copy.Poll(ctx, f.Source, source, f.Interval(), problem) })
	return func() {
		cancel()
		polling.Wait()
	}
}

// Report queues a report about the unapproved tools in l, and tries to send the report at once. If this fails, Poll
// sends the report later. l is the listing of the given server.
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

// Others returns a copy of l without the tools and texts that are in the followed registry but not in the local
// database. l is the listing of the given server.
func (f *Following) Others(ctx context.Context, a *App, server string, l guard.Listing) (guard.Listing, error) {
	r, err := f.Copy.Server(ctx, server)
	if err != nil {
		return l, err
	}
	own, err := ReadView(ctx, a.DB.View, func(r review.Reader) ([]registry.Live, error) { return r.FromServer(ctx, server) })
	if err != nil {
		return l, err
	}
	known := lists.Set(r.Lives, func(l registry.Live) string { return l.Definition.Tool.OriginName() })
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

// ReportFiles queues reports about the new and changed files in differences, which all belong to the given layer. It
// then tries for two seconds to send all queued reports. If newOnly is set, it sends them only if at least one report
// is new. Otherwise, a hook would wait for an unreachable source at each prompt.
func (f *Following) ReportFiles(ctx context.Context, layer registry.Layer, differences []instructions.Difference, newOnly bool) error {
	var errs []error
	before, _, _ := f.Reports.State() // an error is returned by the second call of State
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

// CountMachine records that machine reported the text. If the number of machines that reported the text is now 1, 2, 5,
// 10, 20, 50, and so on, CountMachine adds a comment with this number to the given revision, which contains the text.
// The names of machines are not verified, because the holder of the token t can choose any name.
func (a *App) CountMachine(ctx context.Context, b Session, t tokens.Token, machine, label string, text catalog.Raw, revision proposals.Revision) error {
	by := t.Caller.Actor
	n, err := catalog.KeepReport(ctx, a.DB.Imports, catalog.Import{
		ID: a.Env.NewID(), At: a.Env.Now(), Actor: by.String(), Label: label, Tools: []catalog.Raw{text},
	}, t.ID, machine)
	leading := n
	for leading > 0 && leading%10 == 0 {
		leading /= 10
	}
	if err != nil || leading != 1 && leading != 2 && leading != 5 { // n is 0 if the machine was counted before or is over the limit
		return err
	}
	comment := fmt.Sprintf("%s reported the text of revision %d. The reports are not verified.", output.Counted(n, "machine"), revision.Number)
	_, err = b.Desk.Drafting.Comment(ctx, by, revision.Proposal, comment, review.Anchor{Revision: revision.Number})
	if errors.Is(err, review.ErrPace) {
		return nil
	}
	return err
}

// Reviewed returns a text for users with the source of the followed registry and the people who can approve its
// changes.
func (f *Following) Reviewed() string {
	who := "anyone with write access"
	if s := f.Copy.Trust.Signers; s != nil {
		names := slices.Concat(lists.Map(s.Entries(), func(e signers.Entry) []string { return e.Principals })...)
		slices.Sort(names)
		who = strings.Join(slices.Compact(names), ", ")
	}
	return fmt.Sprintf("This machine follows the registry %s. Changes to the registry can be approved by %s.", f.Source, who)
}

// Connection returns the connection for the guard of the server called name. The connection reads the copy of the
// registry and, if the approvals in the local database also apply (see Own), the database.
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

// ownStore is the store of a guard that reads both the copy of the followed registry and the local database.
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
func (s *ownStore) Wait(ctx context.Context, previous int64, interval time.Duration) int64 {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var both sync.WaitGroup
	for i, wait := range []func(context.Context, int64, time.Duration) int64{s.Server.Wait, s.own.Wait} {
		both.Go(func() {
			defer cancel()
			s.seen[i] = wait(ctx, s.seen[i], interval)
		})
	}
	both.Wait()
	return previous
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
	Local     bool           `json:"local,omitempty"` // whether approvals in the local database also apply
	Waiting   int            `json:"reports_waiting"` // reports that were not sent yet
	Refused   *DocRefusal    `json:"reports_refused,omitempty"`
}

// State returns a short description of the copy for users.
func (d DocFollowing) State() string {
	if d.Accepted == "" {
		return "none yet"
	}
	return fmt.Sprintf("%s; last confirmed %s ago", output.Counted(int(d.Events), "event"), wording.Age(time.Duration(d.Age)*time.Second))
}

// DocRefusal describes the most recent response in which the server rejected reports.
type DocRefusal struct {
	At      string `json:"at"`
	Reports int    `json:"reports"`
	Reason  string `json:"reason"` // reason for the first rejected report
}

// Describe returns the status of the copy at the given time.
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
