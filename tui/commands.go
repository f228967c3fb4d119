package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// The answers of the commands of this file. Every answer names its subject, so
// that a late one is not taken for another.
type (
	stampMsg struct {
		stamp int64
		err   error
	}
	pollMsg  struct{ told int64 }
	graceMsg struct{ dialog int }
)

// pollEvery is how often the database is asked whether anything was written, where it
// does not tell.
const pollEvery = 700 * time.Millisecond

func (m *Model) readStamp() tea.Cmd {
	reg := m.cfg.Registry
	return func() tea.Msg {
		stamp, err := reg.Stamp(m.ctx)
		return stampMsg{stamp, err}
	}
}

// awaitWrite answers when another process may have written something.
func (m *Model) awaitWrite(seen int64) tea.Cmd {
	wait := m.cfg.Wait
	if wait == nil || m.cfg.After != nil {
		return m.after(pollEvery, pollMsg{seen})
	}
	return func() tea.Msg { return pollMsg{wait(m.ctx, seen, pollEvery)} }
}

// after answers with msg when d has passed.
func (m *Model) after(d time.Duration, msg tea.Msg) tea.Cmd {
	if m.cfg.After != nil {
		return m.cfg.After(d, msg)
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
