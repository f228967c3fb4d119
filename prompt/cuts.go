// This file has the limits of prompts and messages, and the channels of agents.

package prompt

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"toolcrib/registry"
)

// Limits of texts.
const (
	TelegramLimit    = 4096     // characters of a message (core.telegram.org/bots/api#sendmessage)
	DescriptionLimit = 2048     // characters of a tool's description that some clients keep
	PromptLimit      = 16 << 20 // bytes of a prompt; short templates can expand to any size
	MaxOfKind        = 200      // tools besides the core that a prompt lists by their kind
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

// Roomy reports whether the prompts of in are far below PromptLimit, even with up
// to 2*MaxOfKind further tools whose JSON has further bytes in total.
func Roomy(in Input, further int) bool {
	return NewRenderer(in).most(5*further+2*MaxOfKind*aroundTool) <= PromptLimit
}

// aroundTool is an upper bound of the bytes in a catalog for a tool besides its
// texts. Each text is listed once, and the pattern of a tag up to five times.
const aroundTool = 512

// most returns an upper bound of the size of r's prompts, with further bytes of
// JSON in its catalog and notes. It avoids filling templates only to check the
// limit.
func (r *Renderer) most(further int) int {
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
		catalog += t.mostListed()
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

// mostListed returns an upper bound of the bytes for t in a catalog, including a
// category of its own.
func (t Tool) mostListed() int {
	size := aroundTool + len(t.ID) + len(t.Name) + len(t.Archetype) + len(t.Scope) + len(t.UsageNotes) + len(t.Goals) + len(t.Guardrails) +
		len(t.Prompt) + len(t.Description) + len(t.ShortDescription) + 3*len(t.Category)
	if t.Tag != nil {
		size += len(t.Tag.Prefix) + 8*len(t.Tag.ArgPattern) + len(t.Tag.Example)
		for _, group := range t.Tag.ArgGroups {
			size += 4*len(group) + 8
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

// countChars is several times faster than utf8.RuneCountInString on mostly ASCII
// text: prompts with a thousand tools are counted for every channel.
func countChars(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) && asciiWord(s[i:i+8]) {
			n += 8
			i += 8
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		n++
		i += size
	}
	return n
}

// asciiWord reports whether the eight bytes of s are all ASCII. The compiler turns
// it into a single load.
func asciiWord(s string) bool {
	_ = s[7]
	word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return word&0x8080808080808080 == 0
}
