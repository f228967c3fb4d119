package ruleset

import (
	"strings"
	"testing"

	"toolcrib/review/rules/rulestest"
)

// TestExamples runs every rule on the examples in its documentation.
func TestExamples(t *testing.T) {
	for _, r := range everyRule() {
		t.Run(r.ID+" "+r.Name, func(t *testing.T) {
			if r.Doc == "" || r.Bad == "" || r.Good == "" {
				t.Error("it lacks a doc or an example")
			}
			if !r.Locked && r.Family() == "L" || r.Waivable && strings.Contains("TLD", r.Family()) {
				t.Error("rules of structure are not up to anybody")
			}
			if found := rulestest.Check(t, r.Rule, r.bad); len(found) == 0 {
				t.Errorf("it finds nothing in its bad example: %s", r.Bad)
			}
			if found := rulestest.Check(t, r.Rule, r.good); len(found) > 0 {
				t.Errorf("it finds something in its good example, %s: %+v", r.Good, found)
			}
		})
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range everyRule() {
		if seen[r.ID] || seen[r.Name] {
			t.Errorf("%s (%s) stands twice", r.ID, r.Name)
		}
		seen[r.ID], seen[r.Name] = true, true
	}
}
