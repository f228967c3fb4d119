package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
)

// Line is a text that is typed at the bottom of the screen, such as a filter or a
// search. As an intent it is asked for.
type Line struct {
	Prompt  draw.Safe
	Hints   [][2]string        // its keys, for the footer
	Above   func() []draw.Line // lines above it, nil for none
	Step    func(n int)        // what the arrows up and down do, nil for nothing
	Text    *edit.Text
	Changed Action // after every key, nil for nothing
	// Complete handles tab, nil for nothing.
	Complete Action
	Done     Action // on enter
	Cancel   Action // on esc, nil for nothing
}

// Do runs an action that may be nil.
func (a Action) Do() (Intent, tea.Cmd) {
	if a == nil {
		return nil, nil
	}
	return a()
}

// FilterLine narrows a list while a text is typed; before is the filter until now.
func FilterLine(before string, set func(text string) tea.Cmd) *Line {
	text := edit.NewSelected(before)
	to := func(text func() string) Action { return func() (Intent, tea.Cmd) { return nil, set(text()) } }
	return &Line{
		Prompt: "filter", Text: text, Hints: [][2]string{{"enter", "keep the filter"}, {"esc", "undo it"}},
		Changed: to(text.String), Cancel: to(func() string { return before }),
	}
}
