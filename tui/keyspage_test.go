package tui

import (
	"strings"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/tui/screen"
)

// TestKeysPage compares docs/keys.md with the table of keys.
func TestKeysPage(t *testing.T) {
	generated.Check(t, "../docs/keys.md", []byte(keysPage()))
}

// keysPage returns the content of docs/keys.md.
func keysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the workbench\n\nThis page is a reference for users of the workbench. `make generate` writes it from the declarations of the keys.\n\n" +
		"`?` searches the keys of every page, and `:` finds a command by its name and runs it. Most keys have the same meaning on all\n" +
		"pages. The last line of the screen shows the most important keys of the current page. In the tables, \"again\" introduces the\n" +
		"effect of pressing the key a second time.\n\nTo change keys, use the names in the last column in your `toolcrib.toml`:\n\n" +
		"```toml\n[keys]\napprove = [\"ctrl+a\"] # replaces the default keys\ncalls = [\"P\", \"f5\"]\nscroll-down = [\"down\", \"ctrl+e\"] # on all pages that list this name\n```\n\n" +
		"Write keys as in the first column, for example `ctrl+n` or `shift+tab`; `page down` is `pgdown`. When the workbench\nstarts, it reports unknown names.\n\n" +
		"`ctrl+t` switches between the themes: dark, light, and high contrast. The setting `theme` selects the initial theme.\n" +
		"For each database, the workbench remembers the page, tab, row, filter, order, and unsent drafts. It remembers the theme for\n" +
		"each user.\n")
	for _, t := range places() {
		b.WriteString("\n## " + t.Name + "\n\n| key | does | name |\n|---|---|---|\n")
		for _, k := range t.Keys {
			names := make([]string, len(k.Keys))
			for j, n := range k.Keys {
				names[j] = "`" + screen.KeyName(n) + "`"
			}
			b.WriteString("| " + strings.Join(names, " ") + " | " + k.Help + " | " + k.Name + " |\n")
		}
	}
	return b.String()
}
