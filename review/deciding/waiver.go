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

// Waive waives one finding of the current revision on the user's word. handle
// is the finding's Handle or as much of it as is unambiguous, from the left: a
// rule alone will do when it found one thing. expires may be nil.
func (d *Decider) Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error) {
	return d.waive(ctx, actor, id, waiverRequest{handle: handle, reason: reason, expires: expires})
}

// Unwaive ends the waiver of a finding: it is open again. Nothing is taken out of
// the history: a waiver that expires as it is given takes back those before it.
func (d *Decider) Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error) {
	return d.waive(ctx, actor, id, waiverRequest{handle: handle, reason: reason, end: true})
}

// waiverRequest is a waiver that a user asks for, or the end of one.
type waiverRequest struct {
	handle, reason string
	expires        *time.Time // nil for never
	end            bool       // end the waiver of the finding
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
		return w, d.addWaiver(ctx, tx, actor, p, w, review.Handle(v.finding))
	})
}

// waivable is a finding that can be waived, or whose waiver can end, with its
// proposal and field.
type waivable struct {
	waiverRequest
	proposal   proposals.Proposal
	revision   proposals.Revision
	assessment review.Assessment
	waivers    []history.Waiver
	finding    rules.Finding
	field      []string // keys of all findings in its field
	now        time.Time
}

// waiver returns the waiver as it is recorded at a time, without its id, user, and
// signature.
func (v waivable) waiver(at time.Time) history.Waiver {
	expires := v.expires
	if v.end {
		expires = &at
	}
	return history.Waiver{
		Revision: v.proposal.Revision, ContentHash: v.revision.ContentHash, Rule: v.finding.Rule, Path: v.finding.Path,
		PassageHash: v.finding.PassageHash(), Field: v.field, Reason: v.reason, At: at, ExpiresAt: expires,
	}
}

// waived reports whether a waiver covers the finding now.
func (v waivable) waived() bool {
	return slices.ContainsFunc(review.ApplyWaivers(v.assessment.Report.Findings, v.waivers, v.proposal.Revision, v.now), func(s review.Standing) bool {
		return s.Waiver != nil && review.Handle(s.Finding) == review.Handle(v.finding)
	})
}

// waivable returns the finding that a request names, and an error if something is in
// its way.
func (d *Decider) waivable(ctx context.Context, r review.Reader, actor proposals.Actor, id proposals.ID, req waiverRequest) (waivable, error) {
	v, act := waivable{waiverRequest: req}, proposals.ActWaive
	if req.end {
		act = proposals.ActUnwaive
	}
	if err := review.CheckText("reason", v.reason); err != nil {
		return v, err
	}
	var err error
	if v.proposal, v.revision, err = impact.Current(ctx, r, id); err != nil {
		return v, err
	}
	if _, err := proposals.Permit(actor, act, v.proposal); err != nil {
		return v, err
	}
	if strings.TrimSpace(v.reason) == "" {
		return v, fmt.Errorf("%w: a waiver needs a reason, and so does its end", review.ErrNoReason)
	}
	need, err := d.inspector.Need(ctx, r, v.proposal.Subject, v.revision.Draft.Definition)
	if err != nil {
		return v, err
	}
	if !need.MayWaive(actor.String()) {
		return v, fmt.Errorf("%s: %w: the policy has only %s waive a finding, and you act as %s; see toolcrib policy test %s",
			v.proposal.Name(), proposals.ErrAuthority, strings.Join(need.Waivers(), ", "), actor, v.proposal.Subject)
	}
	v.now = d.records.Time()
	if v.expires != nil {
		until := v.expires.UTC().Truncate(time.Microsecond) // as precise as the statement that is signed
		if v.expires = &until; !until.After(v.now) {
			return v, fmt.Errorf("%w: the waiver would have expired on %s", review.ErrNotWaivable, until.Format(time.RFC3339))
		}
	}
	if v.assessment, v.waivers, err = assessed(ctx, r, v.proposal); err != nil {
		return v, err
	}
	if v.finding, err = findWaivable(v.assessment.Report.Findings, v.handle); err != nil {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), err)
	}
	if v.end && !v.waived() {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), review.ErrNotWaived)
	}
	v.field = inField(v.assessment.Report.Findings, v.finding.Path)
	return v, nil
}

// addWaiver writes a waiver of p, and of p what the queue shows of it now.
func (d *Decider) addWaiver(ctx context.Context, tx review.Tx, actor proposals.Actor, p proposals.Proposal, w history.Waiver, handle string) error {
	seal, err := tx.AddWaiver(ctx, p.ID, w)
	if err != nil {
		return err
	}
	if err := tx.MoveProposal(ctx, p, p.State); err != nil {
		return err
	}
	act := proposals.ActWaive
	if w.Ends() {
		act = proposals.ActUnwaive
	}
	return d.records.Log(ctx, tx, actor, string(act), p, p.UpdatedAt, seal, map[string]any{"finding": handle, "reason": w.Reason})
}

// inField returns the keys of all findings at path, one for each finding.
func inField(findings []rules.Finding, path string) []string {
	var keys []string
	for _, f := range findings {
		if f.Path == path {
			keys = append(keys, review.FindingKey(f))
		}
	}
	slices.Sort(keys)
	return keys
}

// named reports whether a reference names the finding with a handle: all of
// it, its rule, its rule and path, or a part of its hash as well.
func named(handle, ref string) bool {
	rest, ok := strings.CutPrefix(handle, ref)
	return ok && (rest == "" || rest[0] == '@' || rest[0] == '#' || strings.Contains(ref, "#"))
}

// findWaivable returns the one finding whose handle begins with handle, if it can
// be waived.
func findWaivable(findings []rules.Finding, handle string) (rules.Finding, error) {
	f, err := find(findings, handle)
	if err == nil && !f.Waivable {
		err = fmt.Errorf("%s: %w: structural rules cannot be waived; change the proposal instead", review.Handle(f), review.ErrNotWaivable)
	}
	return f, err
}

// find returns the one finding whose handle begins with handle.
func find(findings []rules.Finding, handle string) (rules.Finding, error) {
	var found []rules.Finding
	var handles []string
	for _, f := range findings {
		h := review.Handle(f)
		if named(h, handle) && !slices.Contains(handles, h) {
			handles = append(handles, h)
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return rules.Finding{}, fmt.Errorf("finding %s: %w; toolcrib show lists the findings", handle, proposals.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return rules.Finding{}, fmt.Errorf("%s names %d findings, %s: %w", handle, len(found), strings.Join(handles, ", "), review.ErrAmbiguous)
}

// assessed returns the assessment that counts for the current revision, the
// latest, with the proposal's waivers.
func assessed(ctx context.Context, r review.RecordReader, p proposals.Proposal) (review.Assessment, []history.Waiver, error) {
	as, err := r.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return review.Assessment{}, nil, err
	}
	if len(as) == 0 {
		return review.Assessment{}, nil, fmt.Errorf("assessment of revision %d of %s: %w", p.Revision, p.Name(), proposals.ErrNotFound)
	}
	waivers, err := r.Waivers(ctx, p.ID)
	return as[len(as)-1], waivers, err
}
