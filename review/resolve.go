package review

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
)

// changeSetRef begins a reference to all members of a change set.
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
	ids := make([]proposals.ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return ids, nil
}
