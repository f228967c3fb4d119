package shell

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/editor"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
)

// newShell returns a shell in which dialogs accept answers once their commands have run.
func newShell() *Shell {
	return New(Options{
		Now:    func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		After:  func(_ time.Duration, msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } },
		Unsent: unsent.New(""), Editor: &editor.Editor{Remote: true},
		Slow:  func(theme.Theme) draw.Line { return nil },
		Hints: func(screen.Frame) []draw.Line { return []draw.Line{draw.Of("", " a hint")} },
	}, theme.Choice{Plain: true})
}

func view(s *Shell) string {
	return ansi.Strip(s.View(func() Parts {
		return Parts{Bar: draw.Of("", " the bar"), Tabs: draw.Of("", " the tabs"), Body: []string{string(draw.Pad("the page", 80))}, Footer: func() draw.Line { return draw.Of("", " the keys") }}
	}).Content)
}

func press(s *Shell, key string) bool {
	msg := tea.KeyPressMsg{Code: rune(key[0]), Text: key}
	switch key {
	case "esc":
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	case "enter":
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	_, taken := s.Key(msg)
	return taken
}

// TestKeysOfTheShell checks that a dialog receives keys before the input line, and the line before the page. Both
// close independently.
func TestKeysOfTheShell(t *testing.T) {
	s := newShell()
	if press(s, "y") || s.Busy() || !strings.Contains(view(s), "the keys") || !strings.Contains(view(s), "a hint") {
		t.Errorf("the keys are not those of the page:\n%s", view(s))
	}
	typed, done := edit.NewLine(""), false
	s.OpenLine(&screen.Line{Prompt: "find", Text: typed, Done: func() tea.Cmd { done = true; return nil }})
	answered := false
	opened := s.Ask(screen.Dialog{
		Form: proposals.Form{Title: "A question", Verb: "do it"}, Content: func(page *prose.Page) { page.Text("", "Really?") },
		Run: func(string) tea.Cmd { answered = true; return nil },
	})
	if !press(s, "y") || answered || !strings.Contains(view(s), "Read the dialog before confirming") {
		t.Errorf("a dialog that is not on the screen yet takes an answer:\n%s", view(s))
	}
	opened().(screen.Then).Do()
	if press(s, "y"); !answered || s.Dialog() != nil || typed.String() != "" {
		t.Errorf("answered %v, %q is typed", answered, typed.String())
	}
	press(s, "y")
	if press(s, "enter"); !done || typed.String() != "y" || s.Busy() {
		t.Errorf("done %v, %q is typed", done, typed.String())
	}
}

// TestSmallScreen checks the screen below the minimum size.
func TestSmallScreen(t *testing.T) {
	s := newShell()
	s.Resize(30, 5)
	if text := view(s); !strings.Contains(text, "has 30×5. q quits.") || strings.Contains(text, "the page") {
		t.Errorf("the screen is\n%s", text)
	}
}
