package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
)

// changeSetRef begins a reference to the members of a change set: those that
// are not live yet, or all of them when they all are.
const changeSetRef = "set:"

// ChangeSetRef returns the name of the change set in ref; false when ref names
// something else.
func ChangeSetRef(ref string) (changeSet string, ok bool) {
	return strings.CutPrefix(ref, changeSetRef)
}

func resolve(ctx context.Context, r ProposalReader, refs []string) ([]proposals.ID, error) {
	var ids []proposals.ID
	for len(refs) > 0 {
		changeSet, isSet := strings.CutPrefix(refs[0], changeSetRef)
		n := 1
		var found []proposals.ID
		var err error
		if isSet {
			found, err = resolveSet(ctx, r, changeSet)
		} else {
			if n = slices.IndexFunc(refs, func(ref string) bool { return strings.HasPrefix(ref, changeSetRef) }); n < 0 {
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

func resolveSet(ctx context.Context, r ProposalReader, changeSet string) ([]proposals.ID, error) {
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, fmt.Errorf("change set %q: %w", changeSet, ErrNotFound)
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
