// Package proposal implements the commands that create, list, show, compare, review, and decide on proposals.
package proposal

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/review"
)

// Family returns the commands for proposals.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupProposals, New: newPropose, Creates: true},
			{Group: command.GroupProposals, New: newRevise},
			{Group: command.GroupProposals, New: newSubmit},
			{Group: command.GroupProposals, New: newList},
			{Group: command.GroupProposals, New: newShow},
			{Group: command.GroupProposals, New: newDiff},
			{Group: command.GroupProposals, New: newReview},
			{Group: command.GroupProposals, New: newVerdict(proposals.VerdictApproved, "approve ID… | -")},
			{Group: command.GroupProposals, New: newVerdict(proposals.VerdictNeedsChanges, "needs-changes ID… --note REASON")},
			{Group: command.GroupProposals, New: newVerdict(proposals.VerdictRejected, "reject ID… --note REASON")},
			{Group: command.GroupProposals, New: newWithdraw},
			{Group: command.GroupProposals, New: newComment},
			{Group: command.GroupProposals, New: newWaiving(false)},
			{Group: command.GroupProposals, New: newWaiving(true)},
			{Group: command.GroupProposals, New: newRebase},
			{Group: command.GroupProposals, New: newRegroup},
			{Group: command.GroupProposals, New: newFork, Creates: true},
			{Group: command.GroupProposals, New: newAssign},
			{Group: command.GroupRegistry, New: newRollback},
		},
		Documents: map[string]any{
			"assessment":    docReview{},
			"change_set":    docChangeSet{},
			"comment":       docCommentMade{},
			"decision":      document.DecisionList{},
			"diff":          docDiff{},
			"diff.list":     docDiffList{},
			"proposal":      document.Dossier{},
			"proposal.list": document.ProposalList{},
			"waiver":        docWaiverMade{},
		},
	}
}

func newList(a *command.App) *cobra.Command {
	var q review.Query
	var state, order, view string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.State = proposals.State(strings.ReplaceAll(state, "-", "_"))
			if q.Order = review.Order(order); order == "newest" {
				q.Order = review.ByNewest
			}
			if view != "" {
				c, err := a.Settings()
				if err != nil {
					return err
				}
				saved, ok := c.Views[view]
				switch {
				case !ok && len(c.Views) == 0:
					return process.Usagef("unknown view %q: define the view in %s, such as [views] and mine = \"author:mara state:open\"", view, c.UserFile)
				case !ok:
					return process.Usagef("unknown view %q: use %s", view, strings.Join(c.ViewOrder, ", "))
				}
				q.Filter = filter.Join(saved, q.Filter)
			}
			switch {
			case q.State != "" && !slices.Contains(proposals.States(), q.State):
				return process.Usagef("unknown state %q: use %s", q.State, strings.Join(StateNames(), ", "))
			case !slices.Contains(review.Orders(), q.Order):
				return process.Usagef("unknown order %q: use newest, oldest, risk, subject, or author", q.Order)
			}
			if err := command.CheckPageLimit(q.Limit); err != nil {
				return err
			}
			desk, err := a.OpenDesk(cmd.Context())
			if err != nil {
				return err
			}
			found, err := desk.Reading.List(cmd.Context(), q)
			if err != nil {
				return err
			}
			if a.Audience != nil {
				a.Audience.Listed(found.Proposals)
			}
			return a.Print(document.NewProposalList(found.Proposals, found.Next, false), func(p *output.Page) {
				if len(found.Proposals) == 0 {
					p.Remark("No proposals.")
					return
				}
				p.List(queueTable(p, found, a.Env.Now()))
				if found.Next != "" {
					p.More("after", found.Next)
				}
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "only proposals in `STATE`: draft, chief_review, user_review, needs_changes, approved, rejected or withdrawn")
	f.StringVar(&q.Author, "author", "", "only proposals by `ACTOR`, or by any actor of a kind, such as \"agent:\"")
	f.StringVar(&q.Subject, "subject", "", "only proposals for `SUBJECT`")
	f.StringVar(&q.Filter, "filter", "", "only proposals that match `FILTER`")
	f.StringVar(&view, "view", "", "only proposals that match the filter `NAME` in [views] of your configuration")
	f.StringVar(&order, "sort", "newest", "sort by `ORDER`: newest, oldest, risk (worst findings first), subject or author")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N` entries")
	f.StringVar(&q.After, "after", "", "continue a list at its `CURSOR`")
	return cmd
}

// StateNames returns the names of all states of proposals.
func StateNames() []string {
	return lists.Map(proposals.States(), func(s proposals.State) string { return string(s) })
}

// queueTable formats proposals as a table. The table has a column for each fact with a heading, and a last column with
// marks.
func queueTable(p *output.Page, found review.Page, now time.Time) (header []string, rows [][]string) {
	rows = make([][]string, len(found.Proposals))
	view := facts.View{Age: func(t time.Time) string { return p.Age(t, now) }}
	for _, f := range facts.All() {
		if f.List.Heading == "" {
			continue
		}
		header = append(header, f.List.Heading)
		for i, m := range found.Proposals {
			if n := found.Prefixes; i < len(n) && !p.Piped {
				view.Prefix = n[i]
			}
			text := f.Text(m, view)
			if f.List.Most > 0 {
				text = p.Cut(text, f.List.Most)
			}
			rows[i] = append(rows[i], text)
		}
	}
	for i, m := range found.Proposals {
		rows[i] = append(rows[i], strings.Join(facts.Marks(m), ", "))
	}
	return append(header, ""), rows
}

// asTyped formats ref, a reference that the user typed, for a message. If ref is a number, the result begins with "#".
func asTyped(ref string) string {
	if strings.Trim(ref, "0123456789") == "" {
		return "#" + ref
	}
	return ref
}
