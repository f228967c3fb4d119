package shipped_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// TestShippedSums keeps data/shipped.sums up to date and compares all hashes with
// the definitions.
func TestShippedSums(t *testing.T) {
	const file = "data/shipped.sums"
	var want strings.Builder
	all := slices.Concat(shipped.Assistant(), shipped.Lists(), shipped.Agents())
	for _, d := range all {
		want.WriteString(subjectOf(d).String() + " " + d.Hash() + "\n")
	}
	generated.Check(t, file, []byte(want.String()))
	all = append(all, shipped.Core()...)
	hashes := shipped.Hashes()
	for _, d := range all {
		if hashes[subjectOf(d)] != d.Hash() {
			t.Errorf("%s has the hash %s in the sums; want %s", subjectOf(d), hashes[subjectOf(d)], d.Hash())
		}
	}
	if len(hashes) != len(all) {
		t.Errorf("%d hashes for %d definitions", len(hashes), len(all))
	}
}

func subjectOf(d registry.Definition) registry.Subject {
	return registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}
}
