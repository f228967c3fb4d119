package mdfile

import (
	"strings"

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
