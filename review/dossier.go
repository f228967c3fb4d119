package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
)

// Dossier has everything to see about a proposal.
type Dossier struct {
	Proposal  proposals.Proposal
	Revision  proposals.Revision // the current one
	Revisions []proposals.Revision
	Base      *registry.Definition // what the draft was made against, nil for a new subject
	Live      *registry.Live       // nil when nothing is
	BaseTests []proposals.TestCase // that the base was approved with
	// Source and BaseSource are the JSON that the current revision and the base
	// were imported from, nil where there is none.
	Source, BaseSource []byte
	Assessments        []Assessment // of the current revision, the oldest first
	Standing           []Standing   // the findings of the latest one
	Waivers            []history.Waiver
	Decisions          []proposals.Decision
	Issue              *proposals.Issue // nil while it is a draft
	Comments           []proposals.Comment
	Others             []proposals.Proposal // open ones on the same subject: approving this makes them stale
	Members            []proposals.Proposal // of its change set, itself included
	Rendered           map[string]string    // seals of what it does to the channel prompts that it changes
	// Digest is the review digest: of the dossier while the proposal is open, of the
	// decided content afterwards; "" before there is an assessment.
	Digest string
	// Policy is the policy that a decision would rest on, and where it comes from.
	Policy Settings
	// Unassigned reports that no agent would have the tool, were the proposal
	// approved with the rest of its change set.
	Unassigned bool
	// OtherRules reports that the latest assessment was made under other rules or
	// settings than those in force, so that it carries no approval.
	OtherRules bool
	// Obstacles are why the actor who looks cannot approve it.
	Obstacles []error
}

// Assessment returns the latest assessment, nil when there is none.
func (d Dossier) Assessment() *Assessment {
	if len(d.Assessments) == 0 {
		return nil
	}
	return &d.Assessments[len(d.Assessments)-1]
}

// Together returns the members of d's change set that are approved with it: those that
// are not live yet. The name of a set can be used again, so an open proposal may be in
// one with others that were approved before it. Of a closed one they are all members.
func (d Dossier) Together() []proposals.Proposal {
	if !d.Proposal.State.Open() {
		return d.Members
	}
	return slices.DeleteFunc(slices.Clone(d.Members), func(p proposals.Proposal) bool { return p.State == proposals.Approved })
}

// TestChanges compares the test cases that the base was approved with to those of the
// current revision, dropped ones first. A subject that is new, was shipped without
// cases, or goes out of use has none.
func (d Dossier) TestChanges() []impact.TestChange {
	if d.Proposal.Type == proposals.Deactivate {
		return nil
	}
	return impact.CompareCases(d.BaseTests, d.Revision.Draft.TestCases)
}

// Tests returns the two sides of what the current revision changes in test cases, for
// diff.Content.Beside; nil for nothing.
func (d Dossier) Tests() (before, after []byte) { return impact.BesideCases(d.TestChanges()) }

// Change returns what the current revision would change, source and test cases and
// all.
func (d Dossier) Change() (before, after diff.Content) {
	if d.Base != nil {
		before = diff.Content{Definition: *d.Base, Source: d.BaseSource}
	}
	after = diff.Content{Definition: d.Revision.Draft.Definition, Source: d.Source}
	before.Beside, after.Beside = d.Tests()
	return before, after
}

// Show collects the dossier of a proposal for actor, in one snapshot.
func (d *reading) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (Dossier, error) {
	var out Dossier
	err := d.view(ctx, func(r *reviewCache) error {
		dossiers, err := d.dossiers(ctx, r, actor, id)
		if err != nil {
			return err
		}
		out = dossiers[0]
		return nil
	})
	return out, err
}

// ChangeSet is a change set as a whole: those of its members that are decided
// together, which are all that are not live yet, or all when they all are.
type ChangeSet struct {
	Name    string
	Members []Dossier
	// Digest seals the review digests of the members; "" when one has none.
	Digest string
}

// ShowSet collects the dossiers of a change set for actor, in one snapshot.
func (d *reading) ShowSet(ctx context.Context, actor proposals.Actor, changeSet string) (ChangeSet, error) {
	set := ChangeSet{Name: changeSet}
	err := d.view(ctx, func(r *reviewCache) error {
		ids, err := resolveSet(ctx, r, changeSet)
		if err != nil {
			return err
		}
		if set.Members, err = d.dossiers(ctx, r, actor, ids...); err != nil {
			return err
		}
		digests := make([]string, len(set.Members))
		for i, m := range set.Members {
			digests[i] = m.Digest
		}
		set.Digest = setDigest(changeSet, digests)
		return nil
	})
	return set, err
}

// dossiers collects the dossiers of proposals in one snapshot.
func (d *reading) dossiers(ctx context.Context, r *reviewCache, actor proposals.Actor, ids ...proposals.ID) ([]Dossier, error) {
	bundles, err := r.bundles(ctx, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]Dossier, len(bundles))
	for i, b := range bundles {
		v, err := d.look(ctx, r, b)
		if err != nil {
			return nil, err
		}
		out[i] = Dossier{
			Proposal: v.Proposal, Revision: v.Revision, Standing: v.Standing, Waivers: v.Waivers, Members: slices.Clone(v.changeSet.members),
			Rendered: v.Rendered, Digest: v.Digest, Unassigned: v.unassigned, Policy: slices.Concat(d.policy.Settings(), ownership(v.need)), Obstacles: d.obstacles(actor, v),
		}
		if err := d.collect(ctx, r.Reader, &out[i]); err != nil {
			return nil, err
		}
		shown := []*proposals.Proposal{&out[i].Proposal}
		for _, others := range [][]proposals.Proposal{out[i].Members, out[i].Others} {
			for j := range others {
				shown = append(shown, &others[j])
			}
		}
		if err := d.refresh(ctx, r.Reader, shown...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// collect reads what a dossier has beyond what a decision depends on.
func (d *reading) collect(ctx context.Context, r Reader, out *Dossier) error {
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
	base, err := versionDefinition(ctx, r, p.Subject, p.BaseVersion)
	switch {
	case err == nil:
		out.Base = &base
		if out.BaseSource, err = source(ctx, r, base); err != nil {
			return err
		}
		if out.BaseTests, err = impact.CasesOf(ctx, r, p.Subject, p.BaseVersion); err != nil {
			return err
		}
	case !errors.Is(err, proposals.ErrNotFound):
		return err
	}
	if out.Source, err = source(ctx, r, out.Revision.Draft.Definition); err != nil {
		return err
	}
	if !p.State.Open() {
		return nil
	}
	out.OtherRules = d.otherRules(out.Assessment())
	open, err := r.OpenOn(ctx, p.Subject)
	if err != nil {
		return err
	}
	for _, other := range open {
		if other.ID != p.ID {
			out.Others = append(out.Others, other)
		}
	}
	return nil
}

// otherRules reports whether an assessment, if there is one, was made under other
// rules or settings than those in force.
func (d *reading) otherRules(a *Assessment) bool {
	return a != nil && a.RulesVersion != d.RulesVersion()
}

// Counts returns how many proposals are in each state.
func (d *reading) Counts(ctx context.Context) (map[proposals.State]int, error) {
	return read(ctx, d.office, func(r Reader) (map[proposals.State]int, error) { return r.Counts(ctx) })
}

// List returns one page of the queue.
func (d *reading) List(ctx context.Context, q Query) (Page, error) {
	q.Approvals, q.FourEyes = d.policy.Approvals.At(d.stamp()), d.policy.FourEyes
	return read(ctx, d.office, func(r Reader) (Page, error) {
		page, err := r.List(ctx, q)
		if err != nil {
			return page, err
		}
		all := make([]*proposals.Proposal, len(page.Proposals))
		for i := range page.Proposals {
			all[i] = &page.Proposals[i]
		}
		return page, d.refresh(ctx, r, all...)
	})
}

// Resolve turns what a user types for proposals into their ids: a number with or
// without "#", a full id or a unique prefix of it, the subject or the tool id that
// only one is open on, and "set:NAME" for all members of a change set.
func (d *reading) Resolve(ctx context.Context, refs ...string) ([]proposals.ID, error) {
	return read(ctx, d.office, func(r Reader) ([]proposals.ID, error) { return resolve(ctx, r, refs) })
}

// lookAt returns the argument of `toolcrib show` for p and all proposals that are
// decided together with it.
func lookAt(p proposals.Proposal) string {
	if p.ChangeSet != "" {
		return "'" + changeSetRef + p.ChangeSet + "'"
	}
	return Reference(p)
}

// obstacles lists everything that keeps actor from approving what v shows.
func (d *reading) obstacles(actor proposals.Actor, v view) []error {
	p := v.Proposal
	var errs []error
	if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
		errs = append(errs, err)
	}
	if _, err := proposals.Next(p.State, proposals.ActApprove); err != nil {
		return append(errs, err)
	}
	if err := lockedSubject(p.Subject); err != nil {
		errs = append(errs, err)
	}
	if err := v.changeSet.broken; err != nil {
		errs = append(errs, err)
	}
	if p.Stale() {
		errs = append(errs, fmt.Errorf("%w: it was made against version %d and %s is live; rebase it: toolcrib rebase %s", ErrStale, p.BaseVersion, liveName(p.LiveVersion), Reference(p)))
	}
	if v.Assessment.ContentHash != v.Revision.ContentHash || v.Assessment.Revision != p.Revision {
		errs = append(errs, fmt.Errorf("%w: the assessment covers other content; assess it again: toolcrib review %s --again", ErrOutdated, Reference(p)))
	}
	if d.otherRules(&v.Assessment) {
		errs = append(errs, fmt.Errorf("%w: assessed under other rules or settings; check the settings with toolcrib doctor, then assess it again: toolcrib review %s --again", ErrOutdated, Reference(p)))
	}
	if err := d.notOwner(actor, v); err != nil {
		errs = append(errs, err)
	}
	if d.policy.FourEyes && approval.SamePrincipal(v.Revision.Author.String(), actor.String()) {
		errs = append(errs, fmt.Errorf("%w: %s wrote revision %d, so somebody else must approve it", proposals.ErrFourEyes, actor, p.Revision))
	} else if v.ownAccount {
		errs = append(errs, fmt.Errorf("%w: revision %d by %s was written from the account that you use, so somebody with another account must approve it", proposals.ErrFourEyes, p.Revision, v.Revision.Author))
	}
	var blocks []string
	for _, s := range v.Standing {
		if handle := Handle(s.Finding); s.Blocks() && !slices.Contains(blocks, handle) {
			blocks = append(blocks, handle)
		}
	}
	if len(blocks) > 0 {
		errs = append(errs, fmt.Errorf("%w: %s", ErrBlocked, strings.Join(blocks, ", ")))
	} else if v.unlisted != "" { // it was there when the proposal was assessed
		errs = append(errs, fmt.Errorf("%w: there is no allow-list %s; propose it in the same change set, or name another", ErrBlocked, jsondoc.Quote(v.unlisted)))
	}
	return errs
}

func liveName(version int) string {
	if version == 0 {
		return "nothing"
	}
	return fmt.Sprintf("version %d", version)
}
