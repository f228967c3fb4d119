package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Change describes what other definitions do to the prompt of a channel: which texts
// of the agent and of its tools they add, remove, or move there, and whether the
// limit cuts it. It does not depend on the rest of the prompt, so that changes that
// do not touch each other are the same in whatever order they are made. toolcrib's
// own texts (the headings of the catalog, the note on tools to be discovered) follow
// from the others and belong to no change.
type Change struct {
	Channel  string
	Gone     bool // there is no such prompt afterwards
	Passages []Passage
	// Cut describes where PromptLimit ends the prompt before and afterwards, "" when
	// it does neither.
	Cut string
}

// Passage is a text that a prompt gains or loses. A text that moves is lost in one
// place and gained in another.
type Passage struct {
	Hash  string // SHA-256 over the text and its place
	Added bool
}

// OwnTexts is the seal of a change of toolcrib's own texts alone: Hash("").
const OwnTexts = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Seal returns the SHA-256 over a change, "" for a prompt that is gone.
func (c Change) Seal() string {
	if c.Gone {
		return ""
	}
	var b strings.Builder
	for _, p := range c.Passages {
		b.WriteString(p.Hash)
		b.WriteString(map[bool]string{true: "+\n", false: "-\n"}[p.Added])
	}
	b.WriteString(c.Cut)
	return Hash(b.String())
}

// Compare returns how the prompts of one input differ from those of another, in the
// order of Channels, those that are gone last. An input is nil where there is no
// agent. Prompts that do not change are left out.
func Compare(before, after *Input) []Change {
	c := comparison{was: newSide(before), will: newSide(after)}
	c.removed, c.added = c.was.tools, c.will.tools
	if slices.Equal(c.was.places, c.will.places) { // other tools' texts stay where they are
		c.removed, c.added = differing(c.was.tools, c.will.tools)
	}
	c.sameAgent = before != nil && after != nil && reflect.DeepEqual(before.Agent, after.Agent)
	c.catalog = exchange(c.was.shared(c.removed), c.will.shared(c.added))
	var changes []Change
	for _, channel := range c.will.channels {
		if change, changed := c.channel(channel); changed {
			changes = append(changes, change)
		}
	}
	for _, channel := range c.was.channels {
		if !slices.Contains(c.will.channels, channel) {
			changes = append(changes, Change{Channel: channel, Gone: true})
		}
	}
	return changes
}

// comparison compares the prompts of two inputs.
type comparison struct {
	was, will      side
	removed, added []Tool
	sameAgent      bool
	catalog        []Passage // that change in all channels
}

// channel returns what happens to the prompt of a channel, false for nothing.
func (c comparison) channel(channel string) (Change, bool) {
	change := Change{Channel: channel}
	if !slices.Contains(c.was.channels, channel) {
		change.Passages = exchange(nil, slices.Concat(c.will.own(channel), c.will.shared(c.will.tools), c.will.guidance(c.will.tools, channel)))
		change.Cut = cutBetween(side{}, c.will, channel)
		return change, true
	}
	change.Passages = c.catalog
	removed, added := c.was.guidance(c.removed, channel), c.will.guidance(c.added, channel)
	if !c.sameAgent {
		removed, added = append(removed, c.was.own(channel)...), append(added, c.will.own(channel)...)
	}
	if more := exchange(removed, added); len(more) > 0 {
		change.Passages = ordered(slices.Concat(c.catalog, more))
	}
	change.Cut = cutBetween(c.was, c.will, channel)
	return change, len(change.Passages) > 0 || c.was.more != c.will.more
}

// cutBetween describes where the limit ends the prompt of a channel before and
// afterwards.
func cutBetween(was, will side, channel string) string {
	before, whole := was.end(channel)
	after, wholeAfter := will.end(channel)
	if whole && wholeAfter {
		return ""
	}
	return fmt.Sprintf("cut at %d of %d, then at %d of %d", before, len(was.template), after, len(will.template))
}

// side is one of two inputs that are compared; the zero side has no prompts.
type side struct {
	*Renderer
	template string
	tools    []Tool
	channels []string
	places   []string // the placeholders of its template whose value depends on the tools
	more     bool     // its prompts have the note on tools to be discovered
}

func newSide(in *Input) side {
	if in == nil {
		return side{}
	}
	r := NewRenderer(*in)
	s := side{Renderer: r, template: r.template, tools: in.Tools, channels: Channels(in.Agent)}
	for _, u := range Uses(r.template) {
		if dependsOnTools(u.Name) {
			s.places = append(s.places, u.Name)
		}
	}
	s.more = in.More && slices.Contains(s.places, ToolCatalog)
	return s
}

// dependsOnTools reports whether the value of a placeholder depends on the tools.
func dependsOnTools(placeholder string) bool {
	return placeholder == ToolCatalog || placeholder == ToolGuidance || placeholder == UserInstructions
}

// own returns the passage of the agent's own texts in a channel.
func (s side) own(channel string) []string {
	values := s.agentValues(channel)
	fields := []string{"agent", s.template}
	for _, u := range Uses(s.template) {
		if value, ok := values[u.Name]; ok && !dependsOnTools(u.Name) {
			fields = append(fields, u.Name, value)
		}
	}
	return []string{hashFields(fields...)}
}

// shared returns the passages that tools have in every channel.
func (s side) shared(tools []Tool) []string {
	var passages []string
	if slices.Contains(s.places, ToolCatalog) {
		for _, t := range tools {
			passages = append(passages, t.listing())
		}
	}
	if slices.Contains(s.places, UserInstructions) && slices.ContainsFunc(tools, changesInstructions) {
		passages = append(passages, hashFields(UserInstructions, changedByTool))
	}
	return passages
}

// listing returns the passage of a tool in the catalog block.
func (t Tool) listing() string {
	part, category := t.part()
	w := &block{}
	w.tools([]Tool{t})
	return hashFields(ToolCatalog, strconv.Itoa(int(part)), category, strconv.FormatBool(t.Locked), t.sortName(), t.ID, w.String())
}

// guidance returns the passages of tools' notes on a channel.
func (s side) guidance(tools []Tool, channel string) []string {
	var passages []string
	if slices.Contains(s.places, ToolGuidance) {
		for _, t := range tools {
			if text := strings.TrimSpace(t.Guidance[channel]); text != "" {
				passages = append(passages, hashFields(ToolGuidance, strconv.FormatBool(t.Locked), t.ID, text))
			}
		}
	}
	return passages
}

// end returns how many bytes of the template the limit leaves of a channel's prompt,
// and whether that is all of it.
func (s side) end(channel string) (n int, whole bool) {
	if s.Renderer == nil || s.most(0) <= PromptLimit {
		return len(s.template), true
	}
	fitting, _ := fit(s.template, s.valuesOf(channel))
	return len(fitting), len(fitting) == len(s.template)
}

// differing returns the tools that only one of two lists has. Lists of the same
// tools have them in the same order.
func differing(was, will []Tool) (removed, added []Tool) {
	for len(was) > 0 && len(will) > 0 && was[0] == will[0] {
		was, will = was[1:], will[1:]
	}
	for len(was) > 0 && len(will) > 0 && was[len(was)-1] == will[len(will)-1] {
		was, will = was[:len(was)-1], will[:len(will)-1]
	}
	return without(was, will), without(will, was)
}

// without returns the tools in all that are not in others.
func without(all, others []Tool) []Tool {
	known := make(map[Tool]bool, len(others))
	for _, t := range others {
		known[t] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(t Tool) bool { return known[t] })
}

// exchange returns the passages that are only among the removed ones or only among
// the added ones.
func exchange(removed, added []string) []Passage {
	var passages []Passage
	count := make(map[string]int, len(removed)+len(added))
	for _, hash := range removed {
		count[hash]--
	}
	for _, hash := range added {
		count[hash]++
	}
	for hash, n := range count {
		for ; n < 0; n++ {
			passages = append(passages, Passage{hash, false})
		}
		for ; n > 0; n-- {
			passages = append(passages, Passage{hash, true})
		}
	}
	return ordered(passages)
}

func ordered(passages []Passage) []Passage {
	slices.SortFunc(passages, func(a, b Passage) int { return cmp.Compare(a.Hash, b.Hash) })
	return passages
}

// hashFields returns the SHA-256 over fields, each written as a netstring so that no
// two lists are hashed as the same bytes.
func hashFields(fields ...string) string {
	var b []byte
	for _, f := range fields {
		b = append(strconv.AppendInt(b, int64(len(f)), 10), ':')
		b = append(append(b, f...), ',')
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
