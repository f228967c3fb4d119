// Package inspection collects the information that a decision about a proposal depends on: the records of the proposal,
// its change set, the approvals that it needs, and its effect on prompts. From this information, the package computes
// the review digest and the obstacles to an approval.
package inspection

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/records"
)

// Inspector collects the information that decisions under a policy depend on.
type Inspector struct {
	records      *records.Records
	policy       review.Policy
	signing      proof.Signing
	rulesVersion func() string
}

// New returns an inspector. signing verifies earlier approvals. rulesVersion returns the identifier of the rules and
// the policy that new assessments use.
func New(r *records.Records, policy review.Policy, signing proof.Signing, rulesVersion func() string) *Inspector {
	return &Inspector{r, policy, signing, rulesVersion}
}

// View contains the information that a decision about a proposal depends on.
type View struct {
	review.Bundle
	Base         *registry.Definition // see records.Base
	Standing     []review.Standing
	ChangeSet    ChangeSet // change set of the proposal, or zero
	Prompts      []impact.PromptChange
	Rendered     map[string]string // seals of the changes to prompts
	Digest       string            // "" before the first assessment
	Endorsements []Endorsement     // earlier approvals that are still valid
	// Need lists the policy rules that the proposal must satisfy, and needsOfOthers lists the rules for each other
	// member of its change set.
	Need          approval.Need
	needsOfOthers []approval.Need
	// unlisted is the name of the allow-list that the agent in an open proposal refers to, if the list does not exist.
	// Otherwise, it is "". Unassigned indicates that no agent and no client of a guarded server would have the tool.
	unlisted   string
	Unassigned bool
	// ownAccount is set only if the policy requires four eyes. It indicates that the account of the current caller also
	// wrote the revision, possibly under another name.
	ownAccount bool
}

// Inspect collects the information for a decision about the proposal in b.
func (d *Inspector) Inspect(ctx context.Context, r *Cache, b review.Bundle) (View, error) {
	v := View{Bundle: b}
	p := b.Proposal
	var err error
	if v.ChangeSet, err = r.changeSet(ctx, p.ChangeSet); err != nil {
		return v, err
	}
	if err := d.findNeeds(ctx, r.Reader, &v); err != nil {
		return v, err
	}
	if v.Base, err = records.Base(ctx, r.Reader, p); err != nil {
		return v, err
	}
	if v.Assessment.ID == "" {
		return v, nil
	}
	v.Standing = review.ApplyWaivers(v.Assessment.Report.Findings, v.Waivers, p.Revision, d.records.Time())
	if !p.State.Open() {
		return v, nil // each decision about a closed proposal has its own digest
	}
	if d.policy.FourEyes {
		if v.ownAccount, err = r.WroteHere(ctx, p.ID, p.Revision, v.Revision.Author); err != nil {
			return v, err
		}
	}
	if v.Endorsements, err = d.endorsements(ctx, r.Reader, v); err != nil {
		return v, err
	}
	then, err := r.After(ctx, v)
	if err != nil {
		return v, err
	}
	if v.Prompts, err = then.Prompts(ctx, p.Subject); err != nil {
		return v, err
	}
	v.Rendered = impact.Seals(v.Prompts)
	if v.unlisted, v.Unassigned, err = then.MissingReferences(ctx, p.Subject, v.Revision.Draft.Definition); err != nil {
		return v, err
	}
	v.Digest = d.Digest(v)
	return v, nil
}

// Digest returns a hash over everything that a decider sees: the proposal and its content, the base version, the rules
// and the configuration, the findings and their waivers, the changes to all channel prompts, and the other members of
// the change set. A decision with this digest fails if any of this content has changed. The digest does not cover the
// unchanged parts of prompts: if another proposal changes these parts, its reviewers see this change.
func (d *Inspector) Digest(v View) string {
	fields := []string{
		"toolcrib review 3",
		string(v.Proposal.ID),
		strconv.Itoa(v.Proposal.Revision),
		v.Revision.ContentHash,
		v.Revision.Canonical(),
		strconv.Itoa(v.Proposal.BaseVersion),
		d.rulesVersion(),
		v.Assessment.ID,
		string(v.Assessment.Recommendation),
	}
	if v.Base == nil && v.Proposal.BaseVersion > 0 {
		fields = append(fields, "the base is not trusted")
	}
	keys := lists.Map(v.Standing, review.Standing.Seal)
	slices.Sort(keys)
	return history.Seal(append(fields, history.Seal(keys...), impact.Seal(v.Rendered), v.ChangeSet.Seal)...)
}

// SetDigest returns the review digest of a change set. members are the review digests of the proposals that are decided
// together. SetDigest returns "" if any element of members is "".
func SetDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}

// Cache is a review.Reader that caches change sets, revisions, and the registry as it would be after an approval. The
// members of a change set share these values. A Cache must not be used after a write.
type Cache struct {
	review.Reader // the Revision method first searches the field revisions
	Live          *impact.Snapshot
	changeSets    map[string]ChangeSet // by change set
	revisions     *knownRevisions
	then          map[string]*impact.Overlay // by change set
	live          owners                     // owners of the files of live folders; nil until read
	files         map[string]owners          // maps change sets to the owners of the files of their open members
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

// NewCache returns a cache for r. live reads the live registry; it may be nil if After is not called.
func NewCache(r review.Reader, live *impact.Snapshot) *Cache {
	known := &knownRevisions{r.ProposalReader, map[revisionKey]proposals.Revision{}}
	r.ProposalReader = known
	return &Cache{Reader: r, Live: live, changeSets: map[string]ChangeSet{}, revisions: known, then: map[string]*impact.Overlay{}, files: map[string]owners{}}
}

// Bundles returns the bundles of the proposals with the given ids and caches their revisions.
func (g *Cache) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	bundles, err := g.Reader.Bundles(ctx, ids)
	for _, b := range bundles {
		g.revisions.known[revisionKey{b.Proposal.ID, b.Proposal.Revision}] = b.Revision
	}
	return bundles, err
}

// After returns the registry as it would be after an approval of v and the rest of its change set. The result is the
// same for all members of the change set, unless two open members change the same subject.
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
	Seal    string // hash over the members and their content
	Broken  error  // reason why no member can go live, or nil
}

// changeSet returns the description of the named change set. It returns the zero value if changeSet is "".
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
			c.Broken = fmt.Errorf("%w: %s was rejected, so the change set %q cannot be approved; regroup the other members: toolcrib regroup 'set:%s' --into NAME, or --alone",
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

// owners maps files to the subjects that contain the same bytes. A file that the user reads never matches a file that the
// user accepts by its hash, because nobody has read that file.
type owners map[ownedFile]registry.Subject

type ownedFile struct {
	registry.File
	data bool // see review.IsData
}

func (o owners) add(s registry.Subject, f *registry.Folder) {
	if f == nil {
		return
	}
	for name, file := range f.Files {
		key := ownedFile{file, review.IsData(name, file)}
		if _, known := o[key]; !known && file.Link == "" {
			o[key] = s
		}
	}
}

// Parts returns the files that v adds to its base or changes. If a live file of another subject, or a file of another open
// member of the change set, has the same bytes, the part refers to the subject of that file. Parts returns nil for
// definitions without files.
func (g *Cache) Parts(ctx context.Context, v View) ([]review.Part, error) {
	after := v.Revision.Draft.Definition.Folder()
	if after == nil {
		return nil, nil
	}
	var before *registry.Folder
	if v.Base != nil {
		before = v.Base.Folder()
	}
	var live, set owners      // live: subjects of live files; set: subjects of files in the change set
	if len(after.Files) > 1 { // a single file always has its own text
		if g.live == nil {
			folders, err := g.Folders(ctx)
			if err != nil {
				return nil, err
			}
			g.live = owners{}
			for _, l := range folders {
				g.live.add(l.Subject, l.Definition.Folder())
			}
		}
		name := v.Proposal.ChangeSet
		if name != "" && g.files[name] == nil {
			of := owners{}
			for _, m := range v.ChangeSet.Members {
				if !m.State.Open() || !m.Subject.Kind.InFiles() {
					continue
				}
				rev, err := g.Revision(ctx, m.ID, m.Revision)
				if err != nil {
					return nil, err
				}
				of.add(m.Subject, rev.Draft.Definition.Folder())
			}
			g.files[name] = of
		}
		live, set = g.live, g.files[name]
	}
	return review.Parts(before, *after, v.Standing, func(name string, f registry.File) string {
		key := ownedFile{f, review.IsData(name, f)}
		if s, ok := set[key]; ok && s != v.Proposal.Subject && live[key].ID == "" {
			return s.ID
		}
		return live[key].ID
	}), nil
}
