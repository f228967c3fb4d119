package review

import (
	"context"
	"fmt"

	"toolcrib/proposals"
)

// together refuses a choice that splits a change set. Members that are live
// already hold back nobody: the name of a set can be used again.
func together(views []view) error {
	chosen := map[proposals.ID]bool{}
	for _, v := range views {
		chosen[v.Proposal.ID] = true
	}
	seen := map[string]bool{"": true}
	for _, v := range views {
		if seen[v.Proposal.ChangeSet] {
			continue
		}
		seen[v.Proposal.ChangeSet] = true
		for _, m := range v.changeSet.members {
			switch {
			case chosen[m.ID] || m.State == proposals.Approved:
			case m.State == proposals.UserReview:
				return fmt.Errorf("%w: %s belongs to %q with %s (%s); approve them together: toolcrib --approve 'set:%s'",
					ErrChangeSet, name(v.Proposal), v.Proposal.ChangeSet, name(m), m.State, v.Proposal.ChangeSet)
			default:
				return fmt.Errorf("%w: %s belongs to %q with %s, which is in %s; wait for it, or take it out: toolcrib regroup %s --alone",
					ErrChangeSet, name(v.Proposal), v.Proposal.ChangeSet, name(m), m.State, Reference(m))
			}
		}
	}
	return nil
}

// broken reports a change set of which a member was rejected. Its other members
// were written to go live with that one, so none of them does until the user
// regroups them.
func broken(changeSet string, members []proposals.Proposal) error {
	for _, m := range members {
		if m.State == proposals.Rejected {
			return fmt.Errorf("%w: %s of %q was rejected, which stops the set; regroup the rest: toolcrib regroup 'set:%s' --into NAME, or --alone",
				ErrChangeSet, name(m), changeSet, changeSet)
		}
	}
	return nil
}

// Regroup moves open proposals into another change set, or out of theirs when
// changeSet is "": all of them or none. Each gets a new revision in which
// nothing else is different, and which stays its author's, so that it is
// reviewed again among its new fellows.
func (d *Desk) Regroup(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error) {
	moved, err := write(ctx, d, func(tx Tx) (moved []proposals.Proposal, err error) {
		moved = make([]proposals.Proposal, len(ids))
		for i, id := range ids {
			if moved[i], err = d.regroup(ctx, tx, actor, id, changeSet); err != nil {
				return nil, err
			}
		}
		return moved, nil
	})
	if err != nil {
		return nil, err
	}
	return moved, d.consult(ctx, moved)
}

func (d *Desk) regroup(ctx context.Context, tx Tx, actor proposals.Actor, id proposals.ID, changeSet string) (proposals.Proposal, error) {
	p, rev, err := current(ctx, tx, id)
	if err != nil {
		return p, err
	}
	if p.State == proposals.NeedsChanges {
		return p, fmt.Errorf("%s: %w: it waits for a revision by its author, which can change the change set", name(p), proposals.ErrState)
	}
	rev.Draft.ChangeSet = changeSet
	p, _, err = d.revised(ctx, tx, actor, rev.Author, p, rev.Draft)
	return p, err
}

// OpenMembers returns the ids of the members of a change set to which something
// can still happen.
func (d *Desk) OpenMembers(ctx context.Context, changeSet string) ([]proposals.ID, error) {
	return read(ctx, d, func(r Reader) (ids []proposals.ID, err error) {
		members, err := r.Members(ctx, changeSet)
		for _, m := range members {
			if m.State.Open() {
				ids = append(ids, m.ID)
			}
		}
		if err == nil && len(ids) == 0 {
			err = fmt.Errorf("an open member of change set %q: %w", changeSet, ErrNotFound)
		}
		return ids, err
	})
}
