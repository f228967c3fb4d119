package decisions

import (
	"slices"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
	unread   bool // what was not read is approved
	byHash   bool // files of data are accepted by their hash
}

// onePage reports whether the members of a change set are read as one page.
func (b *batch) onePage(set string) bool {
	members := slices.DeleteFunc(slices.Clone(b.dossiers), func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
	return set != "" && OnePage(review.ChangeSet{Name: set, Members: members})
}

// oneSet reports whether the batch is one change set that is read as one page: that is
// one decision.
func (b *batch) oneSet() bool {
	set := b.dossiers[0].Proposal.ChangeSet
	return b.onePage(set) && !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
}

// OnePage reports whether a change set is read and decided as one page.
func OnePage(set review.ChangeSet) bool { return len(set.Members) > 1 }

// draft names the kept text of a decision on exactly this batch.
func (b *batch) draft() string {
	ids := make([]proposals.ID, len(b.dossiers))
	for i, d := range b.dossiers {
		ids[i] = d.Proposal.ID
	}
	return screen.DecisionDraft(b.act, ids...)
}

// proposals returns those of the batch.
func (b *batch) proposals() []proposals.Proposal {
	ps := make([]proposals.Proposal, len(b.dossiers))
	for i, d := range b.dossiers {
		ps[i] = d.Proposal
	}
	return ps
}

// about names the proposals that a text is for.
func (b *batch) about() string {
	return screen.About(b.proposals()...)
}

// subject names the proposals in the title of the question.
func (b *batch) subject() draw.Safe {
	return screen.Subjects(b.act, b.proposals()...)
}

// Onward is added to the message of a decision.
const Onward = ". Press . for the next"
