package ruleset

import (
	"context"
	"strings"
	"testing"

	"toolcrib/internal/failpoint"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestPanicBlocks checks that a panic in a rule or in a reader of facts blocks the text with an
// explanation.
func TestPanicBlocks(t *testing.T) {
	set, err := NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	for point, want := range map[string]string{"rule S104": "could not check this text because of a fault in rule S104", "facts of prompt": "could not read this text because of a fault in toolcrib"} {
		disarm := failpoint.ArmPanic(point)
		c := rulestest.PromptChange("Names the slowest passage.")
		c.World = rules.Memory(nil)
		found, err := set.Check(context.Background(), c)
		disarm()
		if err != nil {
			t.Fatal(err)
		}
		blocks := 0
		for _, f := range found {
			if f.Severity == rules.Block && strings.Contains(f.Message, want) {
				blocks++
			}
		}
		if blocks != 1 {
			t.Errorf("%s: %d findings that block among %v", point, blocks, found)
		}
	}
}
