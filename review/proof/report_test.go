package proof_test

import (
	"slices"
	"testing"

	"toolcrib/review/proof"
)

// TestReportLines checks that each count has a noun in the singular or plural.
func TestReportLines(t *testing.T) {
	r := proof.Report{Signed: 1, UnsignedBefore: 2, TooFew: 1}
	want := []string{"1 signed decision", "2 unsigned decisions from before signing started", "1 version with fewer signatures than the policy requires"}
	if got := r.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := (&proof.Report{}).Lines(); !slices.Equal(got, []string{"0 signed decisions"}) {
		t.Errorf("%q", got)
	}
}
