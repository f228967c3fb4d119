// This file waives findings and ends waivers.

package deciding

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/records"
	"toolcrib/review/rules"
)

// Waive waives a finding of the current revision of a proposal. handle is the result of review.Handle or an unambiguous
// abbreviation of that result. If a rule has only one finding, the id of the rule is sufficient. expires is nil for a
// waiver that never expires.
func (d *Decider) Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error) {
	return d.waive(ctx, actor, id, waiverRequest{handle: handle, reason: reason, expires: expires})
}

// Unwaive ends the waiver of a finding. Because the history is append-only, Unwaive records a new waiver that has
// already expired and that replaces the earlier waivers.
func (d *Decider) Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error) {
	return d.waive(ctx, actor, id, waiverRequest{handle: handle, reason: reason, end: true})
}

// waiverRequest contains the arguments of Waive or Unwaive.
type waiverRequest struct {
	handle, reason string
	expires        *time.Time // nil if the waiver never expires
	end            bool       // whether to end the waiver of the finding
}

func (r waiverRequest) act() proposals.Act {
	if r.end {
		return proposals.ActUnwaive
	}
	return proposals.ActWaive
}

func (d *Decider) waive(ctx context.Context, actor proposals.Actor, id proposals.ID, req waiverRequest) (history.Waiver, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (w history.Waiver, err error) {
		v, err := d.waivable(ctx, tx.Reader, actor, id, req)
		if err != nil {
			return w, err
		}
		signed, err := d.signing.Open(ctx, tx, actor, d.signed)
		if err != nil {
			return w, err
		}
		w = v.waiver(signed.Time(v.now))
		if err := signed.Match(proof.WaiverAct(v.proposal, w), req.reason); err != nil {
			return w, err
		}
		if err := d.signing.Record(ctx, tx, signed); err != nil {
			return w, err
		}
		w.ID, w.By, w.Signature = d.records.NewID(), actor.String(), signed.Hash()
		p := v.proposal
		p.UpdatedAt, p.Summary = v.now, review.Tally(v.assessment, append(v.waivers, w), v.now)
		seal, err := tx.AddWaiver(ctx, p.ID, w)
		if err != nil {
			return w, err
		}
		if err := tx.MoveProposal(ctx, p, p.State); err != nil {
			return w, err
		}
		return w, d.records.Log(ctx, tx, actor, string(req.act()), p, p.UpdatedAt, seal, map[string]any{"finding": review.Handle(v.finding), "reason": w.Reason})
	})
}

// waivable contains a finding that a user can waive, and the records that the waiver depends on.
type waivable struct {
	waiverRequest
	proposal   proposals.Proposal
	revision   proposals.Revision
	assessment review.Assessment
	waivers    []history.Waiver
	finding    rules.Finding
	field      []string // keys of all findings in the field
	now        time.Time
}

// waiver returns the waiver as recorded at time t, without its id, user, and signature.
func (v waivable) waiver(t time.Time) history.Waiver {
	expires := v.expires
	if v.end {
		expires = &t
	}
	return history.Waiver{
		Revision: v.proposal.Revision, ContentHash: v.revision.ContentHash, Rule: v.finding.Rule, Path: v.finding.Path,
		PassageHash: v.finding.PassageHash(), Field: v.field, Reason: v.reason, At: t, ExpiresAt: expires,
	}
}

// waivable returns the finding that req refers to. It returns an error if actor cannot waive the finding or, if req.end
// is set, cannot end its waiver.
func (d *Decider) waivable(ctx context.Context, r review.Reader, actor proposals.Actor, id proposals.ID, req waiverRequest) (waivable, error) {
	v := waivable{waiverRequest: req}
	if err := review.CheckText("reason", v.reason); err != nil {
		return v, err
	}
	var err error
	if v.proposal, v.revision, err = impact.Current(ctx, r, id); err != nil {
		return v, err
	}
	if _, err := proposals.Permit(actor, req.act(), v.proposal); err != nil {
		return v, err
	}
	if strings.TrimSpace(v.reason) == "" {
		return v, fmt.Errorf("%w: give a reason to waive a finding or to end a waiver", review.ErrNoReason)
	}
	need, err := d.inspector.Need(ctx, r, v.proposal.Subject, v.revision.Draft.Definition)
	if err != nil {
		return v, err
	}
	if !need.MayWaive(actor.String()) {
		return v, fmt.Errorf("%s: %w: by policy, only %s can waive a finding, but you act as %s; see toolcrib policy test %s",
			v.proposal.Name(), proposals.ErrAuthority, strings.Join(need.Waivers(), ", "), actor, v.proposal.Subject)
	}
	v.now = d.records.Time()
	if v.expires != nil {
		until := v.expires.UTC().Truncate(time.Microsecond) // the precision of a signed statement
		if v.expires = &until; !until.After(v.now) {
			return v, fmt.Errorf("%w: the expiry date %s is in the past; use a later date", review.ErrNotWaivable, until.Format(time.RFC3339))
		}
	}
	all, err := r.Assessments(ctx, id, v.proposal.Revision)
	if err != nil {
		return v, err
	}
	if len(all) == 0 {
		return v, fmt.Errorf("assessment of revision %d of %s: %w", v.proposal.Revision, v.proposal.Name(), proposals.ErrNotFound)
	}
	v.assessment = all[len(all)-1]
	if v.waivers, err = r.Waivers(ctx, id); err != nil {
		return v, err
	}
	findings := v.assessment.Report.Findings
	if v.finding, err = find(findings, v.handle); err == nil && !v.finding.Waivable {
		err = fmt.Errorf("%s: %w: structural rules cannot be waived; change the proposal instead", review.Handle(v.finding), review.ErrNotWaivable)
	}
	if err != nil {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), err)
	}
	waived := func(s review.Standing) bool {
		return s.Waiver != nil && review.Handle(s.Finding) == review.Handle(v.finding)
	}
	if v.end && !slices.ContainsFunc(review.ApplyWaivers(findings, v.waivers, v.proposal.Revision, v.now), waived) {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), review.ErrNotWaived)
	}
	for _, f := range findings {
		if f.Path == v.finding.Path {
			v.field = append(v.field, review.FindingKey(f))
		}
	}
	slices.Sort(v.field)
	return v, nil
}

// find returns the finding that handle identifies. handle can be the rule, the rule and the path, or a prefix of the
// complete handle that includes at least the "#".
func find(findings []rules.Finding, handle string) (rules.Finding, error) {
	var found []rules.Finding
	var handles []string
	for _, f := range findings {
		h := review.Handle(f)
		rest, ok := strings.CutPrefix(h, handle)
		if ok && (rest == "" || rest[0] == '@' || rest[0] == '#' || strings.Contains(handle, "#")) && !slices.Contains(handles, h) {
			handles = append(handles, h)
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return rules.Finding{}, fmt.Errorf("finding %s: %w; to list the findings, run `toolcrib show`", handle, proposals.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return rules.Finding{}, fmt.Errorf("%s matches %d findings, %s: %w", handle, len(found), strings.Join(handles, ", "), review.ErrAmbiguous)
}
