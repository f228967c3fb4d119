package queue

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// maxMarks is how many proposals are decided together at most: the dialog that
// asks lists every one of them.
const maxMarks = 100

// Marks are proposals that are going to be decided together, in the order they
// were marked.
type Marks []proposals.Proposal

// Has reports whether a proposal is marked.
func (ms Marks) Has(id proposals.ID) bool {
	return slices.ContainsFunc(ms, func(p proposals.Proposal) bool { return p.ID == id })
}

// Without returns the marks less those of some proposals.
func (ms Marks) Without(ids ...proposals.ID) Marks {
	return slices.DeleteFunc(slices.Clone(ms), func(p proposals.Proposal) bool { return slices.Contains(ids, p.ID) })
}

// CannotMark returns why a proposal is not one to decide about.
func (q *Page) CannotMark(p proposals.Proposal) string {
	switch {
	case q.Marks.Has(p.ID):
		return "" // it can always be unmarked
	case p.State != proposals.UserReview:
		return wording.Standing(p.State)
	case len(q.Marks) == maxMarks:
		return "at most " + strconv.Itoa(maxMarks) + " proposals can be decided together"
	}
	return ""
}

// Mark marks a proposal, or unmarks it.
func (q *Page) Mark(p proposals.Proposal) {
	if q.Marks.Has(p.ID) {
		q.Marks = q.Marks.Without(p.ID)
	} else {
		q.Marks = append(q.Marks, p)
	}
}

func (q *Page) cannotMarkRow() string {
	p, ok := q.Current()
	if !ok {
		return "no proposal is selected"
	}
	return q.CannotMark(p)
}

// markRow marks the selected row, or unmarks it, and goes on to the next.
func (q *Page) markRow() tea.Cmd {
	q.span = nil
	p, _ := q.Current()
	q.Mark(p)
	return q.Move(1)
}

// markSpan is a range of rows that is marked while the cursor moves.
type markSpan struct {
	from   proposals.ID // the row that it began at
	before Marks        // the earlier marks
}

// markRange begins a range at the selected row, or ends it.
func (q *Page) markRange() tea.Cmd {
	if q.span != nil {
		q.span = nil
		return nil
	}
	p, _ := q.Current()
	q.span = &markSpan{p.ID, slices.Clone(q.Marks)}
	q.markSpanned()
	return q.shell.Say(screen.Remark, "Move to mark a range of rows; v or esc ends it")
}

// markSpanned marks the waiting proposals between the row where a range began and
// the cursor.
func (q *Page) markSpanned() {
	if q.span == nil {
		return
	}
	from := q.cursor
	for i := range q.total() {
		if p, ok := q.at(i); ok && p.ID == q.span.from {
			from = i
		}
	}
	q.Marks = slices.Clone(q.span.before)
	for i := min(from, q.cursor); i <= max(from, q.cursor); i++ {
		q.markWaiting(i)
	}
}

// markWaiting marks a row that waits for a decision, as long as there is room.
func (q *Page) markWaiting(i int) {
	if p, ok := q.at(i); ok && p.State == proposals.UserReview && !q.Marks.Has(p.ID) && len(q.Marks) < maxMarks {
		q.Marks = append(q.Marks, p)
	}
}

// markAll marks everything in the list that waits for a decision, or nothing
// when it is marked already.
func (q *Page) markAll() tea.Cmd {
	before := len(q.Marks)
	for i := range q.total() {
		q.markWaiting(i)
	}
	switch {
	case len(q.Marks) == before:
		q.Marks = nil
		return q.shell.Say(screen.Remark, "All marks removed")
	case len(q.Marks) == maxMarks:
		return q.shell.Say(screen.Remark, "%d marked, the most that can be decided together", maxMarks)
	}
	return nil
}

func (q *Page) nothingToMark() string {
	if len(q.Marks) > 0 {
		return ""
	}
	for i := range q.total() {
		if p, ok := q.at(i); ok && p.State == proposals.UserReview {
			return ""
		}
	}
	return "nothing listed waits for you"
}

// chosen returns the proposals to decide: the marked ones, else the selected row.
func (q *Page) chosen() []proposals.Proposal {
	if len(q.Marks) > 0 {
		return q.Marks
	}
	if p, ok := q.Current(); ok {
		return []proposals.Proposal{p}
	}
	return nil
}
