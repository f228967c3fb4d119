package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/gateway/guarding"
	"toolcrib/review"
	"toolcrib/store"
)

// docStatus answers which servers of clients are guarded.
type docStatus struct {
	docHead
	OK      bool              `json:"ok"` // nothing waits
	Entries []docStatusEntry  `json:"entries"`
	Servers []docStatusServer `json:"servers"`
	// Calls are the newest that wait for the user.
	Calls []docStatusCall `json:"calls"`
	// Problems are files of clients that could not be read.
	Problems []string `json:"problems"`
}

type docStatusEntry struct {
	Client   string `json:"client"`
	File     string `json:"file"`
	Name     string `json:"name"`             // in the file
	Server   string `json:"server,omitempty"` // the name that toolcrib has for it
	State    string `json:"state"`            // guarded, open, or refused
	Disabled bool   `json:"disabled,omitempty"`
	Reason   string `json:"reason,omitempty"` // it is not guarded, or its guard does not work
}

type docStatusServer struct {
	Name       string       `json:"name"`
	Approved   int          `json:"approved"`
	Waiting    int          `json:"waiting"`
	Changed    int          `json:"changed"`
	ChangeSets []string     `json:"change_sets"`
	LastCall   *docLastCall `json:"last_call,omitempty"`
}

type docStatusCall struct {
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`
	Agent     string    `json:"agent"` // guard:NAME for a call behind a guard
	ExpiresAt time.Time `json:"expires_at"`
}

type docLastCall struct {
	At   time.Time `json:"at"`
	Tool string    `json:"tool"`
	Code string    `json:"code,omitempty"` // ok, or that of an error; absent while it runs
}

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Aliases: []string{"servers"},
		Short:   "Show which MCP servers of your clients are guarded",
		Long: `Show each MCP server in the files of your clients: whether it is guarded, or why it
is not; how many of its tools are approved, wait for you, or have changed; and the
last call behind its guard. List the calls that wait for your approval.

Exit status 6 when tools or calls wait for you.`,
		Example: `  toolcrib status
  toolcrib status --json | jq '.servers[] | select(.waiting > 0)'`,
		Args: exact(0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), a) },
	}
}

func runStatus(ctx context.Context, a *app) error {
	status, problems, err := a.readStatus(ctx)
	if err != nil {
		return err
	}
	doc := newDocStatus(status, problems)
	return a.printChecked(doc, doc.OK, func(p *page) { writeStatus(p, status, problems) })
}

// readStatus returns the status of the clients of this machine; without a database
// nothing is approved.
func (a *app) readStatus(ctx context.Context) (status guarding.Status, problems []string, err error) {
	entries, files, err := a.clientEntries()
	if err != nil {
		return status, nil, err
	}
	for _, f := range files {
		for _, p := range f.Problems {
			problems = append(problems, p.Error())
		}
	}
	b, err := a.openSession(ctx)
	if errors.Is(err, store.ErrNoDatabase) {
		status, err = guarding.Read(ctx, entries, guarding.Store{})
		return status, problems, err
	}
	if err != nil {
		return status, nil, err
	}
	err = a.withGateway(ctx, func(g *openGateway) error {
		status, err = guarding.Read(ctx, entries, a.statusStore(b, g))
		return err
	})
	return status, problems, err
}

func (a *app) statusStore(b session, g *openGateway) guarding.Store {
	return guarding.Store{
		View: func(ctx context.Context, fn func(guarding.Reader) error) error {
			return a.db.View(ctx, func(r review.Reader) error { return fn(r) })
		},
		List: b.desk.List, Calls: g.Calls, Pending: g.Pending,
	}
}

// screenServers reads the status for the workbench.
func (a *app) screenServers(b session, g *openGateway) func(ctx context.Context) (guarding.Status, error) {
	return func(ctx context.Context) (guarding.Status, error) {
		entries, _, err := a.clientEntries()
		if err != nil {
			return guarding.Status{}, err
		}
		return guarding.Read(ctx, entries, a.statusStore(b, g))
	}
}

func newDocStatus(s guarding.Status, problems []string) docStatus {
	doc := docStatus{docHead: head("status"), OK: !s.Waits(), Problems: mapped(problems, func(p string) string { return p })}
	doc.Entries = mapped(s.Entries, func(e guarding.Entry) docStatusEntry {
		return docStatusEntry{Client: e.Client, File: e.File, Name: e.Name, Server: e.Server, State: string(e.State), Disabled: e.Disabled, Reason: e.Reason()}
	})
	doc.Servers = mapped(s.Servers, func(v guarding.Server) docStatusServer {
		d := docStatusServer{Name: v.Name, Approved: v.Approved, Waiting: v.Waiting, Changed: v.Changed, ChangeSets: mapped(v.Sets, func(s string) string { return s })}
		if v.Last != nil {
			d.LastCall = &docLastCall{At: v.Last.At, Tool: v.Last.Tool, Code: string(v.Last.Code)}
		}
		return d
	})
	doc.Calls = mapped(s.Calls, func(c guarding.HeldCall) docStatusCall {
		return docStatusCall{ID: c.ID, Tool: c.Tool, Agent: c.Agent, ExpiresAt: c.Expires}
	})
	return doc
}

func writeStatus(p *page, s guarding.Status, problems []string) {
	if len(s.Entries) == 0 {
		p.remark("No client on this machine has an MCP server.")
	} else {
		p.list([]string{"CLIENT", "SERVER", "STATE", "APPROVED", "WAITING", "CHANGED", "LAST CALL"}, mapped(s.Entries, func(e guarding.Entry) []string {
			v, known := s.Of(e.Server)
			row := []string{e.Place(), e.Name, e.Word(), "", "", "", ""}
			if known {
				row[3], row[4], row[5], row[6] = itoa(v.Approved), itoa(v.Waiting), itoa(v.Changed), lastCall(v.Last)
			}
			return row
		}))
	}
	for _, e := range s.Entries {
		if why := e.Reason(); why != "" {
			p.remark("%s in %s: %s.", e.Name, e.File, why)
		}
	}
	for _, problem := range problems {
		p.remark("%s", stop(problem))
	}
	for _, v := range s.Servers {
		if review := v.Review(); review != "" {
			p.remark("Waiting for you: %s of %s. Review with %s", counted(v.Waiting+v.Changed, "tool"), v.Name, review)
		}
	}
	for _, c := range s.Calls {
		p.remark("Waiting for you: a call of %s by %s, until %s. Look at it with toolcrib calls show %s", c.Tool, c.Agent, timestamp(c.Expires), c.ID)
	}
	if s.More {
		p.remark("More calls wait: toolcrib calls list")
	}
	if len(s.Calls) > 0 {
		p.remark("Decide with toolcrib calls approve ID, or toolcrib calls refuse ID --note REASON; in the workbench, P lists them.")
	}
}

func lastCall(c *guarding.LastCall) string {
	if c == nil {
		return "never"
	}
	return timestamp(c.At) + " " + c.Tool + " " + string(c.Code)
}
