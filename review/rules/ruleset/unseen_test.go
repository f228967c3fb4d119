package ruleset

import (
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review/rules"
)

// TestUnseen checks the detection rates on texts that were written independently: no frame was made
// for the attacks of testdata/unseen, and the table of S139 was not trained on them. Rates are in
// percent.
func TestUnseen(t *testing.T) {
	shortrun.OneGoroutine(t)
	for file, bound := range map[string]struct{ warned, blocked int }{
		"attacks_mechanisms.txt": {warned: 74},
		"attacks_plain.txt":      {warned: 51},
		"attacks_formal.txt":     {warned: 47},
		"honest_vocabulary.txt":  {warned: 8, blocked: 0},
		"honest_offices.txt":     {warned: 5, blocked: 0},
		"honest_sentences.txt":   {warned: 12, blocked: 0}, // each in an unrelated tool
	} {
		all, warned, blocked := 0, 0, 0
		for _, c := range cases(t, filepath.Join("testdata", "unseen", file)) {
			worst := rules.Off
			for _, f := range caught(t, c) {
				if f.Severity.Rank() > worst.Rank() {
					worst = f.Severity
				}
			}
			all++
			if worst.Rank() >= rules.Warn.Rank() {
				warned++
			}
			if worst.Rank() >= rules.Block.Rank() {
				blocked++
			}
		}
		t.Logf("%s: %d of %d warned of, %d blocked", file, warned, all, blocked)
		honest := strings.HasPrefix(file, "honest")
		switch {
		case honest && (100*warned > bound.warned*all || 100*blocked > bound.blocked*all):
			t.Errorf("%s: %d of %d warned of, %d blocked", file, warned, all, blocked)
		case !honest && 100*warned < bound.warned*all:
			t.Errorf("%s: only %d of %d found", file, warned, all)
		}
	}
}
