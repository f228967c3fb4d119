package review

import (
	"fmt"

	"toolcrib/proposals"
)

// permit returns the state that an act of actor takes a proposal to. The error
// wraps proposals.ErrAuthority when the actor may not do it, and
// proposals.ErrState when nobody may while the proposal is where it is.
func permit(actor proposals.Actor, act proposals.Act, p proposals.Proposal) (proposals.State, error) {
	if err := proposals.Authorize(actor, act, p.Author); err != nil {
		return "", fmt.Errorf("%s: %w", name(p), err)
	}
	to, err := proposals.Next(p.State, act)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name(p), err)
	}
	return to, nil
}
