// This file compares prompts, for the review digest.

package prompt

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// Change describes how a change to definitions affects the prompt of a channel: the texts of the agent and its tools
// that the prompt gains, loses, or moves, and whether the limit cuts the prompt. It does not depend on the rest of the
// prompt, so independent changes are the same in any order. toolcrib's own texts, such as the headings of the catalog
// and the note on discovery, follow from the others and are not part of a change.
type Change struct {
	Channel  string
	Gone     bool // the prompt no longer exists
	Passages []Passage
	// Cut describes where PromptLimit cuts the prompt before and after the change, or is "" if it cuts neither.
	Cut string
}

// Passage is a text that a prompt gains or loses. A text that moves is lost in one position and gained in another.
type Passage struct {
	Hash  string // SHA-256 of the text and its position
	Added bool
}

// OwnTexts is the seal of a change that affects only toolcrib's own texts:
// Hash("").
const OwnTexts = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Seal returns the SHA-256 of a change, or "" if the prompt is gone.
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

// Compare returns the differences between the prompts of two inputs, in the order
// of Channels, followed by prompts that are gone. An input is nil if the agent does
// not exist. Unchanged prompts are omitted.
func Compare(before, after *Input) []Change {
	was, will := newSide(before), newSide(after)
	removed, added := was.tools, will.tools
	if slices.Equal(was.places, will.places) { // the texts of other tools do not move
		for len(removed) > 0 && len(added) > 0 && removed[0] == added[0] { // common tools have the same order in both
			removed, added = removed[1:], added[1:]
		}
		for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
			removed, added = removed[:len(removed)-1], added[:len(added)-1]
		}
		removed, added = without(removed, added), without(added, removed)
	}
	sameAgent := before != nil && after != nil && reflect.DeepEqual(before.Agent, after.Agent)
	catalog := exclusive(was.shared(removed), will.shared(added)) // in all channels
	var changes []Change
	for _, channel := range will.channels {
		if !slices.Contains(was.channels, channel) {
			passages := slices.Concat(will.own(channel), will.shared(will.tools), will.guidance(will.tools, channel))
			changes = append(changes, Change{Channel: channel, Passages: exclusive(nil, passages), Cut: cutBetween(side{}, will, channel)})
			continue
		}
		gone, come := was.guidance(removed, channel), will.guidance(added, channel)
		if !sameAgent {
			gone, come = append(gone, was.own(channel)...), append(come, will.own(channel)...)
		}
		change := Change{Channel: channel, Passages: catalog, Cut: cutBetween(was, will, channel)}
		if more := exclusive(gone, come); len(more) > 0 {
			change.Passages = ordered(slices.Concat(catalog, more))
		}
		if len(change.Passages) > 0 || was.more != will.more {
			changes = append(changes, change)
		}
	}
	for _, channel := range was.channels {
		if !slices.Contains(will.channels, channel) {
			changes = append(changes, Change{Channel: channel, Gone: true})
		}
	}
	return changes
}

// cutBetween describes where the limit cuts the prompt of a channel before and
// after the change.
func cutBetween(was, will side, channel string) string {
	before, whole := was.end(channel)
	after, wholeAfter := will.end(channel)
	if whole && wholeAfter {
		return ""
	}
	return fmt.Sprintf("cut at %d of %d, then at %d of %d", before, len(was.template), after, len(will.template))
}

// side is one of the two inputs to compare. The zero value has no prompts.
type side struct {
	*Renderer
	template string
	tools    []Tool
	channels []string
	places   []string // placeholders of the template that depend on the tools
	more     bool     // the prompts contain the note on discovery
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

// own returns the passage with the agent's own texts in a channel.
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

// shared returns the passages of tools that are the same in every channel.
func (s side) shared(tools []Tool) []string {
	var passages []string
	if slices.Contains(s.places, ToolCatalog) {
		for _, t := range tools {
			part, category := t.part()
			w := &block{}
			w.tools([]Tool{t})
			passages = append(passages, hashFields(ToolCatalog, strconv.Itoa(int(part)), category, strconv.FormatBool(t.Locked), t.sortName(), t.ID, w.String()))
		}
	}
	if slices.Contains(s.places, UserInstructions) && slices.ContainsFunc(tools, changesInstructions) {
		passages = append(passages, hashFields(UserInstructions, changedByTool))
	}
	return passages
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

// end returns the number of bytes of the template that fit within the limit for a channel, and whether that is the
// complete template.
func (s side) end(channel string) (n int, whole bool) {
	if s.Renderer == nil || s.maxSize(0) <= PromptLimit {
		return len(s.template), true
	}
	fitting, _ := fit(s.template, s.valuesOf(channel))
	return len(fitting), len(fitting) == len(s.template)
}

// without returns the tools in all that are not in others.
func without(all, others []Tool) []Tool {
	known := lists.Set(others, func(t Tool) Tool { return t })
	return slices.DeleteFunc(slices.Clone(all), func(t Tool) bool { return known[t] })
}

// exclusive returns the passages that are only in removed or only in added.
func exclusive(removed, added []string) []Passage {
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

// hashFields returns the SHA-256 of fields, written as netstrings so that different
// lists have different bytes.
func hashFields(fields ...string) string {
	var b []byte
	for _, f := range fields {
		b = append(strconv.AppendInt(b, int64(len(f)), 10), ':')
		b = append(append(b, f...), ',')
	}
	return registry.HashBytes(b)
}

// Limits of texts.
const (
	TelegramLimit    = 4096     // characters of a message (core.telegram.org/bots/api#sendmessage)
	DescriptionLimit = 2048     // characters of a tool's description that some clients keep
	PromptLimit      = 16 << 20 // bytes of a prompt; short templates can expand to any size
	MaxOfKind        = 200      // maximum number of tools, besides core tools, that a prompt lists because of their kind
)

// CutKind is the kind of a cut.
type CutKind string

// The kinds of cuts. Others make the first two; Render makes the last in
// Output.Text. CutMessage concerns messages that the agent sends, not its prompt,
// which Telegram never sees.
const (
	CutMessage     CutKind = "telegram_message"
	CutDescription CutKind = "tool_description"
	CutPrompt      CutKind = "prompt"
)

// A Cut is a place where a text is cut, or may be cut by others.
type Cut struct {
	Kind   CutKind
	Tool   string // id of the tool with the description
	Limit  int    // limit in characters; in bytes for CutPrompt
	Length int    // length in the same unit; 0 for CutMessage
}

// String describes the cut in a sentence.
func (c Cut) String() string {
	switch c.Kind {
	case CutDescription:
		return fmt.Sprintf("The description of %s has %d characters; some clients cut it at %d.", c.Tool, c.Length, c.Limit)
	case CutPrompt:
		return fmt.Sprintf("The template expands to %d bytes; the prompt ends before the placeholder that exceeds %d.", c.Length, c.Limit)
	case CutMessage:
	}
	return fmt.Sprintf("Telegram accepts messages of at most %d characters. This limits what the agent sends, not its prompt.", c.Limit)
}

// fit returns the part of the template that can be filled within PromptLimit, and
// the size of the whole prompt in bytes.
func fit(template string, values map[string]string) (fitting string, size int) {
	fitting, size = template, len(template)
	for _, u := range Uses(template) {
		size += len(values[u.Name])
		if size > PromptLimit && len(fitting) == len(template) {
			fitting = template[:u.Offset]
		}
	}
	return fitting, size
}

// FarBelowLimit reports whether the prompts of in are far below PromptLimit, even with up
// to 2*MaxOfKind further tools whose JSON has further bytes in total.
func FarBelowLimit(in Input, further int) bool {
	return NewRenderer(in).maxSize(5*further+2*MaxOfKind*aroundTool) <= PromptLimit
}

// aroundTool is an upper bound of the bytes in a catalog for a tool besides its
// texts. Each text is listed once, and the pattern of a tag up to five times.
const aroundTool = 512

// maxSize returns an upper bound of the size of r's prompts, with further bytes of
// JSON in its catalog and notes. It avoids filling templates only to check the
// limit.
func (r *Renderer) maxSize(further int) int {
	a, c := r.in.Agent, r.in.Context
	agent := 4096 + len(a.Name) + len(a.Description) + len(a.Vibe) + len(a.Soul) + len(a.OperatingModel) + len(a.InteractionLearning) + len(a.Onboarding) +
		len(c.MemoryNotes) + len(c.UserInstructions) + len(c.BootstrapContext)
	if a.SessionOpen != nil {
		agent += len(a.SessionOpen.Bootstrap) + len(a.SessionOpen.Returning)
	}
	for _, text := range a.ChannelGuidance {
		agent += len(text)
	}
	catalog, guidance := len(discovery)+further, further
	for _, t := range r.in.Tools {
		catalog += aroundTool + len(t.ID) + len(t.Name) + len(t.Archetype) + len(t.Scope) + len(t.UsageNotes) + len(t.Goals) + len(t.Guardrails) +
			len(t.Prompt) + len(t.Description) + len(t.ShortDescription) + 3*len(t.Category) // the heading of its category too
		if t.Tag != nil {
			catalog += len(t.Tag.Prefix) + 8*len(t.Tag.ArgPattern) + len(t.Tag.Example)
			for _, group := range t.Tag.ArgGroups {
				catalog += 4*len(group) + 8
			}
		}
		for _, text := range t.Guidance {
			guidance += 3*len(text) + 8 // lines are indented
		}
	}
	size := len(r.template)
	for _, u := range Uses(r.template) {
		switch u.Name {
		case ToolCatalog:
			size += catalog
		case ToolGuidance:
			size += guidance
		default:
			size += agent
		}
	}
	return size
}

// The channels of every agent.
const (
	Web         = "web"
	Telegram    = "telegram"     // short answers in simple Markdown
	SessionOpen = "session_open" // start of a session; the agent may answer WAKEUP_SILENT
	Scheduled   = "scheduled"    // a scheduled run without a waiting user
	Heartbeat   = "heartbeat"    // a periodic check; the agent answers HEARTBEAT_OK if all is well
)

// standard lists the channels of every agent in display order.
var standard = [...]string{Web, Telegram, SessionOpen, Scheduled, Heartbeat}

// Channels returns the channels of an agent in display order: the standard ones,
// followed by those of its channel guidance in alphabetical order.
func Channels(agent registry.Agent) []string {
	channels := slices.Clone(standard[:])
	for _, c := range slices.Sorted(maps.Keys(agent.ChannelGuidance)) {
		if !slices.Contains(standard[:], c) {
			channels = append(channels, c)
		}
	}
	return channels
}
