package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// View is a filter with a name, which is a tab of the queue.
type View struct{ Name, Filter string }

// shownTab is the tab that the queue is narrowed to.
func (q *queuePage) shownTab() queueTab { return q.tabList()[q.shownIndex()] }

// shownIndex is its place: a filter that names a state or a number is for all states.
func (q *queuePage) shownIndex() int {
	if q.everywhere {
		return slices.IndexFunc(queueTabs(), func(t queueTab) bool { return t.state == "" })
	}
	return q.tab
}

// namesState reports whether a filter asks for a state, or for a number.
func namesState(text string) bool {
	f, err := filter.Parse(text)
	return err == nil && slices.ContainsFunc(f.Terms, func(t filter.Term) bool {
		return slices.ContainsFunc(t.Any, func(a filter.Atom) bool { return a.Is == filter.State || a.Is == filter.Number })
	})
}

// tabList returns the states and then the views.
func (q *queuePage) tabList() []queueTab {
	all := queueTabs()
	for _, v := range q.views {
		all = append(all, queueTab{name: string(draw.Show(v.Name)), brief: string(draw.Show(v.Name)), filter: v.Filter})
	}
	return all
}

// where is the filter of the tab together with the one that was typed.
func (q *queuePage) where() string { return filter.Join(q.shownTab().filter, q.filter) }

// maxSuggestions is how many ways to go on are shown at once.
const maxSuggestions = 6

// filterLine is the line in which a filter of the queue is typed.
type filterLine struct {
	text  *edit.Text
	known filter.Vocabulary
	found []string // texts that go on from what is typed
	at    int      // the selected one
	err   error    // why what is typed is not a filter yet
}

// askQueueFilter narrows the queue while a filter is typed, and offers what can come
// next. What is not a filter yet leaves the list as it is.
func (m *Model) askQueueFilter() tea.Cmd {
	q := m.queue
	before := q.filter
	f := &filterLine{text: edit.NewLine(before), known: q.vocabulary()}
	m.line = &screen.Line{
		Prompt: "filter", Text: f.text, Above: func() []draw.Line { return f.lines(m) },
		Hints:   [][2]string{{"tab", "complete"}, {"enter", "keep the filter"}, {"esc", "undo it"}, {"up", "up"}, {"down", "down"}},
		Step:    func(n int) { f.at = min(max(0, f.at+n), max(0, len(f.found)-1)) },
		Changed: m.action(func(m *Model) tea.Cmd { return f.changed(m) }),
		Cancel:  m.action(func(m *Model) tea.Cmd { return q.setFilter(m, before) }),
		Done: m.action(func(m *Model) tea.Cmd {
			if f.err != nil {
				m.say(warning, "%s", f.err)
				return q.setFilter(m, before)
			}
			if p, ok := q.current(); ok && q.total() == 1 && isNumber(q.filter) {
				return tea.Batch(q.setFilter(m, before), m.openProposal(p))
			}
			return nil
		}),
		Complete: m.action(func(m *Model) tea.Cmd {
			if len(f.found) == 0 {
				return nil
			}
			text := f.found[f.at]
			if !strings.HasSuffix(text, ":") {
				text += " "
			}
			*f.text = *edit.NewLine(text)
			return f.changed(m)
		}),
	}
	return nil
}

// changed offers what can come next, and narrows the list.
func (f *filterLine) changed(m *Model) tea.Cmd {
	text := f.text.String()
	f.at, f.found = 0, filter.Suggest(text, f.known)
	if _, f.err = filter.Parse(text); f.err != nil {
		return nil
	}
	return m.queue.setFilter(m, strings.TrimSpace(text))
}

// isNumber reports whether a filter asks for one proposal by its number.
func isNumber(text string) bool {
	f, err := filter.Parse(text)
	return err == nil && len(f.Terms) == 1 && !f.Terms[0].Not && len(f.Terms[0].Any) == 1 && f.Terms[0].Any[0].Is == filter.Number
}

// lines draws what can come next, or why there is no filter yet.
func (f *filterLine) lines(m *Model) []draw.Line {
	lines := []draw.Line{draw.Of(m.theme.Rule, draw.Safe(strings.Repeat("─", m.layout.Width)))}
	room := min(maxSuggestions, len(f.found), max(0, m.layout.Body-3))
	top := screen.Window(0, f.at, len(f.found), room)
	for i := top; i < top+room; i++ {
		mark := draw.Of("", " ")
		if i == f.at {
			mark = draw.Of(m.theme.Accent, "▌")
		}
		lines = append(lines, mark.Add(m.theme.Text, " "+draw.Show(f.found[i])))
	}
	switch {
	case room > 0:
	case f.err != nil:
		lines = append(lines, draw.Of(m.theme.Warn, " "+draw.Show(f.err.Error())))
	case f.text.String() == "":
		lines = append(lines, draw.Of(m.theme.Faint, " text, #17, "+draw.Safe(strings.Join(filter.Keys(), ":, "))+":, "+draw.Safe(strings.Join(filter.Flags(), ", "))+"; a minus negates"))
	default:
		return nil
	}
	return lines
}

// vocabulary lists what the rows that were read can be filtered by.
func (q *queuePage) vocabulary() filter.Vocabulary {
	v := filter.Vocabulary{Layers: []string{"global", "user", "project"}}
	for _, s := range q.slots {
		for _, p := range s.rows {
			v.Authors = append(v.Authors, p.Author.String())
			v.Layers = append(v.Layers, string(p.Subject.Layer))
			switch p.Subject.Kind {
			case registry.KindTool:
				v.Tools = append(v.Tools, p.Subject.ID)
			case registry.KindAgent:
				v.Agents = append(v.Agents, p.Subject.ID)
			case registry.KindList:
			}
			if p.ChangeSet != "" {
				v.Sets = append(v.Sets, p.ChangeSet)
			}
		}
	}
	for _, r := range ruleset.All() {
		v.Rules = append(v.Rules, r.ID)
	}
	return v
}
