package queue

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

// namesState reports whether a filter asks for a state, or for a number.
func namesState(text string) bool {
	f, err := filter.Parse(text)
	return err == nil && slices.ContainsFunc(f.Terms, func(t filter.Term) bool {
		return slices.ContainsFunc(t.Any, func(a filter.Atom) bool { return a.Is == filter.State || a.Is == filter.Number })
	})
}

// setFilter narrows the list to what a filter asks for.
func (q *Page) setFilter(text string) tea.Cmd {
	if text == q.filter {
		return nil
	}
	q.filter, q.everywhere = text, namesState(text)
	return q.restart()
}

// Narrow shows the proposals that a filter selects, of every state.
func (q *Page) Narrow(text string) tea.Cmd {
	q.filter, q.everywhere = text, false
	return q.restart()
}

// maxSuggestions is how many ways to go on are shown at once.
const maxSuggestions = 6

// filterLine is the line in which a filter is typed.
type filterLine struct {
	text  *edit.Text
	known filter.Vocabulary
	found []string // completions of the typed text
	at    int      // the selected one
	err   error    // why the typed text is not a filter yet
}

// askFilter narrows the list while a filter is typed, and offers completions. An
// incomplete filter leaves the list unchanged.
func (q *Page) askFilter() (screen.Intent, tea.Cmd) {
	before := q.filter
	f := &filterLine{text: edit.NewSelected(before), known: q.vocabulary()}
	return &screen.Line{
		Prompt: "filter", Text: f.text, Above: func() []draw.Line { return f.lines(q.Frame) },
		Hints:   [][2]string{{"tab", "complete"}, {"enter", "keep the filter"}, {"esc", "undo it"}, {"up", "up"}, {"down", "down"}},
		Step:    func(n int) { f.at = min(max(0, f.at+n), max(0, len(f.found)-1)) },
		Changed: func() (screen.Intent, tea.Cmd) { return nil, q.typed(f) },
		Cancel:  func() (screen.Intent, tea.Cmd) { return nil, q.setFilter(before) },
		Done: func() (screen.Intent, tea.Cmd) {
			if f.err != nil {
				return screen.Sayf(screen.Warning, "%s", f.err), q.setFilter(before)
			}
			if p, ok := q.Current(); ok && q.total() == 1 && filter.IsNumber(q.filter) {
				return screen.Open{Proposal: p}, q.setFilter(before)
			}
			return nil, nil
		},
		Complete: func() (screen.Intent, tea.Cmd) {
			if len(f.found) == 0 {
				return nil, nil
			}
			text := f.found[f.at]
			if !strings.HasSuffix(text, ":") {
				text += " "
			}
			*f.text = *edit.NewLine(text)
			return nil, q.typed(f)
		},
	}, nil
}

// typed offers completions, and narrows the list.
func (q *Page) typed(f *filterLine) tea.Cmd {
	text := f.text.String()
	f.at, f.found = 0, filter.Suggest(text, f.known)
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

// vocabulary lists what the rows that were read can be filtered by.
func (q *Page) vocabulary() filter.Vocabulary {
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
