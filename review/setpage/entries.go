// This file converts the texts and the changes of a member to entries and rows of the page.

package setpage

import (
	"fmt"
	"hash/maphash"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// entry is a text of a tool, or a parameter with its type and its text.
type entry struct {
	sign   string
	name   string // full name, including the names of the enclosing parameters
	label  string // name without the names of the enclosing parameters
	depth  int    // number of enclosing parameters
	detail string
	text   string
	path   string // path of the field in findings
}

func (e entry) row(tool int) Row {
	return Row{Kind: Text, Tool: tool, Depth: e.depth, Sign: e.sign, Name: e.label, Detail: e.detail, Text: e.text}
}

// same reports whether e and o have the same content, regardless of their positions.
func (e entry) same(o entry) bool { return e.content() == o.content() }

// content returns the parts of e that are compared.
func (e entry) content() [3]string { return [3]string{e.name, e.detail, e.text} }

// textsOf returns the entries for all texts in the imported JSON of d, except the name. source contains this JSON.
func textsOf(d review.Dossier, source []byte) []entry {
	tool := shown(d, source)
	paths := map[string]string{"description": "definition.description", "prompt": wire.SourcePath + "prompt"}
	if isText(d) {
		paths["prompt"] = promptPath
	}
	var list []entry
	name := review.Scalar(tool.Get("name"))
	titles := []string{name, name + "Arguments", name + "Output"} // titles that programs derive from the name
	for _, m := range tool.Members {
		switch m.Key {
		case "name":
		case "title":
			list = append(list, short(named("title", oneLine(review.Scalar(m.Value)), "definition.name")))
		case "description", "prompt":
			for p := range strings.SplitSeq(review.Scalar(m.Value), "\n\n") { // each paragraph is a row
				if p = oneLine(p); p != "" {
					list = append(list, entry{text: p, path: paths[m.Key]})
				}
			}
		case "inputSchema":
			list = append(list, schemaEntries(m.Value, parametersPath, "", titles)...)
		case "outputSchema":
			list = append(list, schemaEntries(m.Value, "definition.outputSchema", "returns", titles)...)
		case "annotations":
			list = append(list, annotations(m.Value)...)
		default:
			list = append(list, unknownTexts(m.Key, m.Value)...)
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return order(a.path) - order(b.path) })
	return list
}

// order returns the sort rank of the field with the given path.
func order(path string) int {
	for i, begin := range []string{"definition.description", promptPath, "definition.name", hintPath, wire.SourcePath, parametersPath, "definition.outputSchema"} {
		if strings.HasPrefix(path, begin) {
			return i
		}
	}
	return 9
}

// named returns an entry for a text that is not a parameter.
func named(name, text, path string) entry {
	return entry{name: name, label: name, text: text, path: path}
}

// Paths of the prompt, the hints, and the parameters of a tool.
const (
	promptPath     = "definition.prompt"
	hintPath       = "definition.annotations"
	parametersPath = "definition.inputSchema"
)

// short moves a short text to the field detail. Several entries can then share a row.
func short(e entry) entry {
	if len(e.text) <= 40 && !strings.Contains(e.text, "↵") {
		e.detail, e.text = e.text, ""
	}
	return e
}

// annotations returns one entry for all hints, and one entry for each other annotation.
func annotations(n *jsondoc.Node) []entry {
	if n.Kind != jsondoc.Object {
		return unknownTexts("annotations", n)
	}
	var list []entry
	if words := hints(n); words != "" {
		list = append(list, short(named("hints", words, hintPath)))
	}
	rest := jsondoc.NewObject()
	for _, m := range n.Members {
		if m.Value.Kind != jsondoc.Bool || !slices.ContainsFunc(hintWords, func(h hintWord) bool { return h.key == m.Key }) {
			rest.Members = append(rest.Members, m)
		}
	}
	if len(rest.Members) > 0 {
		list = append(list, unknownTexts("annotations", rest)...)
	}
	return list
}

// unknownTexts returns an entry for each text below a key that toolcrib does not know.
func unknownTexts(name string, n *jsondoc.Node) []entry {
	var list []entry
	switch {
	case n.Kind == jsondoc.Object && len(n.Members) > 0:
		for _, m := range n.Members {
			list = append(list, unknownTexts(jsondoc.Join(name, m.Key), m.Value)...)
		}
		return list
	case n.Kind == jsondoc.Array && slices.ContainsFunc(n.Items, func(o *jsondoc.Node) bool { return o.Kind == jsondoc.Object || o.Kind == jsondoc.Array }):
		for i, o := range n.Items {
			list = append(list, unknownTexts(jsondoc.Index(name, i), o)...)
		}
		return list
	}
	return []entry{short(named(name, oneLine(review.Scalar(n)), wire.SourcePath+name))}
}

// changed returns the entries that differ between two versions of a tool. In each field, removed entries come before
// added ones.
func changed(before, after []entry) []entry {
	kept, same := map[[3]string]int{}, 0
	for _, e := range before {
		kept[e.content()]++
	}
	var list, added []entry
	for _, e := range after {
		if kept[e.content()] > 0 {
			kept[e.content()]--
			same++
			continue
		}
		e.sign, e.label, e.depth = "+", e.name, 0
		added = append(added, e)
	}
	for _, e := range before {
		if kept[e.content()] > 0 {
			kept[e.content()]--
			e.sign, e.label, e.depth = "-", e.name, 0
			list = append(list, e)
		}
	}
	list = append(list, added...)
	if len(list) == 0 { // the entries are the same in another order
		list = append(list, after...)
		return append([]entry{{text: "Only the order, spaces or number formats of the JSON changed. The texts:"}}, list...)
	}
	slices.SortStableFunc(list, func(a, b entry) int { return order(a.path) - order(b.path) })
	if same > 0 {
		list = append(list, entry{text: fmt.Sprintf("(%d more texts and parameters are unchanged)", same)})
	}
	return list
}

// padding matches a run of spaces that could move a text off the screen.
var padding = regexp.MustCompile(` {9,}`)

// oneLine returns text as a single line. It replaces each line break and the white space around it by ↵, and
// abbreviates long runs of spaces.
func oneLine(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if line = strings.Trim(line, " \t"); line != "" {
			lines = append(lines, line)
		}
	}
	return padding.ReplaceAllStringFunc(strings.Join(lines, " ↵ "), func(s string) string { return fmt.Sprintf(" ⟨%d spaces⟩ ", len(s)) })
}

// around is the number of unchanged lines shown before and after a change.
const around = 2

// fewLines is the maximum number of changed lines in a field that is not folded.
const fewLines = 40

// files adds rows for the changes of member i, by field or file. Files that a user need not read share a row.
func (b *builder) files(i int, d review.Dossier) {
	parts, known, data := map[string]review.Part{}, map[string][]string{}, []string(nil)
	for _, p := range d.Parts {
		parts[p.Path] = p
		switch {
		case p.As != "":
			known[p.As] = append(known[p.As], p.Name)
		case p.Data:
			data = append(data, p.Name)
		}
	}
	signs := map[diff.Kind]string{diff.Insert: "+", diff.Delete: "-"}
	before, after := d.Change()
	for _, f := range diff.Contents(before, after) {
		part, file := parts[f.Path]
		known := func(p review.Part) bool { return !p.New() && jsondoc.Within(f.Path, jsondoc.Join("files", p.Name)) }
		if slices.ContainsFunc(d.Parts, known) {
			continue
		}
		if !file && d.Parts != nil && d.Base == nil && !strings.HasSuffix(f.Path, ".executable") {
			continue // the id and the path, which the heading shows
		}
		name := f.Path
		if file {
			name = part.Name
		}
		patch := f.Patch()
		before, after := f.Lines()
		if !strings.Contains(strings.TrimSuffix(before, "\n"), "\n") && !strings.Contains(strings.TrimSuffix(after, "\n"), "\n") {
			for _, h := range patch.Unified(0) { // each side has at most one line
				for _, l := range h.Lines {
					b.add(Row{Kind: Text, Tool: i, Sign: signs[l.Kind], Name: name, Text: l.Text})
				}
			}
			continue
		}
		removed, added := patch.Changed()
		detail := "+" + strconv.Itoa(added)
		if removed > 0 {
			detail += " −" + strconv.Itoa(removed)
		}
		b.add(Row{Kind: File, Tool: i, Name: name, Detail: detail, Part: name})
		fold := file || added+removed > fewLines
		for _, h := range patch.Unified(around) {
			for n := 0; n < len(h.Lines); n++ {
				row := Row{Kind: Text, Tool: i, Sign: signs[h.Lines[n].Kind], Text: h.Lines[n].Text, Part: name, Fold: fold}
				if file {
					if at, same := b.repeats(h.Lines[n:]); same > 0 {
						row.Name, row.Detail, row.Text = "as in "+b.nameOf(at.member)+" "+at.part, counted(same, "line"), h.Lines[n].Text
						row.From, n = at.member+1, n+same-1
					}
				}
				b.add(row)
			}
			for n := range h.Lines { // passages that later files may repeat
				if hash, ok := b.passage(h.Lines[n:]); ok && b.lines[hash].lines == nil {
					b.lines[hash] = lineAt{i, name, h.Lines[n:]}
				}
			}
		}
	}
	for _, as := range slices.Sorted(maps.Keys(known)) {
		b.add(Row{Kind: File, Tool: i, Name: "as in " + as, Detail: counted(len(known[as]), "file"), Text: lists.First(known[as], mostNames)})
	}
	if len(data) > 0 {
		b.add(Row{Kind: File, Tool: i, Name: "by hash", Detail: counted(len(data), "data file"), Text: lists.First(data, mostNames)})
	}
}

// leastPassage is the minimum number of lines of a passage that is replaced by a reference if it is repeated.
const leastPassage = 8

// lineAt is a position in a file of a member.
type lineAt struct {
	member int
	part   string
	lines  []diff.Line // lines from this position to the end of the hunk
}

// passage returns the hash of the first leastPassage lines. ok is false if there are fewer lines or if they are not all
// added.
func (b *builder) passage(lines []diff.Line) (hash uint64, ok bool) {
	if len(lines) < leastPassage {
		return 0, false
	}
	var h maphash.Hash
	h.SetSeed(b.seed)
	for _, l := range lines[:leastPassage] {
		if l.Kind != diff.Insert {
			return 0, false
		}
		_, _ = h.WriteString(l.Text) // never fails
		_ = h.WriteByte('\n')
	}
	return h.Sum64(), true
}

// repeats reports whether the passage at the beginning of lines also occurs earlier on the page. It returns the earlier
// position and the number of equal lines. The number is 0 if there is no such position.
func (b *builder) repeats(lines []diff.Line) (at lineAt, count int) {
	hash, ok := b.passage(lines)
	if !ok {
		return at, 0
	}
	at = b.lines[hash]
	for count < min(len(lines), len(at.lines)) && lines[count].Kind == diff.Insert && at.lines[count].Text == lines[count].Text {
		count++
	}
	if count < leastPassage {
		return at, 0
	}
	return at, count
}

// mostNames is the maximum number of names in a row.
const mostNames = 6
