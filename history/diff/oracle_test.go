package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
)

// If all lines of a text are different, it is unambiguous which of them each side
// kept, so the lines alone determine the correct merge.

// uniqueEdit removes some lines of a text and inserts fresh ones.
func uniqueEdit(r *rand.Rand, base []string, fresh func() string) []string {
	var out []string
	for _, line := range base {
		for r.IntN(8) == 0 {
			out = append(out, fresh())
		}
		if r.IntN(6) > 0 {
			out = append(out, line)
		}
	}
	for r.IntN(4) == 0 {
		out = append(out, fresh())
	}
	return out
}

// rightMerge merges three texts of unique lines. The lines that all three share
// divide them into parts, and a part that only one side changed is taken from it.
// For a conflict, it takes the lines of ours or theirs.
func rightMerge(base, ours, theirs []string, takeOurs bool) (merged []string, conflicts int) {
	kept := slices.DeleteFunc(slices.Clone(base), func(line string) bool { return !slices.Contains(ours, line) || !slices.Contains(theirs, line) })
	cut := func(text *[]string, end string) (part []string) {
		at := len(*text)
		if end != "" {
			at = slices.Index(*text, end)
		}
		part, *text = (*text)[:at], (*text)[min(at+1, len(*text)):]
		return part
	}
	for _, end := range append(kept, "") {
		b, o, t := cut(&base, end), cut(&ours, end), cut(&theirs, end)
		switch {
		case slices.Equal(o, t), slices.Equal(b, t):
			merged = append(merged, o...)
		case slices.Equal(b, o):
			merged = append(merged, t...)
		default:
			conflicts++
			if takeOurs {
				merged = append(merged, o...)
			} else {
				merged = append(merged, t...)
			}
		}
		if end != "" {
			merged = append(merged, end)
		}
	}
	return merged, conflicts
}

// TestMergeOfUniqueLines compares merges with the results of rightMerge.
func TestMergeOfUniqueLines(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := random(34)
	clean, torn := 0, 0
	for range 20_000 / shortrun.Every(10) {
		n := 0
		fresh := func() string { n++; return fmt.Sprintf("line %d\n", n) }
		var base []string
		for range r.IntN(25) {
			base = append(base, fresh())
		}
		ours, theirs := uniqueEdit(r, base, fresh), uniqueEdit(r, base, fresh)
		if r.IntN(3) == 0 { // both sides made some equal changes
			common := uniqueEdit(r, base, fresh)
			ours, theirs = uniqueEdit(r, common, fresh), uniqueEdit(r, common, fresh)
		}
		text := func(lines []string) string { return strings.Join(lines, "") }
		m := diff.Merge3(text(base), text(ours), text(theirs))
		mine, conflicts := rightMerge(base, ours, theirs, true)
		others, _ := rightMerge(base, ours, theirs, false)
		taken := m.Taken(slices.Repeat([]diff.Choice{diff.TakeTheirs}, len(m.Conflicts))).Text
		if len(m.Conflicts) != conflicts || m.Text != text(mine) || taken != text(others) {
			t.Fatalf("base\n%sours\n%stheirs\n%smerged with %d conflicts\n%sor\n%swant %d conflicts\n%sor\n%s",
				text(base), text(ours), text(theirs), len(m.Conflicts), m.Text, taken, conflicts, text(mine), text(others))
		}
		if conflicts == 0 {
			clean++
		} else {
			torn++
		}
	}
	t.Logf("%d merges without a conflict, %d with one", clean, torn)
	if clean < 100 || torn < 100 {
		t.Error("too few merges of one kind")
	}
}
