package wording

import (
	"testing"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestEveryExample checks that each rule about wording finds something in all its bad examples and
// nothing in its good ones, whatever the severity.
func TestEveryExample(t *testing.T) {
	for _, a := range attacks() {
		for _, text := range a.Bad {
			if len(a.candidates(Of(&rules.Change{Draft: rulestest.OfText(text).Draft}))) == 0 {
				t.Errorf("%s finds nothing in %q", a.ID, text)
			}
		}
		for _, text := range a.Good {
			if found := a.candidates(Of(&rules.Change{Draft: rulestest.OfText(text).Draft})); len(found) > 0 {
				t.Errorf("%s finds %q in %q", a.ID, found[0].Passage, text)
			}
		}
	}
}

// TestNamesAreKnown checks that the conditions and checks that blocks name exist.
func TestNamesAreKnown(t *testing.T) {
	for _, a := range attacks() {
		for _, name := range a.Extra {
			if extraChecks[name] == nil {
				t.Errorf("%s: unknown check %q", a.ID, name)
			}
		}
		for _, e := range a.Except {
			for _, c := range e {
				if takes := c.Name == "about" || c.Name == "within" || c.Name == "sentence"; conditions[c.Name] == nil || takes != (c.Concepts != "") {
					t.Errorf("%s: unknown condition %q of %q", a.ID, c.Name, c.Concepts)
				}
			}
		}
	}
}
