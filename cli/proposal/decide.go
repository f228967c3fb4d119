package proposal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/signature"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/service"
)

// DecideFlags belong to every decision.
type DecideFlags struct {
	note   command.NoteFlags
	expect []string
	unseen bool // of approvals alone
	sign   signature.Flags
}

func (f *DecideFlags) Register(set *pflag.FlagSet) {
	f.note.Register(set)
	f.sign.Register(set)
	set.StringArrayVar(&f.expect, "expect", nil, "decide only if the review digest is still `DIGEST`; repeat it for each proposal or change set, in order")
}

// RegisterApproval adds the flags of an approval.
func (f *DecideFlags) RegisterApproval(set *pflag.FlagSet) {
	f.Register(set)
	set.BoolVar(&f.unseen, "unseen", false, "approve new proposals although you were not shown all of them; the decisions record it")
}

func newApprove(a *command.App) *cobra.Command {
	flags := &DecideFlags{}
	cmd := &cobra.Command{
		Use:  "approve ID… | -",
		Args: command.Some("numbers of proposals, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return RunApprove(cmd.Context(), a, args, flags) },
	}
	flags.RegisterApproval(cmd.Flags())
	return cmd
}

func newNeedsChanges(a *command.App) *cobra.Command {
	return newRefusal(a, proposals.VerdictNeedsChanges, &cobra.Command{
		Use: "needs-changes ID… --note REASON",
	})
}

func newReject(a *command.App) *cobra.Command {
	return newRefusal(a, proposals.VerdictRejected, &cobra.Command{
		Use: "reject ID… --note REASON",
	})
}

// newRefusal completes the command of a verdict that makes nothing live.
func newRefusal(a *command.App, verdict proposals.Verdict, cmd *cobra.Command) *cobra.Command {
	flags := &DecideFlags{}
	cmd.Args = command.Some("numbers of proposals, or - for standard input")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runDecide(cmd.Context(), a, args, flags, verdict)
	}
	flags.Register(cmd.Flags())
	return cmd
}

func RunApprove(ctx context.Context, a *command.App, refs []string, flags *DecideFlags) error {
	return runDecide(ctx, a, refs, flags, proposals.VerdictApproved)
}

func runDecide(ctx context.Context, a *command.App, refs []string, flags *DecideFlags, verdict proposals.Verdict) error {
	if flags.unseen && len(flags.expect) > 0 {
		return process.Usagef("--unseen cannot be combined with --expect, which names what you were shown")
	}
	note, err := flags.note.Read(ctx, a)
	if err != nil {
		return err
	}
	b, ids, err := a.OpenProposals(ctx, refs)
	if err != nil {
		return err
	}
	choices, err := choices(ctx, b, ids, refs, flags)
	if err != nil {
		return err
	}
	desk, err := signature.DeskFor(ctx, b, a, flags.sign, func() ([]byte, error) { return b.Desk.Deciding.Prepare(ctx, b.Actor, choices, verdict, note) })
	if err != nil {
		return err
	}
	decisions, err := desk.Deciding.Decide(ctx, b.Actor, choices, verdict, note)
	if err != nil {
		return err
	}
	if err := printDecisions(a, decisions); err != nil {
		return err
	}
	a.TellDeciding(*a.Config)
	if a.Flags.DryRun {
		return nil
	}
	return a.Publish(ctx)
}

// choices ties proposals to the digests that were given: one for each of them,
// or one for each reference, so that a change set takes a single one.
func choices(ctx context.Context, b command.Session, ids []proposals.ID, refs []string, flags *DecideFlags) ([]review.Choice, error) {
	choices, expect := make([]review.Choice, len(ids)), flags.expect
	for i, id := range ids {
		choices[i] = review.Choice{ID: id, Unseen: flags.unseen}
	}
	switch len(expect) {
	case 0:
	case len(ids):
		for i := range choices {
			choices[i].Expect = expect[i]
		}
	case len(refs):
		choices = choices[:0]
		for i, ref := range refs {
			of, err := b.Desk.Reading.Resolve(ctx, ref)
			if err != nil {
				return nil, err
			}
			for _, id := range of {
				choices = append(choices, review.Choice{ID: id, Expect: expect[i]})
			}
		}
	default:
		return nil, process.Usagef("--expect was given %d times for %d proposals; give it once for each, in their order, or once for a change set", len(expect), len(ids))
	}
	return choices, nil
}

func printDecisions(a *command.App, decisions []proposals.Decision) error {
	doc := document.DecisionList{Head: output.NewHead("decision"), Decisions: output.Mapped(decisions, document.NewDecision), DryRun: a.Flags.DryRun}
	for _, d := range decisions {
		if d.Unassigned {
			a.Note("toolcrib: no agent has %s; give it to one: toolcrib assign %s --to NAME", d.Subject, d.Subject.ID)
		}
	}
	return a.Print(doc, func(p *output.Page) {
		for _, d := range decisions {
			p.Linef("%s", decided(d))
		}
		a.Closing(p)
	})
}

func decided(d proposals.Decision) string {
	who := proposals.Proposal{ID: d.Proposal, Issue: d.Issue}.Handle()
	if d.Verdict == proposals.VerdictApproved {
		return fmt.Sprintf("%s  approved: %s is live in version %d (%s)%s", who, d.Subject, d.Version, d.VersionHash[:12], notShown(d))
	}
	if d.Verdict == proposals.VerdictEndorsed {
		return fmt.Sprintf("%s  endorsed: your approval of %s, revision %d, is recorded; it is not live yet (%s)", who, d.Subject, d.Revision, d.Progress())
	}
	return fmt.Sprintf("%s  %s: %s, revision %d", who, d.Verdict, d.Subject, d.Revision)
}

// waiving is a waiver, or the end of one, as it is typed.
type waiving struct {
	note    command.NoteFlags
	sign    signature.Flags
	expires string
	done    string // "waived"
}

func newWaive(a *command.App) *cobra.Command {
	w := waiving{done: "waived"}
	cmd := &cobra.Command{
		Use:  "waive ID FINDING --note REASON",
		Args: command.Exact(2, "the number of a proposal and a finding"),
		RunE: func(cmd *cobra.Command, args []string) error {
			until, err := parseExpiry(w.expires, a.Env.Now())
			if err != nil {
				return err
			}
			return w.run(cmd.Context(), a, args, waivingActs{
				prepare: func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error) {
					return d.Deciding.PrepareWaiver(cmd.Context(), actor, id, args[1], reason, until)
				},
				do: func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error) {
					return d.Deciding.Waive(cmd.Context(), actor, id, args[1], reason, until)
				},
			})
		},
	}
	w.note.Register(cmd.Flags())
	w.sign.Register(cmd.Flags())
	cmd.Flags().StringVar(&w.expires, "expires", "", "let the waiver end at `TIME`: RFC 3339, or a number of days such as 30d")
	return cmd
}

func newUnwaive(a *command.App) *cobra.Command {
	w := waiving{done: "ended the waiver of"}
	cmd := &cobra.Command{
		Use:  "unwaive ID FINDING --note REASON",
		Args: command.Exact(2, "the number of a proposal and a finding"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.run(cmd.Context(), a, args, waivingActs{
				prepare: func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error) {
					return d.Deciding.PrepareUnwaive(cmd.Context(), actor, id, args[1], reason)
				},
				do: func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error) {
					return d.Deciding.Unwaive(cmd.Context(), actor, id, args[1], reason)
				},
			})
		},
	}
	w.note.Register(cmd.Flags())
	w.sign.Register(cmd.Flags())
	return cmd
}

// waivingActs prepare the statement of a waiver and record the waiver.
type waivingActs struct {
	prepare func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error)
	do      func(d *service.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error)
}

// run reads the reason, has the waiver signed where that is needed, and records it.
func (w *waiving) run(ctx context.Context, a *command.App, args []string, acts waivingActs) error {
	reason, err := w.note.Read(ctx, a)
	if err != nil {
		return err
	}
	b, ids, err := a.OpenProposals(ctx, args[:1])
	if err != nil {
		return err
	}
	desk, err := signature.DeskFor(ctx, b, a, w.sign, func() ([]byte, error) { return acts.prepare(b.Desk, b.Actor, ids[0], reason) })
	if err != nil {
		return err
	}
	made, err := acts.do(desk, b.Actor, ids[0], reason)
	if err != nil {
		return err
	}
	doc := docWaiverMade{Head: output.NewHead("waiver"), Proposal: string(ids[0]), Waiver: document.NewWaiver(made)}
	return a.Print(doc, func(p *output.Page) {
		p.Linef("%s  %s %s at %s", asTyped(args[0]), w.done, made.Rule, made.Path)
		a.Closing(p)
	})
}

type docWaiverMade struct {
	output.Head
	Proposal string          `json:"proposal"`
	Waiver   document.Waiver `json:"waiver"`
}

// parseExpiry reads a time, or a number of days from now.
func parseExpiry(s string, now time.Time) (*time.Time, error) {
	if s == "" {
		return nil, nil //nolint:nilnil // no expiry is a choice
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err == nil && d > 0 {
			t := now.Add(24 * d).UTC()
			return &t, nil
		}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, process.Usagef("--expires is %q; write a time such as 2027-01-31T12:00:00Z, or days such as 30d", s)
	}
	t = t.UTC()
	return &t, nil
}
