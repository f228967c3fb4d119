// Package calls implements the commands that run tool calls, parse calls in a model's answer, answer pending calls, and
// list the call log.
package calls

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/review"
)

// Family returns the commands "exec", "parse", and "calls".
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRunTime, New: newParse},
			{Group: command.GroupRunTime, New: newExec, Creates: true},
			{Group: command.GroupRunTime, New: func(a *command.App) *cobra.Command {
				return command.WithDefault("calls", newCallsList(a), newCallsShow(a), newAnswer(a, true), newAnswer(a, false), newCallsLog(a), newCallsPolicy(a), newCallsPrune(a))
			}},
		},
		Documents: map[string]any{
			"call":         docCall{},
			"call.prune":   docPrune{},
			"call.list":    docAuditList{},
			"parsed":       docParsed{},
			"pending":      docPendingOne{},
			"pending.list": docPendingList{},
			"tier.list":    docTierList{},
		},
	}
}

func newCallsList(a *command.App) *cobra.Command {
	q := gateway.PendingQuery{}
	var all bool
	cmd := &cobra.Command{
		Use: "list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Waiting = !all
			ctx := cmd.Context()
			if err := command.CheckPageLimit(q.Limit); err != nil {
				return err
			}
			q.Limit++ // one more than the page, to detect whether another page exists
			return a.WithGateway(ctx, func(g *command.OpenGateway) error {
				list, err := g.Pending(ctx, q)
				if err != nil {
					return err
				}
				doc := docPendingList{Head: output.NewHead("pending.list")}
				list, doc.Next = output.CutPage(list, q.Limit-1, func(p gateway.Pending) int64 { return p.Seq })
				doc.Pending = lists.Map(list, func(p gateway.Pending) docPending { return newDocPending(g, p) })
				if a.Audience != nil && len(list) > 0 {
					a.Audience.ListedCall(list[0].ID)
				}
				return a.Print(doc, func(p *output.Page) {
					switch {
					case len(doc.Pending) > 0:
					case q.Waiting:
						p.Remark("No calls are waiting.")
						return
					default:
						p.Remark("No call has ever waited for you.")
						return
					}
					p.List([]string{"CALL", "STATE", "TOOL", "AGENT", "USER", "EXPIRES", "ARGUMENTS"}, lists.Map(doc.Pending, func(c docPending) []string {
						return []string{c.ID, c.State, c.Tool, c.Agent, c.User, output.Timestamp(c.ExpiresAt), p.Cut(string(c.Args), 60)}
					}))
					p.More("before", doc.Next)
				})
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "include answered, expired, and outdated calls")
	f.StringVar(&q.Agent, "agent", "", "only calls of the agent `ID`")
	f.StringVar(&q.User, "user", "", "only calls for the user `NAME`")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N` calls")
	f.Int64Var(&q.Before, "before", 0, "only calls before position `N`, which the previous page shows")
	return cmd
}

func newCallsShow(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "show ID",
		Args: command.ExactArgs(1, "the id of a pending call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithGateway(cmd.Context(), func(g *command.OpenGateway) error {
				p, err := g.PendingCall(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				err = printPending(a, g, p)
				if err == nil && !a.Cut && a.Audience != nil {
					a.Audience.ShownCall(p.ID, p.Digest)
				}
				return err
			})
		},
	}
}

func printPending(a *command.App, g *command.OpenGateway, pending gateway.Pending) error {
	doc := docPendingOne{Head: output.NewHead("pending"), Pending: newDocPending(g, pending)}
	c := doc.Pending
	return a.Print(doc, func(p *output.Page) {
		p.Linef("%s, version %d: %s", c.Tool, c.Version, c.State)
		p.Blank()
		p.Linef("call       %s", c.ID)
		p.Linef("requested  %s by %s, with the tools of %s, for the user %s", output.Timestamp(c.AskedAt), c.Actor, c.Agent, c.User)
		if c.Customer != "" {
			p.Linef("customer   %s", c.Customer)
		}
		p.Linef("expires    %s", output.Timestamp(c.ExpiresAt))
		switch {
		case c.InForce == 0:
			p.Linef("in force   no version, because the tool is no longer in use")
		case c.InForce != c.Version:
			p.Linef("in force   version %d, not the version of this call", c.InForce)
		}
		p.Linef("digest     %s", c.Digest)
		p.Linef("arguments")
		p.JSON("  ", c.Args)
		if len(c.Said) > 0 {
			p.Linef("context from the caller, not verified")
			p.JSON("  ", c.Said)
		}
		if c.AnsweredBy != "" {
			p.Linef("answered   %s by %s", output.Timestamp(*c.AnsweredAt), c.AnsweredBy)
		}
		if c.Reason != "" {
			p.Linef("reason")
			p.Text("  ", c.Reason)
		}
		if len(c.Output) > 0 {
			if c.Code != "" {
				p.Linef("failed     %s", c.Code)
			}
			p.Linef("output")
			p.JSON("  ", c.Output)
		}
		if c.State == string(gateway.PendingInterrupted) {
			p.Linef("toolcrib exited during the call. The call may have run; toolcrib does not repeat it.")
		}
	})
}

func newCallsLog(a *command.App) *cobra.Command {
	q := gateway.CallQuery{}
	var tool, code, annotation string
	cmd := &cobra.Command{
		Use: "log",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Code = gateway.Code(strings.TrimSpace(code))
			var err error
			if q.Hint, err = hint(annotation); err != nil {
				return err
			}
			ctx := cmd.Context()
			if err := command.CheckPageLimit(q.Limit); err != nil {
				return err
			}
			if tool != "" {
				if q.Tool, err = a.Subject(ctx, tool); err != nil {
					return err
				}
			}
			q.Limit++ // one more than the page, to detect whether another page exists
			return a.WithGateway(ctx, func(g *command.OpenGateway) error {
				calls, err := g.Calls(ctx, q)
				if err != nil {
					return err
				}
				doc := docAuditList{Head: output.NewHead("call.list")}
				calls, doc.Next = output.CutPage(calls, q.Limit-1, func(c gateway.Call) int64 { return c.Seq })
				doc.Calls = lists.Map(calls, newDocAudit)
				if q.Before == 0 {
					if doc.Counted, err = g.Refusals(ctx, gateway.RefusalQuery{Agent: q.Agent, User: q.User, Limit: maxCountedShown}); err != nil {
						return err
					}
				}
				return a.Print(doc, func(p *output.Page) {
					columns := []string{"CALL", "TIME", "ACTOR", "AGENT", "USER", "TOOL", "VERSION", "OUTCOME", "TOOK", "COMMAND"}
					if !slices.ContainsFunc(doc.Calls, func(c docAudit) bool { return c.Command != "" }) {
						columns = columns[:len(columns)-1]
					}
					p.List(columns, lists.Map(doc.Calls, func(c docAudit) []string {
						tool := cmp.Or(c.Tool, "? "+c.Name)
						return []string{output.Itoa(int(c.Seq)), output.Timestamp(c.At), c.Actor, c.Agent, c.User, p.Cut(tool, 44), output.Itoa(c.Version), c.Code, output.Itoa(int(c.Micros)) + "µs", p.Cut(c.Command, 44)}[:len(columns)]
					}))
					for _, c := range doc.Counted {
						p.Remark("Not listed: %s of the agent %s for the user %s in the hour from %s; the outcome of the last call is %s.", output.Counted(int(c.Counted), "more refused call"), c.Agent, c.User, output.Timestamp(c.Hour), c.LastCode)
					}
					p.More("before", doc.Next)
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Agent, "agent", "", "only calls of the agent `ID`")
	f.StringVar(&q.User, "user", "", "only calls for the user `NAME`")
	f.StringVar(&tool, "tool", "", "only calls of the tool with this `ID` or subject")
	f.StringVar(&code, "code", "", "only calls with the outcome `CODE`: ok or an error code")
	f.StringVar(&annotation, "annotation", "", "only calls of tools with the annotation `NAME`, such as destructive or read_only")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N` calls")
	f.Int64Var(&q.Before, "before", 0, "only calls with a number below `N`")
	return cmd
}

// hint converts the name of an annotation from the form in JSON documents, such as read_only, to the form in
// definitions, such as readOnly.
func hint(name string) (string, error) {
	keys := map[string]string{
		"": "", "read_only": "readOnly", "destructive": "destructive", "idempotent": "idempotent",
		"requires_confirmation": "requiresConfirmation", "open_world": "openWorld",
	}
	key, ok := keys[name]
	if !ok {
		return "", process.Usagef("--annotation is %q: use read_only, destructive, idempotent, requires_confirmation, or open_world", name)
	}
	return key, nil
}

// maxCountedShown is the maximum number of hours in docAuditList.Counted.
const maxCountedShown = 10

// docPrune describes the calls that the command "calls prune" moved to a file.
type docPrune struct {
	output.Head
	Calls    int64     `json:"calls"`
	Outcomes int64     `json:"outcomes"`
	LastCall int64     `json:"last_call,omitempty"` // number of the newest call in the file
	Before   time.Time `json:"before"`
	File     string    `json:"file,omitempty"`
	FileHash string    `json:"file_hash,omitempty"` // SHA-256 of the last line of the file
	DryRun   bool      `json:"dry_run,omitempty"`
}

func newCallsPrune(a *command.App) *cobra.Command {
	var before, to string
	cmd := &cobra.Command{
		Use: "prune --before TIME",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var t time.Time
			age, err := settings.ParseAge(before)
			switch {
			case before == "":
				return process.Usagef("--before is missing: use a time, or an age such as 90d")
			case err == nil:
				t = a.Env.Now().Add(-age)
			default:
				if t, err = command.ParseTime(before); err != nil {
					return err
				}
			}
			s, err := a.OpenSession(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.FolderOf(to); err != nil {
				return err
			}
			order, err := a.PruneOrder(s.Actor, t, to)
			if err != nil {
				return err
			}
			path, name := "", order.File
			order.File = func(first, last int64) string {
				path = name(first, last)
				return path
			}
			moved, err := a.DB.Calls().Prune(cmd.Context(), order)
			if err != nil {
				return err
			}
			doc := docPrune{
				Head: output.NewHead("call.prune"), Calls: moved.Calls, Outcomes: moved.Outcomes, LastCall: moved.Call.Number, Before: moved.Before,
				File: path, FileHash: moved.FileHash, DryRun: a.Flags.DryRun,
			}
			return a.Print(doc, func(p *output.Page) {
				switch {
				case doc.Calls == 0:
					p.Remark("No call is older than %s.", output.Timestamp(doc.Before))
				case doc.DryRun:
					p.Linef("This would move %s, up to call %d, to %s", output.Counted(int(doc.Calls), "call"), doc.LastCall, doc.File)
				default:
					p.Linef("Moved %s, up to call %d, to %s", output.Counted(int(doc.Calls), "call"), doc.LastCall, doc.File)
					p.Linef("Keep this file, because the database no longer contains these calls. toolcrib verify --calls checks the file.")
				}
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "move calls made before `TIME` (RFC 3339), or older than an age such as 90d")
	cmd.Flags().StringVar(&to, "to", "", "move the calls to the new `FILE` (default: DATABASE.calls-FIRST-LAST.jsonl)")
	return cmd
}
