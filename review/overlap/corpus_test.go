package overlap

import (
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

func coreCorpus() *Corpus {
	var core, others []registry.Tool
	for _, d := range shipped.Core() {
		core = append(core, *d.Tool)
	}
	for _, d := range shipped.Assistant() {
		others = append(others, *d.Tool)
	}
	return NewCorpus(WordsOf(core, others))
}

// TestParaphrasedPurposeIsFound checks that nine in ten tools with the purpose of a core tool in other words
// are found, and no tool with another purpose. The threshold is that of rule O101.
func TestParaphrasedPurposeIsFound(t *testing.T) {
	const bound = 0.215
	g := coreCorpus()
	found, all := 0, 0
	like := func(core string, tool registry.Tool) {
		all++
		switch near := g.Compare(tool)[0]; {
		case near.Purpose < bound:
			t.Logf("missed: %s, %.3f near %s", tool.ID, near.Purpose, near.ID)
		case near.ID != core:
			t.Errorf("%s is nearest to %s, want %s", tool.ID, near.ID, core)
		default:
			found++
		}
	}
	for _, tt := range sameAsCore {
		like(tt.core, tt.tool)
	}
	for _, tt := range saidLikeCore {
		like(tt.core, tt.tool)
	}
	if found*10 < all*9 {
		t.Errorf("%d of %d found", found, all)
	}
	for _, tool := range append(append([]registry.Tool{}, unlikeCore...), saidUnlikeCore...) {
		if near := g.Compare(tool)[0]; near.Purpose >= bound {
			t.Errorf("%s passes for %s: %.3f", tool.ID, near.ID, near.Purpose)
		}
	}
}

// TestKinCopied checks that copies are found, even if they are partial or surrounded by other text.
func TestKinCopied(t *testing.T) {
	g := coreCorpus()
	tool := core(t, "canon_checker")
	of := func(text string) Comparison {
		for _, k := range g.Compare(registry.Tool{ID: "x", Prompt: text}) {
			if k.ID == tool.ID {
				return k
			}
		}
		t.Fatal("it was not compared")
		return Comparison{}
	}
	part := of("Something of my own stands before it, some words long. " + tool.Prompt[:1_000])
	if part.Text.Contained < 0.8 || part.Shingles < 100 {
		t.Errorf("a part: %+v", part)
	}
	around := of(strings.Repeat("Many other words that nobody else has are said here for "+strings.Repeat("quite ", 3)+"long. ", 5) + tool.Prompt + strings.Join(strings.Split(tool.Goals, " "), "  "))
	if around.Covered < 0.5 {
		t.Errorf("with more around it: %+v", around.Covered)
	}
	if own := of("Name what drags."); own.Text.Contained > 0 || own.Covered > 0 {
		t.Errorf("something else: %+v", own)
	}
	if got := g.Compare(registry.Tool{}); len(got) != 16 || got[0].Purpose != 0 {
		t.Errorf("an empty tool: %+v", got[0])
	}
}

func BenchmarkKin(b *testing.B) {
	g := coreCorpus()
	tool := *shipped.Core()[3].Tool
	for b.Loop() {
		g.Compare(tool)
	}
}

func BenchmarkNewCorpus(b *testing.B) {
	shipped.Core()
	shipped.Assistant()
	for b.Loop() {
		coreCorpus()
	}
}
