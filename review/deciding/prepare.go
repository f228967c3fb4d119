package deciding

import (
	"context"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/records"
)

// Prepare returns the statement by which actor would decide on proposals now, to
// be signed and then passed on by Desk.Signed to the method of the verdict. It
// reads one snapshot and refuses what that method would refuse.
func (d *Decider) Prepare(ctx context.Context, actor proposals.Actor, choices []review.Choice, verdict proposals.Verdict, note string) ([]byte, error) {
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) {
		check, strict := d.refusing(ctx, actor, verdictMoves[verdict].act, note), false
		if verdict == proposals.VerdictApproved {
			check, strict = d.approvalCheck(ctx, actor, len(choices) == 1), true
		}
		if err := review.CheckText("note", note); err != nil {
			return nil, err
		}
		views, showings, err := d.decidable(ctx, r, actor, choices, strict, check)
		if err != nil {
			return nil, err
		}
		at := d.records.Time()
		var versions []history.Version
		if verdict == proposals.VerdictApproved {
			if err := together(views); err != nil {
				return nil, err
			}
			if err := shownOrAccepted(choices, views, showings); err != nil {
				return nil, err
			}
			versions = d.versions(actor, views, note, nil)
			for i := range versions {
				versions[i].DecidedAt = at
				if err := placed(ctx, r, &versions[i]); err != nil {
					return nil, err
				}
			}
		}
		return d.signing.Prepare(ctx, r, actor, at, decisionAct(verdict, views, versions), note)
	})
}

// PrepareWaiver returns the statement by which actor would waive a finding now, to
// be signed and then passed on by Desk.Signed to Waive with the same arguments.
func (d *Decider) PrepareWaiver(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string, expires *time.Time) ([]byte, error) {
	return d.prepareWaiver(ctx, actor, id, waiverRequest{handle: handle, reason: reason, expires: expires})
}

// PrepareUnwaive is PrepareWaiver for the end of a waiver, by Unwaive.
func (d *Decider) PrepareUnwaive(ctx context.Context, actor proposals.Actor, id proposals.ID, handle, reason string) ([]byte, error) {
	return d.prepareWaiver(ctx, actor, id, waiverRequest{handle: handle, reason: reason, end: true})
}

func (d *Decider) prepareWaiver(ctx context.Context, actor proposals.Actor, id proposals.ID, req waiverRequest) ([]byte, error) {
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) {
		v, err := d.waivable(ctx, r, actor, id, req)
		if err != nil {
			return nil, err
		}
		return d.signing.Prepare(ctx, r, actor, v.now, proof.WaiverAct(v.proposal, v.waiver(v.now)), req.reason)
	})
}
