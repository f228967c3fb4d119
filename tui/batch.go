package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
}

// batchMsg is a batch that was read.
type batchMsg struct {
	batch
	number int // of the reading, so that one that comes late is let go
	err    error
}

// readBatch reads proposals anew, so that the question is about their present
// state. Change sets are approved together or not at all: their other members are
// added.
func (m *Model) readBatch(act proposals.Act, ps []proposals.Proposal) tea.Cmd {
	m.batches++
	number := m.batches
	return func() tea.Msg {
		ds, err := m.cfg.Together(m.ctx, act, ps)
		return batchMsg{batch{act, ds}, number, err}
	}
}

// batchRead asks, unless somebody went elsewhere meanwhile.
func (m *Model) batchRead(msg batchMsg) tea.Cmd {
	switch {
	case msg.number != m.batches, m.page != m.queue, m.dialog != nil:
		return nil
	case msg.err != nil:
		m.fail(msg.err)
		return nil
	}
	if refused := msg.refused(m); len(refused) > 0 {
		return m.askWithout(msg.batch, refused)
	}
	if msg.act == proposals.ActApprove {
		return m.askApproveAll(msg.batch)
	}
	return m.askRefuseAll(msg.batch)
}

// refusal is a proposal that cannot be decided about as it was asked, and why.
type refusal struct {
	dossier review.Dossier
	why     string
}

// refused lists the reasons against the batch.
func (b *batch) refused(m *Model) []refusal {
	var out []refusal
	for _, d := range b.dossiers {
		if why := b.why(m, d); why != "" {
			out = append(out, refusal{d, why})
		}
	}
	return out
}

func (b *batch) why(m *Model, d review.Dossier) string {
	if b.act == proposals.ActApprove {
		return strings.Join(wording.Obstacles(d, wording.Ways{}), "; ")
	}
	return wording.Cannot(m.cfg.Actor, b.act, d.Proposal)
}

// unread returns the proposals of which something has not been on the screen, or
// has changed since it was, and names what.
func (b *batch) unread(m *Model) (ps []proposals.Proposal, names []string) {
	for _, d := range b.dossiers {
		p := d.Proposal
		lacks := m.shared.Seen.Lacks(d)
		if lacks == "" {
			continue
		}
		ps, names = append(ps, p), append(names, wording.Reference(p)+" "+p.Subject.String()+lacks)
	}
	return ps, names
}
