package wording

import (
	"testing"

	"toolcrib/review/rules"
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

// TestNamesAreKnown checks the conditions and checks that blocks name.
func TestNamesAreKnown(t *testing.T) {
	for _, a := range attacks() {
		for i, check := range a.extra {
			if check == nil {
				t.Errorf("%s: unknown check %q", a.ID, a.Extra[i])
			}
		}
		for i, e := range a.except {
			for k, c := range e {
				if c.holds == nil {
					t.Errorf("%s: unknown condition %q", a.ID, a.Except[i][k].Name)
				}
			}
		}
	}
}
