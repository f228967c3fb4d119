package queue

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Answers to the commands of the page. Each names its question, so a late one is not
// taken for another.
type (
	// Listed is a chunk of the list.
	Listed struct {
		Query review.Query
		Page  review.Page
		Err   error
	}
	// Counted is how many proposals there are in each state.
	Counted struct {
		Counts map[proposals.State]int
		Total  int
		Newest []proposals.Proposal // one, where there are more than were known of
		Err    error
	}
	// Rested is the proposal of a row that was selected for a moment.
	Rested struct{ ID proposals.ID }
	// Glance is a proposal as the pane beside the list shows it.
	Glance struct {
		ID      proposals.ID
		Dossier review.Dossier
		Unfit   []string       // why a draft cannot be submitted, by its own text
		Changes *difflist.List // nil where they are too long or were not asked for
		Err     error
	}
)

func (q *Page) list(query review.Query) tea.Cmd {
	return func() tea.Msg {
		page, err := q.desk.List(q.ctx, query)
		return Listed{query, page, err}
	}
}

// Count counts the proposals in each state, and names the newest where there are more
// than were known of.
func (q *Page) Count() tea.Cmd {
	known := 0
	for _, n := range q.counts {
		known += n
	}
	return func() tea.Msg {
		counts, err := q.desk.Counts(q.ctx)
		msg := Counted{Counts: counts, Err: err}
		for _, n := range counts {
			msg.Total += n
		}
		if err == nil && known > 0 && msg.Total > known {
			var page review.Page
			page, msg.Err = q.desk.List(q.ctx, review.Query{Limit: 1})
			msg.Newest = page.Proposals
		}
		return msg
	}
}

// debounce reads the selected proposal once the cursor rests on it.
func (q *Page) debounce() tea.Cmd {
	p, ok := q.Current()
	if !ok || q.Frame.Side == 0 {
		return nil
	}
	return q.Debounced(Rested{p.ID})
}

func (q *Page) loadGlance(id proposals.ID) tea.Cmd {
	return func() tea.Msg {
		d, err := q.desk.Show(q.ctx, q.Actor, id)
		if err != nil {
			return Glance{ID: id, Err: err}
		}
		g := Glance{ID: id, Dossier: d, Unfit: wording.Unfit(d)}
		before, after := d.Change()
		if len(before.Definition.Canonical())+len(after.Definition.Canonical())+len(before.Source)+len(after.Source) <= screen.MaxGlance {
			g.Changes = difflist.Narrow(diff.Contents(before, after))
		}
		return g
	}
}

// glanced takes in what the selected proposal is about. Changes that are known stay
// where the whole proposal was read without them.
func (q *Page) glanced(g Glance) {
	p, ok := q.Current()
	if !ok || g.Err != nil || p.ID != g.ID {
		return
	}
	if g.Changes == nil && q.glance.ID == g.ID && q.glance.Dossier.Digest == g.Dossier.Digest {
		g.Changes = q.glance.Changes
	}
	q.glance = g
}
