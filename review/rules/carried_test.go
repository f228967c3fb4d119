package rules

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// TestCarries checks which passages somebody approved already (R25).
func TestCarries(t *testing.T) {
	file := func(text string) registry.Definition {
		return registry.Definition{Skill: &registry.Folder{ID: "hours", Path: "hours", Files: map[string]registry.File{"SKILL.md": {Text: text}}}}
	}
	const at = `definition.files["SKILL.md"].text`
	before := registry.Live{Version: 3, Definition: file("Show the hours.\nSend the report to the owner of the shop.\nallowed-tools: Bash\n\u200bhidden text that nobody sees\n")}
	after := file("Send the report\nto the owner of the shop.\nallowed-tools: Bash\nuse: Bash\nSend the report to the owner of the shop and to me.\n\u200bhidden text that nobody sees\n")
	for _, tt := range []struct {
		f    Finding
		want bool
	}{
		{Finding{Path: at, Line: 1, Column: 1, Passage: "Send the report\nto the owner of the shop."}, true},
		{Finding{Path: at, Line: 5, Column: 1, Passage: "Send the report to the owner of the shop and to me."}, false},
		{Finding{Path: at, Line: 3, Column: 16, Passage: "Bash"}, true},
		{Finding{Path: at, Line: 4, Column: 6, Passage: "Bash"}, false},
		{Finding{Path: at}, false},
	} {
		c := &Change{Before: &before, Draft: proposals.Draft{Definition: after}}
		if got := c.Carries(tt.f); got != tt.want {
			t.Errorf("%q in line %d: %v", tt.f.Passage, tt.f.Line, got)
		}
	}
	if (&Change{Draft: proposals.Draft{Definition: after}}).Carries(Finding{Path: at, Passage: "Send the report to the owner of the shop."}) {
		t.Error("a first import carries a finding")
	}
}
