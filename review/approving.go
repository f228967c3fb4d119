package review

import (
	"context"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// approving is an approval being written: of some proposals it makes versions,
// the others still need the approval of somebody else.
type approving struct {
	*Desk
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
func (a approving) close(ctx context.Context, tx Tx, decisions []Decision, act *SignedAct) error {
	for _, verdict := range []Verdict{VerdictApproved, VerdictEndorsed} {
		var about []proposals.Proposal
		var of []Decision
		for i, v := range a.views {
			if decisions[i].Verdict == verdict {
				about, of = append(about, v.Proposal), append(of, decisions[i])
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
