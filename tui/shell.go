package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/markdown"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// shell is the state that all parts share: the configuration, the screen and its contents.
type shell struct {
	cfg      Config
	ctx      context.Context //nolint:containedctx // of all that is asked, as long as the workbench lives
	theme    theme.Theme
	themed   bool // the theme was chosen and does not follow the terminal
	dark     bool
	sixteen  bool
	mouse    bool
	layout   screen.Layout
	division screen.Division
	status   screen.Status
	dialog   *dialog
	line     *screen.Line // the input line at the bottom, nil for none
	kept     draftFiles   // unsent texts
	texts    *markdown.Texts
}

func (m *shell) now() time.Time { return m.cfg.Now() }

// frame is the frame that a page draws itself in.
func (m *shell) frame() screen.Frame {
	return screen.Frame{Layout: m.layout, Theme: m.theme, Now: m.cfg.Now}
}

// chooseTheme picks the theme for the known properties of the terminal.
func (m *shell) chooseTheme() {
	switch {
	case m.cfg.Plain:
		m.theme = theme.Plain()
	case m.sixteen:
		m.theme = theme.Sixteen(m.dark)
	case m.dark:
		m.theme = theme.Dark()
	default:
		m.theme = theme.Light()
	}
}

// Say shows a line at the bottom until the next key. Everything in it passes
// the gate.
func (m *shell) Say(t screen.Tone, format string, args ...any) tea.Cmd {
	m.status = screen.Sayf(t, format, args...)
	return nil
}

// Fail says an error.
func (m *shell) Fail(err error) tea.Cmd {
	m.status = screen.Fail(err)
	return nil
}

// Type has a line typed at the bottom.
func (m *shell) Type(l *screen.Line) tea.Cmd {
	m.line = l
	return nil
}

// typing reports whether keys write a text.
func (m *shell) typing() bool {
	return !m.layout.TooSmall && (m.line != nil && m.dialog == nil || m.dialog != nil && m.dialog.Writing && m.dialog.text != nil)
}

// after answers with msg when d has passed.
func (m *shell) after(d time.Duration, msg tea.Msg) tea.Cmd {
	if m.cfg.After != nil {
		return m.cfg.After(d, msg)
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

func (m *shell) readStamp() tea.Cmd {
	reg := m.cfg.Registry
	return func() tea.Msg {
		stamp, err := reg.Stamp(m.ctx)
		return stampMsg{stamp, err}
	}
}

// awaitWrite answers when another process may have written something.
func (m *shell) awaitWrite(seen int64) tea.Cmd {
	wait := m.cfg.Wait
	if wait == nil || m.cfg.After != nil {
		return m.after(pollEvery, pollMsg{seen})
	}
	return func() tea.Msg { return pollMsg{wait(m.ctx, seen, pollEvery)} }
}

// missedSize asks for the size when the terminal has another one than was told.
func (m *shell) missedSize() tea.Cmd {
	if m.cfg.Size == nil {
		return nil
	}
	if width, height := m.cfg.Size(); width == m.layout.Width && height == m.layout.Height {
		return nil
	}
	return tea.RequestWindowSize
}

func (m *shell) noCalls() string {
	if m.cfg.Calls == nil {
		return "no gateway is available"
	}
	return ""
}

func (m *shell) noServers() string {
	if m.cfg.Servers == nil {
		return "the clients are on another machine"
	}
	return ""
}

func (m *shell) noDrafts() string {
	if m.cfg.Drafts == "" {
		return "no folder for drafts is available"
	}
	return ""
}

func (m *shell) cannotTheme() string {
	if m.cfg.Plain {
		return "colours are off"
	}
	return ""
}

func (m *shell) cannotSuspend() string {
	if m.cfg.Remote {
		return "there is no shell here"
	}
	return ""
}

func (m *shell) switchMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.Say(remark, "Mouse on: the wheel scrolls, a click selects, shift+drag selects text")
	} else {
		m.Say(remark, "Mouse off")
	}
	return nil
}
