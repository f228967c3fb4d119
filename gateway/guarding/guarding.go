// Package guarding reports which MCP servers of clients are guarded, and which proposals and calls of these servers
// wait for the user.
package guarding

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/clients"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// Reader reads live definitions and proposals.
type Reader interface {
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
	List(ctx context.Context, q review.Query) (review.Page, error)
	Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error)
}

// Store contains the functions that read the data for a status. The zero value, in which all functions are nil,
// represents a missing database.
type Store struct {
	View  func(ctx context.Context, fn func(Reader) error) error
	Calls func(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error)
	// Pending returns calls that wait for the user.
	Pending func(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error)
	// Imported returns the names of all servers in the records of imports.
	Imported func(ctx context.Context) ([]string, error)
	// LeftOut returns the entries in the newest list of a server that could not be proposed.
	LeftOut func(ctx context.Context, server string) ([]wire.Skipped, error)
}

// Status is the state of all entries, servers, and waiting calls.
type Status struct {
	Entries []Entry
	Servers []Server // servers of clients in the order of Entries, followed by other servers with open proposals
	Calls   []HeldCall
	More    bool // whether further calls wait for the user
}

// MostCalls is the maximum number of waiting calls in a status.
const MostCalls = 10

// HeldCall is a call that waits for the approval of the user.
type HeldCall struct {
	ID      string    `json:"id"`
	Tool    string    `json:"tool"`
	Agent   string    `json:"agent"` // caller, such as agent:scout, or guard:SERVER for a call behind a guard
	Expires time.Time `json:"expires_at"`
}

// Entry is a server in the file of a client.
type Entry struct {
	Client  string        `json:"client"`
	File    string        `json:"file"`
	Project bool          `json:"-"`                // whether the file belongs to a project
	Name    string        `json:"name"`             // name of the server in the file
	Server  string        `json:"server,omitempty"` // name of the server in toolcrib; "" if it has no name or its guard is ineffective
	State   clients.State `json:"state"`            // guarded, open, or refused
	Why     string        `json:"-"`                // reason why the server is not guarded, or the problem with its guard
	// Disabled reports whether the client does not start the server.
	Disabled bool `json:"disabled,omitempty"`
	// Differs is the reason why the guard is ineffective: it does not use the user's program, database, and settings,
	// or its name belongs to another server. The reason is a phrase that follows the words "the guard". Differs is ""
	// if the guard is effective.
	Differs string `json:"-"`
	// Program and Database are the program and the database of the guard, even if the guard is ineffective.
	Program  string `json:"program,omitempty"`
	Database string `json:"database,omitempty"`
	Command  string `json:"command,omitempty"` // command or URL of the server, with secrets masked
}

// Server is the state of a server's tools, texts, and calls.
type Server struct {
	Name  string
	Tools Counts
	Texts Counts // prompts and instructions, if they are reviewed
	// Sets contains the names of the change sets of open proposals; the name is "" for a proposal without a change set.
	Sets []string
	Last *LastCall // last call through a guard, or nil
	// LeftOut contains the entries in the newest list that cannot be proposed, or the reason why the list is not
	// available.
	LeftOut []wire.Skipped
}

// Counts contains the numbers of tools or texts by state.
type Counts struct {
	Approved int `json:"approved"` // approved and active definitions
	Waiting  int `json:"waiting"`  // proposals of new definitions
	Changed  int `json:"changed"`  // proposals to change, deactivate, or reactivate approved definitions
	// Rejected is the number of definitions that the guard withholds because the user rejected them or their newest
	// change.
	Rejected int `json:"rejected"`
}

// Open returns the number of proposals that wait for the user.
func (c Counts) Open() int { return c.Waiting + c.Changed }

// of returns the counts to which t belongs.
func (v *Server) of(t *registry.Tool) *Counts {
	if t.Kind == registry.ServerText {
		return &v.Texts
	}
	return &v.Tools
}

// Open returns the number of proposals that wait for the user.
func (v Server) Open() int { return v.Tools.Open() + v.Texts.Open() }

// LastCall is the newest call of a server's tools.
type LastCall struct {
	At      time.Time    `json:"at"`
	Tool    string       `json:"tool"`
	Code    gateway.Code `json:"code,omitempty"`    // code of the result; "" while the call runs
	Command string       `json:"command,omitempty"` // command or URL of the server that received the call, with secrets masked
}

// Differs reports whether any entry has an ineffective guard.
func (s Status) Differs() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Differs != "" })
}

// AnyWaiting reports whether any proposal or call waits for the user.
func (s Status) AnyWaiting() bool {
	return len(s.Calls) > 0 || slices.ContainsFunc(s.Servers, func(v Server) bool { return v.Open() > 0 })
}

// Of returns the server with the given name in toolcrib. It returns false if name is "" or unknown.
func (s Status) Of(name string) (Server, bool) {
	i := slices.IndexFunc(s.Servers, func(v Server) bool { return v.Name == name })
	if i < 0 || name == "" {
		return Server{}, false
	}
	return s.Servers[i], true
}

// Read returns the status of the given entries, and of all other servers with open proposals.
func Read(ctx context.Context, entries []clients.Entry, from Store) (Status, error) {
	var s Status
	for _, e := range entries {
		v := e.Server()
		if v.Self() || v.BuiltIn() {
			continue
		}
		entry := Entry{
			Client: e.File.Client, File: e.File.Path, Project: e.File.Scope == clients.Project,
			Name: v.Name, Server: e.Name, State: e.State(), Why: e.Fault, Disabled: v.Disabled,
			Differs: e.Differs, Program: v.Guard.Runs, Database: v.Guard.Database,
		}
		if v.Command != "" || v.URL != "" {
			entry.Command = strings.Join(v.Runs(), " ")
		}
		if e.Differs != "" { // the guard is ineffective
			entry.Server = ""
		}
		s.Entries = append(s.Entries, entry)
		if _, known := s.Of(entry.Server); !known && entry.Server != "" {
			s.Servers = append(s.Servers, Server{Name: entry.Server})
		}
	}
	if from.View == nil {
		return s, nil
	}
	var open, rejected []review.Bundle
	imported, err := from.Imported(ctx)
	if err != nil {
		return s, err
	}
	err = from.View(ctx, func(r Reader) error {
		for _, server := range imported {
			found, err := OpenOf(ctx, r, server, proposals.UserReview, proposals.ChiefReview, proposals.NeedsChanges)
			if err != nil {
				return err
			}
			if _, known := s.Of(server); !known && len(found) > 0 {
				s.Servers = append(s.Servers, Server{Name: server})
			}
			open = append(open, found...)
		}
		var err error
		rejected, err = lastRejected(ctx, r, open)
		return err
	})
	if err != nil {
		return s, err
	}
	for i := range s.Servers {
		if err := s.Servers[i].read(ctx, from, open, rejected); err != nil {
			return s, err
		}
	}
	waiting, err := from.Pending(ctx, gateway.PendingQuery{Waiting: true, Limit: MostCalls + 1})
	s.More = len(waiting) > MostCalls
	for _, p := range waiting[:min(len(waiting), MostCalls)] {
		s.Calls = append(s.Calls, HeldCall{ID: p.ID, Tool: p.Tool.ID, Agent: p.Caller.Agent, Expires: p.ExpiresAt})
	}
	return s, err
}

// read sets all fields of v except Name.
func (v *Server) read(ctx context.Context, from Store, open, rejected []review.Bundle) error {
	err := from.View(ctx, func(r Reader) error {
		lives, err := r.FromServer(ctx, v.Name)
		for _, l := range lives {
			if t := l.Definition.Tool; t != nil && t.Server() == v.Name && l.Definition.Status() == registry.Active {
				v.of(t).Approved++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, b := range open {
		t := b.Revision.Draft.Definition.Tool
		if t.Server() != v.Name {
			continue
		}
		if b.Proposal.Type == proposals.New {
			v.of(t).Waiting++
		} else {
			v.of(t).Changed++
		}
		if set := b.Proposal.ChangeSet; !slices.Contains(v.Sets, set) {
			v.Sets = append(v.Sets, set)
		}
	}
	for _, b := range rejected {
		if t := b.Revision.Draft.Definition.Tool; t.Server() == v.Name {
			v.of(t).Rejected++
		}
	}
	if v.LeftOut, err = from.LeftOut(ctx, v.Name); err != nil {
		return err
	}
	calls, err := from.Calls(ctx, gateway.CallQuery{Agent: gateway.GuardPrefix + v.Name, Limit: 1})
	if err != nil || len(calls) == 0 {
		return err
	}
	v.Last = &LastCall{At: calls[0].At, Tool: calls[0].Name, Command: calls[0].Command}
	if o := calls[0].Outcome; o != nil {
		v.Last.Code = cmp.Or(o.Code, gateway.CodeOK)
	}
	return nil
}

// lastRejected returns the newest rejected proposal of each tool and text. It omits subjects with an open proposal and
// subjects with an approval after the rejection.
func lastRejected(ctx context.Context, r Reader, open []review.Bundle) ([]review.Bundle, error) {
	page, err := r.List(ctx, review.Query{State: proposals.Rejected, Filter: "tool:", Limit: review.MaxPage})
	if err != nil {
		return nil, err
	}
	settled := lists.Set(open, func(b review.Bundle) registry.Subject { return b.Proposal.Subject })
	var ids []proposals.ID
	for _, p := range page.Proposals {
		if !settled[p.Subject] && p.BaseVersion == p.LiveVersion {
			ids = append(ids, p.ID)
		}
		settled[p.Subject] = true
	}
	bundles, err := r.Bundles(ctx, ids)
	return slices.DeleteFunc(bundles, func(b review.Bundle) bool {
		t := b.Revision.Draft.Definition.Tool
		return t == nil || t.Server() == ""
	}), err
}

// OpenOf returns the proposals in the given states about tools and texts of the named server.
func OpenOf(ctx context.Context, r Reader, server string, states ...proposals.State) (open []review.Bundle, err error) {
	text := "tool:" // if the server's name is too long for an id, search all tools
	if prefix, named := strings.CutSuffix(registry.ImportedID(server, "x"), "_x"); named {
		text = filter.Quote(prefix)
	}
	for _, state := range states {
		q := review.Query{State: state, Filter: text, Limit: review.MaxPage}
		for {
			page, err := r.List(ctx, q)
			if err != nil {
				return nil, err
			}
			bundles, err := r.Bundles(ctx, lists.Map(page.Proposals, func(p proposals.Proposal) proposals.ID { return p.ID }))
			if err != nil {
				return nil, err
			}
			for _, b := range bundles {
				if t := b.Revision.Draft.Definition.Tool; t != nil && t.Server() == server {
					open = append(open, b)
				}
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
	}
	return open, nil
}

// StateText returns a short description of the entry's state.
func (e Entry) StateText() string {
	switch {
	case e.State == clients.Guarded && e.Why != "":
		return "unreliable guard"
	case e.State == clients.Guarded:
		return "guarded"
	case e.State == clients.Refused:
		return "cannot be guarded"
	case e.Disabled:
		return "disabled"
	}
	return "not guarded"
}

// Reason returns the reason why the entry cannot be guarded, the problem with its guard, or the command that adds a
// guard. It returns "" for an effective guard, and for a disabled server that can be guarded.
func (e Entry) Reason() string {
	wrap := "toolcrib wrap " + e.Client
	if e.Project {
		wrap += " --here"
	}
	switch {
	case e.Differs != "":
		return "the guard " + e.Differs + "; to repair the guard, run " + wrap
	case e.Why != "":
		return e.Why
	case e.State == clients.Guarded || e.Disabled:
		return ""
	}
	return "to guard the server, run " + wrap
}

// Place returns the client of the entry, and whether its file belongs to a project, for display.
func (e Entry) Place() string {
	if e.Project {
		return e.Client + " (project)"
	}
	return e.Client
}

// Review returns the command that shows the open proposals of the server, or "" if there are none.
func (v Server) Review() string {
	if v.Open() == 0 {
		return ""
	}
	if len(v.Sets) == 1 && v.Sets[0] != "" {
		return "toolcrib show 'set:" + v.Sets[0] + "'"
	}
	return "toolcrib list --filter " + strings.TrimSpace(v.Name)
}
