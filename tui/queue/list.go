// This file manages the cursor and the viewport of the list, and explains why the list is empty.

package queue

import (
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// list contains the listed proposals, the cursor, and the viewport.
type list struct {
	criteria
	rows.Rows
	cursor    int
	top       int
	height    int          // number of rows in the viewport
	restoreID proposals.ID // proposal to which the cursor returns after a reload
	counts    map[proposals.State]int
	tabCounts []string // numbers of matching proposals for the tabs, from Counted; nil until they are known
}

// current returns the selected proposal or, if a folded set is selected, its first member.
func (l *list) current() (proposals.Proposal, bool) {
	r, ok := l.At(l.cursor)
	if !ok {
		return proposals.Proposal{}, false
	}
	return r.First(), true
}

// visible returns the loaded rows in the viewport.
func (l *list) visible() []rows.Row {
	var shown []rows.Row
	for i := l.top; i < l.top+l.height; i++ {
		if r, ok := l.At(i); ok {
			shown = append(shown, r)
		}
	}
	return shown
}

func (l *list) noneSelected() string {
	if _, ok := l.current(); !ok {
		return "no proposal is selected"
	}
	return ""
}

// query returns the query for the chunk after cursor. cursor is the keyset cursor from the previous chunk, or
// "" for the first chunk.
func (l *list) query(cursor string) review.Query {
	return review.Query{State: l.shownTab().state(), Filter: l.fullFilter(), Order: l.order, Reverse: l.Backward, Limit: rows.Chunk, After: cursor}
}

// count returns the number of proposals in the states of the given tab.
func (l *list) count(t queueTab) (n int) {
	for _, s := range t.states {
		n += l.counts[s]
	}
	return n
}

// needed returns the number of proposals that must be loaded to fill the viewport and one screen below it.
func (l *list) needed() int { return l.LoadCount(l.top-l.height-1, l.top+2*(l.height+1)) }

// restore moves the cursor back to the row that was selected before the reload.
func (l *list) restore() {
	if i := l.Find(l.restoreID); l.restoreID != "" && i >= 0 {
		if l.top > 0 { // at the top, new rows become visible; further down, the selected row stays in place
			l.top += i - l.cursor
		}
		l.cursor = i
	}
	l.restoreID = ""
}

// clamp moves the cursor into the list, and the viewport to the cursor.
func (l *list) clamp() {
	n := l.Total()
	l.cursor = min(max(0, l.cursor), max(0, n-1))
	l.top = screen.Window(l.top, l.cursor, n, l.height)
}

// positionText draws the position of the cursor, such as "3 of 20".
func (l *list) positionText(th theme.Theme) draw.Line {
	n, known := l.Loaded(), l.Complete()
	if t := l.shownTab(); l.filter == "" && t.states != nil && l.counts != nil {
		n, known = l.count(t), true
	}
	if n == 0 {
		return nil
	}
	more, at := draw.Safe(""), l.Before(l.cursor)+1
	switch {
	case known && l.Backward:
		at += n - l.Loaded()
	case l.Backward && l.cursor == l.Total()-1:
		return draw.Of(th.Faint, " last ")
	case l.Backward:
		return draw.Of(th.Faint, draw.Escapef(" %d from the end ", n-at))
	case !known:
		more = "+" // more proposals are not loaded yet
	}
	return draw.Of(th.Faint, draw.Escapef(" %d of %d", at, n)+more+" ")
}

// databaseEmpty reports whether the database contains no proposals, according to the counts.
func (l *list) databaseEmpty() bool { return l.counts != nil && total(l.counts) == 0 }

// total returns the number of proposals in all states.
func total(counts map[proposals.State]int) (n int) {
	for _, of := range counts {
		n += of
	}
	return n
}

// emptyText returns the text for an empty list. err is the error of the last read, or nil. remote indicates
// that the user's terminal is on a different machine than the workbench.
func (l *list) emptyText(th theme.Theme, err error, remote bool) []draw.Line {
	if err == nil && l.filter == "" && l.databaseEmpty() {
		return firstSteps(th, remote)
	}
	why := lists.Map(l.whyEmpty(err), func(text draw.Safe) draw.Line { return draw.Of(th.Faint, text) })
	return append([]draw.Line{nil}, why...)
}

func (l *list) whyEmpty(err error) []draw.Safe {
	switch {
	case err != nil:
		return []draw.Safe{draw.Escape(wording.OneLine(err))}
	case l.filter != "" && l.tab < len(states())-1 && !l.allStates:
		return []draw.Safe{"No match in this state.", "tab shows the next state, esc clears the filter."}
	case l.filter != "":
		return []draw.Safe{"No match.", "esc clears the filter."}
	case l.shownTab().states == nil:
		return []draw.Safe{"Nothing matches this view: " + draw.Escape(l.shownTab().filter)}
	case l.tab == 0:
		return []draw.Safe{"Nothing waits for you.", "tab shows the next state, T shows the live tools."}
	}
	return []draw.Safe{"No proposals in this state. tab shows the next state."}
}

// firstSteps returns the introduction for new users, which ends with the next step. If remote is set, that
// step is for the user's machine.
func firstSteps(th theme.Theme, remote bool) []draw.Line {
	step := func(key, command, text draw.Safe) draw.Line {
		return draw.Of(th.Key, draw.Pad(key, 8)).Add(th.Strong, command).Add(th.Text, text)
	}
	lines := []draw.Line{
		draw.Of(th.Strong, "toolcrib reviews every change to what your agents can do."),
		draw.Of(th.Text, "A new or changed tool, prompt, or skill waits here;"),
		draw.Of(th.Text, "you read the change, and it goes live if you approve it."), nil,
		draw.Of(th.Title, "Next: bring in what your agents use"),
	}
	if remote {
		return append(lines, step("shell", "ssh HOST toolcrib import - < FILE", ""), step("ctrl+n", "", "write a proposal"))
	}
	return append(lines,
		step("I", "", "import tools from a file"),
		step("shell", "toolcrib init", "  find your clients' servers"),
		step("shell", "toolcrib demo", "  try it on examples"),
		step("ctrl+n", "", "write a proposal"),
	)
}
