package decisions

import (
	"slices"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
	unread   bool // unread parts are approved
	byHash   bool // data files are accepted by their hash
}

// onePage reports whether the batch has several members of a change set: they are read as
// one page.
func (b *batch) onePage(set string) bool {
	n := 0
	for _, d := range b.dossiers {
		if d.Proposal.ChangeSet == set {
			n++
		}
	}
	return set != "" && n > 1
}

// oneSet reports whether the batch is one change set, and so one decision.
func (b *batch) oneSet() bool {
	set := b.dossiers[0].Proposal.ChangeSet
	return b.onePage(set) && !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
}

// draft names the kept text of a decision on exactly this batch.
func (b *batch) draft() string { return screen.DecisionDraft(b.act, b.proposals()...) }

// proposals returns those of the batch.
func (b *batch) proposals() []proposals.Proposal {
	ps := make([]proposals.Proposal, len(b.dossiers))
	for i, d := range b.dossiers {
		ps[i] = d.Proposal
	}
	return ps
}

// Onward is added to the message of a decision.
const Onward = ". Press . for the next"
