package queue

import (
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/theme"
)

// TestNamesOfASetAlike leaves out the kind and the layer of all members where one of them
// has no room for it.
func TestNamesOfASetAlike(t *testing.T) {
	ps := []proposals.Proposal{
		{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "move_file"}},
		{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "list_allowed_directories"}},
	}
	for width, want := range map[int][]string{
		34: {"tool:user/move_file", "tool:user/list_allowed_directories"}, 33: {"user/move_file", "user/list_allowed_directories"}, 28: {"move_file", "list_allowed_directories"},
	} {
		for i, l := range namesOf(theme.Theme{}, ps, width) {
			if got := strings.TrimSpace(l.String(60)); got != want[i] {
				t.Errorf("%d cells: %q", width, got)
			}
		}
	}
}
