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

func resolve(ctx context.Context, r ProposalReader, ref string) ([]proposals.ID, error) {
	changeSet, ok := strings.CutPrefix(ref, changeSetRef)
	if !ok {
		id, err := r.ResolveID(ctx, ref)
		return []proposals.ID{id}, err
	}
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
