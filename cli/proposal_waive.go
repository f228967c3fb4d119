package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
)

// waiving is a waiver, or the end of one, as it is typed.
type waiving struct {
	note    noteFlags
	sign    signFlags
	expires string
	done    string // "waived"
}

func newWaive(a *app) *cobra.Command {
	w := waiving{done: "waived"}
	cmd := &cobra.Command{
		Use:   "waive ID FINDING --note REASON",
		Short: "Waive a finding",
		Long: `Accept one finding of the current revision. FINDING is its rule if that has one
finding, or enough of RULE@PATH#HASH (printed by toolcrib show) to be unique.
The waiver ends when its sentence or an address in its field changes, or the
field gets a new finding.

Only a user can waive, and a waiver approves nothing. Findings of rules that
cannot be waived stay (exit status 5).`,
		Example: `  toolcrib waive 4 N103 --note "Old prompts still say it."
  toolcrib waive 4 N103 --note "Until the prompts are moved." --expires 30d`,
		Args: exact(2, "the number of a proposal and a finding"),
		RunE: func(cmd *cobra.Command, args []string) error {
			until, err := parseExpiry(w.expires, a.env.Now())
			if err != nil {
				return err
			}
			return w.run(cmd.Context(), a, args, waivingActs{
				prepare: func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error) {
					return d.PrepareWaiver(cmd.Context(), actor, id, args[1], reason, until)
				},
				do: func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error) {
					return d.Waive(cmd.Context(), actor, id, args[1], reason, until)
				},
			})
		},
	}
	w.note.register(cmd.Flags())
	w.sign.register(cmd.Flags())
	cmd.Flags().StringVar(&w.expires, "expires", "", "let the waiver end at `TIME`: RFC 3339, or a number of days such as 30d")
	return cmd
}

func newUnwaive(a *app) *cobra.Command {
	w := waiving{done: "ended the waiver of"}
	cmd := &cobra.Command{
		Use:   "unwaive ID FINDING --note REASON",
		Short: "End the waiver of a finding",
		Long: `End the waiver of one finding of the current revision: the finding is open again.
FINDING is as for toolcrib waive. The waiver and its end stay in the history.`,
		Example: `  toolcrib unwaive 4 N103 --note "The prompts have moved."`,
		Args:    exact(2, "the number of a proposal and a finding"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.run(cmd.Context(), a, args, waivingActs{
				prepare: func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error) {
					return d.PrepareUnwaive(cmd.Context(), actor, id, args[1], reason)
				},
				do: func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error) {
					return d.Unwaive(cmd.Context(), actor, id, args[1], reason)
				},
			})
		},
	}
	w.note.register(cmd.Flags())
	w.sign.register(cmd.Flags())
	return cmd
}

// waivingActs prepare the statement of a waiver and record the waiver.
type waivingActs struct {
	prepare func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) ([]byte, error)
	do      func(d *review.Desk, actor proposals.Actor, id proposals.ID, reason string) (history.Waiver, error)
}

// run reads the reason, has the waiver signed where that is needed, and records it.
func (w *waiving) run(ctx context.Context, a *app, args []string, acts waivingActs) error {
	reason, err := w.note.read(ctx, a)
	if err != nil {
		return err
	}
	b, ids, err := a.openProposals(ctx, args[:1])
	if err != nil {
		return err
	}
	desk, err := b.deskFor(ctx, a, w.sign, func() ([]byte, error) { return acts.prepare(b.desk, b.actor, ids[0], reason) })
	if err != nil {
		return err
	}
	made, err := acts.do(desk, b.actor, ids[0], reason)
	if err != nil {
		return err
	}
	doc := docWaiverMade{docHead: head("waiver"), Proposal: string(ids[0]), Waiver: newDocWaiver(made)}
	return a.print(doc, func(p *page) {
		p.linef("%s  %s %s at %s", asTyped(args[0]), w.done, made.Rule, made.Path)
		a.closing(p)
	})
}

type docWaiverMade struct {
	docHead
	Proposal string    `json:"proposal"`
	Waiver   docWaiver `json:"waiver"`
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
		return nil, usagef("--expires is %q; write a time such as 2027-01-31T12:00:00Z, or days such as 30d", s)
	}
	t = t.UTC()
	return &t, nil
}
