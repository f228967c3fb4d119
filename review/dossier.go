package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// reading shows proposals, and records what it showed.
type reading struct {
	*office
	*tallies
}

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

// showings returns for each choice how actor knows its content, and refuses those
// whose digest is another than expected. strict also refuses content that differs
// from what actor was shown last; content that actor was never shown passes,
// unless other members of its change set were.
func (d *deciding) showings(ctx context.Context, r Reader, actor proposals.Actor, choices []Choice, views []view, strict bool) ([]proposals.Showing, error) {
	shown, err := r.Shown(ctx, actor, chosen(choices))
	if err != nil {
		return nil, err
	}
	sets := setDigests(views)
	showings := make([]proposals.Showing, len(views))
	known := map[string]bool{} // change sets of which something was shown
	var moved []view
	var facts []string
	for i, v := range views {
		last, seen := shown[v.Proposal.ID]
		expect, set := choices[i].Expect, v.Proposal.ChangeSet
		switch {
		case expect != "" && (expect == v.Digest || set != "" && expect == sets[set]):
			showings[i] = proposals.ShowingExpected
		case expect == "" && seen && (last.Digest == v.Digest || last.Digest == d.beforeWaivers(v, actor, last.At)):
			showings[i] = proposals.ShowingShown
		default:
			showings[i] = proposals.ShowingNone
			if expect != "" || seen && strict {
				moved, facts = append(moved, v), append(facts, last.difference(v, expect)...)
			}
		}
		known[set] = known[set] || expect != "" || seen
	}
	for i, v := range views {
		_, seen := shown[v.Proposal.ID]
		if strict && v.Proposal.ChangeSet != "" && known[v.Proposal.ChangeSet] && choices[i].Expect == "" && !seen {
			moved, facts = append(moved, v), append(facts, fmt.Sprintf("you were not shown %s, a member of change set %q", v.Proposal.Name(), v.Proposal.ChangeSet))
		}
	}
	if len(moved) > 0 {
		return nil, differs(moved, facts)
	}
	return showings, nil
}

// beforeWaivers is the digest of v without what actor has waived since a time:
// actor knows of that.
func (d *deciding) beforeWaivers(v view, actor proposals.Actor, since time.Time) string {
	waivers := slices.DeleteFunc(slices.Clone(v.Waivers), func(w history.Waiver) bool { return w.By == actor.String() && w.At.After(since) })
	if len(waivers) == len(v.Waivers) {
		return v.Digest
	}
	v.Standing = stand(v.Assessment.Report.Findings, waivers, v.Proposal.Revision, d.stamp())
	return d.digest(v)
}

// difference names what of v differs from s, which is zero if nothing was shown. expect is
// the digest that was asked for, "" for none: without a change, nobody was shown that.
func (s Shown) difference(v view, expect string) []string {
	if s.Proposal != "" {
		if facts := s.changes(v); len(facts) > 0 {
			return facts
		}
	}
	if expect != "" {
		return []string{fmt.Sprintf("the expected digest %q is not its review digest; it is mistyped, or of an earlier state", cutTo(expect, 12))}
	}
	return []string{"something you were shown has changed since"}
}

// differs is the refusal of a decision about proposals of which something moved.
func differs(moved []view, facts []string) error {
	var unique []string
	for _, f := range facts {
		// A member's own new revision is also news to the other members.
		if !slices.ContainsFunc(unique, func(u string) bool { return strings.HasPrefix(u, f) }) {
			unique = append(slices.DeleteFunc(unique, func(u string) bool { return strings.HasPrefix(f, u) }), f)
		}
	}
	p := moved[0].Proposal
	return fmt.Errorf("%s: %w: %s; look again: toolcrib show %s", p.Name(), ErrDigest, strings.Join(unique, "; "), lookAt(p))
}

// lookAt returns the argument of `toolcrib show` for p and all proposals that are
// decided together with it.
func lookAt(p proposals.Proposal) string {
	if p.ChangeSet != "" {
		return "'" + changeSetRef + p.ChangeSet + "'"
	}
	return Reference(p)
}

// setDigests returns the digests of the change sets of views, by name.
func setDigests(views []view) map[string]string {
	members := map[string][]string{}
	for _, v := range views {
		if set := v.Proposal.ChangeSet; set != "" {
			members[set] = append(members[set], v.Digest)
		}
	}
	digests := map[string]string{}
	for set, of := range members {
		digests[set] = setDigest(set, of)
	}
	return digests
}

// setDigest seals a change set as a whole: the review digests of those members
// that are decided together. It is "" while one of them has none.
func setDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}
