package tui

import (
	"flag"
	"os"
	"strings"
	"testing"

	"toolcrib/tui/theme"
)

// TestKeysPage checks docs/keys.md against the table of keys; -update writes
// it.
func TestKeysPage(t *testing.T) {
	const file = "../docs/keys.md"
	want := keysPage()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the keys are; go test ./tui -run TestKeysPage -update", file)
	}
}

// keysPage returns the text of docs/keys.md.
func keysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the workbench\n\nWritten by `go test ./tui -run TestKeysPage -update` from the tables in tui/keys*.go.\n\n" +
		"`?` searches the keys of every page, and `:` finds a command by its name and runs it. A key means the same on all pages; the\n" +
		"last line of the screen names those that matter where you are.\n\n" +
		"To rebind, write the names from the last column into your own `toolcrib.toml`, not into a project's:\n\n" +
		"```toml\n[keys]\napprove = [\"ctrl+a\"] # a list of keys replaces the default ones\ncalls = [\"P\", \"f5\"]\nscroll-down = [\"down\", \"ctrl+e\"] # on every page that has the name\n```\n\n" +
		"Keys are written as in the first column, for example `ctrl+n`, `shift+tab`, `page down` as `pgdown`. A name that does not\nexist is reported at the start.\n\n" +
		"`ctrl+t` goes through the themes: dark, light, high contrast, and your own colours. `theme` sets the first one, and your own\n" +
		"colours are over those of a `base`, dark or light, as `#rrggbb`: " + strings.Join(theme.Colours(), ", ") + ".\n" +
		"Colours that cannot be read on what is below them are refused.\n\n" +
		"```toml\ntheme = \"own\"\n[workbench.colors]\nbase = \"light\"\naccent = \"#8b0000\"\n```\n\n" +
		"Page, tab, row, filter, order and the theme that you chose are kept for each database, beside its unsent drafts.\n")
	for _, t := range tables() {
		b.WriteString("\n## " + t.place + "\n\n| key | does | name |\n|---|---|---|\n")
		for _, k := range t.keys {
			names := make([]string, len(k.Keys))
			for j, n := range k.Keys {
				names[j] = "`" + keyName(n) + "`"
			}
			b.WriteString("| " + strings.Join(names, " ") + " | " + k.Help + " | " + k.Name + " |\n")
		}
	}
	return b.String()
}
