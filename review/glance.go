package review

import (
	"context"

	"toolcrib/proposals"
)

// glance is a Reader that remembers change sets and revisions, for the time in
// which nothing is written: the members of a set are looked at for each of
// them.
type glance struct {
	Reader
	members   map[string][]proposals.Proposal
	revisions map[revisionKey]proposals.Revision
}

type revisionKey struct {
	id     proposals.ID
	number int
}

func newGlance(r Reader) *glance {
	return &glance{Reader: r, members: map[string][]proposals.Proposal{}, revisions: map[revisionKey]proposals.Revision{}}
}

// Members implements ProposalReader.
func (g *glance) Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error) {
	if members, ok := g.members[changeSet]; ok {
		return members, nil
	}
	members, err := g.Reader.Members(ctx, changeSet)
	if err == nil {
		g.members[changeSet] = members
	}
	return members, err
}

// Revision implements ProposalReader.
func (g *glance) Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error) {
	key := revisionKey{id, number}
	if rev, ok := g.revisions[key]; ok {
		return rev, nil
	}
	rev, err := g.Reader.Revision(ctx, id, number)
	if err == nil {
		g.revisions[key] = rev
	}
	return rev, err
}
