package setpage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// entry is one text of a tool, or one parameter.
type entry struct {
	sign   string
	name   string // with those of the parameters around it
	label  string // without them
	depth  int    // how many parameters are around it
	detail string
	text   string
	path   string // of the field, as findings name it
}

func (e entry) row(tool int) Row {
	return Row{Kind: Text, Tool: tool, Depth: e.depth, Sign: e.sign, Name: e.label, Detail: e.detail, Text: e.text}
}

// flat returns e as it stands without the parameters around it.
func (e entry) flat() entry {
	e.label, e.depth = e.name, 0
	return e
}

// same reports whether two entries say the same.
func (e entry) same(o entry) bool { return e.content() == o.content() }

// content identifies an entry: two of the same content say the same.
func (e entry) content() [3]string { return [3]string{e.name, e.detail, e.text} }

// textsOf returns every text but the name in imported JSON of a member.
func textsOf(d review.Dossier, source []byte) []entry {
	list := entriesOf(shown(d, source))
	for i := range list {
		if isText(d) && list[i].path == wire.SourcePath+"prompt" {
			list[i].path = promptPath
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return order(a.path) - order(b.path) })
	return list
}

// entriesOf returns every text of a tool's JSON but its name.
func entriesOf(tool *jsondoc.Node) []entry {
	var list []entry
	titles := titlesOf(scalar(tool.Get("name")))
	for _, m := range tool.Members {
		switch m.Key {
		case "name":
		case "title":
			list = append(list, short(named("title", flow(scalar(m.Value)), "definition.name")))
		case "description":
			for _, p := range paragraphs(scalar(m.Value)) {
				list = append(list, entry{text: p, path: "definition.description"})
			}
		case "prompt":
			for _, p := range paragraphs(scalar(m.Value)) {
				list = append(list, entry{text: p, path: wire.SourcePath + m.Key})
			}
		case "inputSchema":
			list = append(list, schemaEntries(m.Value, parametersPath, "", titles)...)
		case "outputSchema":
			list = append(list, schemaEntries(m.Value, "definition.outputSchema", "returns", titles)...)
		case "annotations":
			list = append(list, annotations(m.Value)...)
		default:
			list = append(list, loose(m.Key, m.Value)...)
		}
	}
	return list
}

// order puts the texts of a tool in the order in which a reader asks for them.
func order(path string) int {
	for i, begin := range []string{"definition.description", promptPath, "definition.name", hintPath, wire.SourcePath, parametersPath, "definition.outputSchema"} {
		if strings.HasPrefix(path, begin) {
			return i
		}
	}
	return 9
}

// named returns an entry that stands in no parameter.
func named(name, text, path string) entry {
	return entry{name: name, label: name, text: text, path: path}
}

// The fields of the messages of a prompt, and of the hints and the parameters of a tool.
const (
	promptPath     = "definition.prompt"
	hintPath       = "definition.annotations"
	parametersPath = "definition.inputSchema"
)

// short has a text that is no longer than a type stand where the type does, so that
// several share a row.
func short(e entry) entry {
	if len(e.text) <= 40 && !strings.Contains(e.text, "↵") {
		e.detail, e.text = e.text, ""
	}
	return e
}

// annotations returns the hints as one entry, and everything else in there.
func annotations(n *jsondoc.Node) []entry {
	if n.Kind != jsondoc.Object {
		return loose("annotations", n)
	}
	var list []entry
	if words := hints(n); words != "" {
		list = append(list, short(named("hints", words, hintPath)))
	}
	rest := jsondoc.NewObject()
	for _, m := range n.Members {
		if m.Value.Kind != jsondoc.Bool || !slices.ContainsFunc(hintWords(), func(h hintWord) bool { return h.key == m.Key }) {
			rest.Members = append(rest.Members, m)
		}
	}
	if len(rest.Members) > 0 {
		list = append(list, loose("annotations", rest)...)
	}
	return list
}

// loose returns the texts of a key that toolcrib does not know, each with its path.
func loose(name string, n *jsondoc.Node) []entry {
	switch {
	case n.Kind == jsondoc.Object && len(n.Members) > 0:
		var list []entry
		for _, m := range n.Members {
			list = append(list, loose(jsondoc.Join(name, m.Key), m.Value)...)
		}
		return list
	case n.Kind == jsondoc.Array && slices.ContainsFunc(n.Items, func(o *jsondoc.Node) bool { return o.Kind == jsondoc.Object || o.Kind == jsondoc.Array }):
		var list []entry
		for i, o := range n.Items {
			list = append(list, loose(jsondoc.Index(name, i), o)...)
		}
		return list
	}
	return []entry{short(named(name, flow(scalar(n)), wire.SourcePath+name))}
}

// changed returns what differs between the texts of two versions of a tool: those
// that go before those that come in the same field.
func changed(before, after []entry) []entry {
	kept := map[[3]string]int{}
	for _, e := range before {
		kept[e.content()]++
	}
	var same int
	var come []entry
	for _, e := range after {
		if kept[e.content()] > 0 {
			kept[e.content()]--
			same++
			continue
		}
		e = e.flat()
		e.sign = "+"
		come = append(come, e)
	}
	var list []entry
	for _, e := range before {
		if kept[e.content()] > 0 {
			kept[e.content()]--
			e = e.flat()
			e.sign = "-"
			list = append(list, e)
		}
	}
	list = append(list, come...)
	if len(list) == 0 { // the same texts in another order
		list = append(list, after...)
		return append([]entry{{text: "Only the order, spaces or numbers of its JSON changed. Its texts:"}}, list...)
	}
	slices.SortStableFunc(list, func(a, b entry) int { return order(a.path) - order(b.path) })
	if same > 0 {
		list = append(list, entry{text: fmt.Sprintf("(%d more texts and parameters as before)", same)})
	}
	return list
}

// scalar writes a value on one line: a string without quotes, anything else as JSON.
func scalar(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.String:
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// paragraphs splits a text at its empty lines; each becomes one row.
func paragraphs(text string) []string {
	var list []string
	for _, p := range strings.Split(text, "\n\n") {
		if p = flow(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// padding is a run of spaces that could push text off a screen.
var padding = regexp.MustCompile(` {9,}`)

// flow puts a text on one line: its line ends are shown, the white space around them
// is left out, and long runs of spaces are counted.
func flow(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if line = strings.Trim(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	return padding.ReplaceAllStringFunc(strings.Join(lines, " ↵ "), func(s string) string { return fmt.Sprintf(" ⟨%d spaces⟩ ", len(s)) })
}
