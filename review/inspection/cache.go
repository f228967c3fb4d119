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

// Cache is a Reader that caches change sets, revisions, and the registry after an approval, because each member of a
// change set needs those of the others. It must not be used after a write.
type Cache struct {
	review.Reader // its proposals come from revisions
	Live          *impact.Snapshot
	changeSets    map[string]ChangeSet // by change set
	revisions     *knownRevisions
	then          map[string]*impact.Overlay // by change set
	live          owners                     // owners of the files of live folders; nil until read
	files         map[string]owners          // by change set
}

// knownRevisions caches revisions.
type knownRevisions struct {
	review.ProposalReader
	known map[revisionKey]proposals.Revision
}

type revisionKey struct {
	id     proposals.ID
	number int
}

// NewCache returns a cache for r. live reads the live registry.
func NewCache(r review.Reader, live *impact.Snapshot) *Cache {
	known := &knownRevisions{r.ProposalReader, map[revisionKey]proposals.Revision{}}
	r.ProposalReader = known
	return &Cache{Reader: r, Live: live, changeSets: map[string]ChangeSet{}, revisions: known, then: map[string]*impact.Overlay{}, files: map[string]owners{}}
}

// Bundles reads the records that decisions about proposals depend on.
func (g *Cache) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	bundles, err := g.Reader.Bundles(ctx, ids)
	for _, b := range bundles {
		g.revisions.known[revisionKey{b.Proposal.ID, b.Proposal.Revision}] = b.Revision
	}
	return bundles, err
}

// After returns the registry after an approval of v and the rest of its change set. It is the same for all members of a
// change set, unless two of them change the same subject.
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
	seen, unique := map[registry.Subject]bool{}, true
	for _, m := range v.ChangeSet.Members {
		unique = unique && (!m.State.Open() || !seen[m.Subject])
		seen[m.Subject] = seen[m.Subject] || m.State.Open()
	}
	if set != "" && unique {
		g.then[set] = then
	}
	return then, nil
}

// ChangeSet describes the members of a change set and whether they can go live.
type ChangeSet struct {
	Members []proposals.Proposal
	Seal    string // covers the members and their content
	Broken  error  // reason why no member can go live, or nil
}

// changeSet returns the description of a change set, or the zero value for "".
func (g *Cache) changeSet(ctx context.Context, changeSet string) (ChangeSet, error) {
	if known, ok := g.changeSets[changeSet]; ok || changeSet == "" {
		return known, nil
	}
	members, err := g.Members(ctx, changeSet)
	if err != nil {
		return ChangeSet{}, err
	}
	c, fields := ChangeSet{Members: members}, make([]string, 0, 3*len(members))
	for _, m := range members {
		fields = append(fields, string(m.ID), strconv.Itoa(m.Revision), m.ContentHash)
		if m.State == proposals.Rejected && c.Broken == nil { // the members were written to go live together
			c.Broken = fmt.Errorf("%w: %s of %q was rejected, which stops the set; regroup the rest: toolcrib regroup 'set:%s' --into NAME, or --alone",
				review.ErrChangeSet, m.Name(), changeSet, changeSet)
		}
	}
	c.Seal = history.Seal(fields...)
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
