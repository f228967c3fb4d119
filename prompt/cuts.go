package prompt

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"toolcrib/registry"
)

// Ends of texts that are too long.
const (
	TelegramLimit    = 4096     // characters of a message: core.telegram.org/bots/api#sendmessage
	DescriptionLimit = 2048     // characters of a tool's description, in clients that keep no more of it
	PromptLimit      = 16 << 20 // bytes of a prompt, here: a short template may ask for any amount
	MaxOfKind        = 200      // tools besides the core that a prompt lists because the allow-list has their kind
)

// CutKind is the kind of a cut.
type CutKind string

// The kinds of cut. The first two would be made by others; the last is made in
// Output.Text. CutMessage is about what the agent sends: the model reads the
// whole prompt, Telegram never sees it.
const (
	CutMessage     CutKind = "telegram_message"
	CutDescription CutKind = "tool_description"
	CutPrompt      CutKind = "prompt"
)

// A Cut is a place where a text is or would be cut off.
type Cut struct {
	Kind   CutKind
	Tool   string // the id of the tool whose description it is
	Limit  int    // how much is kept, in characters; in bytes for CutPrompt
	Length int    // how much there is, in the same unit; 0 for CutMessage, as nothing was sent yet
}

// String describes the cut in a sentence.
func (c Cut) String() string {
	switch c.Kind {
	case CutDescription:
		return fmt.Sprintf("The description of %s has %d characters; some clients cut it at %d.", c.Tool, c.Length, c.Limit)
	case CutPrompt:
		return fmt.Sprintf("The template asks for %d bytes; the prompt ends before the placeholder that passes %d.", c.Length, c.Limit)
	case CutMessage:
	}
	return fmt.Sprintf("Telegram takes messages of at most %d characters: that is for what the agent sends, not for its prompt.", c.Limit)
}

// descriptionCuts returns the cuts in the tools' descriptions.
func descriptionCuts(tools []Tool) []Cut {
	var cuts []Cut
	for _, t := range tools {
		if len(t.Description) <= DescriptionLimit { // bytes are never fewer than characters
			continue
		}
		if n := utf8.RuneCountInString(t.Description); n > DescriptionLimit {
			cuts = append(cuts, Cut{Kind: CutDescription, Tool: t.ID, Limit: DescriptionLimit, Length: n})
		}
	}
	return cuts
}

// fit returns as much of the template as can be filled within PromptLimit, and
// how many bytes the whole of it would take.
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

// Roomy reports whether PromptLimit is far away from the prompts of in, also when it
// has further tools: up to twice as many as MaxOfKind, whose definitions have so many
// bytes as JSON.
func Roomy(in Input, further int) bool {
	return NewRenderer(in).most(5*further+2*MaxOfKind*aroundTool) <= PromptLimit
}

// aroundTool is more bytes than a catalog has for a tool beside its texts, which it
// lists once each; of a tag's pattern it may list five times as many.
const aroundTool = 512

// most returns more bytes than any prompt of r has, with further bytes in its catalog
// and in its tools' notes: a template is seldom so long that it is worth filling it to
// learn that the limit does not cut it.
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
			guidance += 3*len(text) + 8 // every line is indented
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

// mostListed returns more bytes than t takes in a catalog block, with a category of
// its own.
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

// The channels every agent has.
const (
	Web         = "web"
	Telegram    = "telegram"     // short answers in simple Markdown
	SessionOpen = "session_open" // the user just came; may answer WAKEUP_SILENT
	Scheduled   = "scheduled"    // nobody waits for the answer
	Heartbeat   = "heartbeat"    // a check; answers HEARTBEAT_OK when all is well
)

// standard lists the channels every agent has, in the order they are shown in.
var standard = [...]string{Web, Telegram, SessionOpen, Scheduled, Heartbeat}

// Channels returns the channels of an agent in the order they are shown in:
// those every agent has, then by name those its channel guidance adds.
func Channels(agent registry.Agent) []string {
	channels := slices.Clone(standard[:])
	for _, c := range slices.Sorted(maps.Keys(agent.ChannelGuidance)) {
		if !slices.Contains(standard[:], c) {
			channels = append(channels, c)
		}
	}
	return channels
}

// guidance returns what the agent says about a channel. A channel it says
// nothing about is treated as Web; an empty text is something said.
func guidance(agent registry.Agent, channel string) string {
	if text, ok := agent.ChannelGuidance[channel]; ok {
		return text
	}
	return agent.ChannelGuidance[Web]
}

// countChars is utf8.RuneCountInString, several times as fast on text that is
// mostly ASCII: a prompt of a thousand tools is counted for every channel.
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

// asciiWord reports whether the eight bytes of s are all ASCII. The compiler
// makes one load of it.
func asciiWord(s string) bool {
	_ = s[7]
	word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return word&0x8080808080808080 == 0
}
