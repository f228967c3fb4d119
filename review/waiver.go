package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/rules"
)

// Waive waives one finding of the current revision on the user's word. handle
// is the finding's Handle or as much of it as is unambiguous, from the left: a
// rule alone will do when it found one thing. expires may be nil.
func (d *deciding) Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error) {
	return d.waive(ctx, actor, id, wish{handle: handle, reason: reason, expires: expires})
}

// Unwaive ends the waiver of a finding: it is open again. Nothing is taken out of
// the history: a waiver that expires as it is given takes back those before it.
func (d *deciding) Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error) {
	return d.waive(ctx, actor, id, wish{handle: handle, reason: reason, end: true})
}

// wish is a waiver that a user asks for, or the end of one.
type wish struct {
	handle, reason string
	expires        *time.Time // nil for never
	end            bool       // end the waiver of the finding
}

func (d *deciding) waive(ctx context.Context, actor proposals.Actor, id proposals.ID, wish wish) (history.Waiver, error) {
	return write(ctx, d.office, func(tx Tx) (w history.Waiver, err error) {
		v, err := d.waivable(ctx, tx.Reader, actor, id, wish)
		if err != nil {
			return w, err
		}
		signed, err := d.signing.Open(ctx, tx, actor, d.signed)
		if err != nil {
			return w, err
		}
		w = v.waiver(signed.Time(v.now))
		if err := signed.Match(proof.WaiverAct(v.proposal, w), wish.reason); err != nil {
			return w, err
		}
		if err := d.signing.Record(ctx, tx, signed); err != nil {
			return w, err
		}
		w.ID, w.By, w.Signature = d.newID(), actor.String(), signed.Hash()
		p := v.proposal
		p.UpdatedAt, p.Summary = v.now, Tally(v.assessment, append(v.waivers, w), v.now)
		return w, d.addWaiver(ctx, tx, actor, p, w, Handle(v.finding))
	})
}

// waivable is a finding that can be waived, or whose waiver can end, with its
// proposal and field.
type waivable struct {
	wish
	proposal   proposals.Proposal
	revision   proposals.Revision
	assessment Assessment
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
	return slices.ContainsFunc(stand(v.assessment.Report.Findings, v.waivers, v.proposal.Revision, v.now), func(s Standing) bool {
		return s.Waiver != nil && Handle(s.Finding) == Handle(v.finding)
	})
}

// waivable returns the finding that a wish names, and an error if something is in
// its way.
func (d *deciding) waivable(ctx context.Context, r Reader, actor proposals.Actor, id proposals.ID, wish wish) (waivable, error) {
	v, act := waivable{wish: wish}, proposals.ActWaive
	if wish.end {
		act = proposals.ActUnwaive
	}
	if err := checkText("reason", v.reason); err != nil {
		return v, err
	}
	var err error
	if v.proposal, v.revision, err = impact.Current(ctx, r, id); err != nil {
		return v, err
	}
	if _, err := permit(actor, act, v.proposal); err != nil {
		return v, err
	}
	if strings.TrimSpace(v.reason) == "" {
		return v, fmt.Errorf("%w: a waiver needs a reason, and so does its end", ErrNoReason)
	}
	need, err := d.need(ctx, r, v.proposal.Subject, v.revision.Draft.Definition)
	if err != nil {
		return v, err
	}
	if !need.MayWaive(actor.String()) {
		return v, fmt.Errorf("%s: %w: the policy has only %s waive a finding, and you act as %s; see toolcrib policy test %s",
			v.proposal.Name(), proposals.ErrAuthority, strings.Join(need.Waivers(), ", "), actor, v.proposal.Subject)
	}
	v.now = d.stamp()
	if v.expires != nil {
		until := v.expires.UTC().Truncate(time.Microsecond) // as precise as the statement that is signed
		if v.expires = &until; !until.After(v.now) {
			return v, fmt.Errorf("%w: the waiver would have expired on %s", ErrNotWaivable, until.Format(time.RFC3339))
		}
	}
	if v.assessment, v.waivers, err = assessed(ctx, r, v.proposal); err != nil {
		return v, err
	}
	if v.finding, err = findWaivable(v.assessment.Report.Findings, v.handle); err != nil {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), err)
	}
	if v.end && !v.waived() {
		return v, fmt.Errorf("%s: %w", v.proposal.Name(), ErrNotWaived)
	}
	v.field = inField(v.assessment.Report.Findings, v.finding.Path)
	return v, nil
}

// addWaiver writes a waiver of p, and of p what the queue shows of it now.
func (d *deciding) addWaiver(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, w history.Waiver, handle string) error {
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
	return d.log(ctx, tx, actor, string(act), p, p.UpdatedAt, seal, map[string]any{"finding": handle, "reason": w.Reason})
}

// inField returns the keys of all findings at path, one for each finding.
func inField(findings []rules.Finding, path string) []string {
	var keys []string
	for _, f := range findings {
		if f.Path == path {
			keys = append(keys, key(f))
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
		err = fmt.Errorf("%s: %w: structural rules cannot be waived; change the proposal instead", Handle(f), ErrNotWaivable)
	}
	return f, err
}

// find returns the one finding whose handle begins with handle.
func find(findings []rules.Finding, handle string) (rules.Finding, error) {
	var found []rules.Finding
	var handles []string
	for _, f := range findings {
		h := Handle(f)
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
	return rules.Finding{}, fmt.Errorf("%s names %d findings, %s: %w", handle, len(found), strings.Join(handles, ", "), ErrAmbiguous)
}

// assessed returns the assessment that counts for the current revision, the
// latest, with the proposal's waivers.
func assessed(ctx context.Context, r RecordReader, p proposals.Proposal) (Assessment, []history.Waiver, error) {
	as, err := r.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return Assessment{}, nil, err
	}
	if len(as) == 0 {
		return Assessment{}, nil, fmt.Errorf("assessment of revision %d of %s: %w", p.Revision, p.Name(), proposals.ErrNotFound)
	}
	waivers, err := r.Waivers(ctx, p.ID)
	return as[len(as)-1], waivers, err
}
