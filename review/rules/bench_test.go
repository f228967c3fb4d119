package rules

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// prompt is honest text of the given length.
func longPrompt(size int) string {
	const page = "Read the whole scene before you judge it. Name each passage that drags, quote the line, and say what it would take to " +
		"tighten it. The user may ask for a summary; give one of at most five sentences.\n\n- Keep to what stands on the page.\n" +
		"- When a passage depends on an earlier chapter, ask for it.\n- Do not rewrite; the author decides.\n\nIf the file cannot be read, say so and stop. "
	return strings.Repeat(page, size/len(page)+1)[:size]
}

// BenchmarkRules runs the rules over one text as a prompt and as the
// description of an action tool: those of families S and P, and all of them.
func BenchmarkRules(b *testing.B) {
	forms := map[string]func(string) *Change{
		"prompt":      promptChange,
		"description": func(text string) *Change { return toolChange("opening_hours", text) },
	}
	sets := map[string][]Rule{"SP": slices.Concat(security(), protocol()), "all": All()}
	for name, size := range map[string]int{"10KB": 10 << 10, "1MB": 1 << 20} {
		for form, change := range forms {
			for family, rules := range sets {
				b.Run(name+"/"+form+"/"+family, func(b *testing.B) { benchRules(b, longPrompt(size), change, rules) })
			}
		}
	}
}

func benchRules(b *testing.B, text string, change func(string) *Change, rules []Rule) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	before := cpuTime()
	for b.Loop() {
		c := change(text)
		c.World = Memory(nil)
		for _, r := range rules {
			if _, err := r.Check(context.Background(), c); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
}
