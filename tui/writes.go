package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
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
	cmds := []tea.Cmd{m.reload(), m.dropDraft(msg.draft)}
	if msg.open != nil {
		cmds = append(cmds, m.openProposal(*msg.open))
	}
	return tea.Batch(cmds...)
}

// onward is said after a decision.
const onward = ". Press . for the next one"

func (m *Model) approve(id proposals.ID, choices []review.Choice, note string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		ds, err := desk.Approve(ctx, actor, choices, note)
		text := ""
		for i, d := range ds {
			if i > 0 {
				text += ", "
			}
			text += d.Subject.String() + " version " + itoa(d.Version)
		}
		return wroteMsg{id: id, draft: "approve-" + string(id), text: "Live: " + text + onward, undone: "not approved", err: err}
	})
}

func (m *Model) requestChanges(id proposals.ID, digest, reason string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		_, err := desk.RequestChanges(ctx, actor, []review.Choice{{ID: id, Expect: digest}}, reason)
		return wroteMsg{id: id, draft: "changes-" + string(id), text: "Sent back to its author" + onward, undone: "not sent back", err: err}
	})
}

func (m *Model) reject(id proposals.ID, digest, reason string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		_, err := desk.Reject(ctx, actor, []review.Choice{{ID: id, Expect: digest}}, reason)
		return wroteMsg{id: id, draft: "reject-" + string(id), text: "Rejected" + onward, undone: "not rejected", err: err}
	})
}

func (m *Model) waive(id proposals.ID, handle, reason string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		w, err := desk.Waive(ctx, actor, id, handle, reason, nil)
		if err != nil {
			return wroteMsg{id: id, err: err}
		}
		return wroteMsg{id: id, draft: "waive-" + string(id) + "-" + w.PassageHash[:8], text: "Waived " + w.Rule + " in " + w.Path}
	})
}

func (m *Model) comment(id proposals.ID, body string, at review.Anchor, draftName string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		_, err := desk.Comment(ctx, actor, id, body, at)
		return wroteMsg{id: id, draft: draftName, text: "Comment sent", err: err}
	})
}

func (m *Model) submit(id proposals.ID) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		p, err := desk.Submit(ctx, actor, id)
		return wroteMsg{id: id, text: "Submitted as " + wording.Reference(p), err: err}
	})
}

func (m *Model) withdraw(id proposals.ID) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		_, err := desk.Withdraw(ctx, actor, id, "")
		return wroteMsg{id: id, text: "Withdrawn", err: err}
	})
}

func (m *Model) rebase(id proposals.ID) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		p, err := desk.Rebase(ctx, actor, id)
		return wroteMsg{id: id, text: "Rebased: revision " + itoa(p.Revision) + " is against " + wording.Against(p.BaseVersion), err: err}
	})
}

func (pp *proposalPage) reassess(m *Model) tea.Cmd {
	desk, id := m.cfg.Desk, pp.id
	return m.write(func(ctx context.Context) wroteMsg {
		a, err := desk.Reassess(ctx, id)
		return wroteMsg{id: id, text: "Assessed again: " + string(a.Recommendation), err: err}
	})
}

func (m *Model) fork(id string, layer registry.Layer) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		p, err := desk.Fork(ctx, actor, id, layer)
		return wroteMsg{id: p.ID, text: "Drafted " + p.Subject.String(), open: &p, err: err}
	})
}

func (m *Model) restore(s registry.Subject, version int, rationale string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		p, err := desk.Rollback(ctx, actor, s, version, rationale)
		return wroteMsg{id: p.ID, draft: "restore-" + s.ID + "-" + itoa(version), text: "Drafted " + p.Title, open: &p, err: err}
	})
}

func (m *Model) propose(draft proposals.Draft, submit bool, draftName string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		ps, err := desk.Propose(ctx, actor, []proposals.Draft{draft}, submit)
		if err != nil {
			return wroteMsg{err: err}
		}
		return wroteMsg{id: ps[0].ID, draft: draftName, text: "Proposed " + ps[0].Subject.String(), open: &ps[0]}
	})
}

func (m *Model) revise(id proposals.ID, draft proposals.Draft, draftName string) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return m.write(func(ctx context.Context) wroteMsg {
		p, err := desk.Revise(ctx, actor, id, draft)
		return wroteMsg{id: id, draft: draftName, text: "Saved revision " + itoa(p.Revision), err: err}
	})
}
