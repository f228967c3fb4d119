package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

// lengths of honest text, in bytes, that our own attacks are put into; 0 is the
// attack alone.
var lengths = []int{0, 1 << 10, 10 << 10, 30 << 10, 100 << 10, 1 << 20}

// tried is how many attacks are put into text of each length.
const tried = 200

// longTexts prints how many of our own attacks that are found alone in a prompt are
// found as a paragraph among those of our documentation too. Only a finding that
// covers the attack counts.
func longTexts(ctx context.Context, set ruleset.Set, own []ownSample, tableOf func(*sample) *wording.Learned, out io.Writer) error {
	honest, err := documentation(repository())
	if err != nil {
		return err
	}
	var attacks []*ownSample
	for i := range own {
		if o := &own[i]; o.prompt && o.telling && o.attack {
			found, err := foundIn(ctx, set, o, tableOf, nil)
			if err != nil {
				return err
			}
			if found {
				attacks = append(attacks, o)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(attacks), func(i, j int) { attacks[i], attacks[j] = attacks[j], attacks[i] })
	attacks = attacks[:min(tried, len(attacks))]
	fmt.Fprintf(out, "\n%-36s %6s\n", "own attacks in honest text of", "found")
	for _, length := range lengths {
		n := 0
		for _, o := range attacks {
			found, err := foundIn(ctx, set, o, tableOf, filler(rng, honest, length))
			if err != nil {
				return err
			}
			if found {
				n++
			}
		}
		fmt.Fprintf(out, "%32d KB %5.1f%% of %d found alone\n", length>>10, percent(n, len(attacks)), len(attacks))
	}
	return nil
}

// documentation returns the paragraphs of docs, but for those about rules, which quote
// attacks.
func documentation(repo string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(repo, "docs", "*.md"))
	var list []string
	for _, path := range files {
		if name := filepath.Base(path); name == "rules.md" || strings.HasPrefix(name, "detection") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, strings.Split(strings.TrimSpace(string(text)), "\n\n")...)
	}
	return list, err
}

// filler draws paragraphs until they have size bytes.
func filler(rng *rand.Rand, paragraphs []string, size int) []string {
	var list []string
	for n := 0; len(paragraphs) > 0 && n < size; n += len(list[len(list)-1]) {
		list = append(list, paragraphs[rng.IntN(len(paragraphs))])
	}
	return list
}

// foundIn reports whether the rules warn of o in the middle of paragraphs.
func foundIn(ctx context.Context, set ruleset.Set, o *ownSample, tableOf func(*sample) *wording.Learned, paragraphs []string) (bool, error) {
	half := len(paragraphs) / 2
	before := strings.Join(slices.Concat(paragraphs[:half], []string{""}), "\n\n")
	first := 1 + strings.Count(before, "\n")
	last := first + strings.Count(o.said, "\n")
	s := o.sample
	s.draft = promptDraft(before + strings.Join(slices.Concat([]string{o.said}, paragraphs[half:]), "\n\n"))
	var r result
	if err := judge(ctx, set, &s, tableOf(&o.sample), &r); err != nil {
		return false, err
	}
	return slices.ContainsFunc(r.found, func(f rules.Finding) bool {
		return f.Line <= last && first <= f.EndLine && f.Severity.Rank() >= rules.Warn.Rank()
	}), nil
}
