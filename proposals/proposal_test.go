package proposals

import (
	"testing"

	"toolcrib/registry"
)

// TestShortID checks that a prefix never consists of digits only, which would be a
// number (C44).
func TestShortID(t *testing.T) {
	for _, tt := range []struct {
		id    string
		least int
		want  string
	}{
		{"01a212e9-6bd0-79fc-bc7f-b70e62db18b1", 0, "01a212e9"},
		{"01a212e9-6bd0-79fc-bc7f-b70e62db18b1", 11, "01a212e9-6b"},
		{"01990000-0000-7000-8000-00000000ffff", 0, "01990000-"},
		{"0199", 0, "0199"},
	} {
		if got := ShortID(tt.id, tt.least); got != tt.want {
			t.Errorf("ShortID(%s, %d) = %s; want %s", tt.id, tt.least, got, tt.want)
		}
	}
}

// TestIssueTitle checks titles with the kind of the subject, and without one for a
// damaged draft.
func TestIssueTitle(t *testing.T) {
	scene := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer"}
	for want, s := range map[string]registry.Subject{"[Tool Proposal] Pacer": scene, "[ Proposal] Pacer": {}} {
		if got := IssueTitle(s, "Pacer"); got != want {
			t.Errorf("%+v has the title %q; want %q", s, got, want)
		}
	}
}
