package prompt

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

// world generates random agents and catalogs.
type world struct{ *rand.Rand }

func (w world) pick(texts ...string) string { return texts[w.IntN(len(texts))] }

// tool returns a random tool with the given id.
func (w world) tool(id string) Tool {
	t := &registry.Tool{
		ID: id, Kind: registry.PromptTool, Name: w.pick("", "Alpha", "beta", "Gamma", "gamma") + w.pick("", " "+id),
		Prompt: w.pick("", "Read "+id+".\n\n\n\nTwice.", "# "+id, fmt.Sprint("Number ", w.IntN(3))), UsageNotes: w.pick("", "When "+id+" is asked for.\n"),
		Guidance: map[string]string{w.pick(Web, Telegram, Heartbeat, "email"): w.pick("", "Note of "+id, "two\nlines")},
	}
	if w.IntN(2) == 0 {
		t.Kind, t.Category = registry.ActionTool, w.pick("", "other", "tasks", "own")
		t.ShortDescription = w.pick("", "Does "+id+".", "Does it.")
		t.InputSchema = []byte(w.pick(`{}`, `{"type":"object"}`)) // not part of prompts
	}
	if w.IntN(4) == 0 {
		t.Tag = &registry.Tag{Prefix: strings.ToUpper(id), ArgPattern: w.pick("", "(.+)", "(a) to (b)")}
	}
	return Tool{t, w.IntN(8) == 0}
}

// touched returns a tool with one change, which may only move it.
func (w world) touched(t Tool) Tool {
	copied := *t.Tool
	switch w.IntN(4) {
	case 0:
		t.Locked = !t.Locked
	case 1:
		copied.Name = w.pick("Aleph", "Zeta")
	case 2:
		copied.Category = w.pick("web", "tasks")
	case 3:
		copied.InputSchema = []byte(`{"type":"array"}`)
	}
	t.Tool = &copied
	return t
}

// template returns a template with sections in random order and nesting. Some
// consist only of a placeholder, and some placeholders occur twice.
func (w world) template() string {
	if w.IntN(4) == 0 {
		return ""
	}
	var b strings.Builder
	for range 1 + w.IntN(8) {
		b.WriteString(w.pick("", "# Part\n", "## Below\n", "text\n\n\n\n", "## $tool_guidance\n"))
		b.WriteString(w.pick("$", "$$", "") + w.pick(append(Placeholders(), "unknown")...) + w.pick("\n", "\n\n\n", " and "))
	}
	return b.String()
}

func (w world) agent() registry.Agent {
	return registry.Agent{
		Name: w.pick("Ann", "Bob"), Soul: w.pick("", "Calm.", "Quick.\n"), PromptTemplate: w.template(), OperatingModel: w.pick("", "Ask first."),
		ChannelGuidance: map[string]string{w.pick(Web, "email"): "Be brief."},
	}
}

// input returns a random input with some of the tools one to nine.
func (w world) input() *Input {
	in := &Input{Agent: w.agent(), Context: Reference(), More: w.IntN(3) == 0}
	for i := range 9 {
		if w.IntN(2) == 0 {
			id := fmt.Sprintf("tool_%d", i)
			if i == 8 {
				id = updateInstructions
			}
			in.Tools = append(in.Tools, w.tool(id))
		}
	}
	in.Tools = inCatalogOrder(in.Tools)
	return in
}

func inCatalogOrder(tools []Tool) []Tool {
	slices.SortFunc(tools, func(a, b Tool) int {
		switch {
		case a.Locked == b.Locked:
			return strings.Compare(a.ID, b.ID)
		case a.Locked:
			return -1
		}
		return 1
	})
	return tools
}

// edit is a change of one subject: of a tool, or of the agent.
type edit func(*Input)

// edits returns two changes of different subjects.
func (w world) edits(in *Input) (edit, edit) {
	ids := w.Perm(9)
	if w.IntN(3) == 0 {
		return w.toolEdit(in, ids[0]), w.agentEdit(in)
	}
	return w.toolEdit(in, ids[0]), w.toolEdit(in, ids[1])
}

func (w world) toolEdit(in *Input, n int) edit {
	id := fmt.Sprintf("tool_%d", n)
	had := slices.ContainsFunc(in.Tools, func(t Tool) bool { return t.ID == id })
	after := w.tool(id)
	if i := slices.IndexFunc(in.Tools, func(t Tool) bool { return t.ID == id }); i >= 0 && w.IntN(2) == 0 {
		after = w.touched(in.Tools[i])
	}
	gone := had && w.IntN(3) == 0
	return func(in *Input) {
		in.Tools = slices.DeleteFunc(slices.Clone(in.Tools), func(t Tool) bool { return t.ID == id })
		if !gone {
			in.Tools = inCatalogOrder(append(in.Tools, after))
		}
	}
}

// agentEdit changes the agent but not the order of the placeholders for tools.
func (w world) agentEdit(in *Input) edit {
	next := in.Agent
	next.Soul = w.pick("", "Calm.", "Bold.")
	next.ChannelGuidance = map[string]string{Web: w.pick("", "Be kind.")}
	maps.Copy(next.ChannelGuidance, in.Agent.ChannelGuidance)
	if next.PromptTemplate != "" {
		next.PromptTemplate = w.pick("", "# New\n$soul\n") + next.PromptTemplate + w.pick("", "\nA last word.")
	}
	return func(in *Input) { in.Agent = next }
}

func with(in *Input, edits ...edit) *Input {
	out := *in
	for _, e := range edits {
		e(&out)
	}
	return &out
}

func seals(changes []Change) map[string]string {
	m := map[string]string{}
	for _, c := range changes {
		if s := c.Seal(); s != OwnTexts {
			m[c.Channel] = s
		}
	}
	return m
}

// TestCompareInAnyOrder makes two independent changes: each must be the same before
// and after the other (G7).
func TestCompareInAnyOrder(t *testing.T) {
	for seed := range uint64(3000) {
		w := world{rand.New(rand.NewPCG(seed, 7))}
		in := w.input()
		a, b := w.edits(in)
		for _, e := range [][2]edit{{a, b}, {b, a}} {
			first, second := e[0], e[1]
			alone := seals(Compare(in, with(in, second)))
			afterwards := seals(Compare(with(in, first), with(in, first, second)))
			if !maps.Equal(alone, afterwards) {
				t.Fatalf("seed %d: alone %v, after another change %v", seed, alone, afterwards)
			}
		}
	}
}

// TestCompareCoversAll checks comparisons against rendered prompts: without the
// passages of a comparison and toolcrib's own texts, both prompts must be equal. So
// a comparison covers every difference.
func TestCompareCoversAll(t *testing.T) {
	for seed := range uint64(3000) {
		w := world{rand.New(rand.NewPCG(seed, 8))}
		before := w.input()
		after := w.input()
		switch w.IntN(4) {
		case 0:
			a, b := w.edits(before)
			after = with(before, a, b)
		case 1:
			after.Agent = before.Agent
		case 2:
			after.Tools = before.Tools
		}
		changed := map[string]Change{}
		for _, c := range Compare(before, after) {
			changed[c.Channel] = c
		}
		for _, channel := range Channels(after.Agent) {
			if slices.Contains(Channels(before.Agent), channel) {
				sameRest(t, seed, before, after, changed[channel], channel)
			}
		}
	}
}

// sameRest fails if two prompts differ in more than the passages of a change.
func sameRest(t *testing.T, seed uint64, before, after *Input, c Change, channel string) {
	t.Helper()
	lost, gained := map[string]bool{}, map[string]bool{}
	for _, p := range c.Passages {
		if p.Added {
			gained[p.Hash] = true
		} else {
			lost[p.Hash] = true
		}
	}
	if lost[newSide(before).own(channel)[0]] { // covers all texts of the agent
		if !slices.Equal(newSide(before).places, newSide(after).places) {
			allCovered(t, seed, before, after, lost, gained)
			return
		}
		sameAgent := *after
		sameAgent.Agent = before.Agent
		after = &sameAgent
	}
	was, will := rest(before, channel, lost), rest(after, channel, gained)
	if was != will {
		t.Fatalf("seed %d, %s: more differs than %d passages:\n%s\n---\n%s", seed, channel, len(c.Passages), was, will)
	}
	if was != Render(*before, channel).Text && len(lost) == 0 && !strings.Contains(Render(*before, channel).Text, discovery) {
		t.Fatalf("seed %d, %s: the test removed other passages", seed, channel)
	}
}

// allCovered fails if a text of a tool occurs in only one of two prompts without
// being in a passage, for templates that move the texts of all tools.
func allCovered(t *testing.T, seed uint64, before, after *Input, lost, gained map[string]bool) {
	t.Helper()
	was, will := newSide(before).shared(before.Tools), newSide(after).shared(after.Tools)
	for _, h := range was {
		if !lost[h] && !slices.Contains(will, h) {
			t.Fatalf("seed %d: a removed text is not covered", seed)
		}
	}
	for _, h := range will {
		if !gained[h] && !slices.Contains(was, h) {
			t.Fatalf("seed %d: an added text is not covered", seed)
		}
	}
}

// rest renders a prompt without the tools of the named passages.
func rest(in *Input, channel string, named map[string]bool) string {
	s := newSide(in)
	out := *in
	out.More = false
	var tools []Tool
	for _, tool := range in.Tools {
		copied := *tool.Tool
		tool.Tool = &copied
		if slices.ContainsFunc(s.guidance([]Tool{tool}, channel), func(h string) bool { return named[h] }) {
			copied.Guidance = nil
		}
		if !slices.ContainsFunc(s.shared([]Tool{tool}), func(h string) bool { return named[h] }) {
			tools = append(tools, tool)
		}
	}
	out.Tools = tools
	return Render(out, channel).Text
}

// TestCompareNone compares with a missing agent.
func TestCompareNone(t *testing.T) {
	w := world{rand.New(rand.NewPCG(1, 9))}
	in := w.input()
	if got := Compare(nil, nil); got != nil {
		t.Errorf("nothing and nothing: %+v", got)
	}
	if got := Compare(in, with(in)); len(got) != 0 {
		t.Errorf("the same: %+v", got)
	}
	channels := Channels(in.Agent)
	came, went := Compare(nil, in), Compare(in, nil)
	if len(came) != len(channels) || len(went) != len(channels) {
		t.Fatalf("%d added and %d removed of %d", len(came), len(went), len(channels))
	}
	for i, channel := range channels {
		if came[i].Channel != channel || came[i].Gone || came[i].Seal() == "" || came[i].Seal() == OwnTexts {
			t.Errorf("added: %+v", came[i])
		}
		if went[i].Channel != channel || went[i].Seal() != "" {
			t.Errorf("removed: %+v", went[i])
		}
	}
}

// TestCompareDiscovery changes only whether there are further tools, and so
// toolcrib's own note.
func TestCompareDiscovery(t *testing.T) {
	agent, tools := sampleAgent()
	in := Input{Agent: agent, Tools: tools, Context: Reference()}
	more := in
	more.More = true
	changes := Compare(&in, &more)
	if len(changes) != len(Channels(agent)) || changes[0].Seal() != OwnTexts || OwnTexts != Hash("") {
		t.Errorf("%+v", changes)
	}
}

// TestCompareCut compares prompts that the limit cuts only after another change.
func TestCompareCut(t *testing.T) {
	long := func(id string, n int) Tool {
		return Tool{Tool: &registry.Tool{ID: id, Kind: registry.PromptTool, Prompt: strings.Repeat("x", n)}}
	}
	in := &Input{Agent: registry.Agent{PromptTemplate: strings.Repeat("$tool_catalog\n", 600)}, Tools: []Tool{long("a", 20_000)}, Context: Reference()}
	add := func(t Tool) edit { return func(in *Input) { in.Tools = append(slices.Clone(in.Tools), t) } }
	small, large := add(long("b", 100)), add(long("c", 20_000))
	if got := Compare(in, with(in, small)); got[0].Cut != "" {
		t.Errorf("a prompt that is not cut: %+v", got[0])
	}
	cut := Compare(in, with(in, large))[0].Cut
	if !strings.HasPrefix(cut, fmt.Sprintf("cut at %d of", len(in.Agent.PromptTemplate))) {
		t.Errorf("cut %q", cut)
	}
	if alone, then := seals(Compare(in, with(in, small))), seals(Compare(with(in, large), with(in, large, small))); maps.Equal(alone, then) {
		t.Error("another change that causes a cut does not change the seal")
	}
}

// TestMaxSizeIsUpperBound compares the upper bound of most with rendered prompts.
func TestMaxSizeIsUpperBound(t *testing.T) {
	for seed := range uint64(1000) {
		w := world{rand.New(rand.NewPCG(seed, 10))}
		in := w.input()
		r := NewRenderer(*in)
		for _, channel := range Channels(in.Agent) {
			if out := r.Render(channel); len(out.Text) > r.maxSize(0) {
				t.Fatalf("seed %d, %s: %d bytes, most is %d", seed, channel, len(out.Text), r.maxSize(0))
			}
		}
	}
}
