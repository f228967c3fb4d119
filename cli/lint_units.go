package cli

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolcrib/cli/findings"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
)

// What lint says of a file that it can not read.
const (
	unreadableRule = "T100"
	unreadableName = "unreadable"
)

// The families of rules that make sense for what is no proposal: a template is
// not asked of it, and its names are its own.
const (
	textFamilies = "SPB"
	toolFamilies = "SPODBL"
)

// unit is one thing to run the rules over.
type unit struct {
	change   rules.Change
	families string        // "" for all
	doc      *jsondoc.Node // where its fields are; nil for a plain text
	// flat says that a field stands in the file as it is, line by line, and not
	// as a string with escapes.
	flat bool
	// prefix is taken off the paths of findings: fields that only exist because
	// a text was made into a proposal to be looked at.
	prefix string
}

// readUnits takes a file apart. What can not be read is a finding, so that the
// other files are looked at too.
func readUnits(name string, data []byte) ([]*unit, []findings.Finding, error) {
	ext := strings.ToLower(filepath.Ext(name))
	front := bytes.HasPrefix(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("---\n")) || bytes.HasPrefix(data, []byte("---\r\n"))
	switch {
	case ext == ".txt", (ext == ".md" || ext == ".markdown") && !front:
		return []*unit{plainUnit(name, data)}, nil, nil
	}
	if !front {
		if units, ok := wireUnits(data); ok {
			return units, nil, nil
		}
	}
	parsed, err := proposals.DecodeFile(name, data)
	var bad *proposals.DecodeError
	if err != nil && !errors.As(err, &bad) {
		return nil, nil, err
	}
	var units []*unit
	for _, p := range parsed {
		units = append(units, &unit{change: rules.Change{Draft: p.Draft}, doc: p.Doc, flat: front})
	}
	var problems []findings.Finding
	if bad != nil {
		for _, p := range bad.Problems {
			problems = append(problems, findings.Finding{
				Rule: cmp.Or(p.Rule, unreadableRule), Name: unreadableName, Severity: string(rules.Block), File: name,
				Line: p.Pos.Line, Column: p.Pos.Column, Path: p.Path, Message: p.Message + ".",
			})
		}
	}
	return units, problems, nil
}

// wireUnits reads what other programs write: one document, or a stream of
// documents and of single tools. It reports false for anything else, such as
// proposals.
func wireUnits(data []byte) ([]*unit, bool) {
	nodes, err := jsondoc.ParseStream(data, jsondoc.DefaultLimits)
	if err != nil || slices.ContainsFunc(nodes, func(n *jsondoc.Node) bool { return n.Get("subject") != nil }) {
		return nil, false
	}
	if doc, err := wire.Decode(data); err == nil {
		return itemUnits(doc), true
	}
	var units []*unit
	for _, n := range nodes {
		text := jsondoc.Canonical(n)
		doc, err := wire.Decode(text)
		if err != nil {
			doc, err = wire.Decode(slices.Concat([]byte("["), text, []byte("]")))
		}
		if err != nil {
			return nil, false
		}
		for _, u := range itemUnits(doc) {
			u.doc.Pos = n.Pos
			units = append(units, u)
		}
	}
	return units, len(units) > 0
}

// itemUnits makes a proposal out of every tool of a document that another
// program wrote.
func itemUnits(doc wire.Document) []*unit {
	var units []*unit
	add := func(subject registry.Subject, d registry.Definition, source []byte, pos jsondoc.Pos, families string) {
		units = append(units, &unit{
			change:   rules.Change{Draft: proposals.Draft{Type: proposals.New, Subject: subject, Definition: d}, Source: source},
			families: families, doc: &jsondoc.Node{Kind: jsondoc.Object, Pos: pos},
		})
	}
	origin := intake.Origin{Label: registry.ServerName(doc.Server), Server: doc.Server != ""}
	if doc.Format == wire.MCP && origin.Label == "" {
		origin.Label = "server" // its tools belong to one, named or not
	}
	for _, it := range doc.Items {
		t := origin.Definition(it)
		add(registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: t.ID}, registry.Definition{Tool: &t}, it.Raw, it.Pos, toolFamilies)
	}
	for _, e := range doc.Entries {
		if !e.Locked {
			add(e.Subject, e.Definition, nil, e.Pos, toolFamilies+"RA")
		}
	}
	return units
}

// plainUnit makes a prompt tool out of a text that is only a prompt.
func plainUnit(name string, data []byte) *unit {
	id := strings.ToLower(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	if !registry.ValidID(id) {
		id = "prompt"
	}
	return &unit{
		change: rules.Change{Draft: proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id},
			Definition: registry.Definition{Tool: &registry.Tool{ID: id, Kind: registry.PromptTool, Prompt: strings.ToValidUTF8(string(data), "\ufffd")}},
		}},
		families: textFamilies, flat: true, prefix: "definition.prompt",
	}
}

// at gives a finding its file and its place there.
func (u *unit) at(file string, f rules.Finding) findings.Finding {
	out := findings.Finding{
		Rule: f.Rule, Name: ruleNames()[f.Rule], Severity: string(f.Severity), File: file, Path: f.Path, Message: f.Message, Suggestion: f.Suggestion,
	}
	if u.doc == nil {
		out.Path = strings.TrimPrefix(f.Path, u.prefix)
		out.Line, out.Column, out.EndLine, out.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
		return out
	}
	begin := nearest(u.doc, f.Path)
	out.Line, out.Column = begin.Line, begin.Column
	if !u.flat || f.Line == 0 {
		return out
	}
	out.Line, out.Column = shifted(begin, f.Line, f.Column)
	out.EndLine, out.EndColumn = shifted(begin, f.EndLine, f.EndColumn)
	return out
}

// shifted turns a place in a text into one in the file that has the text from
// begin on.
func shifted(begin jsondoc.Pos, line, column int) (int, int) {
	if line == 1 {
		return begin.Line, begin.Column + column - 1
	}
	return begin.Line + line - 1, column
}

// nearest is the place of a field, or of the nearest thing around it.
func nearest(doc *jsondoc.Node, path string) jsondoc.Pos {
	located := jsondoc.Problems{{Path: path}}.Locate(doc)
	return located[0].Pos
}

// ruleNames are the names of all rules by id.
var ruleNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, r := range rules.All() {
		names[r.ID] = r.Name
	}
	return names
})
