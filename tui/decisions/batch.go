package decisions

import (
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
)

// batch is a set of proposals to decide together, as read for the decision.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
	unread   bool // unread parts are accepted
	byHash   bool // data files are accepted by hash
}

// onePage reports whether the batch contains several members of a change set, which are read on one page.
func (b *batch) onePage(set string) bool {
	n := 0
	for _, d := range b.dossiers {
		if d.Proposal.ChangeSet == set {
			n++
		}
	}
	return set != "" && n > 1
}

// oneSet reports whether the batch is one change set, which needs only one decision.
func (b *batch) oneSet() bool {
	set := b.dossiers[0].Proposal.ChangeSet
	return b.onePage(set) && !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
}

// draft returns the name of the unsent text of a decision on exactly this batch.
func (b *batch) draft() string { return screen.DecisionDraft(b.act, b.proposals()...) }

// proposals returns the proposals of the batch.
func (b *batch) proposals() []proposals.Proposal {
	return lists.Map(b.dossiers, func(d review.Dossier) proposals.Proposal { return d.Proposal })
}

// Onward is appended to the message about a decision.
const Onward = ". Press . for the next"
