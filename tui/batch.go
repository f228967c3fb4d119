package tui

import (
	"slices"
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

// readBatch reads proposals anew, so that the question is about their present
// state. Change sets are approved together or not at all: their other members are
// added.
func (m *Model) readBatch(act proposals.Act, ps []proposals.Proposal) tea.Cmd {
	b := &batch{act: act}
	m.reading = b
	return func() tea.Msg {
		ds, err := m.cfg.Together(m.ctx, act, ps)
		return result(func(m *Model) tea.Cmd {
			b.dossiers = ds
			return m.batchRead(b, err)
		})
	}
}

// batchRead asks, unless somebody went elsewhere meanwhile, or for another batch.
func (m *Model) batchRead(b *batch, err error) tea.Cmd {
	switch {
	case b != m.reading, !m.decidesHere(), m.dialog != nil:
		return nil
	case err != nil:
		m.fail(err)
		return nil
	}
	if refused := b.refused(m); len(refused) > 0 {
		return m.askWithout(*b, refused)
	}
	if b.act == proposals.ActApprove {
		return m.askApproveAll(*b)
	}
	return m.askRefuseAll(*b)
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
// has changed since it was, and names what; a change set that is read as one page once.
func (b *batch) unread(m *Model) (ps []proposals.Proposal, names []string) {
	for _, d := range b.dossiers {
		p := d.Proposal
		lacks := m.shared.Seen.Lacks(d)
		if lacks == "" {
			continue
		}
		name := wording.Reference(p) + " " + p.Subject.String() + lacks
		if b.onePage(p.ChangeSet) {
			name = "the page of the change set " + p.ChangeSet
		}
		if ps = append(ps, p); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return ps, names
}

// onePage reports whether the members of a change set are read as one page.
func (b *batch) onePage(set string) bool {
	members := slices.DeleteFunc(slices.Clone(b.dossiers), func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
	return set != "" && onePage(review.ChangeSet{Name: set, Members: members})
}

// oneSet reports whether the batch is one change set that is read as one page: that is
// one decision.
func (b *batch) oneSet() bool {
	set := b.dossiers[0].Proposal.ChangeSet
	return b.onePage(set) && !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
}
