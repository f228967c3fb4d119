package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/gateway"
	"toolcrib/review"
)

func newCalls(a *app) *cobra.Command {
	list := newCallsList(a)
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "List, answer, and audit tool calls",
		Long: `A call waits for the user when its tool has the tier requires_approval or none.
Without a subcommand, list the waiting calls.

Only a user can answer. The answer applies to the call as calls show prints it:
arguments, tool version, caller, and user, identified by one digest. A waiting call
expires, and becomes outdated when the tool's definition changes. An approved
call runs at most once; if toolcrib ends while it runs, it is marked interrupted
and does not run again.`,
		Example: `  toolcrib calls
  toolcrib calls show 0199f3
  toolcrib calls approve 0199f3`,
		Args: exact(0, "a subcommand, or nothing"),
		RunE: list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, newCallsShow(a), newCallsApprove(a), newCallsRefuse(a), newCallsLog(a), newCallsPolicy(a))
	return cmd
}

func newCallsList(a *app) *cobra.Command {
	q := gateway.PendingQuery{}
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List waiting calls, newest first",
		Long: `List the calls that wait for the user: id, tool, agent, and expiry. --all adds
answered, expired, and outdated calls.`,
		Example: `  toolcrib calls list
  toolcrib calls list --all --agent assistant --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Waiting = !all
			return runCallsList(cmd.Context(), a, q)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "include answered, expired and outdated calls")
	f.StringVar(&q.Agent, "agent", "", "only those of the agent `ID`")
	f.StringVar(&q.User, "user", "", "only those for the user `NAME`")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N`")
	f.Int64Var(&q.Before, "before", 0, "only those before place `N`")
	return cmd
}

func runCallsList(ctx context.Context, a *app, q gateway.PendingQuery) error {
	limit, err := pageLimit(q.Limit)
	if err != nil {
		return err
	}
	q.Limit = limit + 1
	return a.withGateway(ctx, func(g *openGateway) error {
		list, err := g.Pending(ctx, q)
		if err != nil {
			return err
		}
		doc := docPendingList{docHead: head("pending.list")}
		if len(list) > limit {
			list = list[:limit]
			doc.Next = list[limit-1].Seq
		}
		doc.Pending = mapped(list, func(p gateway.Pending) docPending { return newDocPending(g, p) })
		if a.audience != nil && len(list) > 0 {
			a.audience.ListedCall(list[0].ID)
		}
		return a.print(doc, func(p *page) { writePendingList(p, doc, q.Waiting) })
	})
}

// pageLimit checks how many entries a page is to have.
func pageLimit(n int) (int, error) {
	if n < 1 || n > review.MaxPage {
		return 0, usagef("--limit is %d; write 1 to %d", n, review.MaxPage)
	}
	return n, nil
}

func writePendingList(p *page, doc docPendingList, waiting bool) {
	if len(doc.Pending) == 0 {
		if waiting {
			p.remark("No calls are waiting.")
		} else {
			p.remark("No call ever waited for you.")
		}
		return
	}
	p.list([]string{"CALL", "STATE", "TOOL", "AGENT", "USER", "EXPIRES", "ARGUMENTS"}, mapped(doc.Pending, func(c docPending) []string {
		return []string{c.ID, c.State, c.Tool, c.Agent, c.User, timestamp(c.ExpiresAt), p.cut(string(c.Args), 60)}
	}))
	if doc.Next > 0 {
		p.remark("More: --before %d", doc.Next)
	}
}

func newCallsShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a call",
		Long: `Show a call: tool and version, caller, user, arguments, outcome, and the digest
that an approval can be tied to.`,
		Example: `  toolcrib calls show 0199f3
  toolcrib calls show 0199f3 --json`,
		Args: exact(1, "the id of a pending call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withGateway(cmd.Context(), func(g *openGateway) error {
				p, err := g.PendingCall(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				err = a.printPending(g, p)
				if err == nil && !a.cut && a.audience != nil {
					a.audience.HeardCall(p.ID, p.Digest)
				}
				return err
			})
		},
	}
}

func (a *app) printPending(g *openGateway, pending gateway.Pending) error {
	doc := docPendingOne{docHead: head("pending"), Pending: newDocPending(g, pending)}
	return a.print(doc, func(p *page) { writePending(p, doc.Pending) })
}

func writePending(p *page, c docPending) {
	p.linef("%s of %s, version %d", c.State, c.Tool, c.Version)
	p.blank()
	p.linef("call       %s", c.ID)
	p.linef("asked      %s by %s, with the tools of %s, for the user %s", timestamp(c.AskedAt), c.Actor, c.Agent, c.User)
	if c.Customer != "" {
		p.linef("customer   %s", c.Customer)
	}
	p.linef("expires    %s", timestamp(c.ExpiresAt))
	switch {
	case c.InForce == 0:
		p.linef("in force   the tool is not in use any more")
	case c.InForce != c.Version:
		p.linef("in force   version %d, which is another one", c.InForce)
	}
	p.linef("digest     %s", c.Digest)
	p.linef("arguments")
	p.json("  ", c.Args)
	if len(c.Said) > 0 {
		p.linef("said by its caller, not checked")
		p.json("  ", c.Said)
	}
	if c.AnsweredBy != "" {
		p.linef("answered   %s by %s", timestamp(*c.AnsweredAt), c.AnsweredBy)
	}
	if c.Reason != "" {
		p.linef("reason")
		p.text("  ", c.Reason)
	}
	if len(c.Output) > 0 {
		if c.Code != "" {
			p.linef("failed     %s", c.Code)
		}
		p.linef("output")
		p.json("  ", c.Output)
	}
	if c.State == string(gateway.PendingInterrupted) {
		p.linef("toolcrib ended while it ran. It may or may not have run; it will not run again.")
	}
}

func newCallsLog(a *app) *cobra.Command {
	q := gateway.CallQuery{}
	var tool, code, annotation string
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show the audit of calls, newest first",
		Long: `Show every call: caller, tool version, user, outcome, and the provider's time.
The audit stores a hash of the arguments, and of the output its hash, size, and
message. An empty code marks a call that is running or was interrupted. After
max_refused refusals per agent, user, and hour, further ones are only counted,
below the list.`,
		Example: `  toolcrib calls log
  toolcrib calls log --agent assistant --code approval_required
  toolcrib calls log --annotation destructive --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.Code = gateway.Code(strings.TrimSpace(code))
			var err error
			if q.Hint, err = hint(annotation); err != nil {
				return err
			}
			return runCallsLog(cmd.Context(), a, q, tool)
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Agent, "agent", "", "only calls of the agent `ID`")
	f.StringVar(&q.User, "user", "", "only calls for the user `NAME`")
	f.StringVar(&tool, "tool", "", "only calls of the tool `ID`, or of its subject")
	f.StringVar(&code, "code", "", "only calls with the outcome `CODE`: ok, or the code of an error")
	f.StringVar(&annotation, "annotation", "", "only calls of tools with the annotation `NAME`, such as destructive or read_only")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N`")
	f.Int64Var(&q.Before, "before", 0, "only calls before number `N`")
	return cmd
}

// hint returns the key of an annotation as definitions have it, from its name in
// the JSON of this program.
func hint(name string) (string, error) {
	keys := map[string]string{
		"": "", "read_only": "readOnly", "destructive": "destructive", "idempotent": "idempotent",
		"requires_confirmation": "requiresConfirmation", "open_world": "openWorld",
	}
	key, ok := keys[name]
	if !ok {
		return "", usagef("--annotation is %q; write read_only, destructive, idempotent, requires_confirmation or open_world", name)
	}
	return key, nil
}

func runCallsLog(ctx context.Context, a *app, q gateway.CallQuery, tool string) error {
	limit, err := pageLimit(q.Limit)
	if err != nil {
		return err
	}
	if tool != "" {
		if q.Tool, err = a.subject(ctx, tool); err != nil {
			return err
		}
	}
	q.Limit = limit + 1
	return a.withGateway(ctx, func(g *openGateway) error {
		calls, err := g.Calls(ctx, q)
		if err != nil {
			return err
		}
		doc := docAuditList{docHead: head("call.list")}
		if len(calls) > limit {
			calls = calls[:limit]
			doc.Next = calls[limit-1].Seq
		}
		doc.Calls = mapped(calls, newDocAudit)
		if q.Before == 0 {
			counted, err := g.Refusals(ctx, gateway.RefusalQuery{Agent: q.Agent, User: q.User, Limit: maxCountedShown})
			if err != nil {
				return err
			}
			doc.Counted = mapped(counted, newDocRefusals)
		}
		return a.print(doc, func(p *page) { writeAudit(p, doc) })
	})
}

// maxCountedShown is the most hours for which the first page of the audit shows
// the number of refused calls that were only counted.
const maxCountedShown = 10

func writeAudit(p *page, doc docAuditList) {
	p.list([]string{"CALL", "TIME", "ACTOR", "AGENT", "USER", "TOOL", "VERSION", "OUTCOME", "TOOK"}, mapped(doc.Calls, func(c docAudit) []string {
		tool := cmp.Or(c.Tool, "? "+c.Name)
		return []string{itoa(int(c.Seq)), timestamp(c.At), c.Actor, c.Agent, c.User, p.cut(tool, 44), itoa(c.Version), c.Code, itoa(int(c.Micros)) + "µs"}
	}))
	for _, c := range doc.Counted {
		p.remark("Not listed: %d more refused calls of %s for %s in the hour from %s, the last one %s.", c.Counted, c.Agent, c.User, timestamp(c.Hour), c.LastCode)
	}
	if doc.Next > 0 {
		p.remark("More: --before %d", doc.Next)
	}
}
