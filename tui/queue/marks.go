// This file marks proposals. The user can decide the marked proposals together.

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

// maxMarks is the maximum number of marked proposals. The dialog of a decision lists them all.
const maxMarks = 100

// Marks are the marked proposals, in the order in which the user marked them.
type Marks []proposals.Proposal

// Has reports whether the proposal with the given ID is marked.
func (ms Marks) Has(id proposals.ID) bool {
	return slices.ContainsFunc(ms, func(p proposals.Proposal) bool { return p.ID == id })
}

// Without returns a copy of ms without the proposals that have the given IDs.
func (ms Marks) Without(ids ...proposals.ID) Marks {
	return slices.DeleteFunc(slices.Clone(ms), func(p proposals.Proposal) bool { return slices.Contains(ids, p.ID) })
}

// markSet contains the marks. While the user marks a range of rows, it also contains the start of the range.
// The range extends to the cursor.
type markSet struct {
	// List does not change when the list of proposals is filtered, sorted, or reloaded.
	List        Marks
	rangeStart  proposals.ID // proposal of the row at which the range begins; "" if there is no range
	beforeRange Marks        // marks from before the range began
}

// CannotMark returns the reason why p cannot be marked, or "".
func (m *markSet) CannotMark(p proposals.Proposal) string {
	switch {
	case m.List.Has(p.ID):
		return "" // unmarking is always possible
	case p.State != proposals.UserReview:
		return wording.NotPermitted(p.State)
	case len(m.List) == maxMarks:
		return "at most " + strconv.Itoa(maxMarks) + " proposals can be decided together"
	}
	return ""
}

// Mark toggles the mark of p.
func (m *markSet) Mark(p proposals.Proposal) {
	if m.List.Has(p.ID) {
		m.List = m.List.Without(p.ID)
	} else {
		m.List = append(m.List, p)
	}
}

// endRange ends the range. It returns false if no range was active.
func (m *markSet) endRange() bool {
	was := m.rangeStart != ""
	m.rangeStart, m.beforeRange = "", nil
	return was
}

// extendRange marks the proposals in the range that wait for the user. The range extends from its start to the
// given row.
func (m *markSet) extendRange(rs *rows.Rows, row int) {
	if m.rangeStart == "" {
		return
	}
	from := row
	if i := rs.Find(m.rangeStart); i >= 0 {
		from = i
	}
	m.List = slices.Clone(m.beforeRange)
	m.addRows(rs, min(from, row), max(from, row)+1)
}

// addRows marks the proposals in the rows from start to end-1 that wait for the user. It skips a row if marking
// its members would exceed maxMarks.
func (m *markSet) addRows(rs *rows.Rows, start, end int) {
	for i := start; i < end && len(m.List) < maxMarks; i++ {
		r, ok := rs.At(i)
		if !ok || len(m.List)+len(r.Members) > maxMarks {
			continue
		}
		for _, p := range r.Members {
			if p.State == proposals.UserReview && !m.List.Has(p.ID) {
				m.List = append(m.List, p)
			}
		}
	}
}

// cannotMarkAll returns the reason why toggleAll has no effect, or "".
func (m *markSet) cannotMarkAll(rs *rows.Rows) string {
	found := markSet{List: m.List}
	if found.addRows(rs, 0, rs.Total()); len(found.List) > 0 {
		return ""
	}
	return "no listed proposal waits for you"
}

// targets returns the proposals to which a decision applies: the marked proposals or, if none are marked, the
// proposals of the selected row.
func (m *markSet) targets(l *list) []proposals.Proposal {
	if r, ok := l.At(l.cursor); ok && len(m.List) == 0 {
		return r.Members
	}
	return m.List
}

// cannotMark returns the reason why the selected row cannot be marked, or "".
func (m *markSet) cannotMark(l *list) string {
	r, ok := l.At(l.cursor)
	if !ok {
		return "no proposal is selected"
	}
	if r.Folded() && !m.hasAll(r) && len(m.List)+len(r.Members) > maxMarks {
		return "more than " + strconv.Itoa(maxMarks) + " proposals; enter opens the set, where you can decide on all of them"
	}
	for _, p := range r.Members {
		if why := m.CannotMark(p); why != "" {
			return why
		}
	}
	return ""
}

// hasAll reports whether all proposals of row r are marked.
func (m *markSet) hasAll(r rows.Row) bool {
	return !slices.ContainsFunc(r.Members, func(p proposals.Proposal) bool { return !m.List.Has(p.ID) })
}

// toggleRow marks all proposals of the selected row, or unmarks them if all are marked.
func (m *markSet) toggleRow(l *list) {
	m.endRange()
	r, _ := l.At(l.cursor)
	all := m.hasAll(r)
	for _, p := range r.Members {
		if m.List.Has(p.ID) == all {
			m.Mark(p)
		}
	}
}

// markRow marks the proposals of the selected row that wait for the user.
func (m *markSet) markRow(l *list) {
	m.endRange()
	m.addRows(&l.Rows, l.cursor, l.cursor+1)
}

// toggleRange begins a range at the selected row, or ends the current range.
func (m *markSet) toggleRange(l *list, sh screen.Messenger) tea.Cmd {
	p, _ := l.current()
	if m.endRange() {
		return nil
	}
	m.rangeStart, m.beforeRange = p.ID, slices.Clone(m.List)
	m.extendRange(&l.Rows, l.cursor)
	return sh.Say(screen.Remark, "Move to mark a range of rows; v or esc ends the range")
}

// toggleAll marks all listed proposals that wait for the user. If they are already marked, it removes all
// marks.
func (m *markSet) toggleAll(l *list, sh screen.Messenger) tea.Cmd {
	before := len(m.List)
	m.addRows(&l.Rows, 0, l.Total())
	switch {
	case len(m.List) == before:
		m.List = nil
		return sh.Say(screen.Remark, "All marks removed")
	case len(m.List) == maxMarks:
		return sh.Say(screen.Remark, "%d proposals marked, the maximum for a decision", maxMarks)
	}
	return nil
}
