package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/review"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
)

// write runs something that writes. The program does not end before it has
// answered. It is cancelled when the program is ended from outside: a write that
// waits for a busy database has written nothing, and one that has begun is kept
// whole or not at all.
func (m *Model) write(fn screen.Write) tea.Cmd {
	m.writes++
	if m.cfg.Signer != nil {
		return signing(m.writing, fn)
	}
	return func() tea.Msg { return fn(m.writing) }
}

// farewell keeps how a write ended that was on its way when the program was
// told to leave: there is no screen any more to say it on.
func (m *Model) farewell(msg screen.Wrote) {
	switch {
	case errors.Is(msg.Err, context.Canceled):
		m.left = append(m.left, cmp.Or(msg.Undone, "not saved")+": the database was busy when toolcrib quit; nothing was saved")
	case msg.Err != nil:
		m.left = append(m.left, cmp.Or(msg.Undone, "not written")+": "+msg.Err.Error())
	default:
		m.left = append(m.left, strings.TrimSuffix(msg.Text, onward))
	}
}

// Left returns how the writes ended that were on their way when the program was
// told to leave.
func (m *Model) Left() []string { return m.left }

// wrote shows the outcome of a write and reads everything anew.
func (m *Model) wrote(msg screen.Wrote) tea.Cmd {
	m.writes--
	if m.writing.Err() != nil {
		m.farewell(msg)
	}
	var conflict *review.RebaseConflict
	switch p, ok := currentOf(m.proposal); {
	case errors.As(msg.Err, &conflict) && ok && p.ID == msg.ID && m.dialog == nil:
		return m.askConflict(p, conflict)
	case msg.Err != nil:
		m.fail(msg.Err)
		if errors.Is(msg.Err, review.ErrDigest) {
			m.say(failure, "Nothing decided: it changed since you read it. Reloaded")
		}
		return m.reload()
	}
	m.list().Marks = m.list().Marks.Without(msg.Decided...)
	m.say(success, "%s", msg.Text)
	if msg.Open != nil {
		m.known = 0 // what one makes oneself is not news
	}
	cmds := []tea.Cmd{m.reload(), m.dropDraft(msg.Draft)}
	if pp, ok := m.page.Page.(*proposal.Page); msg.Open != nil && (!ok || pp.ID() != msg.Open.ID) {
		cmds = append(cmds, m.openProposal(*msg.Open, false))
	}
	return tea.Batch(cmds...)
}

// onward is added to the message of a decision.
const onward = ". Press . for the next one"
