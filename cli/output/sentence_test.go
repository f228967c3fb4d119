package output

import (
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// TestConflictShowsTheDifference checks that the shortened texts of a conflict show how the three sides differ (C63).
func TestConflictShowsTheDifference(t *testing.T) {
	same := strings.Repeat("Keep the harbor open for ships of every size. ", 3)
	side := func(text string) *jsondoc.Node { return jsondoc.NewString(same + text) }
	conflict := &review.RebaseConflict{Fields: []diff.FieldConflict{{Path: "goals", Base: side("Old."), Ours: side("Ours."), Theirs: side("Theirs.")}}}
	lines := conflictLines(conflict)
	if len(lines) != 1 || !strings.Contains(lines[0], `Ours."`) || !strings.Contains(lines[0], `Theirs."`) {
		t.Errorf("got %q", lines)
	}
}
