package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/intake"
)

// TestAssignMany adds a thousand tools to a list. The rationale must not exceed its limit, and the definition must
// contain all tools (P7).
func TestAssignMany(t *testing.T) {
	holder := registry.Live{
		Subject: registry.Subject{Kind: registry.KindList, Layer: registry.LayerUser, ID: "clerks"}, Version: 1,
		Definition: registry.Definition{List: &registry.List{ID: "clerks", Tools: []string{"tool_000"}}},
	}
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("tool_%03d", i)
	}
	draft, ok := intake.Assign(holder, ids)
	if !ok || len(draft.Definition.List.Tools) != len(ids) {
		t.Fatalf("%v: %d tools", ok, len(draft.Definition.List.Tools))
	}
	if problems := draft.Problems(); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if r := draft.Rationale; len(r) > proposals.MaxRationale || !strings.Contains(r, "tool_001, tool_002") || !strings.Contains(r, "and 979 more") {
		t.Errorf("rationale of %d bytes: %s", len(r), r)
	}
}
