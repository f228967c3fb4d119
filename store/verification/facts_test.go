package verification

import (
	"encoding/json"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// TestWaitingDraftsAreNotKept checks that facts of waiting drafts are not cached, and that facts of a live definition
// are cached until its second copy is read.
func TestWaitingDraftsAreNotKept(t *testing.T) {
	facts := &derivedFacts{byText: map[definitionKey]fact{}}
	definition := []byte(`{"name":"Pace a scene","description":"Paces a scene."}`)
	draft, err := json.Marshal(map[string]any{"type": proposals.New, "subject": "tool:user/scene_pacer", "definition": json.RawMessage(definition)})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		live bool
		kept int
	}{{false, 0}, {true, 1}} {
		if _, f, err := facts.outlineOf(draft, step.live); err != nil || f.name != "Pace a scene" || len(facts.byText) != step.kept {
			t.Errorf("live %v: got %+v, %v, and %d facts; want %d", step.live, f, err, len(facts.byText), step.kept)
		}
	}
	if f := facts.of(registry.KindTool, definition, true); f.name != "Pace a scene" || len(facts.byText) != 0 {
		t.Errorf("after the second copy: got %+v and %d facts", f, len(facts.byText))
	}
}
