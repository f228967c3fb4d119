// This file lists the reasons why a user cannot approve a proposal.

package inspection

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/approval"
)

// Obstacles returns the reasons why actor cannot approve v, or nil if actor can.
func (d *Inspector) Obstacles(actor proposals.Actor, v View) []error {
	p := v.Proposal
	var errs []error
	if err := proposals.Authorize(actor, proposals.ActApprove, p.Author); err != nil {
		errs = append(errs, err)
	}
	if _, err := proposals.Next(p.State, proposals.ActApprove); err != nil {
		return append(errs, err)
	}
	if err := admission.Locked(p.Subject); err != nil {
		errs = append(errs, err)
	}
	if err := v.ChangeSet.Broken; err != nil {
		errs = append(errs, err)
	}
	if p.Stale() {
		live := "nothing"
		if p.LiveVersion > 0 {
			live = fmt.Sprintf("version %d", p.LiveVersion)
		}
		errs = append(errs, fmt.Errorf("%w: the proposal is based on version %d, but %s is live; rebase it: toolcrib rebase %s", review.ErrStale, p.BaseVersion, live, review.Reference(p)))
	}
	if v.Assessment.ContentHash != v.Revision.ContentHash || v.Assessment.Revision != p.Revision {
		errs = append(errs, fmt.Errorf("%w: the assessment covers other content; assess it again: toolcrib review %s --again", review.ErrOutdated, review.Reference(p)))
	}
	if d.OtherRules(&v.Assessment) {
		errs = append(errs, fmt.Errorf("%w: the assessment used other rules or settings; check the settings with toolcrib doctor, then assess it again: toolcrib review %s --again", review.ErrOutdated, review.Reference(p)))
	}
	if err := d.notOwner(actor, v); err != nil {
		errs = append(errs, err)
	}
	if d.policy.FourEyes && approval.SamePrincipal(v.Revision.Author.String(), actor.String()) {
		errs = append(errs, fmt.Errorf("%w: %s wrote revision %d, so someone else must approve it", proposals.ErrFourEyes, actor, p.Revision))
	} else if v.ownAccount {
		errs = append(errs, fmt.Errorf("%w: revision %d by %s was written from your account, so someone with another account must approve it", proposals.ErrFourEyes, p.Revision, v.Revision.Author))
	}
	var blocks []string
	remedy := "" // remedy for the first blocking finding
	for _, s := range v.Standing {
		handle := review.Handle(s.Finding)
		if !s.Blocks() || slices.Contains(blocks, handle) {
			continue
		}
		blocks = append(blocks, handle)
		if remedy == "" {
			remedy = "; revise it"
			if s.Waivable {
				remedy += ", or waive it: toolcrib waive " + review.Reference(p) + " " + handle + " --note REASON"
			}
		}
	}
	if len(blocks) > 0 {
		if v.Proposal.ChangeSet != "" && len(v.ChangeSet.Members) > 1 {
			remedy += "; to approve the rest of its change set without it: toolcrib regroup " + review.Reference(v.Proposal) + " --alone"
		}
		errs = append(errs, fmt.Errorf("%w: %s%s", review.ErrBlocked, strings.Join(blocks, ", "), remedy))
	} else if v.unlisted != "" { // the list still existed when the proposal was assessed
		errs = append(errs, proposals.Reason(review.ErrUnlisted, "allow-list %s not found; propose the list in the same change set, or use another list", jsondoc.Quote(v.unlisted)))
	}
	return errs
}

// OtherRules reports whether the assessment a used rules or settings that are no longer in force. It returns false if a
// is nil.
func (d *Inspector) OtherRules(a *review.Assessment) bool {
	return a != nil && a.RulesVersion != d.rulesVersion()
}
