package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // makes prompts independent of the machine's time zone database
	"unicode/utf8"

	"toolcrib/registry"
)

// Tool is a tool of an agent.
type Tool struct {
	*registry.Tool
	Locked bool // core
}

// Input is the complete input of rendering.
type Input struct {
	Agent     registry.Agent
	Tools     []Tool // tools of the agent, in catalog order
	Context   Context
	More      bool // the agent has further tools, which it can discover
	SkipTools bool // omit the catalog
}

// Output is a rendered prompt.
type Output struct {
	Channel string
	Text    string
	Chars   int   // code points of Text
	Cuts    []Cut // cuts, those of the whole text first
}

// Hash returns the SHA-256 of a rendered text in lower-case hex.
func Hash(text string) string {
	sum := sha256.New()
	var block [4096]byte // avoids copying the whole prompt
	for len(text) > 0 {
		n := copy(block[:], text)
		sum.Write(block[:n])
		text = text[n:]
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Render returns the prompt of one channel. For several channels, use a Renderer.
func Render(in Input, channel string) Output { return NewRenderer(in).Render(channel) }

// Renderer renders the channels of one Input and computes shared parts, such as the
// catalog, only once. It is safe for concurrent use as long as the Input does not
// change.
type Renderer struct {
	in       Input
	template string
	values   func() map[string]string // shared by all channels
	catalog  func() passage           // shared by all channels and contexts
	cuts     []Cut                    // cuts in descriptions
}

// NewRenderer returns a Renderer for in. An empty template means the built-in one.
func NewRenderer(in Input) *Renderer {
	r := &Renderer{in: in, template: in.Agent.PromptTemplate}
	for _, t := range in.Tools {
		if len(t.Description) <= DescriptionLimit { // there are never fewer bytes than characters
			continue
		}
		if n := utf8.RuneCountInString(t.Description); n > DescriptionLimit {
			r.cuts = append(r.cuts, Cut{Kind: CutDescription, Tool: t.ID, Limit: DescriptionLimit, Length: n})
		}
	}
	if strings.TrimSpace(r.template) == "" {
		r.template = builtinTemplate
	}
	r.catalog = sync.OnceValue(func() passage {
		wanted := slices.ContainsFunc(Uses(r.template), func(u Use) bool { return u.Name == ToolCatalog })
		if !wanted || r.in.SkipTools {
			return passage{}
		}
		return newPassage(catalog(r.in.Tools, r.in.More))
	})
	r.values = sync.OnceValue(r.makeValues)
	return r
}

// With returns a Renderer for the same agent and tools in another context. The two
// share everything that does not depend on the context.
func (r *Renderer) With(c Context) *Renderer {
	other := *r
	other.in.Context = c
	other.values = sync.OnceValue(other.makeValues)
	return &other
}

func (r *Renderer) makeValues() map[string]string {
	a, c := r.in.Agent, r.in.Context
	soul := a.Soul
	if strings.TrimSpace(soul) == "" {
		soul = defaultSoul
	}
	zone, err := time.LoadLocation(cmp.Or(c.Zone, a.Timezone))
	if err != nil || zone == time.Local { // prompts must not depend on the machine
		zone = time.UTC
	}
	notes, _ := firstChars(c.MemoryNotes, MaxMemoryNotes)
	return map[string]string{
		Identity:         identity(a),
		Soul:             soul,
		CurrentTime:      fmt.Sprintf("%s (%s)", c.Now.In(zone).Format("Monday, January 2, 2006 3:04 PM"), zone),
		MemoryNotes:      notes,
		UserInstructions: userInstructions(c.UserInstructions, r.in.Tools),
		BootstrapContext: c.BootstrapContext,
	}
}

// valuesOf returns the values of all placeholders in a channel.
func (r *Renderer) valuesOf(channel string) map[string]string {
	values := r.agentValues(channel)
	values[ToolCatalog] = r.catalog().text
	values[ToolGuidance] = toolGuidance(r.in.Tools, channel)
	return values
}

// agentValues returns the values of the placeholders that do not contain texts of
// tools.
func (r *Renderer) agentValues(channel string) map[string]string {
	a := r.in.Agent
	values := maps.Clone(r.values())
	text, ok := a.ChannelGuidance[channel] // an empty text counts as a text
	if !ok {
		text = a.ChannelGuidance[Web]
	}
	values[ChannelGuidance], values[InteractionLearning], values[OperatingModel] = text, "", ""
	switch channel {
	case Web, Telegram:
		values[InteractionLearning], values[OperatingModel] = a.InteractionLearning, a.OperatingModel
	case SessionOpen:
		values[OperatingModel] = a.OperatingModel
	}
	values[SessionSection] = sessionSection(a, channel, r.in.Context)
	return values
}

// Render returns the prompt of a channel, which may be unknown.
func (r *Renderer) Render(channel string) Output {
	values := r.valuesOf(channel)
	template, size := fit(r.template, values)
	out := Output{Channel: channel}
	out.Text, out.Chars = fill(template, values, r.catalog())
	if len(template) < len(r.template) {
		out.Cuts = append(out.Cuts, Cut{Kind: CutPrompt, Limit: PromptLimit, Length: size})
	}
	if channel == Telegram {
		out.Cuts = append(out.Cuts, Cut{Kind: CutMessage, Limit: TelegramLimit})
	}
	out.Cuts = append(out.Cuts, r.cuts...)
	return out
}

// RenderAll returns the prompts of all channels in the order of Channels. Equal
// texts share memory.
func (r *Renderer) RenderAll() []Output {
	channels := Channels(r.in.Agent)
	outputs := make([]Output, len(channels))
	for i, c := range channels {
		outputs[i] = r.Render(c)
		for _, other := range outputs[:i] {
			if other.Text == outputs[i].Text {
				outputs[i].Text = other.Text
				break
			}
		}
	}
	return outputs
}

// Context is the moment and the user for which a prompt is rendered.
type Context struct {
	Now  time.Time
	Zone string // IANA name; "" means the zone of the agent

	MemoryNotes      string
	UserInstructions string
	LastMessageAt    *time.Time // nil if the user has never written
	BootstrapContext string     // results of earlier lookups
}

// NewUser reports whether nothing is known about the user.
func (c Context) NewUser() bool {
	return c.LastMessageAt == nil && strings.TrimSpace(c.MemoryNotes) == "" && strings.TrimSpace(c.UserInstructions) == ""
}

// agoUnits lists the units of ago, largest first. Weeks, months and years are used
// from two on, because "12 days ago" is more precise than "1 week ago".
var agoUnits = [...]struct {
	from, unit time.Duration
	name       string
}{
	{2 * 365 * day, 365 * day, "year"},
	{60 * day, 30 * day, "month"},
	{14 * day, 7 * day, "week"},
	{day, day, "day"},
	{time.Hour, time.Hour, "hour"},
	{time.Minute, time.Minute, "minute"},
}

const day = 24 * time.Hour

// ago returns the elapsed time d in words, rounded down. It does not use a library,
// because prompts are hashed and must not change with its version.
func ago(d time.Duration) string {
	for _, s := range agoUnits {
		if d < s.from {
			continue
		}
		if n := int64(d / s.unit); n > 1 {
			return fmt.Sprintf("%d %ss ago", n, s.name)
		}
		return "1 " + s.name + " ago"
	}
	return "less than a minute ago"
}
