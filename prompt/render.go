// This file renders the prompts of an agent, one for each channel.

package prompt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines without a time zone database
	"unicode/utf8"

	"toolcrib/internal/commonmark"
	"toolcrib/registry"
)

// Tool is a tool that an agent has.
type Tool struct {
	*registry.Tool
	Locked bool // whether the tool is a core tool
}

// Input contains everything that a prompt depends on.
type Input struct {
	Agent     registry.Agent
	Tools     []Tool // tools of the agent, in catalog order
	Context   Context
	More      bool // whether the agent has further tools, which it can discover
	SkipTools bool // whether to omit the catalog
}

// Output is a rendered prompt.
type Output struct {
	Channel string
	Text    string
	Chars   int   // number of code points in Text
	Cuts    []Cut // cuts of Text and of messages, followed by cuts of descriptions
}

// Hash returns the SHA-256 of text in lower-case hexadecimal.
func Hash(text string) string { return registry.HashBytes([]byte(text)) }

// Render returns the prompt for channel. To render several channels, use a
// Renderer.
func Render(in Input, channel string) Output { return NewRenderer(in).Render(channel) }

// Renderer renders the prompts of one Input for several channels. It computes the
// shared parts, such as the catalog, only once. It is safe for concurrent use, as
// long as the Input does not change.
type Renderer struct {
	in       Input
	template string
	values   func() map[string]string // shared by all channels
	catalog  func() passage           // shared by all channels and contexts
	cuts     []Cut                    // cuts in descriptions
}

// NewRenderer returns a Renderer for input. If the agent has no template, the Renderer
// uses the built-in template.
func NewRenderer(input Input) *Renderer {
	r := &Renderer{in: input, template: input.Agent.PromptTemplate}
	for _, t := range input.Tools {
		if len(t.Description) <= DescriptionLimit { // a text has at most as many characters as bytes
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

// With returns a Renderer for the same agent and the same tools in the context c. The
// two Renderers share everything that does not depend on the context.
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
	if err != nil || zone == time.Local { // the result must not depend on the local time zone
		zone = time.UTC
	}
	notes, _ := firstChars(c.MemoryNotes, MaxMemoryNotes)
	change := changedElsewhere // how the user's instructions can be changed
	if slices.ContainsFunc(r.in.Tools, changesInstructions) {
		change = changedByTool
	}
	instructions, cut := firstChars(c.UserInstructions, MaxUserInstructions)
	switch {
	case strings.TrimSpace(c.UserInstructions) == "":
		instructions = noInstructions
	case cut:
		instructions += fmt.Sprintf("\n\n(Cut here: only the first %d characters are shown.)", MaxUserInstructions)
	}
	return map[string]string{
		Identity:         identity(a),
		Soul:             soul,
		CurrentTime:      fmt.Sprintf("%s (%s)", c.Now.In(zone).Format("Monday, January 2, 2006 3:04 PM"), zone),
		MemoryNotes:      notes,
		UserInstructions: instructions + "\n\n" + change,
		BootstrapContext: c.BootstrapContext,
	}
}

// valuesOf returns the values of all placeholders for channel.
func (r *Renderer) valuesOf(channel string) map[string]string {
	values := r.agentValues(channel)
	values[ToolCatalog] = r.catalog().text
	var notes strings.Builder // a Markdown list
	for _, t := range r.in.Tools {
		text := strings.TrimSpace(t.Guidance[channel])
		if text == "" {
			continue
		}
		if notes.Len() > 0 {
			notes.WriteByte('\n')
		}
		notes.WriteString("- " + strings.ReplaceAll(text, "\n", "\n  ")) // indent all lines of the list item
	}
	values[ToolGuidance] = notes.String()
	return values
}

// agentValues returns the values of the placeholders that do not contain tool texts.
func (r *Renderer) agentValues(channel string) map[string]string {
	a := r.in.Agent
	values := maps.Clone(r.values())
	text, ok := a.ChannelGuidance[channel] // an empty text overrides the default
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

// Render returns the prompt for channel. For an unknown channel, the agent has the
// default guidance.
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

// RenderAll returns the prompts for all channels, in the order of Channels. Equal
// prompts share memory.
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

// Context contains the data that a prompt depends on, except the definitions: the
// current time and the user's data.
type Context struct {
	Now  time.Time
	Zone string // IANA name of the time zone; "" means the zone of the agent

	MemoryNotes      string
	UserInstructions string
	LastMessageAt    *time.Time // nil if the user has never written
	BootstrapContext string     // results of earlier searches
}

// NewUser reports whether the context contains no data about the user.
func (c Context) NewUser() bool {
	return c.LastMessageAt == nil && strings.TrimSpace(c.MemoryNotes) == "" && strings.TrimSpace(c.UserInstructions) == ""
}

// agoUnits lists the units of ago, largest first. Weeks, months, and years are used
// only for durations of at least two of the unit, because "12 days ago" is more precise
// than "1 week ago".
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

// ago returns the duration d in words, rounded down. It does not use a library,
// because prompts are hashed, and a new version of the library could change them.
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

// section is a part of a template. It consists of an ATX heading (CommonMark 0.31,
// section 4.2) and the text before the next heading of any level. The text before
// the first heading is a section of level 0.
type section struct {
	level int // 1 to 6, or 0 for the text before the first heading
	text  string
}

// split splits template at its headings. It ignores lines in fenced code blocks.
func split(template string) []section {
	sections := []section{{}}
	start := 0
	var fence string
	for at := 0; at < len(template); {
		end := len(template)
		if i := strings.IndexByte(template[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := template[at:end]
		switch {
		case fence != "":
			if commonmark.Closes(line, fence) {
				fence = ""
			}
		case commonmark.Fence(line) != "":
			fence = commonmark.Fence(line)
		case commonmark.HeadingLevel(line) > 0:
			sections[len(sections)-1].text = template[start:at]
			sections = append(sections, section{level: commonmark.HeadingLevel(line)})
			start = at
		}
		at = end
	}
	sections[len(sections)-1].text = template[start:]
	return sections
}

// fill replaces the placeholders in template and removes empty sections. It returns the
// result and the number of characters of the result.
//
// fill removes a section if only its heading remains. The text of subsections is treated
// as text of the section. If the last section is removed, the blank lines before it are
// removed too. Lines in values are never headings. Finally, fill shortens each run of
// three or more newlines to two, even in values.
//
// counted is a value with a known number of characters. fill does not count them again.
func fill(template string, values map[string]string, counted passage) (text string, chars int) {
	sections := split(template)
	f := filler{sections: sections, values: values}
	f.parts = appendSubstituted(nil, sections[0].text, values)
	for i := 1; i < len(sections); {
		i = f.section(i)
	}
	if f.lastDropped { // remove the line ends before the section; if text remains, end it like the template
		for n := len(f.parts); n > 0; n-- {
			last := strings.TrimRight(f.parts[n-1], "\r\n")
			if f.parts = f.parts[:n-1]; last != "" {
				f.parts = append(f.parts, last, template[len(strings.TrimRight(template, "\r\n")):])
				break
			}
		}
	}
	return join(f.parts, counted)
}

// passage is a long value that several prompts contain.
type passage struct {
	text  string // with runs of newlines already shortened
	chars int
	valid bool // whether text is valid UTF-8; if not, the number of characters depends on the text around it
}

func newPassage(text string) passage {
	text = squeeze(text)
	return passage{text, utf8.RuneCountInString(text), utf8.ValidString(text)}
}

// filler collects the parts of a filled template.
type filler struct {
	sections    []section
	values      map[string]string
	parts       []string
	lastDropped bool // whether the last section, or a section that contains it, was removed
}

// section adds section i and its subsections, unless they contain only headings. It
// returns the index of the next section that is not a subsection. Each recursive call
// has a greater heading level, so the recursion is at most five levels deep.
func (f *filler) section(i int) int {
	start := len(f.parts)
	f.parts = appendSubstituted(f.parts, f.sections[i].text, f.values)
	next := i + 1
	for next < len(f.sections) && f.sections[next].level > f.sections[i].level {
		next = f.section(next)
	}
	if !hasBody(f.parts[start:]) {
		f.parts = f.parts[:start]
		f.lastDropped = next == len(f.sections)
	}
	return next
}

// hasBody reports whether a section has text after its heading. The heading ends at
// the first newline. If a value in the heading contains this newline, the rest of
// the value belongs to the text.
func hasBody(parts []string) bool {
	heading := true
	for _, p := range parts {
		if heading {
			_, below, ended := strings.Cut(p, "\n")
			p, heading = below, !ended
		}
		if strings.TrimSpace(p) != "" {
			return true
		}
	}
	return false
}

// join concatenates parts and shortens each run of three or more newlines to two.
// It also returns the number of characters of the result.
func join(parts []string, counted passage) (text string, chars int) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	var b strings.Builder
	b.Grow(size)
	run := 0      // number of newlines at the end of b, counted up to 2
	knownAt := -1 // offset of the counted passage in b, or -1
	for _, p := range parts {
		rest := strings.TrimLeft(p, "\n")
		lead := min(len(p)-len(rest), 2-run)
		b.WriteString("\n\n"[:lead])
		run += lead
		if rest == "" {
			continue
		}
		if rest == counted.text {
			knownAt = b.Len()
		} else {
			rest = squeeze(rest)
		}
		b.WriteString(rest)
		run = len(rest) - len(strings.TrimRight(rest, "\n"))
	}
	text = b.String()
	if knownAt < 0 || !counted.valid {
		return text, utf8.RuneCountInString(text)
	}
	return text, utf8.RuneCountInString(text[:knownAt]) + counted.chars + utf8.RuneCountInString(text[knownAt+len(counted.text):])
}

// squeeze shortens each run of three or more newlines in text to two.
func squeeze(text string) string {
	i := strings.Index(text, "\n\n\n")
	if i < 0 {
		return text
	}
	var b strings.Builder
	for i >= 0 {
		b.WriteString(text[:i+2])
		text = strings.TrimLeft(text[i+2:], "\n")
		i = strings.Index(text, "\n\n\n")
	}
	b.WriteString(text)
	return b.String()
}
