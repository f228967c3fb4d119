package inspection

import (
	"context"
	"fmt"
	"strconv"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
)

// Cache is a Reader that caches change sets and revisions, and the
// definitions that would be live with them, while nothing is written: each member
// of a set needs those of the others.
type Cache struct {
	review.Reader // whose proposals are those of revisions
	Live          *impact.Snapshot
	changeSets    map[string]ChangeSet // by change set
	revisions     *knownRevisions
	then          map[string]*impact.Overlay // by change set
	live          owners                     // of the files of live folders, nil until they are read
	files         map[string]owners          // by change set
}

// knownRevisions remembers the revisions that were read.
type knownRevisions struct {
	review.ProposalReader
	known map[revisionKey]proposals.Revision
}

type revisionKey struct {
	id     proposals.ID
	number int
}

// NewCache returns a cache of r, which reads the live registry through live.
func NewCache(r review.Reader, live *impact.Snapshot) *Cache {
	known := &knownRevisions{r.ProposalReader, map[revisionKey]proposals.Revision{}}
	r.ProposalReader = known
	return &Cache{Reader: r, Live: live, changeSets: map[string]ChangeSet{}, revisions: known, then: map[string]*impact.Overlay{}, files: map[string]owners{}}
}

// Bundles reads what decisions about proposals rest on.
func (g *Cache) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	bundles, err := g.Reader.Bundles(ctx, ids)
	for _, b := range bundles {
		g.revisions.known[revisionKey{b.Proposal.ID, b.Proposal.Revision}] = b.Revision
	}
	return bundles, err
}

// After returns the registry as it would be when v, and the rest of its change
// set, were approved. It is the same for all members of a set, unless two of
// them are about one subject.
func (g *Cache) After(ctx context.Context, v View) (*impact.Overlay, error) {
	set := v.Proposal.ChangeSet
	if then, ok := g.then[set]; ok {
		return then, nil
	}
	changed, err := impact.Coming(ctx, g, v.Proposal, v.Revision, v.ChangeSet.Members)
	if err != nil {
		return nil, err
	}
	then := g.Live.With(changed)
	if set != "" && !contended(v.ChangeSet.Members) {
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

// ChangeSet describes a change set: its members, and whether it can go live.
type ChangeSet struct {
	Members []proposals.Proposal
	Seal    string // over which they are, and their content
	Broken  error  // why nothing of the set can go live, nil when it can
}

// changeSet returns the description of a change set, all zero for "".
func (g *Cache) changeSet(ctx context.Context, changeSet string) (ChangeSet, error) {
	if known, ok := g.changeSets[changeSet]; ok || changeSet == "" {
		return known, nil
	}
	members, err := g.Members(ctx, changeSet)
	if err != nil {
		return ChangeSet{}, err
	}
	fields := make([]string, 0, 3*len(members))
	for _, m := range members {
		fields = append(fields, string(m.ID), strconv.Itoa(m.Revision), m.ContentHash)
	}
	c := ChangeSet{members, history.Seal(fields...), broken(changeSet, members)}
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

// broken reports a change set of which a member was rejected. Its other members
// were written to go live with that one, so none of them does until the user
// regroups them.
func broken(changeSet string, members []proposals.Proposal) error {
	for _, m := range members {
		if m.State == proposals.Rejected {
			return fmt.Errorf("%w: %s of %q was rejected, which stops the set; regroup the rest: toolcrib regroup 'set:%s' --into NAME, or --alone",
				review.ErrChangeSet, m.Name(), changeSet, changeSet)
		}
	}
	return nil
}
