package harness

import (
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
)

// TestHostileAnswers verifies that the time to check an answer is linear in its length, even for malicious answers.
func TestHostileAnswers(t *testing.T) {
	shortrun.OneGoroutine(t)
	const (
		size    = 32 << 10
		slowest = 2 * time.Minute // for a slow machine and the race detector
	)
	for name, s := range map[string]string{
		"dots":             "a.",
		"stops":            "x. [",
		"quotes":           `"a b" `,
		"open quotes":      `“ `,
		"paths":            "a/b.c:1-0 ",
		"long path":        "a/",
		"footnotes":        "[1] ",
		"footnote lines":   "[1]: x\n",
		"items":            "- a b c\n",
		"rows":             "|a b c\n",
		"nested":           "> - > - ",
		"fences":           "```\n",
		"lists of strings": `["a b c",`,
		"objects":          `{"a":`,
		"open calls":       `{"tool":"`,
		"use":              "I have just now already also ",
		"deeds":            "I have created the a an your ",
		"names":            "a_b_c_",
		"scripts":          "読む",
		"hidden":           "\u200b",
		"broken":           "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(s, size/len(s))
			if s[0] == '[' && strings.HasSuffix(s, ",") {
				text = `[` + strings.Repeat(`"a b c",`, size/8-1) + `""]`
			}
			for _, c := range []proposals.Check{
				{Type: proposals.CheckEvidence},
				{Type: proposals.CheckNoFakeToolUse},
				{Type: proposals.CheckToolCall},
				{Type: proposals.CheckNoFences},
				checkOf(t, proposals.CheckNotContains, "secret"),
			} {
				began := time.Now()
				_, _ = answer{text: text, input: text}.check(c)
				if took := time.Since(began); took > slowest {
					t.Errorf("%s took %v", c.Type, took)
				}
			}
		})
	}
}
