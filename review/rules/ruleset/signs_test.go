package ruleset

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/review/rules/rulestest"
)

// TestSignsAreExplained checks that a finding of S139 names words that stand in
// the sentence, and that a sentence is weighed the same every time.
func TestSignsAreExplained(t *testing.T) {
	list := everyRule()
	bad := list[slices.IndexFunc(list, func(r exampled) bool { return r.ID == "S139" })]
	message := ""
	for range 5 {
		found := rulestest.Check(t, bad.Rule, bad.bad)
		if len(found) != 1 {
			t.Fatalf("%d findings", len(found))
		}
		if message != "" && found[0].Message != message {
			t.Fatalf("%q, then %q", message, found[0].Message)
		}
		message = found[0].Message
		words, _, _ := strings.Cut(message, "): ")
		quoted := strings.Split(words, `"`)
		if len(quoted) < 5 {
			t.Fatalf("%q names fewer than two words", message)
		}
		for i := 1; i < len(quoted); i += 2 {
			if !strings.Contains(strings.ToLower(found[0].Passage), quoted[i]) {
				t.Errorf("%q does not stand in %q", quoted[i], found[0].Passage)
			}
		}
	}
}
