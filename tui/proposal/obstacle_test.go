package proposal

import (
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
)

// TestAnotherMemberIsInTheWay: a proposal without an obstacle of its own waits for the
// other members of its change set, and says for which.
func TestAnotherMemberIsInTheWay(t *testing.T) {
	blocked := proposals.Proposal{State: proposals.UserReview, Issue: 7, Summary: proposals.Summary{Blocks: 1}}
	of := acts{state: &state{loaded: true, dossier: review.Dossier{Members: []proposals.Proposal{{State: proposals.UserReview}, blocked}}}}
	if why := of.cannotApprove(); !strings.Contains(why, "#7 of its change set has an open blocking finding") {
		t.Errorf("the reason is %q", why)
	}
}
