package drafting

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// Rebase revises a stale proposal to be based on the live version, with a three-way merge. If the author must resolve
// conflicts, the error is a *RebaseConflict, and no revision is written.
func (d *Drafter) Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	p, err := records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return p, err
		}
		if _, err := proposals.Permit(actor, proposals.ActRevise, p); err != nil {
			return p, err
		}
		now, err := impact.Live(ctx, tx, p.Subject)
		if err != nil {
			return p, err
		}
		if now == nil || now.Version == p.BaseVersion {
			return p, fmt.Errorf("%s is not stale: %w", p.Name(), proposals.ErrUnchanged)
		}
		draft, err := rebased(ctx, tx, p, rev.Draft, *now)
		if err != nil {
			return p, err
		}
		p, _, err = d.revise(ctx, tx, actor, actor, p, admission.NewSubmission(draft))
		return p, err
	})
	return d.chief.Consulted(ctx, p, err)
}

// rebased returns draft rebased on the live version.
func rebased(ctx context.Context, r review.RegistryReader, p proposals.Proposal, draft proposals.Draft, now registry.Live) (proposals.Draft, error) {
	version := now.Version
	base := draft.Base()
	draft.BaseVersion = &version
	switch draft.Type {
	case proposals.Deactivate, proposals.Reactivate:
		draft.Definition = admission.Implied(draft.Type, now.Definition)
		return draft, nil
	case proposals.Restore:
		return draft, nil // the restored content does not depend on the base
	case proposals.New:
		draft.Type = proposals.Modify // another author has created the subject
	case proposals.Modify:
	}
	var from registry.Definition
	if base > 0 {
		var err error
		if from, err = records.Definition(ctx, r, p.Subject, base); err != nil {
			return draft, err
		}
	}
	return review.Merge(p.Name(), draft, base, from, now)
}
