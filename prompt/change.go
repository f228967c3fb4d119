// This file compares prompts before and after a change, and defines the limits and the channels of prompts.

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

// Change describes how a change of definitions affects the prompt for a channel. It lists the texts of the agent and
// its tools that the prompt gains, loses, or moves. It also describes where PromptLimit cuts the prompt. A Change
// does not depend on the unchanged parts of the prompt. Independent changes therefore have the same description in
// whichever order they are approved.
//
// A Change does not contain the texts that toolcrib adds, such as the headings of the catalog and the note on
// discovery, because these depend on the other texts.
type Change struct {
	Channel  string
	Gone     bool // whether the change removes the prompt
	Passages []Passage
	// Cut describes where PromptLimit cuts the prompt before and after the change. It is "" if both prompts are
	// complete.
	Cut string
}

// Passage is a text that a prompt gains or loses. A text that moves is lost at the old position and gained at the new
// one.
type Passage struct {
	Hash  string // SHA-256 over the text and its position
	Added bool
}

// OwnTexts is the seal of a change that affects only texts that toolcrib adds. It is Hash("").
const OwnTexts = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Seal returns the SHA-256 over c, or "" if the change removes the prompt.
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

// Compare returns the changes between the prompts of oldInput and the prompts of newInput. An input is nil if the
// agent does not exist. The changes are in the order of Channels, followed by the prompts that the change removes.
// Unchanged prompts are omitted.
func Compare(oldInput, newInput *Input) []Change {
	was, will := newSide(oldInput), newSide(newInput)
	removed, added := was.tools, will.tools
	if slices.Equal(was.places, will.places) { // the unchanged tools keep their positions
		for len(removed) > 0 && len(added) > 0 && removed[0] == added[0] { // skip the unchanged tools, which have the same order on both sides
			removed, added = removed[1:], added[1:]
		}
		for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
			removed, added = removed[:len(removed)-1], added[:len(added)-1]
		}
		removed, added = without(removed, added), without(added, removed)
	}
	sameAgent := oldInput != nil && newInput != nil && reflect.DeepEqual(oldInput.Agent, newInput.Agent)
	catalog := exclusive(was.shared(removed), will.shared(added)) // changes that all channels share
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

// cutBetween describes where PromptLimit cuts the prompt for channel before and after the change. It returns "" if
// both prompts are complete.
func cutBetween(was, will side, channel string) string {
	before, whole := was.end(channel)
	after, wholeAfter := will.end(channel)
	if whole && wholeAfter {
		return ""
	}
	return fmt.Sprintf("cut at %d of %d, then at %d of %d", before, len(was.template), after, len(will.template))
}

// side contains the prompts on one side of a comparison. The zero value has no prompts.
type side struct {
	*Renderer
	template string
	tools    []Tool
	channels []string
	places   []string // placeholders in the template with values that depend on the tools
	more     bool     // whether the prompts contain the note on discovery
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

// own returns the hash of the agent's texts for channel, as a list with a single element.
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

// shared returns the hashes of the tool texts that are the same for all channels.
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

// guidance returns the hashes of the tools' notes for channel.
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

// end returns the number of bytes of the template that fit within PromptLimit for channel. complete reports whether
// the whole template fits.
func (s side) end(channel string) (n int, complete bool) {
	if s.Renderer == nil || s.maxSize(0) <= PromptLimit {
		return len(s.template), true
	}
	fitting, _ := fit(s.template, s.valuesOf(channel))
	return len(fitting), len(fitting) == len(s.template)
}

// without returns the elements of tools that excluded does not contain.
func without(tools, excluded []Tool) []Tool {
	known := lists.Set(excluded, func(t Tool) Tool { return t })
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return known[t] })
}

// exclusive returns passages for the hashes that occur only in removed or only in added. If a hash occurs several
// times, each occurrence counts.
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

// hashFields returns the SHA-256 of fields. The fields are encoded as netstrings, because different lists must have
// different encodings.
func hashFields(fields ...string) string {
	var b []byte
	for _, f := range fields {
		b = append(strconv.AppendInt(b, int64(len(f)), 10), ':')
		b = append(append(b, f...), ',')
	}
	return registry.HashBytes(b)
}

// Limits of texts in prompts and answers.
const (
	TelegramLimit    = 4096     // characters of a message; see core.telegram.org/bots/api#sendmessage
	DescriptionLimit = 2048     // characters of a tool's description; some clients cut longer descriptions
	PromptLimit      = 16 << 20 // bytes of a prompt; short templates can expand to any size
	MaxOfKind        = 200      // tools of a kind that a prompt lists if the allow-list includes all of them, not counting core tools
)

// CutKind is the type of a cut.
type CutKind string

// All types of cuts. CutMessage: Telegram cuts a message that the agent sends; the prompt is not affected.
// CutDescription: some clients cut the description of a tool. CutPrompt: Render cuts Output.Text.
const (
	CutMessage     CutKind = "telegram_message"
	CutDescription CutKind = "tool_description"
	CutPrompt      CutKind = "prompt"
)

// Cut is a place where a text is cut, or where another program may cut it.
type Cut struct {
	Kind   CutKind
	Tool   string // id of the tool for CutDescription, or ""
	Limit  int    // maximum length of the text, in characters, or in bytes for CutPrompt
	Length int    // length of the text in the same unit, or 0 for CutMessage
}

// String describes the cut in a sentence.
func (c Cut) String() string {
	switch c.Kind {
	case CutDescription:
		return fmt.Sprintf("The description of %s has %d characters; some clients cut it at %d.", c.Tool, c.Length, c.Limit)
	case CutPrompt:
		return fmt.Sprintf("The template expands to %d bytes; the prompt ends before the placeholder that exceeds the limit of %d bytes.", c.Length, c.Limit)
	case CutMessage:
	}
	return fmt.Sprintf("Telegram accepts messages of at most %d characters. This limits the agent's messages, but not its prompt.", c.Limit)
}

// fit returns the beginning of template that can be filled within PromptLimit. size is the size of the whole prompt
// before it is cut, in bytes.
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

// FarBelowLimit reports whether the prompts of input stay below PromptLimit even if up to 2*MaxOfKind tools are added.
// further is the total size of the JSON of these tools, in bytes.
func FarBelowLimit(input Input, further int) bool {
	return NewRenderer(input).maxSize(5*further+2*MaxOfKind*aroundTool) <= PromptLimit
}

// aroundTool is an upper limit for the bytes that the catalog contains for a tool in addition to the tool's texts. The
// catalog contains each text once, and the pattern of a tag up to five times.
const aroundTool = 512

// maxSize returns an upper limit for the size of the prompts of r in bytes, even if tools are added. further is the
// total size of the JSON of these tools in bytes. Calling maxSize is cheaper than filling the template.
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
			len(t.Prompt) + len(t.Description) + len(t.ShortDescription) + 3*len(t.Category) // the category can also occur in a heading
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

// The channels that every agent has.
const (
	Web         = "web"
	Telegram    = "telegram"     // answers are short and in simple Markdown
	SessionOpen = "session_open" // start of a session; the agent can answer WAKEUP_SILENT
	Scheduled   = "scheduled"    // scheduled run; no user waits for the answer
	Heartbeat   = "heartbeat"    // periodic check; the agent answers HEARTBEAT_OK if all is well
)

// standard lists the channels that every agent has, in display order.
var standard = [...]string{Web, Telegram, SessionOpen, Scheduled, Heartbeat}

// Channels returns the channels of agent in display order. The channels that every agent has come first. The other
// channels in agent.ChannelGuidance follow in alphabetical order.
func Channels(agent registry.Agent) []string {
	return lists.Union(slices.Clone(standard[:]), slices.Sorted(maps.Keys(agent.ChannelGuidance)))
}
