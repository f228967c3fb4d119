package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// Standing is a finding together with the waiver that covers it, if any.
type Standing struct {
	rules.Finding
	Waiver *history.Waiver
}

// Open reports whether the finding still has to be dealt with.
func (s Standing) Open() bool { return s.Waiver == nil }

// Blocks reports whether the finding keeps the revision from being approved.
func (s Standing) Blocks() bool { return s.Open() && s.Severity == rules.Block }

// Handle names a finding for the user: "S104@definition.prompt#1f2e3d4c". The
// last part is the beginning of the passage hash.
func Handle(f rules.Finding) string { return f.Rule + "@" + f.Path + "#" + f.PassageHash()[:8] }

// key identifies a finding across revisions.
func key(f rules.Finding) string { return f.Rule + "@" + f.Path + "#" + f.PassageHash() }

// stand puts the findings of a revision and waivers together. A waiver holds
// while its passage is there unchanged, no finding that was not there when it
// was given appears in the same field, and it has not expired. One for a
// finding that names no passage holds for the revision it was given for: whether
// another one still is what the finding was about, nobody can tell.
func stand(findings []rules.Finding, waivers []history.Waiver, revision int, now time.Time) []Standing {
	standing := make([]Standing, len(findings))
	for i, f := range findings {
		standing[i] = Standing{Finding: f}
		if !f.Waivable {
			continue
		}
		for _, w := range slices.Backward(waivers) {
			if f.Passage == "" && w.Revision != revision {
				continue
			}
			if w.Ends() && covers(w, f) {
				break // it takes back those before it
			}
			if holds(w, f, findings, now) {
				standing[i].Waiver = &w
				break
			}
		}
	}
	return standing
}

// covers reports whether a waiver is about a finding.
func covers(w history.Waiver, f rules.Finding) bool {
	return w.Rule == f.Rule && w.Path == f.Path && w.PassageHash == f.PassageHash()
}

func holds(w history.Waiver, f rules.Finding, all []rules.Finding, now time.Time) bool {
	if !covers(w, f) || w.ExpiresAt != nil && !now.Before(*w.ExpiresAt) {
		return false
	}
	unseen := slices.Clone(w.Field)
	for _, other := range all {
		if other.Path != f.Path {
			continue
		}
		i := slices.Index(unseen, key(other))
		if i < 0 {
			return false // it is new, or the same words stand there once more
		}
		unseen = slices.Delete(unseen, i, i+1)
	}
	return true
}

// Tally counts what the queue shows of an assessment when the proposal has
// waivers and the time is now.
func Tally(a Assessment, waivers []history.Waiver, now time.Time) proposals.Summary {
	return summarize(a.Recommendation, stand(a.Report.Findings, waivers, a.Revision, now))
}

// summarize counts what the queue shows of an assessment.
func summarize(recommendation proposals.Recommendation, standing []Standing) proposals.Summary {
	s := proposals.Summary{Recommendation: recommendation, Findings: len(standing)}
	worst := rules.Off
	for _, f := range standing {
		if f.Blocks() {
			s.Blocks++
		}
		if f.Open() && f.Severity == rules.Warn {
			s.Warns++
		}
		if w := f.Waiver; w != nil && w.ExpiresAt != nil && (s.WaivedUntil.IsZero() || w.ExpiresAt.Before(s.WaivedUntil)) {
			s.WaivedUntil = *w.ExpiresAt
		}
		if f.Severity.Rank() > worst.Rank() {
			worst = f.Severity
			s.Worst = string(worst)
		}
	}
	return s
}

// Waive waives one finding of the current revision on the user's word. handle
// is the finding's Handle or as much of it as is unambiguous, from the left: a
// rule alone will do when it found one thing. expires may be nil.
func (d *Desk) Waive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) (history.Waiver, error) {
	return d.waive(ctx, actor, id, wish{handle: handle, reason: reason, expires: expires})
}

// Unwaive ends the waiver of a finding: it is open again. Nothing is taken out of
// the history: a waiver that expires as it is given takes back those before it.
func (d *Desk) Unwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) (history.Waiver, error) {
	return d.waive(ctx, actor, id, wish{handle: handle, reason: reason, end: true})
}

// wish is a waiver that a user asks for, or the end of one.
type wish struct {
	handle, reason string
	expires        *time.Time // nil for never
	end            bool       // end the waiver of the finding
}

func (d *Desk) waive(ctx context.Context, actor proposals.Actor, id proposals.ID, wish wish) (history.Waiver, error) {
	var w history.Waiver
	err := d.update(ctx, func(tx Tx) error {
		v, err := d.waivable(ctx, tx, actor, id, wish)
		if err != nil {
			return err
		}
		signed, err := d.signing.Open(ctx, tx, actor, d.signed)
		if err != nil {
			return err
		}
		w = v.waiver(signed.Time(v.now))
		if err := signed.Match(waiverAct(v.proposal, w), wish.reason); err != nil {
			return err
		}
		if err := d.signing.Record(ctx, tx, signed); err != nil {
			return err
		}
		w.ID, w.By, w.Signature = d.newID(), actor.String(), signed.Hash()
		p := v.proposal
		p.UpdatedAt, p.Summary = v.now, Tally(v.assessment, append(v.waivers, w), v.now)
		return d.addWaiver(ctx, tx, actor, p, w, Handle(v.finding))
	})
	return w, err
}

// waivable is a finding that can be waived, or whose waiver can end, with what it
// is about.
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
func (d *Desk) waivable(ctx context.Context, r Reader, actor proposals.Actor, id proposals.ID, wish wish) (waivable, error) {
	v, act := waivable{wish: wish}, proposals.ActWaive
	if wish.end {
		act = proposals.ActUnwaive
	}
	if err := checkText("reason", v.reason); err != nil {
		return v, err
	}
	var err error
	if v.proposal, v.revision, err = current(ctx, r, id); err != nil {
		return v, err
	}
	if _, err := permit(actor, act, v.proposal); err != nil {
		return v, err
	}
	if strings.TrimSpace(v.reason) == "" {
		return v, fmt.Errorf("%w: a waiver needs a reason, and so does its end", ErrNoReason)
	}
	if need := d.need(v.proposal.Subject); !need.MayWaive(actor.String()) {
		return v, fmt.Errorf("%s: %w: the policy has only %s waive a finding, and you act as %s; see toolcrib policy test %s",
			name(v.proposal), proposals.ErrAuthority, strings.Join(need.Waivers(), ", "), actor, v.proposal.Subject)
	}
	v.now = d.stamp()
	if v.expires != nil && !v.expires.After(v.now) {
		return v, fmt.Errorf("%w: the waiver would have expired on %s", ErrNotWaivable, v.expires.UTC().Format(time.RFC3339))
	}
	if v.assessment, v.waivers, err = assessed(ctx, r, v.proposal); err != nil {
		return v, err
	}
	if v.finding, err = findWaivable(v.assessment.Report.Findings, v.handle); err != nil {
		return v, fmt.Errorf("%s: %w", name(v.proposal), err)
	}
	if v.end && !v.waived() {
		return v, fmt.Errorf("%s: %w", name(v.proposal), ErrNotWaived)
	}
	v.field = inField(v.assessment.Report.Findings, v.finding.Path)
	return v, nil
}

// addWaiver writes a waiver of p, and of p what the queue shows of it now.
func (d *Desk) addWaiver(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, w history.Waiver, handle string) error {
	seal, err := tx.AddWaiver(ctx, p.ID, w)
	if err != nil {
		return err
	}
	if err := tx.MoveProposal(ctx, p, p.State); err != nil {
		return err
	}
	return d.log(ctx, tx, actor, "waive", p, p.UpdatedAt, seal, map[string]any{"finding": handle, "reason": w.Reason})
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
		return rules.Finding{}, fmt.Errorf("finding %s: %w; toolcrib show lists the findings", handle, ErrNotFound)
	case 1:
		return found[0], nil
	}
	return rules.Finding{}, fmt.Errorf("%s names %d findings, %s: %w", handle, len(found), strings.Join(handles, ", "), ErrAmbiguous)
}

// refresh counts again what the queue shows of open proposals, where a waiver
// that was counted on has run out since. Nothing is written: the time does not
// wait for somebody to write.
func (d *Desk) refresh(ctx context.Context, r Reader, ps ...*proposals.Proposal) error {
	if err := d.count(ctx, r, ps...); err != nil {
		return err
	}
	for _, p := range ps {
		if p.Summary.WaivedUntil.IsZero() || !p.State.Open() {
			continue
		}
		now := d.stamp()
		if now.Before(p.Summary.WaivedUntil) {
			continue
		}
		a, waivers, err := assessed(ctx, r, *p)
		if err != nil {
			return err
		}
		p.Summary = Tally(a, waivers, now)
	}
	return nil
}

// assessed returns the assessment that counts for the current revision, the
// latest, with the proposal's waivers.
func assessed(ctx context.Context, r RecordReader, p proposals.Proposal) (Assessment, []history.Waiver, error) {
	as, err := r.Assessments(ctx, p.ID, p.Revision)
	if err != nil {
		return Assessment{}, nil, err
	}
	if len(as) == 0 {
		return Assessment{}, nil, fmt.Errorf("assessment of revision %d of %s: %w", p.Revision, name(p), ErrNotFound)
	}
	waivers, err := r.Waivers(ctx, p.ID)
	return as[len(as)-1], waivers, err
}
