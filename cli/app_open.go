package cli

import (
	"context"

	"toolcrib/cli/command"
	"toolcrib/proposals"
)

// eachProposal does one act to each of the named proposals and prints where
// they stand then. It stops at the first that refuses; those before it have
// moved.
func eachProposal(ctx context.Context, a *command.App, refs []string, act func(context.Context, command.Session, proposals.ID) (proposals.Proposal, error)) error {
	b, ids, err := a.OpenProposals(ctx, refs)
	if err != nil {
		return err
	}
	moved := make([]proposals.Proposal, 0, len(ids))
	for _, id := range ids {
		p, err := act(ctx, b, id)
		if err != nil {
			return err
		}
		moved = append(moved, p)
	}
	return printMoved(a, moved, nil)
}
