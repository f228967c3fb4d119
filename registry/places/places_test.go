package places

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/generated"
)

// TestPlacesAreDocumented compares the table in docs/instruction-files.md with the places.
func TestPlacesAreDocumented(t *testing.T) {
	const doc = "../../docs/instruction-files.md"
	const begin, end = "<!-- The table is written by make generate. -->\n\n", "\n<!-- The end of the table. -->\n"
	var b strings.Builder
	b.WriteString("| client | place | where | checked | source |\n|---|---|---|---|---|\n")
	for _, p := range slices.Concat(shared, inProjects, inPlugin, User.Places()[len(shared):]) {
		where := "home"
		switch {
		case slices.Contains(shared, p):
			where = "project, home"
		case slices.Contains(inProjects, p):
			where = "project"
		case slices.Contains(inPlugin, p):
			where = "plugin"
		}
		checked := "yes"
		switch {
		case p.Kind == unchecked:
			checked = "no, listed"
		case p.Source == claudeSettings:
			checked = "if it sets `env`, `hooks` or `disableAllHooks`"
		}
		if !strings.HasPrefix(p.Source, "https://") {
			t.Errorf("%s has the source %q", p.Pattern, p.Source)
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", p.Client, p.Pattern, where, checked, p.Source)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s lacks the lines around its table", doc)
	}
	generated.Check(t, doc, []byte(head+begin+b.String()+end+tail))
}
