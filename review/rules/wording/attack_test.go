package wording

import (
	"strings"
	"testing"
	"testing/fstest"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/rulestest"
)

// TestEveryExample runs each rule about wording against all its examples: any
// finding counts, whatever its evidence is worth.
func TestEveryExample(t *testing.T) {
	for _, a := range attacks() {
		for _, text := range a.Bad {
			if len(a.look(Of(&rules.Change{Draft: rulestest.OfText(text).Draft}))) == 0 {
				t.Errorf("%s finds nothing in %q", a.ID, text)
			}
		}
		for _, text := range a.Good {
			if found := a.look(Of(&rules.Change{Draft: rulestest.OfText(text).Draft})); len(found) > 0 {
				t.Errorf("%s finds %q in %q", a.ID, found[0].Passage, text)
			}
		}
	}
}

// TestUnknownNamesAreRefused breaks the names that a block gives.
func TestUnknownNamesAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		`except = ["prompt & nowhere"]`: `rules/a.toml:10: S999: unknown condition "nowhere"; there are computes-only, fenced, identifier, `,
		`except = ["nowhere user"]`:     `rules/a.toml:10: S999: unknown condition "nowhere"; there are about, sentence, within`,
		`extra = ["nothing"]`:           `rules/a.toml:10: S999: unknown check "nothing"; there are acting-besides, `,
	} {
		text := "[S999]\nname = \"a\"\nseverity = \"warn\"\nmessage = \"A\"\nsuggestion = \"A.\"\nimporter = \"A.\"\ndoc = \"A.\"\nbad = [\"a\"]\ngood = [\"b\"]\n" + line + "\nframes = \"user\"\n"
		blocks, err := rulebook.ReadRules(fstest.MapFS{"rules/a.toml": {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := attacksOf(blocks); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
