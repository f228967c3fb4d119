// This file determines the approvals that a proposal needs and the approvals that it already has.

package inspection

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
)

// If a proposal needs further approvals, an approval is recorded as a decision with the verdict "endorsed". The
// approval is valid as long as the revision, the assessment, and the change set remain the same.

// Endorsement is an earlier approval that is still valid for the current content of a proposal.
type Endorsement struct {
	proposals.Decision
	Key string // fingerprint of the key that signed it, or ""
}

// Need returns the policy rules that apply if definition replaces the live definition of s. The rules are matched
// against the old and the new names of a tool, because adding or removing a name changes the tool that the name refers
// to.
func (t *Inspector) Need(ctx context.Context, r review.Reader, s registry.Subject, definition registry.Definition) (approval.Need, error) {
	rules := t.policy.Approvals
	if len(rules) == 0 {
		return nil, nil
	}
	if s.Kind != registry.KindTool || !rules.Named() {
		return rules.For(s, t.records.Time()), nil
	}
	names := definition.OtherNames()
	before, err := impact.Live(ctx, r, s)
	if err != nil {
		return nil, err
	}
	if before != nil {
		names = append(names, before.Definition.OtherNames()...)
	}
	return rules.For(s, t.records.Time(), names...), nil
}

// findNeeds sets the policy rules for v and for the other members of its change set.
func (t *Inspector) findNeeds(ctx context.Context, r review.Reader, v *View) (err error) {
	if len(t.policy.Approvals) == 0 {
		return nil
	}
	if v.Need, err = t.Need(ctx, r, v.Proposal.Subject, v.Revision.Draft.Definition); err != nil {
		return err
	}
	for _, m := range v.ChangeSet.Members {
		if m.ID == v.Proposal.ID {
			continue
		}
		var rev proposals.Revision
		if m.Subject.Kind == registry.KindTool && t.policy.Approvals.Named() {
			if rev, err = r.Revision(ctx, m.ID, m.Revision); err != nil {
				return err
			}
		}
		need, err := t.Need(ctx, r, m.Subject, rev.Draft.Definition)
		if err != nil {
			return err
		}
		v.needsOfOthers = append(v.needsOfOthers, need)
	}
	return nil
}

// shared reports whether a policy rule applies to v or to another member of its change set. In that case, one approval
// may not be sufficient.
func (v View) shared() bool {
	return len(v.Need) > 0 || slices.ContainsFunc(v.needsOfOthers, func(n approval.Need) bool { return len(n) > 0 })
}

// endorsements returns the endorsements of v, oldest first. No two endorsements have the same user or the same key.
func (t *Inspector) endorsements(ctx context.Context, r review.Reader, v View) ([]Endorsement, error) {
	p := v.Proposal
	if p.State != proposals.UserReview || !v.shared() {
		return nil, nil
	}
	decisions, err := r.Decisions(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	var found []Endorsement
	for _, e := range decisions {
		about := e.Revision == p.Revision && e.ContentHash == v.Revision.ContentHash && e.Assessment == v.Assessment.ID && e.Members == v.ChangeSet.Seal
		if e.Verdict != proposals.VerdictEndorsed || !about || slices.ContainsFunc(found, func(f Endorsement) bool { return f.By == e.By }) {
			continue
		}
		key, err := t.signing.Endorses(ctx, r, e, p)
		switch {
		case err == nil && (key == "" || !slices.ContainsFunc(found, func(f Endorsement) bool { return f.Key == key })):
			found = append(found, Endorsement{e, key})
		case err != nil && !proof.Refuses(err):
			return nil, err
		}
	}
	return found, nil
}

// Tally counts the approvals of v and assumes that the given principals have approved v, too.
func (t *Inspector) Tally(v View, principals ...string) approval.Tally {
	by := lists.Map(v.Endorsements, func(e Endorsement) string { return e.By.String() })
	except := ""
	if t.policy.FourEyes {
		except = v.Revision.Author.String()
	}
	return v.Need.Tally(append(by, principals...), except)
}

// notOwner returns the reason why an approval by actor would not be valid for v or any other member of its change set.
// It returns nil if the approval would be valid.
func (t *Inspector) notOwner(actor proposals.Actor, v View) error {
	p := v.Proposal
	if !v.shared() {
		return nil
	}
	for _, e := range v.Endorsements {
		if e.By == actor {
			return fmt.Errorf("%w: %s already approved revision %d on %s; approvals: %s", proposals.ErrConflict, actor, p.Revision, e.At.Format("2006-01-02"), t.Tally(v))
		}
	}
	var owners []string
	for _, need := range append([]approval.Need{v.Need}, v.needsOfOthers...) {
		if need.MayApprove(actor.String()) {
			return nil
		}
		owners = append(owners, need.Owners()...)
	}
	slices.Sort(owners)
	return fmt.Errorf("%w: by policy, only %s can approve the proposal, but you act as %s; see toolcrib policy test %s",
		proposals.ErrAuthority, strings.Join(slices.Compact(owners), ", "), actor, p.Subject)
}

// Complete reports, for each view, whether an approval by actor would make the proposal live. An approval makes a
// proposal live if it is the last required approval. Proposals of the same change set go live only if each of these
// proposals then has the required approvals.
func (t *Inspector) Complete(actor proposals.Actor, views []View) []bool {
	waits := map[string]bool{} // by change set
	out := make([]bool, len(views))
	for i, v := range views {
		out[i] = t.Tally(v, actor.String()).Done()
		if set := v.Proposal.ChangeSet; set != "" && !out[i] {
			waits[set] = true
		}
	}
	for i, v := range views {
		out[i] = out[i] && !waits[v.Proposal.ChangeSet]
	}
	return out
}

// Progress returns the given and the missing approvals of a proposal. It returns nil if need is empty, because the
// approval of any user is then sufficient.
func Progress(need approval.Need, t approval.Tally) *proposals.Approvals {
	if len(need) == 0 {
		return nil
	}
	return &proposals.Approvals{
		Required: t.Required(), Given: append([]string{}, t.Given...), WaitsFor: append([]string{}, t.WaitsFor()...), Text: t.String(),
	}
}

// Refresh updates the fields of open proposals that can change without a write to the proposal. These fields are the
// approvals of proposals that wait for a user, and the counts of findings if a waiver has expired or the signers have
// changed. Refresh does not write to the database.
func (t *Inspector) Refresh(ctx context.Context, r review.Reader, ps ...*proposals.Proposal) error {
	last, err := r.LastSigners(ctx)
	if err != nil {
		return err
	}
	var keys time.Time // time of the newest recorded state of the signers
	if last != "" {
		states, err := r.SignersStates(ctx)
		if err != nil {
			return err
		}
		if len(states) > 0 {
			keys = states[len(states)-1].At
		}
	}
	now, rules, cache := t.records.Time(), t.policy.Approvals, NewCache(r, nil)
	for _, p := range ps {
		waits := p.State == proposals.UserReview && len(rules) > 0 && (rules.Named() || len(rules.For(p.Subject, now)) > 0)
		ranOut := !p.Summary.WaivedUntil.IsZero() && !now.Before(p.Summary.WaivedUntil)
		otherKeys := p.Summary.Findings > 0 && p.UpdatedAt.Before(keys)
		recount := p.State.Open() && (ranOut || otherKeys)
		if !waits && !recount {
			continue
		}
		bundles, err := cache.Bundles(ctx, []proposals.ID{p.ID})
		if err != nil {
			return err
		}
		v := View{Bundle: bundles[0]}
		if recount {
			p.Summary = review.Tally(v.Assessment, v.Waivers, now)
		}
		if !waits {
			continue
		}
		if v.ChangeSet, err = cache.changeSet(ctx, p.ChangeSet); err != nil {
			return err
		}
		if err := t.findNeeds(ctx, cache.Reader, &v); err != nil {
			return err
		}
		if v.Endorsements, err = t.endorsements(ctx, cache.Reader, v); err != nil {
			return err
		}
		p.Approvals = Progress(v.Need, t.Tally(v))
	}
	return nil
}
