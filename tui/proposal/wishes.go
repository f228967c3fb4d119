package proposal

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

// want asks for something at the end of an update.
func (pp *Page) want(intent screen.Intent) { pp.wishes = append(pp.wishes, intent) }

// take returns the pending intent.
func (pp *Page) take() screen.Intent {
	wishes := pp.wishes
	pp.wishes = nil
	switch len(wishes) {
	case 0:
		return nil
	case 1:
		return wishes[0]
	}
	return screen.Several(wishes)
}

// do makes an action of a key, or of a dialog, from a function that may leave an
// intent.
func (pp *Page) do(run func() tea.Cmd) screen.Action {
	return func() (screen.Intent, tea.Cmd) {
		cmd := run()
		return pp.take(), cmd
	}
}

// answer is do for what a dialog is answered with.
func (pp *Page) answer(run func(text string) tea.Cmd) func(string) (screen.Intent, tea.Cmd) {
	return func(text string) (screen.Intent, tea.Cmd) {
		return pp.do(func() tea.Cmd { return run(text) })()
	}
}

func (pp *Page) say(tone screen.Tone, format string, args ...any) {
	pp.want(screen.Sayf(tone, format, args...))
}

func (pp *Page) fail(err error) { pp.want(screen.Fail(err)) }

func (pp *Page) ask(d screen.Dialog) tea.Cmd {
	pp.want(d)
	return nil
}

func (pp *Page) write(w screen.Write) tea.Cmd {
	pp.want(w)
	return nil
}
