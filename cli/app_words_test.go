package cli

import (
	"regexp"
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
)

// TestForeignWordHints checks that the hint for each foreign word contains existing commands and flags, and
// that the word itself is not a command.
func TestForeignWordHints(t *testing.T) {
	root := newRoot(&command.App{Printer: &output.Printer{}})
	commands := regexp.MustCompile(`toolcrib ((?:[a-z][a-z-]*\b)?)([^,;]*)`)
	for word, meant := range newcomers() {
		if c, _, err := root.Find([]string{word}); err == nil && c != root {
			t.Errorf("%s is a command", word)
		}
		for _, m := range commands.FindAllStringSubmatch(meant, -1) {
			if m[1] == "without" {
				continue
			}
			c, _, err := root.Find([]string{m[1]})
			if err != nil || c == root {
				t.Errorf("%s: there is no toolcrib %s", word, m[1])
				continue
			}
			for _, flag := range strings.Fields(m[2]) {
				if name, ok := strings.CutPrefix(flag, "--"); ok && c.Flag(name) == nil {
					t.Errorf("%s: toolcrib %s has no --%s", word, m[1], name)
				}
			}
		}
	}
}
