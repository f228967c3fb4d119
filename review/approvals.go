package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
)

// An approval that is not the last one that its subject needs is recorded as a
// decision with the verdict endorsed. It counts for the revision, the assessment,
// and the change set that it was about, and for nothing else.

// endorsement is an earlier approval that counts.
type endorsement struct {
	proposals.Decision
	key string // fingerprint of the key that signed it; "" when it is not signed
}

// need returns whose approvals a change of a subject needs now. Its names are those that
// it has and those that it gets: whoever takes a name off a tool, or puts one on it,
// changes what answers to that name.
func (t *tallies) need(ctx context.Context, r Reader, s registry.Subject, now registry.Definition) (approval.Need, error) {
	rules := t.policy.Approvals
	if len(rules) == 0 {
		return nil, nil
	}
	if s.Kind != registry.KindTool || !rules.Named() {
		return rules.For(s, t.stamp()), nil
	}
	names := now.OtherNames()
	before, err := impact.Live(ctx, r, s)
	if err != nil {
		return nil, err
	}
	if before != nil {
		names = append(names, before.Definition.OtherNames()...)
	}
	return rules.For(s, t.stamp(), names...), nil
}

// findNeeds fills in whose approvals v and the other members of its change set need.
func (t *tallies) findNeeds(ctx context.Context, r Reader, v *view) (err error) {
	if len(t.policy.Approvals) == 0 {
		return nil
	}
	if v.need, err = t.need(ctx, r, v.Proposal.Subject, v.Revision.Draft.Definition); err != nil {
		return err
	}
	for _, m := range v.changeSet.members {
		if m.ID == v.Proposal.ID {
			continue
		}
		var rev proposals.Revision
		if m.Subject.Kind == registry.KindTool && t.policy.Approvals.Named() {
			if rev, err = r.Revision(ctx, m.ID, m.Revision); err != nil {
				return err
			}
		}
		need, err := t.need(ctx, r, m.Subject, rev.Draft.Definition)
		if err != nil {
			return err
		}
		v.needsOfOthers = append(v.needsOfOthers, need)
	}
	return nil
}

// shared reports whether the policy names owners for v, or for another member of its
// change set: one approval may not be enough then.
func (v view) shared() bool {
	return len(v.need) > 0 || slices.ContainsFunc(v.needsOfOthers, func(n approval.Need) bool { return len(n) > 0 })
}

// endorsements returns the earlier approvals of v that count, the oldest first.
func (t *tallies) endorsements(ctx context.Context, r Reader, v view) ([]endorsement, error) {
	p := v.Proposal
	if p.State != proposals.UserReview || !v.shared() {
		return nil, nil
	}
	decisions, err := r.Decisions(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var found []endorsement
	for _, e := range decisions {
		if !v.endorsed(e) || slices.ContainsFunc(found, func(f endorsement) bool { return f.By == e.By }) {
			continue
		}
		key, err := t.signing.Endorses(ctx, r, e, p)
		switch {
		case err == nil && (key == "" || !slices.ContainsFunc(found, func(f endorsement) bool { return f.key == key })):
			found = append(found, endorsement{e, key})
		case err != nil && !proof.Refuses(err):
			return nil, err
		}
	}
	return found, nil
}

// endorsed reports whether a decision is an approval of the content of v.
func (v view) endorsed(e proposals.Decision) bool {
	return e.Verdict == proposals.VerdictEndorsed && e.Revision == v.Proposal.Revision && e.ContentHash == v.Revision.ContentHash &&
		e.Assessment == v.Assessment.ID && e.Members == v.changeSet.seal
}

// tally counts the approvals of v, with those of more principals.
func (t *tallies) tally(v view, more ...string) approval.Tally {
	by := make([]string, 0, len(v.endorsements)+len(more))
	for _, e := range v.endorsements {
		by = append(by, e.By.String())
	}
	except := ""
	if t.policy.FourEyes {
		except = v.Revision.Author.String()
	}
	return v.need.Tally(append(by, more...), except)
}

// notOwner returns why the policy has actor not approve v, nil when the approval
// would help v or its change set.
func (t *tallies) notOwner(actor proposals.Actor, v view) error {
	p := v.Proposal
	if !v.shared() {
		return nil
	}
	for _, e := range v.endorsements {
		if e.By == actor {
			return fmt.Errorf("%w: %s approved revision %d on %s already: %s", proposals.ErrConflict, actor, p.Revision, e.At.Format("2006-01-02"), t.tally(v))
		}
	}
	var owners []string
	for _, need := range append([]approval.Need{v.need}, v.needsOfOthers...) {
		if need.MayApprove(actor.String()) {
			return nil
		}
		owners = append(owners, need.Owners()...)
	}
	slices.Sort(owners)
	return fmt.Errorf("%w: the policy has only %s approve it, and you act as %s; see toolcrib policy test %s",
		proposals.ErrAuthority, strings.Join(slices.Compact(owners), ", "), actor, p.Subject)
}

// complete reports for each view whether its approval by actor makes a version:
// no approval is missing, neither of it nor of another member of its change set.
func (t *tallies) complete(actor proposals.Actor, views []view) []bool {
	waits := map[string]bool{} // change sets
	out := make([]bool, len(views))
	for i, v := range views {
		out[i] = t.tally(v, actor.String()).Done()
		if set := v.Proposal.ChangeSet; set != "" && !out[i] {
			waits[set] = true
		}
	}
	for i, v := range views {
		out[i] = out[i] && !waits[v.Proposal.ChangeSet]
	}
	return out
}

// apart returns an error when the key of an approval is one by which another
// principal approved v.
func (v view) apart(actor proposals.Actor, act *proof.SignedAct) error {
	for _, e := range v.endorsements {
		if act.Key() != "" && e.By != actor && e.key == act.Key() {
			return fmt.Errorf("%s: %w: the key that signed is the one by which %s approved it", v.Proposal.Name(), proof.ErrSignature, e.By)
		}
	}
	return nil
}

// approvals returns the endorsements of v as its version has them.
func (v view) approvals() []history.Approval {
	var as []history.Approval
	for _, e := range v.endorsements {
		as = append(as, history.Approval{
			Decision: e.ID, By: e.By.String(), At: e.At, Note: e.Note, ReviewDigest: e.ReviewDigest, Signature: e.Signature,
		})
	}
	return as
}

// progress returns how far the approvals of a proposal have come, nil when any
// user's approval is enough.
func progress(need approval.Need, t approval.Tally) *proposals.Approvals {
	if len(need) == 0 {
		return nil
	}
	return &proposals.Approvals{
		Required: t.Required(), Given: append([]string{}, t.Given...), WaitsFor: append([]string{}, t.WaitsFor()...), Text: t.String(),
	}
}

// count fills in how far the approvals of proposals have come that wait for a user.
func (t *tallies) count(ctx context.Context, r Reader, ps ...*proposals.Proposal) error {
	if len(t.policy.Approvals) == 0 {
		return nil
	}
	cache := newReviewCache(r)
	for _, p := range ps {
		if p.State != proposals.UserReview || !t.policy.Approvals.Named() && len(t.policy.Approvals.For(p.Subject, t.stamp())) == 0 {
			continue
		}
		bundles, err := cache.bundles(ctx, p.ID)
		if err != nil {
			return err
		}
		v := view{Bundle: bundles[0]}
		if v.changeSet, err = cache.changeSet(ctx, p.ChangeSet); err != nil {
			return err
		}
		if err := t.findNeeds(ctx, cache.Reader, &v); err != nil {
			return err
		}
		if v.endorsements, err = t.endorsements(ctx, cache.Reader, v); err != nil {
			return err
		}
		p.Approvals = progress(v.need, t.tally(v))
	}
	return nil
}

// approving is an approval being written: of some proposals it makes versions,
// the others still need the approval of somebody else.
type approving struct {
	*deciding
	views    []view
	complete []bool            // by view: whether it makes a version
	versions []history.Version // by view, also of those that make none
}

// write appends the versions of complete proposals, and fills in all versions.
func (a approving) write(ctx context.Context, tx Tx) error {
	added, err := a.live(), error(nil)
	if len(added) > 0 {
		if added, err = tx.AddVersions(ctx, added); err != nil {
			return err
		}
	}
	for i := range a.versions {
		if a.complete[i] {
			a.versions[i], added = added[0], added[1:]
		} else if err := placed(ctx, tx, &a.versions[i]); err != nil {
			return err
		}
	}
	return nil
}

// live returns the versions of the complete proposals.
func (a approving) live() []history.Version {
	var live []history.Version
	for i, v := range a.versions {
		if a.complete[i] {
			live = append(live, v)
		}
	}
	return live
}

// setLive makes those versions the ones in force.
func (a approving) setLive(ctx context.Context, tx Tx) error {
	live := a.live()
	if len(live) == 0 {
		return nil
	}
	definitions := make([]registry.Definition, 0, len(live))
	for i, v := range a.views {
		if a.complete[i] {
			definitions = append(definitions, v.Revision.Draft.Definition)
		}
	}
	return tx.SetLive(ctx, live, definitions)
}

// close records the decisions, and closes the proposals that are complete.
func (a approving) close(ctx context.Context, tx Tx, decisions []proposals.Decision, act *proof.SignedAct) error {
	for _, verdict := range []proposals.Verdict{proposals.VerdictApproved, proposals.VerdictEndorsed} {
		var about []view
		var of []proposals.Decision
		for i, v := range a.views {
			if decisions[i].Verdict == verdict {
				about, of = append(about, v), append(of, decisions[i])
			}
		}
		if len(about) == 0 {
			continue
		}
		if err := a.applyVerdict(ctx, tx, verdict, about, of, act); err != nil {
			return err
		}
	}
	return nil
}

// refresh counts again what the queue shows of open proposals, where a waiver that
// was counted on has run out since, or the keys changed by which waivers count. Nothing
// is written: neither waits for somebody to write.
func (t *tallies) refresh(ctx context.Context, r Reader, ps ...*proposals.Proposal) error {
	if err := t.count(ctx, r, ps...); err != nil {
		return err
	}
	keys, err := newestKeys(ctx, r)
	if err != nil {
		return err
	}
	now, cache := t.stamp(), newReviewCache(r)
	for _, p := range ps {
		ranOut := !p.Summary.WaivedUntil.IsZero() && !now.Before(p.Summary.WaivedUntil)
		otherKeys := p.Summary.Findings > 0 && p.UpdatedAt.Before(keys)
		if !p.State.Open() || !ranOut && !otherKeys {
			continue
		}
		bundles, err := cache.bundles(ctx, p.ID)
		if err != nil {
			return err
		}
		p.Summary = Tally(bundles[0].Assessment, bundles[0].Waivers, now)
	}
	return nil
}

// newestKeys returns when the newest state of the signers came into force, the zero time
// before there is one.
func newestKeys(ctx context.Context, r proof.SignatureReader) (time.Time, error) {
	last, err := r.LastSigners(ctx)
	if err != nil || last == "" {
		return time.Time{}, err
	}
	states, err := r.SignersStates(ctx)
	if err != nil || len(states) == 0 {
		return time.Time{}, err
	}
	return states[len(states)-1].At, nil
}
