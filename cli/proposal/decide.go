package proposal

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/signature"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
)

// DecideFlags contains the flags of all commands for decisions.
type DecideFlags struct {
	note   command.NoteFlags
	expect []string
	unseen bool // only for approvals
	sign   signature.Flags
}

func (f *DecideFlags) Register(set *pflag.FlagSet) {
	f.note.Register(set)
	f.sign.Register(set)
	set.StringArrayVar(&f.expect, "expect", nil, "decide only if the review digest is still `DIGEST`; pass the flag once for each proposal or change set, in order")
}

// RegisterUnseen adds the --unseen flag, which is only valid for approvals.
func (f *DecideFlags) RegisterUnseen(set *pflag.FlagSet) {
	set.BoolVar(&f.unseen, "unseen", false, "also approve proposals that you were not shown; the decisions record this")
}

// newVerdict returns the constructor of the command for the given verdict.
func newVerdict(verdict proposals.Verdict, use string) func(a *command.App) *cobra.Command {
	return func(a *command.App) *cobra.Command {
		flags := &DecideFlags{}
		cmd := &cobra.Command{
			Use:  use,
			Args: command.AtLeastOneArg("numbers of proposals, or - for standard input"),
			RunE: func(cmd *cobra.Command, args []string) error { return Decide(cmd.Context(), a, args, flags, verdict) },
		}
		if flags.Register(cmd.Flags()); verdict == proposals.VerdictApproved {
			flags.RegisterUnseen(cmd.Flags())
		}
		return cmd
	}
}

// Decide decides on the proposals that refs denote, with the given verdict, and prints the decisions.
func Decide(ctx context.Context, a *command.App, refs []string, flags *DecideFlags, verdict proposals.Verdict) error {
	if flags.unseen && len(flags.expect) > 0 {
		return process.Usagef("--unseen cannot be combined with --expect, because --expect requires the digest of content that you were shown")
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
	doc := document.DecisionList{Head: output.NewHead("decision"), Decisions: lists.Map(decisions, document.NewDecision), DryRun: a.Flags.DryRun}
	for _, d := range decisions {
		if d.Unassigned {
			a.Note("toolcrib: no agent has %s; to add the tool to an agent: toolcrib assign %s --to NAME", d.Subject, d.Subject.ID)
		}
	}
	err = a.Print(doc, func(p *output.Page) {
		for _, d := range decisions {
			who := proposals.Proposal{ID: d.Proposal, Issue: d.Issue}.Handle()
			switch d.Verdict {
			case proposals.VerdictApproved:
				p.Linef("%s  approved: %s is live in version %d (%s)%s", who, d.Subject, d.Version, d.VersionHash[:12], notShown(d))
			case proposals.VerdictEndorsed:
				p.Linef("%s  endorsed: your approval of %s, revision %d, is recorded; the change is not live yet (%s)", who, d.Subject, d.Revision, d.Progress())
			default:
				p.Linef("%s  %s: %s, revision %d", who, d.Verdict, d.Subject, d.Revision)
			}
		}
		a.Closing(p)
	})
	if err != nil {
		return err
	}
	// List the settings from the project's file, because other people may be able to change this file.
	if s := a.Config.Policy().Settings().Deciding().From(settings.FromProject); len(s) > 0 {
		a.Note("toolcrib: settings in %s that applied to this decision: %s", a.Config.ProjectFile, output.FullStop(s.String()))
	}
	a.Publish(ctx)
	return nil
}

// choices returns a choice for each proposal in ids, with the digest from the --expect flag. refs contains the
// arguments with which the user specified these proposals. The user passes a digest for each proposal, or a digest for
// each argument. A change set is a single argument, so a single digest is sufficient.
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
		return nil, process.Usagef("--expect was given %d times for %d proposals; pass the flag once for each proposal, in the same order, or once for a change set", len(expect), len(ids))
	}
	return choices, nil
}

// newWaiving returns the constructor of the waive command or, if ends is set, of the unwaive command.
func newWaiving(ends bool) func(a *command.App) *cobra.Command {
	return func(a *command.App) *cobra.Command {
		var note command.NoteFlags
		var sign signature.Flags
		var expires string
		name, outcome := "waive", "waived"
		if ends {
			name, outcome = "unwaive", "ended the waiver of"
		}
		cmd := &cobra.Command{
			Use:  name + " ID FINDING --note REASON",
			Args: command.ExactArgs(2, "the number of a proposal and a finding"),
			RunE: func(cmd *cobra.Command, args []string) error {
				ctx := cmd.Context()
				until, err := parseExpiry(expires, a.Env.Now())
				if err != nil {
					return err
				}
				reason, err := note.Read(ctx, a)
				if err != nil {
					return err
				}
				b, ids, err := a.OpenProposals(ctx, args[:1])
				if err != nil {
					return err
				}
				desk, err := signature.DeskFor(ctx, b, a, sign, func() ([]byte, error) {
					if ends {
						return b.Desk.Deciding.PrepareUnwaive(ctx, b.Actor, ids[0], args[1], reason)
					}
					return b.Desk.Deciding.PrepareWaiver(ctx, b.Actor, ids[0], args[1], reason, until)
				})
				if err != nil {
					return err
				}
				var made history.Waiver
				if ends {
					made, err = desk.Deciding.Unwaive(ctx, b.Actor, ids[0], args[1], reason)
				} else {
					made, err = desk.Deciding.Waive(ctx, b.Actor, ids[0], args[1], reason, until)
				}
				if err != nil {
					return err
				}
				doc := docWaiverMade{Head: output.NewHead("waiver"), Proposal: string(ids[0]), Waiver: document.NewWaiver(made)}
				return a.Print(doc, func(p *output.Page) {
					p.Linef("%s  %s %s at %s", asTyped(args[0]), outcome, made.Rule, made.Path)
					a.Closing(p)
				})
			},
		}
		note.Register(cmd.Flags())
		sign.Register(cmd.Flags())
		if !ends {
			cmd.Flags().StringVar(&expires, "expires", "", "let the waiver end at `TIME`: RFC 3339, or a number of days such as 30d")
		}
		return cmd
	}
}

type docWaiverMade struct {
	output.Head
	Proposal string          `json:"proposal"`
	Waiver   document.Waiver `json:"waiver"`
}

// parseExpiry parses a time in the format RFC 3339, or a number of days after now, such as "30d". It returns nil for
// "".
func parseExpiry(s string, now time.Time) (*time.Time, error) {
	if s == "" {
		return nil, nil //nolint:nilnil // no expiry
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		d, err := time.ParseDuration(days + "h")
		if err == nil && d > 0 {
			return new(now.Add(24 * d).UTC()), nil
		}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, process.Usagef("--expires is %q: use a time such as 2027-01-31T12:00:00Z, or days such as 30d", s)
	}
	return new(t.UTC()), nil
}
