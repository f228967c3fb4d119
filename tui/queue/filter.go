// This file filters and sorts the list. The filter is the combination of the current tab and the text that the
// user types.

package queue

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// namesState reports whether the filter in text has a condition on the state or the number of proposals.
func namesState(text string) bool {
	f, err := filter.Parse(text)
	return err == nil && slices.ContainsFunc(f.Terms, func(t filter.Term) bool {
		return slices.ContainsFunc(t.Any, func(a facts.Atom) bool { return a.Is == facts.State || a.Is == facts.Number })
	})
}

// criteria contains the current tab, the filter, and the order of the list.
type criteria struct {
	views     []View
	tab       int
	filter    string
	allStates bool // the filter applies to all states; the tab is ignored
	order     review.Order
}

// SetFilter sets the filter of the list. A filter with a condition on the state or the number applies to all
// states.
func (q *Page) SetFilter(text string) tea.Cmd {
	if text == q.list.filter {
		return nil
	}
	q.list.filter, q.list.allStates, q.list.tabCounts = text, namesState(text), nil
	return tea.Batch(q.readFrom(false), q.Debounce(screen.Then{Page: q, Do: func() tea.Cmd {
		if text != q.list.filter {
			return nil
		}
		return q.Count()
	}}))
}

// maxSuggestions is the maximum number of completions shown at once.
const maxSuggestions = 6

// filterLine is the input line of the filter.
type filterLine struct {
	text  *edit.Field
	known filter.Vocabulary // values of fields in the loaded rows, and the IDs of the rules
	ids   []string          // IDs of the listed subjects
	found []string          // completions
	at    int               // index of the selected completion
	err   error             // error of parsing the text; nil if the text is a valid filter
}

// askFilter opens the filter line. The list is filtered after each key, unless the text is not a valid filter.
func (q *Page) askFilter() tea.Cmd {
	list := q.list // copy with the selected row, which esc restores
	before := list.filter
	f := &filterLine{text: edit.NewSelected(before), known: filter.Vocabulary{}}
	for _, r := range ruleset.All() {
		f.known["rule"] = append(f.known["rule"], r.ID)
	}
	for p := range q.list.All() {
		f.known.Add(p)
		if !slices.Contains(f.ids, p.Subject.ID) {
			f.ids = append(f.ids, p.Subject.ID)
		}
	}
	return q.shell.OpenLine(&screen.Line{
		Prompt: "filter", Text: f.text, Above: func() []draw.Line { return f.lines(q.Frame) },
		Hints:   [][2]string{{"tab", "complete"}, {"enter", "keep the filter"}, {"esc", "undo"}, {"up", "up"}, {"down", "down"}},
		Step:    func(n int) { f.at = min(max(0, f.at+n), max(0, len(f.found)-1)) },
		Changed: func() tea.Cmd { return f.typed(q) },
		Cancel: func() tea.Cmd {
			if q.list.filter != before {
				list.counts, q.list = q.list.counts, list
			}
			return q.Reload()
		},
		Done: func() tea.Cmd {
			if f.err != nil {
				return tea.Batch(q.shell.Say(screen.Warning, "%s", f.err), q.SetFilter(before))
			}
			if n, err := strconv.Atoi(strings.TrimSpace(f.text.String())); err == nil && n > 0 {
				return tea.Batch(q.shell.OpenNumber("#"+strconv.Itoa(n)), q.SetFilter(before))
			}
			if p, ok := q.list.current(); ok && q.list.Total() == 1 && filter.IsNumber(q.list.filter) {
				return tea.Batch(q.shell.Open(p, false), q.SetFilter(before))
			}
			return nil
		},
		Complete: func() tea.Cmd {
			if len(f.found) == 0 {
				return nil
			}
			text := f.found[f.at]
			if !strings.HasSuffix(text, ":") {
				text += " "
			}
			f.text.Set(text)
			return f.typed(q)
		},
	})
}

// typed updates the completions and filters the list. If the last word cannot be completed to a key of the
// filter language, the completions are IDs of listed subjects that contain the letters of the word in the same
// order.
func (f *filterLine) typed(q *Page) tea.Cmd {
	text := f.text.String()
	f.at, f.found = 0, filter.Suggest(text, f.known)
	if head := strings.LastIndexByte(text, ' ') + 1; len(f.found) == 0 && len(text)-head > 1 && !strings.ContainsAny(text[head:], `:"#-`) {
		for _, id := range f.ids {
			if screen.Fuzzy(text[head:], id) && !strings.Contains(id, text[head:]) {
				f.found = append(f.found, text[:head]+id)
			}
		}
	}
	if _, f.err = filter.Parse(text); f.err != nil {
		return nil
	}
	return q.SetFilter(strings.TrimSpace(text))
}

// lines draws the completions or, if there are none, the error in the filter.
func (f *filterLine) lines(frame screen.Frame) []draw.Line {
	th := frame.Theme
	lines := frame.Choices(len(f.found), f.at, min(maxSuggestions, frame.Body-3), func(i int) draw.Line {
		return draw.Of(th.Text, " "+draw.Escape(f.found[i]))
	})
	switch {
	case len(lines) > 1:
	case f.err != nil:
		lines = append(lines, draw.Of(th.Warn, " "+draw.Escape(f.err.Error())))
	case f.text.String() == "":
		lines = append(lines, draw.Of(th.Faint, " text, #17, "+draw.Safe(strings.Join(filter.Keys(), ":, "))+":, "+draw.Safe(strings.Join(filter.Flags(), ", "))+"; a minus excludes"))
	default:
		return nil
	}
	return lines
}

// sort applies the next order of the list if step is 1, or the previous order if step is -1.
func (s *criteria) sort(step int) {
	all := review.Orders()
	s.order = all[(slices.Index(all, s.order)+step+len(all))%len(all)]
}

// separatesSets reports whether the members of a change set can be apart from each other in this order.
func (s *criteria) separatesSets() bool {
	return s.order == review.BySubject || s.order == review.ByAuthor
}

// View is a named filter. The queue shows each view as a tab.
type View struct{ Name, Filter string }

// queueTab is a tab of the queue. It selects proposals by their state or by the filter of a view.
type queueTab struct {
	name   string
	states []proposals.State
	filter string // filter of a view, or of a tab with several states
}

// state returns the state of the tab, or "" if the tab has no state or several states.
func (t queueTab) state() proposals.State {
	if len(t.states) == 1 {
		return t.states[0]
	}
	return ""
}

func states() []queueTab {
	return []queueTab{
		{name: "Your turn", states: []proposals.State{proposals.UserReview}},
		{name: "Chief", states: []proposals.State{proposals.ChiefReview}},
		{name: "Sent back", states: []proposals.State{proposals.NeedsChanges}},
		{name: "Drafts", states: []proposals.State{proposals.Drafted}},
		{name: "Done", states: []proposals.State{proposals.Approved, proposals.Rejected, proposals.Withdrawn}, filter: "state:closed"},
		{name: "All", states: proposals.States()},
	}
}

// tabList returns the tabs for states, followed by the tabs of the views.
func (s *criteria) tabList() []queueTab {
	return append(states(), lists.Map(s.views, func(v View) queueTab {
		return queueTab{name: string(draw.Escape(v.Name)), filter: v.Filter}
	})...)
}

// shownTab returns the tab to which the listed proposals belong.
func (s *criteria) shownTab() queueTab { return s.tabList()[s.shownIndex()] }

// shownIndex returns the index of shownTab. If the filter applies to all states, this is the All tab.
func (s *criteria) shownIndex() int {
	if s.allStates {
		return len(states()) - 1
	}
	return s.tab
}

// SelectTab implements screen.TabSwitcher.
func (q *Page) SelectTab(tab int) tea.Cmd {
	if q.list.allStates {
		return q.shell.Say(screen.Remark, "This filter applies to all tabs; esc clears it")
	}
	q.list.tab = tab
	return q.readFrom(false)
}

// fullFilter returns the filter of the tab combined with the user's filter.
func (s *criteria) fullFilter() string { return filter.Join(s.shownTab().filter, s.filter) }

// hasFilter reports whether the page shows a line with the user's filter.
func (s *criteria) hasFilter() bool { return s.filter != "" }
