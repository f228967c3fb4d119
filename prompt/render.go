package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // so that a prompt does not depend on the zones a machine has

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
func Hash(text string) string {
	sum := sha256.New()
	var block [4096]byte // a prompt is long, and is not copied as a whole
	for len(text) > 0 {
		n := copy(block[:], text)
		sum.Write(block[:n])
		text = text[n:]
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Render returns the prompt of one channel. Who needs more than one makes a
// Renderer.
func Render(in Input, channel string) Output { return NewRenderer(in).Render(channel) }

// Renderer renders the channels of one Input and makes what they share, such
// as the catalog block, only once. It may be used by several goroutines; the
// Input may not be changed meanwhile.
type Renderer struct {
	in       Input
	template string
	values   func() map[string]string // the same in every channel
	catalog  func() passage           // the same in every channel and context
	cuts     []Cut                    // in descriptions
}

// NewRenderer returns the Renderer of in. An empty template means the built-in
// one.
func NewRenderer(in Input) *Renderer {
	r := &Renderer{in: in, template: in.Agent.PromptTemplate, cuts: descriptionCuts(in.Tools)}
	if strings.TrimSpace(r.template) == "" {
		r.template = builtinTemplate
	}
	r.catalog = sync.OnceValue(r.makeCatalog)
	r.values = sync.OnceValue(r.makeValues)
	return r
}

// With returns a Renderer of the same agent and tools in another context. What
// does not depend on the context is made only once for both.
func (r *Renderer) With(c Context) *Renderer {
	other := *r
	other.in.Context = c
	other.values = sync.OnceValue(other.makeValues)
	return &other
}

// makeCatalog returns the catalog block, empty when the template has no place
// for it.
func (r *Renderer) makeCatalog() passage {
	wanted := slices.ContainsFunc(Uses(r.template), func(u Use) bool { return u.Name == ToolCatalog })
	if !wanted || r.in.SkipTools {
		return passage{}
	}
	return newPassage(catalog(r.in.Tools, r.in.More))
}

func (r *Renderer) makeValues() map[string]string {
	a, c := r.in.Agent, r.in.Context
	return map[string]string{
		Identity:         identity(a),
		Soul:             soul(a),
		CurrentTime:      currentTime(c.Now, c.location(a)),
		MemoryNotes:      memoryNotes(c.MemoryNotes),
		UserInstructions: userInstructions(c.UserInstructions, r.in.Tools),
		BootstrapContext: c.BootstrapContext,
	}
}

// valuesOf returns the content of every placeholder in a channel.
func (r *Renderer) valuesOf(channel string) map[string]string {
	values := r.agentValues(channel)
	values[ToolCatalog] = r.catalog().text
	values[ToolGuidance] = toolGuidance(r.in.Tools, channel)
	return values
}

// agentValues returns the content of the placeholders that the tools' own texts are
// no part of.
func (r *Renderer) agentValues(channel string) map[string]string {
	a := r.in.Agent
	values := maps.Clone(r.values())
	values[ChannelGuidance] = guidance(a, channel)
	values[InteractionLearning] = interactionLearning(a, channel)
	values[OperatingModel] = operatingModel(a, channel)
	values[SessionSection] = sessionSection(a, channel, r.in.Context)
	return values
}

// Render returns the prompt of a channel, known or not.
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

// RenderAll returns the prompts of all channels of the agent, in the order of
// Channels. Most channels get the same text, of which there is one copy.
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

// Context is the moment and the user that a prompt is rendered for.
type Context struct {
	Now  time.Time
	Zone string // IANA name; "" means the agent's

	MemoryNotes      string
	UserInstructions string
	LastMessageAt    *time.Time // nil when the user never wrote
	BootstrapContext string     // results of earlier lookups
}

// NewUser reports whether nothing is known of the user.
func (c Context) NewUser() bool {
	return c.LastMessageAt == nil && strings.TrimSpace(c.MemoryNotes) == "" && strings.TrimSpace(c.UserInstructions) == ""
}

func (c Context) location(a registry.Agent) *time.Location {
	if c.Zone != "" {
		return zone(c.Zone)
	}
	return zone(a.Timezone)
}

// zone returns the location of an IANA time zone name, UTC when there is none
// of that name. "Local" is unknown too: a prompt does not depend on where it
// is rendered.
func zone(name string) *time.Location {
	if name == "Local" {
		return time.UTC
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

// clockLayout is how a prompt writes a time; the zone's name follows it.
const clockLayout = "Monday, January 2, 2006 3:04 PM"

func currentTime(now time.Time, loc *time.Location) string {
	return fmt.Sprintf("%s (%s)", now.In(loc).Format(clockLayout), loc)
}

// steps are the units of ago, the largest first. Weeks, months and years are
// used from two of them on, because "12 days ago" says more than "1 week ago".
var steps = [...]struct {
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

// ago returns in words how long d is past, rounded down. It is our own because
// prompts are hashed: the words may not change with a library's version.
func ago(d time.Duration) string {
	for _, s := range steps {
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
