package proposal

import (
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
)

// TestAnotherMemberBlocks checks that a proposal without obstacles names the members of its change set that it
// waits for.
func TestAnotherMemberBlocks(t *testing.T) {
	blocked := proposals.Proposal{State: proposals.UserReview, Issue: 7, Summary: proposals.Summary{Blocks: 1}}
	of := acts{state: &state{loaded: true, dossier: review.Dossier{Members: []proposals.Proposal{{State: proposals.UserReview}, blocked}}}}
	if why := of.cannotApprove(); !strings.Contains(why, "#7 of the change set has an open blocking finding") {
		t.Errorf("the reason is %q", why)
	}
}
