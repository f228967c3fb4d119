package impact

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// heap is an in-memory registry.
type heap struct{ rules.Memory }

func (h heap) Live(_ context.Context, s registry.Subject) (registry.Live, error) {
	for _, l := range h.Memory {
		if l.Subject == s {
			return l, nil
		}
	}
	return registry.Live{}, fmt.Errorf("%s: %w", s, proposals.ErrNotFound)
}

func (h heap) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) (heads []registry.Live, size int, err error) {
	heads, err = h.OfKind(ctx, kind, view, most)
	for i, l := range heads {
		size += len(l.Definition.Canonical())
		head := &registry.Tool{ID: l.Subject.ID, Kind: l.Definition.Tool.Kind, Status: l.Definition.Tool.Status}
		heads[i] = registry.Live{Subject: l.Subject, Locked: l.Locked, Definition: registry.Definition{Tool: head}}
	}
	return heads, size, err
}

// liveTool returns a live prompt tool in the user's layer with a different text in every version.
func liveTool(n, version int) registry.Live {
	id := fmt.Sprintf("tool_%03d", n)
	d := registry.Definition{Tool: &registry.Tool{ID: id, Kind: registry.PromptTool, Name: "Tool " + id, Prompt: fmt.Sprintf("Do %s in way %d.", id, version)}}
	return registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id}, Version: version, ContentHash: d.Hash(), Definition: d}
}

// manyTools returns a random number of live prompt tools, and changes to some of them.
func manyTools(random *rand.Rand) (size int, changed map[registry.Subject]registry.Live) {
	size, changed = prompt.MaxOfKind-2+random.IntN(120), map[registry.Subject]registry.Live{}
	for range 1 + random.IntN(1+random.IntN(70)) {
		at := random.IntN(2*size + 10)
		if random.IntN(2) == 0 {
			at = 2*prompt.MaxOfKind - 6 + random.IntN(12) // near the last one that a prompt lists
		}
		l := liveTool(at, 2)
		switch random.IntN(5) {
		case 0:
			l.Definition = l.Definition.WithStatus(registry.Deactivated)
		case 1:
			l.Definition.Tool.Kind = registry.ActionTool
		case 2:
			l.Subject.Layer = registry.LayerGlobal // overridden by the user's tool of the same name, if there is one
		}
		changed[l.Subject] = l
	}
	return size, changed
}

// tooMany returns changes that remove so many tools that some of those that replace them are not in
// the ranking, and come before added ones.
func tooMany() (size int, changed map[registry.Subject]registry.Live) {
	changed = map[registry.Subject]registry.Live{}
	for i := range 100 {
		gone, come := liveTool(2*i, 2), liveTool(800+i, 1)
		gone.Definition = gone.Definition.WithStatus(registry.Deactivated)
		changed[gone.Subject], changed[come.Subject] = gone, come
	}
	return 300, changed
}

// TestComparingMovedToolsIsComplete checks that comparing only the tools that move gives the same changes to
// prompts as comparing all tools, for an agent that has more tools of a kind than a prompt lists.
func TestComparingMovedToolsIsComplete(t *testing.T) {
	for seed := range uint64(60) {
		size, changed := tooMany()
		if seed > 0 {
			size, changed = manyTools(rand.New(rand.NewPCG(seed, 1)))
		}
		whole, few := compareBoth(t, size, changed)
		switch {
		case few != nil && !maps.Equal(few, whole):
			t.Errorf("seed %d, %d tools, %d changes: %v of the few, %v of all", seed, size, len(changed), few, whole)
		case few == nil && size > prompt.MaxOfKind+len(changed):
			t.Errorf("seed %d: %d tools and %d changes need all tools", seed, size, len(changed))
		}
	}
}

// compareBoth returns the changes to the prompts of an agent with all prompt tools, computed from
// all tools and from the tools that move. The latter is nil if all tools are needed.
func compareBoth(t *testing.T, size int, changed map[registry.Subject]registry.Live) (whole, few map[string]string) {
	t.Helper()
	agent := registry.Agent{ID: "reader", Name: "Reader", AllowList: &registry.AllowList{Kinds: registry.Kinds{registry.PromptTool}}}
	key := promptKey{registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: agent.ID}, registry.LayerUser}
	lives := rules.Memory{{Subject: key.agent, Version: 1, Definition: registry.Definition{Agent: &agent}}}
	for i := range size {
		lives = append(lives, liveTool(2*i, 1))
	}
	then := NewSnapshot(heap{lives}).With(changed)
	was, err := then.now.reference(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	will, err := then.reference(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	fewWere, fewWill, narrowed, err := then.narrowed(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if narrowed {
		few = seals(prompt.Compare(fewWere, fewWill))
	}
	return seals(prompt.Compare(was, will)), few
}

func seals(changes []prompt.Change) map[string]string {
	m := map[string]string{}
	for _, c := range changes {
		m[c.Channel] = c.Seal()
	}
	return m
}

// counted counts the tools that are read through it.
type counted struct {
	heap
	whole *int // number of reads of all tools of a kind
}

func (c counted) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error) {
	if most == 0 {
		*c.whole++
	}
	return c.heap.OfKind(ctx, kind, view, most)
}

// TestToolless checks that toolless reads the first tools of a kind, and all of them only if none
// of the first remain (P2).
func TestToolless(t *testing.T) {
	agent := registry.Agent{ID: "reader", Name: "Reader", AllowList: &registry.AllowList{Kinds: registry.Kinds{registry.PromptTool}}}
	reader := registry.Live{Subject: registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: agent.ID}, Version: 1, Definition: registry.Definition{Agent: &agent}}
	for _, c := range []struct {
		elsewhere, size, whole int
		toolless               bool
	}{
		{elsewhere: 0, size: 300, whole: 0},
		{elsewhere: 250, size: 300, whole: 1},
		{elsewhere: 300, size: 300, whole: 1, toolless: true},
	} {
		lives := rules.Memory{reader}
		for i := range c.size {
			l := liveTool(i, 1)
			if i < c.elsewhere {
				l.Definition.Tool.Availability = &registry.Availability{NonLocalOnly: true}
			}
			lives = append(lives, l)
		}
		whole := 0
		now := newOverlay(counted{heap{lives}, &whole})
		reason, err := now.whyNoTools(t.Context(), reader.Subject, registry.LayerUser, []registry.Live{reader}, ReferenceContext())
		if err != nil || (reason != nil) != c.toolless || whole != c.whole {
			t.Errorf("%d of %d elsewhere: toolless %v, %v; all were read %d times", c.elsewhere, c.size, reason, err, whole)
		}
	}
}
