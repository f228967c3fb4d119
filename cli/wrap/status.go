// This file implements the status command.

package wrap

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/files"
	"toolcrib/cli/output"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/guarding"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// docStatus is the document that the status command prints. It lists the servers of all clients and whether they are
// guarded.
type docStatus struct {
	output.Head
	OK      bool              `json:"ok"` // true if no proposal waits for the user and all guards use the configuration of the user
	Entries []docStatusEntry  `json:"entries"`
	Servers []docStatusServer `json:"servers"`
	// Calls lists the newest calls that wait for the user's approval.
	Calls []guarding.HeldCall `json:"calls"`
	Hooks []docStatusHook     `json:"hooks"`
	// Waiting is the number of proposals, of any kind, that wait for the user.
	Waiting int `json:"waiting"`
	// Follow describes the copy of the registry that this machine follows.
	Follow *command.DocFollowing `json:"follow,omitempty"`
	// Unchecked lists the files that clients read, but that toolcrib cannot check.
	Unchecked []string `json:"unchecked"`
	// Unread is the number of live definitions that no user has read completely.
	Unread int `json:"unread,omitempty"`
	// Problems lists the files of clients that cannot be read, with the errors.
	Problems []string `json:"problems"`
}

type docStatusEntry struct {
	guarding.Entry
	Reason string `json:"reason,omitempty"` // reason why the server is not guarded or its guard does not work
}

type docStatusServer struct {
	Name            string `json:"name"`
	guarding.Counts        // numbers of tools by state
	// Texts contains the numbers of reviewed prompts and instructions by state. It is present if the texts of the
	// server are reviewed.
	Texts      *guarding.Counts   `json:"texts,omitempty"`
	ChangeSets []string           `json:"change_sets"`
	LastCall   *guarding.LastCall `json:"last_call,omitempty"`
	// LeftOut lists the entries in the server's newest list that cannot be proposed. If the list could not be read,
	// LeftOut contains the reason.
	LeftOut []wire.Skipped `json:"left_out,omitempty"`
}

func newStatus(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Aliases: []string{"servers"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			entries, read, err := ClientEntries(ctx, a)
			if err != nil {
				return err
			}
			following, err := a.Following()
			if err != nil {
				return err
			}
			status, err := readStatus(ctx, a, following, entries)
			if err != nil {
				return err
			}
			doc := docStatus{
				Head: output.NewHead("status"), OK: !status.AnyWaiting() && !status.Differs(), Calls: append([]guarding.HeldCall{}, status.Calls...), Problems: []string{},
				Entries: lists.Map(status.Entries, func(e guarding.Entry) docStatusEntry { return docStatusEntry{e, e.Reason()} }),
				Servers: lists.Map(status.Servers, func(v guarding.Server) docStatusServer {
					d := docStatusServer{Name: v.Name, Counts: v.Tools, ChangeSets: append([]string{}, v.Sets...), LastCall: v.Last, LeftOut: v.LeftOut}
					if v.Texts != (guarding.Counts{}) {
						d.Texts = &v.Texts
					}
					return d
				}),
			}
			if following != nil {
				described, err := following.Describe(ctx, a.Env.Now())
				if err != nil {
					return err
				}
				doc.Follow = &described
			}
			for _, f := range read {
				for _, p := range f.Problems {
					doc.Problems = append(doc.Problems, p.Error())
				}
			}
			m, err := machine(a)
			if err != nil {
				return err
			}
			doc.Hooks = lists.Map(m.Hooks(), func(f clients.File) docStatusHook {
				hook := docStatusHook{Client: f.Client, File: f.Path, Hooked: f.Hooked()}
				if f.Client == "claude-code" {
					hook.OffIn = hooksOff(a.Env.Dir, filepath.Dir(f.Path))
				}
				return hook
			})
			if doc.Unchecked, err = files.Unchecked(a); err != nil {
				doc.Problems = append(doc.Problems, output.Sentence(err))
			}
			if a.DB != nil {
				desk, err := a.OpenDesk(ctx)
				if err != nil {
					return err
				}
				for q := (review.Query{Filter: "unread", Limit: review.MaxPage}); ; {
					page, err := desk.Reading.List(ctx, q)
					if err != nil {
						return err
					}
					doc.Unread += len(page.Proposals)
					if q.After = page.Next; q.After == "" {
						break
					}
				}
				counts, err := command.ReadView(ctx, a.DB.View, func(r review.Reader) (map[proposals.State]int, error) { return r.Counts(ctx) })
				if err != nil {
					return err
				}
				doc.Waiting = counts[proposals.UserReview]
				untrusted, err := a.UntrustedText(ctx)
				if err != nil {
					return err
				}
				if untrusted != "" {
					doc.Problems = append(doc.Problems, output.FullStop(untrusted))
				}
			}
			return a.PrintChecked(doc, doc.OK, func(p *output.Page) {
				writeStatus(p, status, doc.Problems)
				if doc.Follow != nil {
					p.Remark("This machine follows %s. State of the copy: %s.", doc.Follow.Source, doc.Follow.State())
				}
				if doc.Waiting > 0 {
					p.Remark("Waiting for you in total: %s. List them with toolcrib list --state user_review", output.Counted(doc.Waiting, "proposal"))
				}
				if doc.Unread > 0 {
					p.Remark("%s live, but no user has read all of the content: toolcrib list --filter unread", output.Counted(doc.Unread, "proposal")+" went")
				}
				files.NoteUnchecked(doc.Unchecked, p.Remark)
				for _, h := range doc.Hooks {
					switch {
					case h.Hooked && len(h.OffIn) > 0:
						p.Remark("Sessions of %s do not stop, because disableAllHooks disables all hooks in %s.", h.Client, strings.Join(h.OffIn, ", "))
					case h.Hooked:
						p.Remark("Sessions of %s stop while skills or instruction files differ from their approved versions (%s).", h.Client, h.File)
					}
				}
			})
		},
	}
}

// unreadDatabase returns the error that the status command reports if opening the database returned err. It adds a
// remedy, and the names of the guards that list no tools as a result.
func unreadDatabase(a *command.App, err error, entries []clients.Entry) error {
	var names []string
	for _, e := range entries {
		if e.State() == clients.Guarded && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	idle := "the guards of " + strings.Join(names, ", ") + " list no tools"
	if len(names) == 1 {
		idle = "the guard of " + names[0] + " lists no tools"
	}
	switch {
	case len(names) == 0:
		return err
	case errors.Is(err, store.ErrNoDatabase):
		return fmt.Errorf("%w at %s, so %s; move the database back, restore a backup to this path, or create a new database with toolcrib init", store.ErrNoDatabase, store.DisplayName(a.Config.DB), idle)
	}
	return fmt.Errorf("%w; until this is fixed, %s", err, idle)
}

// readStatus returns the status of the servers in entries. If the database does not exist, no tool is approved. A
// missing database is an error only if a server is guarded.
func readStatus(ctx context.Context, a *command.App, following *command.Following, entries []clients.Entry) (status guarding.Status, err error) {
	own := false
	if following != nil {
		if own, err = following.Own(ctx, a); err != nil {
			return status, err
		}
	}
	if following != nil && !own {
		return guarding.Read(ctx, entries, guarding.Store{ // without a local database, there are no proposals
			View: func(ctx context.Context, fn func(guarding.Reader) error) error {
				r, err := following.Copy.Whole(ctx)
				if err != nil {
					return err
				}
				return fn(followedReader{r})
			},
			Calls: following.Journal.Calls, Pending: following.Journal.PendingList,
			Imported: func(context.Context) ([]string, error) { return nil, nil },
			LeftOut:  func(context.Context, string) ([]wire.Skipped, error) { return nil, nil },
		})
	}
	if _, err = a.OpenSession(ctx); err == nil {
		err = a.WithGateway(ctx, func(g *command.OpenGateway) error {
			s := statusStore(a, g)
			if own {
				s.View = func(ctx context.Context, fn func(guarding.Reader) error) error {
					r, err := following.Copy.Whole(ctx)
					if err != nil {
						return err
					}
					return a.DB.View(ctx, func(db review.Reader) error { return fn(ownReader{db, follow.Overlay{Registry: r, Own: db}}) })
				}
			}
			status, err = guarding.Read(ctx, entries, s)
			return err
		})
	}
	if err == nil {
		return status, nil
	}
	if errors.Is(err, store.ErrNoDatabase) && !slices.ContainsFunc(entries, func(e clients.Entry) bool { return e.State() == clients.Guarded }) {
		return guarding.Read(ctx, entries, guarding.Store{})
	}
	return status, unreadDatabase(a, err, entries)
}

// ownReader is a guarding.Reader for a machine that follows a registry and also has a local database.
type ownReader struct {
	review.Reader
	tools follow.Overlay
}

// FromServer implements guarding.Reader.
func (r ownReader) FromServer(ctx context.Context, name string) ([]registry.Live, error) {
	return r.tools.FromServer(ctx, name)
}

// followedReader is a guarding.Reader for a followed registry, which contains no proposals.
type followedReader struct{ *follow.Registry }

func (followedReader) List(context.Context, review.Query) (review.Page, error) {
	return review.Page{}, nil
}

func (followedReader) Bundles(context.Context, []proposals.ID) ([]review.Bundle, error) {
	return nil, nil
}

func statusStore(a *command.App, g *command.OpenGateway) guarding.Store {
	return guarding.Store{
		View: func(ctx context.Context, fn func(guarding.Reader) error) error {
			return a.DB.View(ctx, func(r review.Reader) error { return fn(r) })
		},
		Calls: g.Calls, Pending: g.Pending, Imported: func(ctx context.Context) ([]string, error) { return catalog.Labels(ctx, a.DB.Imports) }, LeftOut: func(ctx context.Context, server string) ([]wire.Skipped, error) {
			return catalog.LeftOut(ctx, a.DB.Imports, server)
		},
	}
}

// ScreenServers returns a function that reads the status of the servers for the workbench.
func ScreenServers(a *command.App, g *command.OpenGateway) func(ctx context.Context) (guarding.Status, error) {
	return func(ctx context.Context) (guarding.Status, error) {
		entries, _, err := ClientEntries(ctx, a)
		if err != nil {
			return guarding.Status{}, err
		}
		return guarding.Read(ctx, entries, statusStore(a, g))
	}
}

func writeStatus(p *output.Page, s guarding.Status, problems []string) {
	if len(s.Entries) == 0 {
		p.Remark("No client on this machine has an MCP server.")
	} else {
		columns := []string{"CLIENT", "SERVER", "STATE", "APPROVED", "WAITING", "CHANGED", "LAST CALL"}
		texts := slices.ContainsFunc(s.Servers, func(v guarding.Server) bool { return v.Texts != (guarding.Counts{}) })
		if texts {
			columns = append(columns, "TEXTS")
		}
		p.List(columns, lists.Map(s.Entries, func(e guarding.Entry) []string {
			v, known := s.Of(e.Server)
			row := []string{e.Place(), e.Name, e.StateText(), "", "", "", "", ""}
			if known {
				last := "never"
				switch {
				case v.Last == nil:
				case e.State != clients.Guarded:
					last = "" // the last call went through the guard of another entry
				default:
					last = output.Timestamp(v.Last.At) + " " + v.Last.Tool + " " + string(v.Last.Code)
				}
				row[3], row[4], row[5], row[6], row[7] = output.Itoa(v.Tools.Approved), output.Itoa(v.Tools.Waiting), output.Itoa(v.Tools.Changed), last, textCounts(v.Texts)
			}
			return row[:len(columns)]
		}))
	}
	for _, e := range s.Entries {
		switch why := e.Reason(); {
		case e.Differs != "":
			p.Remark("%s in %s: not guarded: %s.", e.Name, e.File, why)
		case why != "":
			p.Remark("%s in %s: %s.", e.Name, e.File, why)
		case e.Database != "":
			p.Remark("%s in %s runs %s; the guard is %s, with the database %s.", e.Name, e.File, e.Command, e.Program, e.Database)
		}
	}
	for _, problem := range problems {
		p.Remark("%s", output.FullStop(problem))
	}
	for _, v := range s.Servers {
		if review := v.Review(); review != "" {
			var open []string
			if n := v.Tools.Open(); n > 0 {
				open = append(open, output.Counted(n, "tool"))
			}
			if n := v.Texts.Open(); n > 0 {
				open = append(open, output.Counted(n, "text"))
			}
			p.Remark("Waiting for you: %s of %s. Review with %s", strings.Join(open, " and "), v.Name, review)
		}
		if n := v.Tools.Rejected + v.Texts.Rejected; n > 0 {
			p.Remark("You rejected %s of %s. The guard withholds a rejected definition while the server lists it unchanged. To list the changes: toolcrib list --state rejected --filter %s", output.Counted(n, "change"), v.Name, v.Name)
		}
	}
	for _, v := range s.Servers {
		for _, left := range v.LeftOut[:min(len(v.LeftOut), mostLeftOut)] {
			p.Remark("Left out of %s: %s", v.Name, output.FullStop(left.String()))
		}
		if more := len(v.LeftOut) - mostLeftOut; more > 0 {
			p.Remark("Left out of %s: %d more; to list them: toolcrib status --json", v.Name, more)
		}
	}
	for _, c := range s.Calls {
		p.Remark("Waiting for you: a call of %s by %s, until %s. Show it with toolcrib calls show %s", c.Tool, c.Agent, output.Timestamp(c.Expires), c.ID)
	}
	if s.More {
		p.Remark("More calls are waiting: toolcrib calls list")
	}
	if len(s.Calls) > 0 {
		p.Remark("Decide with toolcrib calls approve ID, or toolcrib calls refuse ID --note REASON; in the workbench, P lists them.")
	}
}

// mostLeftOut is the maximum number of skipped entries to print for each server.
const mostLeftOut = 5

// textCounts formats the numbers of a server's texts by state. It returns "" if the server has no reviewed texts.
func textCounts(c guarding.Counts) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{c.Approved, "approved"}, {c.Waiting, "waiting"}, {c.Changed, "changed"}, {c.Rejected, "rejected"}} {
		if part.n > 0 {
			parts = append(parts, output.Itoa(part.n)+" "+part.word)
		}
	}
	return strings.Join(parts, ", ")
}
