package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

func (m *shell) now() time.Time { return m.cfg.Now() }

// frame is the frame that a page draws itself in.
func (m *shell) frame() screen.Frame {
	return screen.Frame{Layout: m.layout, Theme: m.theme, Now: m.cfg.Now}
}

// The names of themes, as the configuration has them.
const (
	lookDark     = "dark"
	lookLight    = "light"
	lookContrast = "high-contrast"
	lookOwn      = "own"
)

// looks lists the themes that there are here.
func looks(m *shell) []string {
	all := []string{lookDark, lookLight}
	if !m.sixteen {
		all = append(all, lookContrast)
		if m.cfg.Own != nil {
			all = append(all, lookOwn)
		}
	}
	return all
}

// lookNow is the name of the theme on the screen.
func lookNow(m *shell) string {
	if slices.Contains(looks(m), m.look) {
		return m.look
	}
	if m.dark && m.look != lookLight {
		return lookDark
	}
	return lookLight
}

// chooseTheme picks the theme for the known properties of the terminal. One that has
// another ground than the terminal, as far as is known, paints its own.
func (m *shell) chooseTheme() {
	look := lookNow(m)
	switch {
	case m.cfg.Plain:
		m.theme = theme.Plain()
	case m.sixteen:
		m.theme = theme.Sixteen(look == lookDark)
	case look == lookContrast:
		m.theme = theme.HighContrast()
	case look == lookOwn:
		m.theme = *m.cfg.Own
	case look == lookDark:
		m.theme = theme.Dark()
	default:
		m.theme = theme.Light()
	}
	same := m.told && m.dark == m.theme.Dark || !m.picked
	if same && (look == lookDark || look == lookLight) {
		m.theme.Ground = ""
	}
}

// switchTheme goes on to the next theme.
func (m *pages) switchTheme() tea.Cmd {
	all := looks(m.shell)
	m.look, m.picked = all[(slices.Index(all, lookNow(m.shell))+1)%len(all)], true
	m.chooseTheme()
	m.fit()
	return m.Say(remark, "Theme: %s; kept for this database", m.look)
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

// pollEvery is how often the database is asked whether anything was written, where it
// does not tell.
const pollEvery = 700 * time.Millisecond

// The answers that recur while nothing happens.
type (
	stampMsg struct {
		stamp int64
		err   error
	}
	pollMsg struct{ told int64 }
)
