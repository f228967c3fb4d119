// This file determines which keys of definitions are written as sections, and escapes lines
// of text that look like headings.

package mdfile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// slot is a key that is written as a section. If parent is not "", the key belongs to the
// object under the key parent.
type slot struct {
	title  string
	parent string
	key    string
}

// slots lists the sections of each kind in the order in which they are written.
var slots = map[registry.Kind][]slot{
	registry.KindTool: {
		{title: "Usage notes", key: "usageNotes"},
		{title: "Goals", key: "goals"},
		{title: "Guardrails", key: "guardrails"},
		{title: "Prompt", key: "prompt"},
	},
	registry.KindAgent: {
		{title: "Soul", key: "soul"},
		{title: "Prompt template", key: "promptTemplate"},
		{title: "Operating model", key: "operatingModel"},
		{title: "Interaction learning", key: "interactionLearning"},
		{title: "Onboarding", key: "onboarding"},
		{title: "Session open: bootstrap", parent: "sessionOpen", key: "bootstrap"},
		{title: "Session open: returning", parent: "sessionOpen", key: "returning"},
	},
}

// The sections of an agent's channels. An agent has one section for each channel that has a
// text.
const (
	channelTitle = "Channel: "
	channelKey   = "channelGuidance"
)

// slotFor returns the slot for the section with the given title.
func slotFor(kind registry.Kind, title string) (slot, bool) {
	for _, s := range slots[kind] {
		if strings.EqualFold(s.title, title) {
			return s, true
		}
	}
	if n := len(channelTitle); kind == registry.KindAgent && len(title) > n && strings.EqualFold(title[:n], channelTitle) {
		if name := strings.TrimLeft(title[n:], blanks); registry.ValidChannel(name) {
			return channelSlot(name), true
		}
	}
	return slot{}, false
}

func channelSlot(channel string) slot {
	return slot{title: channelTitle + channel, parent: channelKey, key: channel}
}

// DefinitionTitles returns a function that recognizes the section titles of a definition of
// the given kind, and the extra titles.
func DefinitionTitles(kind registry.Kind, extra ...string) Titles {
	others := TitleSet(extra...)
	return func(title string) (string, bool) {
		if s, ok := slotFor(kind, title); ok {
			return s.title, true
		}
		return others(title)
	}
}

// InsertSections inserts the texts of sections into doc, the object of a definition. It
// returns the sections that do not belong to a definition. A key that occurs both in the
// front matter and as a section is a problem. The path of the problem starts with path.
// Sections without text are ignored.
func InsertSections(kind registry.Kind, doc *jsondoc.Node, path string, sections []Section) (rest []Section, ps jsondoc.Problems) {
	for _, sec := range sections {
		s, ok := slotFor(kind, sec.Title)
		if !ok {
			rest = append(rest, sec)
			continue
		}
		if sec.Text == "" {
			continue
		}
		owner, at := doc, path
		if s.parent != "" {
			at = jsondoc.Join(at, s.parent)
			owner = doc.Get(s.parent)
			if owner == nil {
				owner = &jsondoc.Node{Kind: jsondoc.Object, Pos: sec.Pos}
				doc.Members = append(doc.Members, jsondoc.Member{Key: s.parent, Pos: sec.Pos, Value: owner})
			}
			if owner.Kind != jsondoc.Object {
				continue // Bind reports this problem
			}
		}
		if owner.Get(s.key) != nil {
			ps.Append(jsondoc.Problem{Path: jsondoc.Join(at, s.key), Pos: sec.Pos, Message: "is in both the front matter and a section; keep one"})
			continue
		}
		text := &jsondoc.Node{Kind: jsondoc.String, Pos: sec.Pos, Text: sec.Text}
		owner.Members = append(owner.Members, jsondoc.Member{Key: s.key, Pos: sec.Pos, Value: text})
	}
	return rest, ps
}

// ExtractSections converts the long texts of a definition to sections. It removes each text
// that can be written as a section from doc, the object of the definition, and returns the
// sections.
func ExtractSections(kind registry.Kind, doc *jsondoc.Node) []Section {
	var sections []Section
	take := func(s slot) {
		owner := doc
		if s.parent != "" {
			owner = doc.Get(s.parent)
		}
		text := owner.Get(s.key)
		if text == nil || text.Kind != jsondoc.String || !Representable(text.Text) {
			return
		}
		owner.Remove(s.key)
		sections = append(sections, Section{Title: s.title, Text: text.Text})
		if s.parent != "" && len(owner.Members) == 0 {
			doc.Remove(s.parent)
		}
	}
	for _, s := range slots[kind] {
		take(s)
	}
	if channels := doc.Get(channelKey); kind == registry.KindAgent && channels != nil {
		for _, m := range slices.Clone(channels.Members) {
			if registry.ValidChannel(m.Key) {
				take(channelSlot(m.Key))
			}
		}
	}
	return sections
}

// Titles is a function that recognizes section titles. It returns the canonical spelling of
// a title. It returns false if a heading with this title is plain text.
type Titles func(title string) (canonical string, ok bool)

// TitleSet returns a function that recognizes the titles in list, ignoring case.
func TitleSet(list ...string) Titles {
	return func(title string) (string, bool) {
		for _, t := range list {
			if strings.EqualFold(t, title) {
				return t, true
			}
		}
		return "", false
	}
}

// heading returns the canonical title if line is a known heading: "## ", the title, and
// optional blanks.
func (known Titles) heading(line string) (title string, ok bool) {
	rest, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return "", false
	}
	return known(strings.Trim(rest, blanks))
}

// escape returns line with a backslash before it if the line looks like a heading or like
// an escaped heading. Otherwise, it returns line unchanged.
func (known Titles) escape(line string) string {
	if _, ok := known.heading(strings.TrimLeft(line, `\`)); ok {
		return `\` + line
	}
	return line
}

// unescape reverses escape.
func (known Titles) unescape(line string) string {
	if !strings.HasPrefix(line, `\`) {
		return line
	}
	if _, ok := known.heading(strings.TrimLeft(line, `\`)); ok {
		return line[1:]
	}
	return line
}

const blanks = " \t"

// Representable reports whether text stays unchanged when it is written as a section and
// read again. A text would change if it is empty, starts with a blank line, ends in white
// space, or contains a carriage return or a NUL. Such a text belongs in the front matter.
func Representable(text string) bool {
	return text != "" && text == trim(text) && utf8.ValidString(text) && !strings.ContainsAny(text, "\r\x00")
}

// trim removes blank lines at the start of text and white space at its end.
func trim(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.Trim(line, blanks) != "" {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, blanks+"\n")
}

// DecodeDefinition parses a file with a single definition of the given kind. The front
// matter contains the keys, and the sections contain the long texts. The error is a
// jsondoc.Problems with all structural problems, such as unknown keys and values of the
// wrong type. DecodeDefinition does not check whether the definition is complete; call
// registry.Definition.Problems on the result.
func DecodeDefinition(kind registry.Kind, data []byte) (registry.Definition, error) {
	f, err := Parse(data, DefinitionTitles(kind))
	if err != nil {
		return registry.Definition{}, err
	}
	_, ps := InsertSections(kind, f.Front, jsondoc.Root, f.Sections)
	d, more := registry.BindDefinition(kind, f.Front, jsondoc.Root)
	ps.Append(more...)
	return d, ps.Err()
}
