package reading

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/records"
)

// Resolve turns what a user types for proposals into their ids: a number with or
// without "#", a full id or a unique prefix of it, the subject or the tool id that
// only one is open on, and "set:NAME" for all members of a change set.
func (d *Reader) Resolve(ctx context.Context, refs ...string) ([]proposals.ID, error) {
	return records.Read(ctx, d.records, func(r review.Reader) ([]proposals.ID, error) { return resolve(ctx, r, refs) })
}

func resolve(ctx context.Context, r review.ProposalReader, refs []string) ([]proposals.ID, error) {
	var ids []proposals.ID
	for len(refs) > 0 {
		changeSet, isSet := review.ChangeSetRef(refs[0])
		n := 1
		var found []proposals.ID
		var err error
		if isSet {
			found, err = resolveSet(ctx, r, changeSet)
		} else {
			if n = slices.IndexFunc(refs, func(ref string) bool { _, isSet := review.ChangeSetRef(ref); return isSet }); n < 0 {
				n = len(refs)
			}
			found, err = r.ResolveIDs(ctx, refs[:n])
		}
		if err != nil {
			return nil, err
		}
		ids, refs = append(ids, found...), refs[n:]
	}
	return ids, nil
}

func resolveSet(ctx context.Context, r review.ProposalReader, changeSet string) ([]proposals.ID, error) {
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, fmt.Errorf("change set %q: %w", changeSet, proposals.ErrNotFound)
	}
	if slices.ContainsFunc(members, notLive) {
		members = slices.DeleteFunc(members, func(p proposals.Proposal) bool { return !notLive(p) })
	}
	ids := make([]proposals.ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return ids, nil
}

func notLive(p proposals.Proposal) bool { return p.State != proposals.Approved }

// OpenMembers returns the ids of the members of a change set to which something
// can still happen.
func (d *Reader) OpenMembers(ctx context.Context, changeSet string) ([]proposals.ID, error) {
	return records.Read(ctx, d.records, func(r review.Reader) (ids []proposals.ID, err error) {
		members, err := r.Members(ctx, changeSet)
		for _, m := range members {
			if m.State.Open() {
				ids = append(ids, m.ID)
			}
		}
		if err == nil && len(ids) == 0 {
			err = fmt.Errorf("an open member of change set %q: %w", changeSet, proposals.ErrNotFound)
		}
		return ids, err
	})
}

// Source returns the JSON that a definition was imported from, nil when there is
// none here.
func (d *Reader) Source(ctx context.Context, definition registry.Definition) ([]byte, error) {
	if records.Pin(definition) == "" {
		return nil, nil
	}
	return records.Read(ctx, d.records, func(r review.Reader) ([]byte, error) { return records.Source(ctx, r, definition) })
}
