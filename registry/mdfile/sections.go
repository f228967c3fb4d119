package mdfile

import (
	"strings"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// slot ties a section to the key whose text it holds. With a parent, it is a key
// inside that object.
type slot struct {
	title  string
	parent string
	key    string
}

// slots lists the sections of each kind in the order they are written.
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

// An agent has one section for each channel it has a text for.
const (
	channelTitle = "Channel: "
	channelKey   = "channelGuidance"
)

// slotFor returns the slot of the section with the given title.
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

// DefinitionTitles returns the sections of a definition of the given kind, and
// those in more besides.
func DefinitionTitles(kind registry.Kind, more ...string) Titles {
	others := TitleSet(more...)
	return func(title string) (string, bool) {
		if s, ok := slotFor(kind, title); ok {
			return s.title, true
		}
		return others(title)
	}
}

// Gather puts the texts of sections into the definition doc, an object, and
// returns the sections that are not part of one. A key that the front matter
// holds as well is a problem, whose path is below path. Sections without text
// are left out.
func Gather(kind registry.Kind, doc *jsondoc.Node, path string, sections []Section) (rest []Section, ps jsondoc.Problems) {
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
				continue // binding the document reports it
			}
		}
		if owner.Get(s.key) != nil {
			ps.Append(jsondoc.Problem{Path: jsondoc.Join(at, s.key), Pos: sec.Pos, Message: "is both in the front matter and a section; keep one"})
			continue
		}
		text := &jsondoc.Node{Kind: jsondoc.String, Pos: sec.Pos, Text: sec.Text}
		owner.Members = append(owner.Members, jsondoc.Member{Key: s.key, Pos: sec.Pos, Value: text})
	}
	return rest, ps
}

// Spread takes the texts that can stand as sections out of the definition doc.
func Spread(kind registry.Kind, doc *jsondoc.Node) []Section {
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
	if kind == registry.KindAgent {
		for _, channel := range channels(doc.Get(channelKey)) {
			take(channelSlot(channel))
		}
	}
	return sections
}

// channels returns the keys of n that can be named in a title.
func channels(n *jsondoc.Node) []string {
	if n == nil {
		return nil
	}
	var names []string
	for _, m := range n.Members {
		if registry.ValidChannel(m.Key) {
			names = append(names, m.Key)
		}
	}
	return names
}

// Titles knows which headings divide a file. It returns the canonical spelling
// of a title, or false when a heading with that title is plain text.
type Titles func(title string) (canonical string, ok bool)

// TitleSet returns the Titles that are written in list, in any letter case.
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

// heading returns the canonical title when line is a heading that known knows:
// "## ", the title, and nothing else but blanks.
func (known Titles) heading(line string) (title string, ok bool) {
	rest, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return "", false
	}
	return known(strings.Trim(rest, blanks))
}

// escape protects a line of text that would be read as a heading, or that is
// already protected.
func (known Titles) escape(line string) string {
	if _, ok := known.heading(strings.TrimLeft(line, `\`)); ok {
		return `\` + line
	}
	return line
}

// unescape undoes escape.
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

// Representable reports whether text comes back unchanged when it is written
// as a section. A text that is empty, begins with a blank line, ends in white
// space, or holds a carriage return or a NUL does not; it belongs into the
// front matter.
func Representable(text string) bool {
	return text != "" && text == trim(text) && utf8.ValidString(text) && !strings.ContainsAny(text, "\r\x00")
}

// trim takes off blank lines at the beginning and white space at the end.
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

// DecodeDefinition reads a file that holds one definition of the given kind: its
// keys in the front matter, its long texts as sections. The error is a
// jsondoc.Problems with everything of the wrong shape;
// registry.Definition.Problems reports missing content.
func DecodeDefinition(kind registry.Kind, data []byte) (registry.Definition, error) {
	f, err := Parse(data, DefinitionTitles(kind))
	if err != nil {
		return registry.Definition{}, err
	}
	_, ps := Gather(kind, f.Front, jsondoc.Root, f.Sections)
	d, more := registry.BindDefinition(kind, f.Front, jsondoc.Root)
	ps.Append(more...)
	return d, ps.Err()
}
