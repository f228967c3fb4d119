package queue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
)

// namesState reports whether a filter asks for a state, or for a number.
func namesState(text string) bool {
	f, err := filter.Parse(text)
	return err == nil && slices.ContainsFunc(f.Terms, func(t filter.Term) bool {
		return slices.ContainsFunc(t.Any, func(a facts.Atom) bool { return a.Is == facts.State || a.Is == facts.Number })
	})
}

// selection is which proposals are listed, and in which order.
type selection struct {
	views      []View
	tab        int
	filter     string
	everywhere bool // the filter is for all states, whatever the tab
	order      review.Order
}

// setFilter narrows the list to what a filter asks for.
func (q *Page) setFilter(text string) tea.Cmd {
	if text == q.list.filter {
		return nil
	}
	q.list.filter, q.list.everywhere = text, namesState(text)
	return q.readFrom(false)
}

// Narrow shows the proposals that a filter selects, of every state.
func (q *Page) Narrow(text string) tea.Cmd {
	q.list.filter, q.list.everywhere = text, false
	return q.readFrom(false)
}

// maxSuggestions is how many ways to go on are shown at once.
const maxSuggestions = 6

// filterLine is the line in which a filter is typed.
type filterLine struct {
	text  *edit.Field
	known filter.Vocabulary
	ids   []string // of the subjects that were listed
	found []string // completions of the typed text
	at    int      // the selected one
	err   error    // why the typed text is not a filter yet
}

// askFilter filters the list while a filter is typed, and offers completions. An incomplete
// filter leaves the list unchanged.
func (q *Page) askFilter() tea.Cmd {
	list := q.list // with the selected row, for esc
	before := list.filter
	f := &filterLine{text: edit.NewSelected(before), known: vocabulary(&q.list.Rows)}
	for p := range q.list.All() {
		if !slices.Contains(f.ids, p.Subject.ID) {
			f.ids = append(f.ids, p.Subject.ID)
		}
	}
	return q.shell.Type(&screen.Line{
		Prompt: "filter", Text: f.text, Above: func() []draw.Line { return f.lines(q.Frame) },
		Hints:   [][2]string{{"tab", "complete"}, {"enter", "keep the filter"}, {"esc", "undo it"}, {"up", "up"}, {"down", "down"}},
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
				return tea.Batch(q.shell.Say(screen.Warning, "%s", f.err), q.setFilter(before))
			}
			if n, err := strconv.Atoi(strings.TrimSpace(f.text.String())); err == nil && n > 0 {
				return tea.Batch(q.shell.OpenNumber("#"+strconv.Itoa(n)), q.setFilter(before))
			}
			if p, ok := q.list.current(); ok && q.list.Total() == 1 && filter.IsNumber(q.list.filter) {
				return tea.Batch(q.shell.Open(p, false), q.setFilter(before))
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

// typed offers completions, and narrows the list. A word that is no part of a key completes to
// the ids that have its letters in their order.
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
	return q.setFilter(strings.TrimSpace(text))
}

// lines draws the completions, or why there is no filter yet.
func (f *filterLine) lines(frame screen.Frame) []draw.Line {
	th := frame.Theme
	lines := frame.Choices(len(f.found), f.at, min(maxSuggestions, frame.Body-3), func(i int) draw.Line {
		return draw.Of(th.Text, " "+draw.Show(f.found[i]))
	})
	switch {
	case len(lines) > 1:
	case f.err != nil:
		lines = append(lines, draw.Of(th.Warn, " "+draw.Show(f.err.Error())))
	case f.text.String() == "":
		lines = append(lines, draw.Of(th.Faint, " text, #17, "+draw.Safe(strings.Join(filter.Keys(), ":, "))+":, "+draw.Safe(strings.Join(filter.Flags(), ", "))+"; a minus negates"))
	default:
		return nil
	}
	return lines
}

// vocabulary has the values by which the rows that were read can be found, and the
// rules.
func vocabulary(rs *rows.Rows) filter.Vocabulary {
	v := filter.Vocabulary{}
	for p := range rs.All() {
		v.Add(p)
	}
	for _, r := range ruleset.All() {
		v["rule"] = append(v["rule"], r.ID)
	}
	return v
}

// orderName returns how a list is sorted.
func orderName(o review.Order) string {
	names := map[review.Order]string{review.ByOldest: "oldest ↑", review.ByRisk: "worst first", review.BySubject: "by subject", review.ByAuthor: "by author"}
	return cmp.Or(names[o], "newest ↓")
}

// sort goes on to the next order of the whole list, or to the one before, and
// to its beginning.
func (q *Page) sort(step int) func() tea.Cmd {
	return func() tea.Cmd {
		all := review.Orders()
		q.list.order = all[(slices.Index(all, q.list.order)+step+len(all))%len(all)]
		return q.readFrom(false)
	}
}

// apart reports whether the order takes the members of change sets apart.
func (s *selection) apart() bool { return s.order == review.BySubject || s.order == review.ByAuthor }

// View is a filter with a name, which is a tab.
type View struct{ Name, Filter string }

// queueTab is some states that the list can be narrowed to, or a view.
type queueTab struct {
	name   string
	brief  string // where there is no room for all names
	states []proposals.State
	filter string // of a view, or of several states
}

// state returns the only state of a tab, "" where there are several.
func (t queueTab) state() proposals.State {
	if len(t.states) == 1 {
		return t.states[0]
	}
	return ""
}

func states() []queueTab {
	return []queueTab{
		{name: "Your turn", brief: "Yours", states: []proposals.State{proposals.UserReview}},
		{name: "Chief", brief: "Chief", states: []proposals.State{proposals.ChiefReview}},
		{name: "Changes", brief: "Changes", states: []proposals.State{proposals.NeedsChanges}},
		{name: "Drafts", brief: "Drafts", states: []proposals.State{proposals.Drafted}},
		{name: "Done", brief: "Done", states: []proposals.State{proposals.Approved, proposals.Rejected, proposals.Withdrawn}, filter: "state:closed"},
		{name: "All", brief: "All", states: proposals.States()},
	}
}

// tabList returns the states and then the views.
func (s *selection) tabList() []queueTab {
	all := states()
	for _, v := range s.views {
		all = append(all, queueTab{name: string(draw.Show(v.Name)), brief: string(draw.Show(v.Name)), filter: v.Filter})
	}
	return all
}

// shownTab is the tab that the list is narrowed to.
func (s *selection) shownTab() queueTab { return s.tabList()[s.shownIndex()] }

// shownIndex is its place: a filter that names a state or a number is for all states.
func (s *selection) shownIndex() int {
	if s.everywhere {
		return len(states()) - 1
	}
	return s.tab
}

// turn goes so many tabs on.
func (q *Page) turn(step int) func() tea.Cmd {
	return func() tea.Cmd {
		n := len(q.list.tabList())
		return q.TurnTo((q.list.tab + step + n) % n)
	}
}

// TurnTo implements screen.Turning.
func (q *Page) TurnTo(tab int) tea.Cmd {
	if q.list.everywhere {
		return q.shell.Say(screen.Remark, "The filter names a state or a number, in any state; esc clears it")
	}
	q.list.tab = tab
	return q.readFrom(false)
}

// where is the filter of the tab together with the one that was typed.
func (s *selection) where() string { return filter.Join(s.shownTab().filter, s.filter) }

// narrowed reports whether the list has a line with the filter that was typed.
func (s *selection) narrowed() bool { return s.filter != "" }
