package review

import (
	"context"
	"slices"
	"strconv"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
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

// cachedRegistry reads the live registry through a cache, whose methods stand in front of
// those of the storage.
type cachedRegistry struct {
	*impact.Snapshot
	storedRegistry
	raws  map[string][]byte // documents known besides those that are kept, by hash
	alike *alike
}

// storedRegistry holds the registry of the storage one level deeper than its cache.
type storedRegistry struct{ RegistryReader }

// alike holds the tools last found similar to a tool, by the sketches that it is
// looked for with.
type alike struct {
	text, purpose overlap.Sketch
	found         []registry.Live
	known         bool
}

// snapshotOf returns the cache that r reads the live registry through, a new one when it
// reads through none.
func snapshotOf(r Reader) *impact.Snapshot {
	if c, ok := r.RegistryReader.(*cachedRegistry); ok {
		return c.Snapshot
	}
	return impact.NewSnapshot(r)
}

func (c *cachedRegistry) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if body, ok := c.raws[hash]; ok {
		return body, true, nil
	}
	return c.RegistryReader.Raw(ctx, hash)
}

func (c *cachedRegistry) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	last := c.alike
	text, purpose := p.Sketches()
	if !last.known || last.text != text || last.purpose != purpose {
		found, err := c.RegistryReader.Alike(ctx, p)
		if err != nil {
			return nil, err
		}
		*last = alike{text, purpose, found, true}
	}
	return slices.Clone(last.found), nil
}

// forgettingRegistry empties the cache when something goes live.
type forgettingRegistry struct {
	RegistryWriter
	cached *cachedRegistry
}

func (f forgettingRegistry) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	f.cached.Forget()
	*f.cached.alike = alike{}
	return f.RegistryWriter.SetLive(ctx, versions, definitions)
}

// cachedTx returns tx with a cache of the registry, which lasts until tx makes something
// live itself. raws holds documents besides those that are kept.
func cachedTx(tx Tx, raws map[string][]byte) Tx {
	c := &cachedRegistry{impact.NewSnapshot(tx), storedRegistry{tx.RegistryReader}, raws, &alike{}}
	tx.RegistryReader, tx.RegistryWriter = c, forgettingRegistry{tx.RegistryWriter, c}
	return tx
}

// view has everything that a decision about one proposal rests on.
type view struct {
	Bundle
	Standing     []Standing
	changeSet    changeSetInfo // of its change set, itself included; zero when it stands alone
	prompts      []impact.PromptChange
	Rendered     map[string]string // seals of prompts
	Digest       string            // "" while there is no assessment
	endorsements []endorsement     // that count
	// need is whose approvals it needs, needsOfOthers those of the other members of
	// its change set.
	need          approval.Need
	needsOfOthers []approval.Need
	// unlisted is the allow-list that the agent of an open proposal names and that
	// would not exist, "" for none; unassigned reports that neither an agent nor the
	// client of a guarded server would have the tool.
	unlisted   string
	unassigned bool
	// ownAccount reports, under four_eyes, that the revision was written from the
	// account that acts now, under whatever name.
	ownAccount bool
}
