package service_test

import (
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// TestFindingCountsByRule counts the open findings of each rule, without waived ones.
func TestFindingCountsByRule(t *testing.T) {
	shortrun.OneGoroutine(t)
	of := func(rule, message string, severity rules.Severity) review.Standing {
		return review.Standing{Finding: rules.Finding{Rule: rule, Message: message, Severity: severity}}
	}
	waived := of("S109", "waived", rules.Block)
	waived.Waiver = &history.Waiver{}
	standing := []review.Standing{waived, of("S110", "a", rules.Block), of("S109", "b", rules.Block), of("S110", "c", rules.Block), of("S133", "d", rules.Warn)}

	sums := review.OpenByRule(standing)
	if len(sums) != 3 || sums[0].Rule != "S110" || sums[0].Count != 2 || sums[0].First.Message != "a" || sums[1].First.Message != "b" || sums[2].Severity != rules.Warn {
		t.Errorf("open: %+v", sums)
	}
	if blocks := review.BlocksByRule(standing); len(blocks) != 2 || blocks[0].Count != 2 || blocks[1].Rule != "S109" || blocks[1].Count != 1 {
		t.Errorf("blocks: %+v", blocks)
	}
}
