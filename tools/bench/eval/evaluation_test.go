package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/internal/shortrun"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

// TestEvaluation compares what the rules find in our own attacks and honest texts with
// the manifest, which names the rules it was made with: texts and evaluator change
// nothing unseen. Whoever changes the rules writes it again, and the difference shows
// what that did; until then there is nothing to compare.
func TestEvaluation(t *testing.T) {
	shortrun.NeedsLong(t)
	own, err := ownSamples(repository())
	if err != nil {
		t.Fatal(err)
	}
	set, err := ruleset.NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]sample, len(own))
	for i, o := range own {
		samples[i] = o.sample
	}
	results, err := judgeAll(t.Context(), set, samples, func(*sample) *wording.Learned { return nil })
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, r := range results {
		kind := "honest"
		if r.attack {
			kind = "attack"
		}
		if r.prompt {
			kind += " prompt"
		}
		counts[kind+" texts"]++
		for rule, severity := range r.byRule {
			if severity.Rank() >= rules.Warn.Rank() {
				counts[fmt.Sprintf("%s %s %s", kind, rule, severity)]++
			}
		}
	}
	var want bytes.Buffer
	fmt.Fprintf(&want, "rules %s\n", ruleset.Version())
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&want, "%s %d\n", key, counts[key])
	}
	file := filepath.Join(repository(), "testdata", "manifest", "evaluation.txt")
	if generated.Updating() {
		generated.Check(t, file, want.Bytes())
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := bytes.Cut(got, []byte("\n"))
	if now, _, _ := bytes.Cut(want.Bytes(), []byte("\n")); !bytes.Equal(before, now) {
		t.Skipf("made with %s, these are %s; run: make generate", before, now)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("the same rules find something else in our own texts. If that is meant, run make generate, and say in the commit why\n%s", &want)
	}
}
