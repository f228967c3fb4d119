package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// write runs something that writes. The program does not end before it has
// answered. It is cancelled when the program is told to leave: a write that
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

// wrote says how a write ended and reads everything anew.
func (m *Model) wrote(msg screen.Wrote) tea.Cmd {
	m.writes--
	if m.writing.Err() != nil {
		m.farewell(msg)
	}
	var conflict *review.RebaseConflict
	switch pp := m.proposal; {
	case errors.As(msg.Err, &conflict) && pp != nil && pp.id == msg.ID && pp.loaded && m.dialog == nil:
		return m.askConflict(pp.dossier.Proposal, conflict)
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
	if pp, ok := m.page.(*proposalPage); msg.Open != nil && (!ok || pp.id != msg.Open.ID) {
		cmds = append(cmds, m.openProposal(*msg.Open))
	}
	return tea.Batch(cmds...)
}

// onward is said after a decision.
const onward = ". Press . for the next one"

// decide decides on proposals: on all of them or on none.
func (m *Model) decide(act proposals.Act, choices []review.Choice, reason, draft string) tea.Cmd {
	msg := screen.Wrote{Draft: draft}
	for _, c := range choices {
		msg.Decided = append(msg.Decided, c.ID)
	}
	return m.write(screen.Act(msg, act.Form(len(choices)), func(ctx context.Context) (string, error) {
		said, err := m.cfg.Decide(ctx, act, choices, reason)
		if errors.Is(err, review.ErrDigest) && len(choices) > 1 {
			err = errors.New("nothing decided: " + wording.OneLine(err))
		}
		return said + onward, err
	}))
}

// simple does what needs no words.
func (m *Model) simple(act proposals.Act, id proposals.ID) tea.Cmd {
	return m.write(screen.Act(screen.Wrote{ID: id}, act.Form(1), func(ctx context.Context) (string, error) { return m.cfg.Simple(ctx, act, id) }))
}
