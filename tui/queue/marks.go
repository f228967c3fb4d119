// Marks: proposals that the user selects in order to decide them together.

package queue

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// maxMarks is the maximum number of marks. The dialog that asks about the decision lists all of them.
const maxMarks = 100

// Marks are the proposals to decide together, in the order in which they were marked.
type Marks []proposals.Proposal

// Has reports whether a proposal is marked.
func (ms Marks) Has(id proposals.ID) bool {
	return slices.ContainsFunc(ms, func(p proposals.Proposal) bool { return p.ID == id })
}

// Without returns the marks except those of the given proposals.
func (ms Marks) Without(ids ...proposals.ID) Marks {
	return slices.DeleteFunc(slices.Clone(ms), func(p proposals.Proposal) bool { return slices.Contains(ids, p.ID) })
}

// marking is the set of marks, plus the state of a range that grows with the cursor.
type marking struct {
	// Marks survive filtering, sorting, and reloading.
	Marks Marks
	from  proposals.ID // row at which the range began; "" for no range
	kept  Marks        // the marks before the range began
}

// CannotMark returns why a proposal cannot be marked, or "".
func (m *marking) CannotMark(p proposals.Proposal) string {
	switch {
	case m.Marks.Has(p.ID):
		return "" // it can always be unmarked
	case p.State != proposals.UserReview:
		return wording.Standing(p.State)
	case len(m.Marks) == maxMarks:
		return "at most " + strconv.Itoa(maxMarks) + " proposals can be decided together"
	}
	return ""
}

// Mark toggles the mark of a proposal.
func (m *marking) Mark(p proposals.Proposal) {
	if m.Marks.Has(p.ID) {
		m.Marks = m.Marks.Without(p.ID)
	} else {
		m.Marks = append(m.Marks, p)
	}
}

// begin starts a range at p. If a range was active, it ends that range and returns false.
func (m *marking) begin(p proposals.Proposal) bool {
	if m.end() {
		return false
	}
	m.from, m.kept = p.ID, slices.Clone(m.Marks)
	return true
}

// end ends the range and reports whether one was active.
func (m *marking) end() bool {
	was := m.from != ""
	m.from, m.kept = "", nil
	return was
}

// extend marks the waiting proposals between the beginning of the range and row to.
func (m *marking) extend(rs *rows.Rows, to int) {
	if m.from == "" {
		return
	}
	from := to
	if i := rs.Find(m.from); i >= 0 {
		from = i
	}
	m.Marks = slices.Clone(m.kept)
	m.waiting(rs, min(from, to), max(from, to)+1)
}

// waiting marks the waiting proposals in the rows from up to but excluding to, as long as maxMarks permits.
func (m *marking) waiting(rs *rows.Rows, from, to int) {
	for i := from; i < to && len(m.Marks) < maxMarks; i++ {
		if r, ok := rs.At(i); ok && len(m.Marks)+len(r.Members) <= maxMarks {
			m.add(r.Members)
		}
	}
}

// add marks those of ps that wait for a decision.
func (m *marking) add(ps []proposals.Proposal) {
	for _, p := range ps {
		if p.State == proposals.UserReview && !m.Marks.Has(p.ID) {
			m.Marks = append(m.Marks, p)
		}
	}
}

// nothingIn returns why markAll would mark nothing, or "".
func (m *marking) nothingIn(rs *rows.Rows) string {
	found := marking{Marks: m.Marks}
	if found.waiting(rs, 0, rs.Total()); len(found.Marks) > 0 {
		return ""
	}
	return "nothing listed waits for you"
}

// chosen returns the proposals to decide: all marked ones, or without marks the selected row.
func (m *marking) chosen(l *list) []proposals.Proposal {
	if r, ok := l.At(l.cursor); ok && len(m.Marks) == 0 {
		return r.Members
	}
	return m.Marks
}

// cannotMark returns why the selected row cannot be marked.
func (m *marking) cannotMark(l *list) string {
	r, ok := l.At(l.cursor)
	if !ok {
		return "no proposal is selected"
	}
	if r.Folded() && !m.hasAll(r) && len(m.Marks)+len(r.Members) > maxMarks {
		return "at most " + strconv.Itoa(maxMarks) + " proposals can be decided together; enter opens the set"
	}
	for _, p := range r.Members {
		if why := m.CannotMark(p); why != "" {
			return why
		}
	}
	return ""
}

// hasAll reports whether all proposals of a row are marked.
func (m *marking) hasAll(r rows.Row) bool {
	return !slices.ContainsFunc(r.Members, func(p proposals.Proposal) bool { return !m.Marks.Has(p.ID) })
}

// markRow toggles the mark of the selected row and moves to the next row.
func (q *Page) markRow() tea.Cmd {
	q.Marked.end()
	r, _ := q.list.At(q.list.cursor)
	all := q.Marked.hasAll(r)
	for _, p := range r.Members {
		if q.Marked.Marks.Has(p.ID) == all {
			q.Marked.Mark(p)
		}
	}
	return q.Move(1)
}

// markOn marks the selected row, moves one step, and marks the row there.
func markOn(q *Page, step int) func() tea.Cmd {
	return func() tea.Cmd {
		q.Marked.end()
		q.Marked.waiting(&q.list.Rows, q.list.cursor, q.list.cursor+1)
		moved := q.Move(step)
		q.Marked.waiting(&q.list.Rows, q.list.cursor, q.list.cursor+1)
		return moved
	}
}

// markRange starts a range at the selected row, or ends the active range.
func (q *Page) markRange() tea.Cmd {
	p, _ := q.list.current()
	if !q.Marked.begin(p) {
		return nil
	}
	q.Marked.extend(&q.list.Rows, q.list.cursor)
	return q.shell.Say(screen.Remark, "Move to mark a range of rows; v or esc ends it")
}

// markAll marks all listed proposals that wait for a decision. If nothing was left to mark, it removes all marks.
func (q *Page) markAll() tea.Cmd {
	before := len(q.Marked.Marks)
	q.Marked.waiting(&q.list.Rows, 0, q.list.Total())
	switch {
	case len(q.Marked.Marks) == before:
		q.Marked.Marks = nil
		return q.shell.Say(screen.Remark, "All marks removed")
	case len(q.Marked.Marks) == maxMarks:
		return q.shell.Say(screen.Remark, "%d marked, the most that can be decided together", maxMarks)
	}
	return nil
}
