package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// maxMarks is how many proposals are decided together at most: the dialog that
// asks lists every one of them.
const maxMarks = 100

// marks are proposals that are going to be decided together, in the order they
// were marked. They stay while the list is filtered, sorted and read anew.
type marks []proposals.Proposal

func (ms marks) index(id proposals.ID) int {
	return slices.IndexFunc(ms, func(p proposals.Proposal) bool { return p.ID == id })
}

func (ms marks) has(id proposals.ID) bool { return ms.index(id) >= 0 }

// without returns the marks less those of some proposals.
func (ms marks) without(ids ...proposals.ID) marks {
	return slices.DeleteFunc(slices.Clone(ms), func(p proposals.Proposal) bool { return slices.Contains(ids, p.ID) })
}

// cannotMark returns why the proposal that the keys act on is not one to decide
// about.
func (m *Model) cannotMark() string {
	p, ok := m.current()
	switch {
	case !ok:
		return "no proposal is selected"
	case m.marks.has(p.ID):
		return "" // it can always be unmarked
	case p.State != proposals.UserReview:
		return wording.Standing(p.State)
	case len(m.marks) == maxMarks:
		return "at most " + itoa(maxMarks) + " proposals can be decided together"
	}
	return ""
}

// mark marks the proposal that the keys act on, or unmarks it.
func (m *Model) mark() {
	p, _ := m.current()
	if m.marks.has(p.ID) {
		m.marks = m.marks.without(p.ID)
	} else {
		m.marks = append(m.marks, p)
	}
}

// markSpan is a range of rows that is marked while the cursor moves.
type markSpan struct {
	from   proposals.ID // the row that it began at
	before marks        // what was marked already
}

// markRange begins a range at the selected row, or ends it.
func (q *queuePage) markRange(m *Model) tea.Cmd {
	if q.span != nil {
		q.span = nil
		return nil
	}
	p, _ := q.current()
	q.span = &markSpan{p.ID, slices.Clone(m.marks)}
	q.markSpanned(m)
	m.say(remark, "Move to mark a range of rows; v or esc ends it")
	return nil
}

// markSpanned marks what waits between the row where a range began and the cursor.
func (q *queuePage) markSpanned(m *Model) {
	if q.span == nil {
		return
	}
	from := q.cursor
	for i := range q.total() {
		if p, ok := q.at(i); ok && p.ID == q.span.from {
			from = i
		}
	}
	m.marks = slices.Clone(q.span.before)
	for i := min(from, q.cursor); i <= max(from, q.cursor) && len(m.marks) < maxMarks; i++ {
		if p, ok := q.at(i); ok && p.State == proposals.UserReview && !m.marks.has(p.ID) {
			m.marks = append(m.marks, p)
		}
	}
}

// markRow is mark, and goes on to the next row.
func (q *queuePage) markRow(m *Model) tea.Cmd {
	q.span = nil
	m.mark()
	return q.move(m, 1)
}

// markRead is mark on the page of a proposal, where no row shows it.
func (m *Model) markRead() tea.Cmd {
	m.mark()
	p, _ := m.current()
	said := "unmarked"
	if m.marks.has(p.ID) {
		said = "marked"
	}
	m.say(remark, "%s %s. In the queue (Q), a, c or x decides on %s", wording.Reference(p), said, wording.Count(len(m.marks), "marked proposal", "marked proposals"))
	return nil
}

// markAll marks everything in the list that waits for a decision, or nothing
// when it is marked already.
func (q *queuePage) markAll(m *Model) tea.Cmd {
	before := len(m.marks)
	for i := range q.total() {
		p, ok := q.at(i)
		if ok && p.State == proposals.UserReview && !m.marks.has(p.ID) && len(m.marks) < maxMarks {
			m.marks = append(m.marks, p)
		}
	}
	switch {
	case len(m.marks) == before:
		m.marks = nil
		m.say(remark, "All marks removed")
	case len(m.marks) == maxMarks:
		m.say(remark, "%d marked, the most that can be decided together", maxMarks)
	}
	return nil
}

func (q *queuePage) nothingToMark(m *Model) string {
	if len(m.marks) > 0 {
		return ""
	}
	for i := range q.total() {
		if p, ok := q.at(i); ok && p.State == proposals.UserReview {
			return ""
		}
	}
	return "nothing listed waits for you"
}

// chosen returns what a decision in the queue is about: what is marked, else
// the selected row.
func (q *queuePage) chosen(m *Model) []proposals.Proposal {
	if len(m.marks) > 0 {
		return m.marks
	}
	if p, ok := q.current(); ok {
		return []proposals.Proposal{p}
	}
	return nil
}

// cannotDecide returns why there is nothing in the queue to decide about.
func cannotDecide(act proposals.Act) func(*Model) string {
	return func(m *Model) string {
		ps := m.queue.chosen(m)
		if len(ps) == 0 {
			return "no proposal is selected"
		}
		for _, p := range ps {
			if err := proposals.Authorize(m.cfg.Actor, act, p.Author); err != nil {
				return err.Error()
			}
		}
		if len(m.marks) == 0 && ps[0].State != proposals.UserReview {
			return wording.Standing(ps[0].State)
		}
		return ""
	}
}
