package deciding

import (
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/inspection"
	"toolcrib/review/proof"
)

// approving is an approval being written: of some proposals it makes versions,
// the others still need the approval of somebody else.
type approving struct {
	*Decider
	views    []inspection.View
	complete []bool            // by view: whether it makes a version
	versions []history.Version // by inspection.View, also of those that make none
}

// write appends the versions of complete proposals, and fills in all versions.
func (a approving) write(ctx context.Context, tx review.Tx) error {
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
func (a approving) setLive(ctx context.Context, tx review.Tx) error {
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
func (a approving) close(ctx context.Context, tx review.Tx, decisions []proposals.Decision, act *proof.SignedAct) error {
	for _, verdict := range []proposals.Verdict{proposals.VerdictApproved, proposals.VerdictEndorsed} {
		var about []inspection.View
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

// apart returns an error when the key of an approval is one by which another
// principal approved v.
func apart(v inspection.View, actor proposals.Actor, act *proof.SignedAct) error {
	for _, e := range v.Endorsements {
		if act.Key() != "" && e.By != actor && e.Key == act.Key() {
			return fmt.Errorf("%s: %w: the key that signed is the one by which %s approved it", v.Proposal.Name(), proof.ErrSignature, e.By)
		}
	}
	return nil
}

// approvals returns the endorsements of v as its version has them.
func approvals(v inspection.View) []history.Approval {
	var as []history.Approval
	for _, e := range v.Endorsements {
		as = append(as, history.Approval{
			Decision: e.ID, By: e.By.String(), At: e.At, Note: e.Note, ReviewDigest: e.ReviewDigest, Signature: e.Signature,
		})
	}
	return as
}
