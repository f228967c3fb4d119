package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// wroteMsg answers a write: what it was about, what to say, and where to go.
type wroteMsg struct {
	id    proposals.ID // "" for what was not about one
	draft string       // name of the kept text that is not needed any more
	text  string
	open  *proposals.Proposal // to show now
	// decided are no longer marked when it succeeded.
	decided []proposals.ID
	// undone names what did not happen when it failed; "" for "not written".
	undone string
	err    error
}

// write runs something that writes. The program does not end before it has
// answered. It is cancelled when the program is told to leave: a write that
// waits for a busy database has written nothing, and one that has begun is kept
// whole or not at all.
func (m *Model) write(fn func(ctx context.Context) wroteMsg) tea.Cmd {
	m.writes++
	if m.cfg.Signer != nil {
		return signing(m.writing, fn)
	}
	return func() tea.Msg { return fn(m.writing) }
}

// farewell keeps how a write ended that was on its way when the program was
// told to leave: there is no screen any more to say it on.
func (m *Model) farewell(msg wroteMsg) {
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.left = append(m.left, cmp.Or(msg.undone, "not saved")+": the database was busy when toolcrib quit; nothing was saved")
	case msg.err != nil:
		m.left = append(m.left, cmp.Or(msg.undone, "not written")+": "+msg.err.Error())
	default:
		m.left = append(m.left, strings.TrimSuffix(msg.text, onward))
	}
}

// Left returns how the writes ended that were on their way when the program was
// told to leave.
func (m *Model) Left() []string { return m.left }

// wrote says how a write ended and reads everything anew.
func (m *Model) wrote(msg wroteMsg) tea.Cmd {
	m.writes--
	if m.writing.Err() != nil {
		m.farewell(msg)
	}
	var conflict *review.RebaseConflict
	switch pp := m.proposal; {
	case errors.As(msg.err, &conflict) && pp != nil && pp.id == msg.id && pp.loaded && m.dialog == nil:
		return m.askConflict(pp.dossier.Proposal, conflict)
	case msg.err != nil:
		m.fail(msg.err)
		if errors.Is(msg.err, review.ErrDigest) {
			m.say(failure, "Nothing decided: it changed since you read it. Reloaded")
		}
		return m.reload()
	}
	m.marks = m.marks.without(msg.decided...)
	m.say(success, "%s", msg.text)
	if msg.open != nil {
		m.known = 0 // what one makes oneself is not news
	}
	cmds := []tea.Cmd{m.reload(), m.dropDraft(msg.draft)}
	if pp, ok := m.page.(*proposalPage); msg.open != nil && (!ok || pp.id != msg.open.ID) {
		cmds = append(cmds, m.openProposal(*msg.open))
	}
	return tea.Batch(cmds...)
}

// onward is said after a decision.
const onward = ". Press . for the next one"

// act does something at the desk; msg is what the answer is about.
func (m *Model) act(msg wroteMsg, form proposals.Form, do func(context.Context) (string, error)) tea.Cmd {
	return m.write(func(ctx context.Context) wroteMsg {
		msg.text, msg.err = do(ctx)
		msg.undone = form.Undone
		return msg
	})
}

// decide decides on proposals: on all of them or on none.
func (m *Model) decide(act proposals.Act, choices []review.Choice, reason, draft string) tea.Cmd {
	msg := wroteMsg{draft: draft}
	for _, c := range choices {
		msg.decided = append(msg.decided, c.ID)
	}
	return m.act(msg, act.Form(len(choices)), func(ctx context.Context) (string, error) {
		said, err := m.cfg.Decide(ctx, act, choices, reason)
		if errors.Is(err, review.ErrDigest) && len(choices) > 1 {
			err = errors.New("nothing decided: " + wording.OneLine(err))
		}
		return said + onward, err
	})
}

// simple does what needs no words.
func (m *Model) simple(act proposals.Act, id proposals.ID) tea.Cmd {
	return m.act(wroteMsg{id: id}, act.Form(1), func(ctx context.Context) (string, error) { return m.cfg.Simple(ctx, act, id) })
}

// drafted does what makes a proposal, and opens it.
func (m *Model) drafted(draft string, do func(context.Context) (proposals.Proposal, string, error)) tea.Cmd {
	return m.write(func(ctx context.Context) wroteMsg {
		p, said, err := do(ctx)
		return wroteMsg{id: p.ID, draft: draft, text: said, open: &p, err: err}
	})
}
