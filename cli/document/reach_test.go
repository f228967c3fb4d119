package document

import (
	"strings"
	"testing"

	"toolcrib/cli/output"
	"toolcrib/history/diff"
)

// TestHunkNamesNormalization checks that a change of only the Unicode normalization is named, because both lines look
// the same (C66).
func TestHunkNamesNormalization(t *testing.T) {
	written := func(before, after string) string {
		p := &output.Page{}
		for _, h := range NewHunks(diff.Lines(before, after).Unified(3)) {
			WriteHunk(p, h)
		}
		return p.Buf.String()
	}
	const note = "only their Unicode normalization differs"
	if got := written("One.\nCaf\u00e9.\n", "One.\nCafe\u0301.\n"); !strings.Contains(got, note) {
		t.Errorf("got %s", got)
	}
	for _, after := range []string{"One.\nCafe.\n", "Two.\nCafe\u0301.\n"} {
		if got := written("One.\nCaf\u00e9.\n", after); strings.Contains(got, note) {
			t.Errorf("got %s", got)
		}
	}
}
