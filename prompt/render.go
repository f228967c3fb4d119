package prompt

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
)

// Tool is a tool as an agent has it.
type Tool struct {
	*registry.Tool
	Locked bool // core
}

// Input is everything a prompt is made of.
type Input struct {
	Agent     registry.Agent
	Tools     []Tool // those the agent has, in catalog order
	Context   Context
	More      bool // the agent has more tools than Tools, which it has to look for
	SkipTools bool // leave the catalog block out
}

// Output is a rendered prompt.
type Output struct {
	Channel string
	Text    string
	Chars   int   // code points of Text
	Cuts    []Cut // where it is or would be cut, the whole text first
}

// Hash returns the SHA-256 of a rendered text in lower-case hex.
func Hash(text string) string { return registry.HashBytes([]byte(text)) }

// Render returns the prompt of one channel. Who needs more than one makes a
// Renderer.
func Render(in Input, channel string) Output { return NewRenderer(in).Render(channel) }

// Renderer renders the channels of one Input and makes what they share, such
// as the catalog block, only once. It may be used by several goroutines; the
// Input may not be changed meanwhile.
type Renderer struct {
	in       Input
	template string
	shared   func() shared
	cuts     []Cut // in descriptions
}

// shared is what is the same in every channel.
type shared struct {
	values  map[string]string
	catalog passage
}

// NewRenderer returns the Renderer of in. An empty template means the built-in
// one.
func NewRenderer(in Input) *Renderer {
	r := &Renderer{in: in, template: in.Agent.PromptTemplate, cuts: descriptionCuts(in.Tools)}
	if strings.TrimSpace(r.template) == "" {
		r.template = builtinTemplate
	}
	r.shared = sync.OnceValue(r.makeShared)
	return r
}

func (r *Renderer) makeShared() shared {
	a, c := r.in.Agent, r.in.Context
	values := map[string]string{
		Identity:         identity(a),
		Soul:             soul(a),
		CurrentTime:      currentTime(c.Now, c.location(a)),
		MemoryNotes:      memoryNotes(c.MemoryNotes),
		UserInstructions: userInstructions(c.UserInstructions, r.in.Tools),
		BootstrapContext: c.BootstrapContext,
		ToolCatalog:      "",
	}
	wanted := slices.ContainsFunc(Uses(r.template), func(u Use) bool { return u.Name == ToolCatalog })
	s := shared{values: values}
	if wanted && !r.in.SkipTools {
		s.catalog = newPassage(catalog(r.in.Tools, r.in.More))
		values[ToolCatalog] = s.catalog.text
	}
	return s
}

// values returns the content of every placeholder in a channel.
func (r *Renderer) values(channel string) map[string]string {
	a := r.in.Agent
	values := maps.Clone(r.shared().values)
	values[ChannelGuidance] = guidance(a, channel)
	values[ToolGuidance] = toolGuidance(r.in.Tools, channel)
	values[InteractionLearning] = interactionLearning(a, channel)
	values[OperatingModel] = operatingModel(a, channel)
	values[SessionSection] = sessionSection(a, channel, r.in.Context)
	return values
}

// Render returns the prompt of a channel, known or not.
func (r *Renderer) Render(channel string) Output {
	values := r.values(channel)
	template, size := fit(r.template, values)
	out := Output{Channel: channel}
	out.Text, out.Chars = fill(template, values, r.shared().catalog)
	if len(template) < len(r.template) {
		out.Cuts = append(out.Cuts, Cut{Kind: CutPrompt, Limit: PromptLimit, Length: size})
	}
	if channel == Telegram {
		out.Cuts = append(out.Cuts, Cut{Kind: CutMessage, Limit: TelegramLimit})
	}
	out.Cuts = append(out.Cuts, r.cuts...)
	return out
}

// RenderAll returns the prompts of all channels of the agent, in the order of
// Channels.
func (r *Renderer) RenderAll() []Output {
	channels := Channels(r.in.Agent)
	outputs := make([]Output, len(channels))
	for i, c := range channels {
		outputs[i] = r.Render(c)
	}
	return outputs
}
