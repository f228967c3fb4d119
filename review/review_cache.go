package review

import (
	"context"
	"strconv"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// reviewCache is a Reader that caches change sets and revisions, and the
// definitions that would be live with them, while nothing is written: each member
// of a set needs those of the others.
type reviewCache struct {
	Reader     // whose proposals are those of revisions
	live       *impact.Snapshot
	changeSets map[string]changeSetInfo // by change set
	revisions  *knownRevisions
	then       map[string]*impact.Overlay // by change set
}

// knownRevisions remembers the revisions that were read.
type knownRevisions struct {
	ProposalReader
	known map[revisionKey]proposals.Revision
}

type revisionKey struct {
	id     proposals.ID
	number int
}

func newReviewCache(r Reader) *reviewCache { return cached(r, snapshotOf(r)) }

func cached(r Reader, live *impact.Snapshot) *reviewCache {
	known := &knownRevisions{r.ProposalReader, map[revisionKey]proposals.Revision{}}
	r.ProposalReader = known
	return &reviewCache{Reader: r, live: live, changeSets: map[string]changeSetInfo{}, revisions: known, then: map[string]*impact.Overlay{}}
}

// bundles reads what decisions about proposals rest on.
func (g *reviewCache) bundles(ctx context.Context, ids ...proposals.ID) ([]Bundle, error) {
	bundles, err := g.Bundles(ctx, ids)
	for _, b := range bundles {
		g.revisions.known[revisionKey{b.Proposal.ID, b.Proposal.Revision}] = b.Revision
	}
	return bundles, err
}

// after returns the registry as it would be when v, and the rest of its change
// set, were approved. It is the same for all members of a set, unless two of
// them are about one subject.
func (g *reviewCache) after(ctx context.Context, v view) (*impact.Overlay, error) {
	set := v.Proposal.ChangeSet
	if then, ok := g.then[set]; ok {
		return then, nil
	}
	changed, err := impact.Coming(ctx, g, v.Proposal, v.Revision, v.changeSet.members)
	if err != nil {
		return nil, err
	}
	then := g.live.With(changed)
	if set != "" && !contended(v.changeSet.members) {
		g.then[set] = then
	}
	return then, nil
}

// contended reports whether two open members are about one subject.
func contended(members []proposals.Proposal) bool {
	seen := map[registry.Subject]bool{}
	for _, m := range members {
		if m.State.Open() && seen[m.Subject] {
			return true
		}
		seen[m.Subject] = seen[m.Subject] || m.State.Open()
	}
	return false
}

// changeSetInfo describes a change set: its members, and whether it can go live.
type changeSetInfo struct {
	members []proposals.Proposal
	seal    string // over which they are, and their content
	broken  error  // why nothing of the set can go live, nil when it can
}

// changeSet returns the description of a change set, all zero for "".
func (g *reviewCache) changeSet(ctx context.Context, changeSet string) (changeSetInfo, error) {
	if known, ok := g.changeSets[changeSet]; ok || changeSet == "" {
		return known, nil
	}
	members, err := g.Members(ctx, changeSet)
	if err != nil {
		return changeSetInfo{}, err
	}
	fields := make([]string, 0, 3*len(members))
	for _, m := range members {
		fields = append(fields, string(m.ID), strconv.Itoa(m.Revision), m.ContentHash)
	}
	c := changeSetInfo{members, history.Seal(fields...), broken(changeSet, members)}
	g.changeSets[changeSet] = c
	return c, nil
}

func (k *knownRevisions) Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error) {
	key := revisionKey{id, number}
	if rev, ok := k.known[key]; ok {
		return rev, nil
	}
	rev, err := k.ProposalReader.Revision(ctx, id, number)
	if err == nil {
		k.known[key] = rev
	}
	return rev, err
}
