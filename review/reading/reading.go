// Package reading collects proposals for display: dossiers, change sets, and lists. It also records what users were
// shown.
package reading

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/inspection"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
	"toolcrib/review/records"
)

// Reader collects proposals for display. It is safe for concurrent use.
type Reader struct {
	records   *records.Records
	inspector *inspection.Inspector
	policy    review.Policy
}

// New returns a reader.
func New(r *records.Records, inspector *inspection.Inspector, policy review.Policy) *Reader {
	return &Reader{r, inspector, policy}
}

// Show returns the dossier of a proposal for actor. It reads everything from one snapshot.
func (d *Reader) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	return records.ReadCached(ctx, d.records, func(r review.Reader, live *impact.Snapshot) (review.Dossier, error) {
		dossiers, err := d.dossiers(ctx, inspection.NewCache(r, live), actor, id)
		if err != nil {
			return review.Dossier{}, err
		}
		return dossiers[0], nil
	})
}

// ShowSet returns the dossiers of the members of changeSet for actor. It reads everything from one snapshot.
func (d *Reader) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (review.ChangeSet, error) {
	return records.ReadCached(ctx, d.records, func(r review.Reader, live *impact.Snapshot) (review.ChangeSet, error) {
		set := review.ChangeSet{Name: changeSet}
		ids, err := resolveSet(ctx, r, changeSet)
		if err != nil {
			return set, err
		}
		if set.Members, err = d.dossiers(ctx, inspection.NewCache(r, live), actor, ids...); err != nil {
			return set, err
		}
		set.Digest = inspection.SetDigest(changeSet, lists.Map(set.Members, func(m review.Dossier) string { return m.Digest }))
		return set, nil
	})
}

// dossiers returns the dossiers of the proposals with the given ids for actor.
func (d *Reader) dossiers(ctx context.Context, r *inspection.Cache, actor proposals.Actor, ids ...proposals.ID) ([]review.Dossier, error) {
	bundles, err := r.Bundles(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]review.Dossier, len(bundles))
	added := make([]reach.Added, len(bundles))
	members := map[string][]proposals.Proposal{} // by change set; the dossiers of its members share the slice
	var shown []*proposals.Proposal
	refreshed := func(ps []proposals.Proposal) {
		for i := range ps {
			shown = append(shown, &ps[i])
		}
	}
	for i, b := range bundles {
		v, err := d.inspector.Inspect(ctx, r, b)
		if err != nil {
			return nil, err
		}
		set := v.Proposal.ChangeSet
		if _, known := members[set]; !known {
			members[set] = slices.Clone(v.ChangeSet.Members) // a clone, because the inspection of the next bundle reads the cached slice
			refreshed(members[set])
		}
		out[i] = review.Dossier{
			Proposal: v.Proposal, Revision: v.Revision, Base: v.Base, Standing: v.Standing, Waivers: v.Waivers, Members: members[set],
			Rendered: v.Rendered, Digest: v.Digest, Unassigned: v.Unassigned, Policy: slices.Concat(d.policy.Settings(), review.Ownership(v.Need)), Obstacles: d.inspector.Obstacles(actor, v),
		}
		if err := d.collect(ctx, r.Reader, &out[i]); err != nil {
			return nil, err
		}
		draft := out[i].Revision.Draft
		out[i].Reach = reach.Compare(out[i].Base, draft.Definition)
		added[i] = reach.Added{Subject: draft.Subject, Facts: out[i].Reach.Added}
		if out[i].Proposal.State.Open() {
			if out[i].Parts, err = r.Parts(ctx, v); err != nil {
				return nil, err
			}
		}
		shown = append(shown, &out[i].Proposal)
		refreshed(out[i].Others)
	}
	if err := d.inspector.Refresh(ctx, r.Reader, shown...); err != nil {
		return nil, err
	}
	return out, reach.MarkKnown(ctx, r, added...)
}

// collect adds the parts of a dossier that do not affect decisions.
func (d *Reader) collect(ctx context.Context, r review.Reader, out *review.Dossier) error {
	p := out.Proposal
	var err error
	if out.Revisions, err = r.Revisions(ctx, p.ID); err != nil {
		return err
	}
	if out.Assessments, err = r.Assessments(ctx, p.ID, p.Revision); err != nil {
		return err
	}
	if out.Decisions, err = r.Decisions(ctx, p.ID); err != nil {
		return err
	}
	if n := len(out.Decisions); n > 0 && !p.State.Open() {
		out.Digest = out.Decisions[n-1].ReviewDigest
	}
	if out.Comments, err = r.Comments(ctx, p.ID); err != nil {
		return err
	}
	if out.Live, err = impact.Live(ctx, r, p.Subject); err != nil {
		return err
	}
	if p.Issue > 0 {
		issue, err := r.Issue(ctx, p.ID)
		if err != nil {
			return err
		}
		out.Issue = &issue
	}
	if out.Base != nil {
		if out.BaseSource, err = records.Source(ctx, r, *out.Base); err != nil {
			return err
		}
		if out.BaseTests, err = impact.CasesOf(ctx, r, p.Subject, p.BaseVersion); err != nil {
			return err
		}
	}
	if out.Source, err = records.Source(ctx, r, out.Revision.Draft.Definition); err != nil {
		return err
	}
	if out.Carried, err = carried(ctx, r, p.Subject, out.Standing); err != nil {
		return err
	}
	if !p.State.Open() {
		return nil
	}
	out.OtherRules = d.inspector.OtherRules(out.Assessment())
	open, err := r.OpenOn(ctx, p.Subject)
	if err != nil {
		return err
	}
	out.Others = slices.DeleteFunc(open, func(other proposals.Proposal) bool { return other.ID == p.ID })
	return nil
}

// carried groups the carried findings in standing by the approved version that contains their passages. target is the
// subject of the proposal.
func carried(ctx context.Context, r review.Reader, target registry.Subject, standing []review.Standing) ([]review.Carried, error) {
	var groups []review.Carried
	at := map[string]int{}
	for _, s := range standing {
		name, number, ok := strings.Cut(s.From, "@")
		if !s.Carried || !ok {
			continue
		}
		i, known := at[s.From]
		if !known {
			subject, err := registry.ParseSubject(name)
			if err != nil {
				return nil, err
			}
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.From, err)
			}
			v, err := r.Version(ctx, subject, n)
			if err != nil {
				return nil, err
			}
			c := review.Carried{Version: "version " + number, By: v.DecidedBy}
			if subject != target {
				c.Version += " of " + name
			}
			i, at[s.From] = len(groups), len(groups)
			groups = append(groups, c)
		}
		groups[i].Findings = append(groups[i].Findings, s)
	}
	return groups, nil
}

// Counts returns the number of proposals in each state.
func (d *Reader) Counts(ctx context.Context) (map[proposals.State]int, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (map[proposals.State]int, error) { return r.Counts(ctx) })
}

// List returns the page of the queue that q selects.
func (d *Reader) List(ctx context.Context, q review.Query) (review.Page, error) {
	if problem := plaintext.Problem(q.Author + q.Subject); problem != "" {
		return review.Page{}, proposals.Reason(proposals.ErrNotFound, "the author or the subject %s", problem)
	}
	q.Approvals, q.FourEyes = d.policy.Approvals.At(d.records.Time()), d.policy.FourEyes
	return records.Read(ctx, d.records, func(r review.Reader) (review.Page, error) {
		page, err := r.List(ctx, q)
		if err != nil {
			return page, err
		}
		all := make([]*proposals.Proposal, len(page.Proposals))
		for i := range page.Proposals {
			all[i] = &page.Proposals[i]
		}
		return page, d.inspector.Refresh(ctx, r, all...)
	})
}

// Resolve converts references to the ids of proposals. A reference is an issue number with or without "#", an id or a
// unique prefix of an id, a subject or tool id with exactly one open proposal, or "set:NAME". The last form selects the
// members of a change set that are not live yet, or all members if all are live.
func (d *Reader) Resolve(ctx context.Context, refs ...string) ([]proposals.ID, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (ids []proposals.ID, err error) {
		for rest := refs; len(rest) > 0; { // does not modify refs, because Read may call this function again
			changeSet, isSet := review.ChangeSetRef(rest[0])
			n := 1
			var found []proposals.ID
			if isSet {
				found, err = resolveSet(ctx, r, changeSet)
			} else {
				if n = slices.IndexFunc(rest, func(ref string) bool { _, isSet := review.ChangeSetRef(ref); return isSet }); n < 0 {
					n = len(rest)
				}
				found, err = r.ResolveIDs(ctx, rest[:n])
			}
			if err != nil {
				return nil, err
			}
			ids, rest = append(ids, found...), rest[n:]
		}
		return ids, nil
	})
}

func resolveSet(ctx context.Context, r review.ProposalReader, changeSet string) ([]proposals.ID, error) {
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, fmt.Errorf("change set %q: %w", changeSet, proposals.ErrNotFound)
	}
	if slices.ContainsFunc(members, notLive) {
		members = slices.DeleteFunc(members, func(p proposals.Proposal) bool { return !notLive(p) })
	}
	return lists.Map(members, func(p proposals.Proposal) proposals.ID { return p.ID }), nil
}

func notLive(p proposals.Proposal) bool { return p.State != proposals.Approved }

// OpenMembers returns the ids of the open members of a change set.
func (d *Reader) OpenMembers(ctx context.Context, changeSet string) ([]proposals.ID, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (ids []proposals.ID, err error) {
		members, err := r.Members(ctx, changeSet)
		for _, m := range members {
			if m.State.Open() {
				ids = append(ids, m.ID)
			}
		}
		if err == nil && len(ids) == 0 {
			err = fmt.Errorf("an open member of change set %q: %w", changeSet, proposals.ErrNotFound)
		}
		return ids, err
	})
}

// Source returns the imported JSON of definition, or nil if no imported JSON is stored.
func (d *Reader) Source(ctx context.Context, definition registry.Definition) ([]byte, error) {
	if records.Pin(definition) == "" {
		return nil, nil
	}
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) { return records.Source(ctx, r, definition) })
}

// Shown stores the content of the given dossiers as seen by actor. If actor later approves without a digest, the
// approval applies to exactly this content. Shown ignores closed proposals, and it ignores actors other than users,
// because only users can approve.
func (d *Reader) Shown(ctx context.Context, actor proposals.Actor, ds ...review.Dossier) error {
	if actor.Kind != proposals.User || d.records.DryRun {
		return nil
	}
	now := make([]review.Shown, 0, len(ds))
	ids := make([]proposals.ID, 0, len(ds))
	for _, o := range ds {
		if o.Proposal.State.Open() {
			s, a := review.Shown{Proposal: o.Proposal.ID, Digest: o.Digest, At: d.records.Time()}, review.Assessment{}
			if latest := o.Assessment(); latest != nil {
				a = *latest
			}
			s.ShownParts = review.NewShownParts(o.Proposal, a, o.Standing, o.Members, o.Rendered)
			now, ids = append(now, s), append(ids, o.Proposal.ID)
		}
	}
	before, err := records.Read(ctx, d.records, func(r review.Reader) (map[proposals.ID]review.Shown, error) { return r.Shown(ctx, actor, ids) })
	if err != nil {
		return err
	}
	now = slices.DeleteFunc(now, func(s review.Shown) bool {
		known, ok := before[s.Proposal]
		return ok && known.Digest == s.Digest && known.Revision == s.Revision
	})
	if len(now) == 0 {
		return nil
	}
	return d.records.Storage.Remember(ctx, actor, now)
}

// maxCompared is the size in bytes above which Extents does not compare a revision.
const maxCompared = 64 << 10

// Extents returns the size of the change for each of the given proposals. It reads all proposals from one snapshot. It
// decodes all definitions of these proposals, so a list should request only its visible rows.
func (d *Reader) Extents(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (map[proposals.ID]review.Extent, error) {
		bundles, err := r.Bundles(ctx, ids)
		if err != nil {
			return nil, err
		}
		out := make(map[proposals.ID]review.Extent, len(ids))
		for _, b := range bundles {
			e := review.Extent{Rationale: b.Revision.Draft.Rationale}
			if size := len(b.Revision.Canonical()); size > maxCompared {
				e.Size = size
				out[b.Proposal.ID] = e
				continue
			}
			before, err := records.Base(ctx, r, b.Proposal)
			if err != nil {
				return nil, err
			}
			for _, f := range diff.Definitions(*cmp.Or(before, &registry.Definition{}), b.Revision.Draft.Definition) {
				removed, added := f.Patch().Changed()
				e.Added, e.Removed = e.Added+added, e.Removed+removed
			}
			out[b.Proposal.ID] = e
		}
		return out, nil
	})
}

// Reached contains the facts about the reach of a live definition.
type Reached struct {
	Subject registry.Subject
	Version int
	Facts   []fact.Fact
}

// Reach returns the reach of active live definitions. If id is not "", Reach considers only the definitions that have
// id as their subject, their id, or another name.
func (d *Reader) Reach(ctx context.Context, id string) ([]Reached, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (found []Reached, err error) {
		lives, err := r.Containing(ctx, []string{""}) // all definitions
		for _, l := range lives {
			if l.Refused == nil && l.Definition.Status() != registry.Deactivated && (id == "" || named(l, id)) {
				found = append(found, Reached{l.Subject, l.Version, reach.Of(l.Definition)})
			}
		}
		if err == nil && id != "" && len(found) == 0 {
			err = proposals.Reason(proposals.ErrNotFound, "no live definition is called %s; list all definitions with toolcrib reach", id)
		}
		return found, err
	})
}

// named reports whether name is the subject, the id, an alias, or an imported name of the live definition l.
func named(l registry.Live, name string) bool {
	t := l.Definition.Tool
	return name == l.Subject.String() || name == l.Subject.ID || t != nil && (slices.Contains(t.Aliases, name) || name == t.WireName() || name == t.OriginName())
}
