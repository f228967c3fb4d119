package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// result is the answer of a command: a function that takes it in. It holds the
// subject that it was asked about, so that a late one is not taken for another.
type result func(m *Model) tea.Cmd

// The answers that recur while nothing happens.
type (
	stampMsg struct {
		stamp int64
		err   error
	}
	pollMsg struct{ told int64 }
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
