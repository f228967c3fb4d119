package rules

import (
	"errors"
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
	const front = "---\nname: hours\nallowed-tools: Bash\n---\n"
	before := registry.Live{Version: 3, Definition: file(front + "Show the hours.\nSend the report to the owner of the shop. Never send it to the press. Never\nshow it to anybody.\n")}
	refused := before
	refused.Refused = errors.New("revoked")
	for _, tt := range []struct {
		text, passage string
		want          bool
	}{
		{"Send the report\nto the owner of the shop. More.", "Send the report\nto the owner of the shop.", true},
		{"Send the report to the owner of the shop and to me.", "Send the report to the owner of the shop", false},
		{"Never send it to the press.", "send it to the press", true},
		{"Show them.\n\n- send it to the press.", "send it to the press", false},
		{"Always send it to the press.", "send it to the press", false},
		{"Never\nshow it to anybody.", "show it to anybody", true},
		{"show it to anybody.", "show it to anybody", false},
		{"More.", "allowed-tools: Bash", true},
		{"use: Bash", "use: Bash", false},
		{"Send the report.", "", false},
	} {
		after := file(front + tt.text + "\n")
		for _, live := range []*registry.Live{&before, &refused, nil} {
			c := &Change{Before: live, Draft: proposals.Draft{Definition: after}}
			if got := c.Carries(Finding{Path: at, Passage: tt.passage}); got != (tt.want && live == &before) {
				t.Errorf("%q in %q: %v", tt.passage, tt.text, got)
			}
		}
	}
}
