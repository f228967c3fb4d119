package lint

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"toolcrib/cli/findings"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/spans"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// The rule that reports an unreadable file.
const (
	UnreadableRule = "T100"
	unreadableName = "unreadable"
)

// The families of rules for units that are not proposals: they have no template,
// and names of their own.
const (
	textFamilies = "SPB"
	fileFamilies = "SPFB"
	toolFamilies = "SPODBL"
)

// unit is one thing to run the rules over.
type unit struct {
	change   rules.Change
	families string // "" for all
	// subject names it for people, tool is the name of the tool in the file.
	subject, tool string
	// server identifies the list of tools that the unit is in, "" for none.
	server string
	lintPlace
}

// readUnits takes a file apart. What cannot be read is a finding, so that the
// other files are looked at too. executable tells the mode of the file.
func readUnits(name, server string, data []byte, executable bool) ([]*unit, []findings.Finding, error) {
	front, _, fronted := mdfile.SplitFront(string(data))
	fronted = fronted || mdfile.OpenFront(string(data))
	base := strings.ToLower(filepath.Base(name))
	switch ext := filepath.Ext(base); {
	case isScript(base), ext == ".txt" && inInstructions(name):
		return []*unit{fileUnit(name, data, executable)}, nil, nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		f := unreadable(name, jsondoc.Problem{Pos: jsondoc.Pos{Line: 1, Column: 1}, Message: "it is a zip archive"})
		f.Suggestion = "Unpack it, and check the files in it."
		return nil, []findings.Finding{f}, nil
	case slices.Contains([]string{".txt", ".prompt", ".prompty", ".j2", ".jinja", ".jinja2"}, ext), ext == ".md" && !fronted && !instructs(name, false):
		return []*unit{plainUnit(name, data)}, nil, nil
	case (forAgents(name) || fronted) && !proposalKey.MatchString(front):
		return []*unit{fileUnit(name, data, executable)}, nil, nil
	}
	text := spans.New(data)
	if !fronted {
		if units, ok := wireUnits(data, lintOrigin(name, server)); ok {
			for _, u := range units {
				u.text = text
			}
			return units, nil, nil
		}
		if n, err := jsondoc.Parse(data, jsondoc.DefaultLimits); err == nil && wire.OtherType(n) != "" && n.Get("subject") == nil && n.Get("definition") == nil {
			f := unreadable(name, jsondoc.Problem{Pos: n.Pos, Message: "not a list of tools: it is " + wire.OtherType(n)})
			f.Suggestion = "Give it a list of tools, proposals, or prompts in text files."
			return nil, []findings.Finding{f}, nil
		}
	}
	parsed, err := proposals.DecodeFile(name, data)
	var bad *proposals.DecodeError
	if err != nil && !errors.As(err, &bad) {
		return nil, nil, err
	}
	var units []*unit
	for _, p := range parsed {
		units = append(units, &unit{
			change: rules.Change{Draft: p.Draft, Apart: true}, subject: p.Draft.Subject.String(), tool: p.Draft.Subject.ID, lintPlace: lintPlace{text: text, doc: p.Doc},
		})
	}
	var problems []findings.Finding
	if format := strings.TrimPrefix(filepath.Ext(name), "."); bad != nil && slices.Contains([]string{"toml", "yaml", "yml"}, strings.ToLower(format)) {
		f := unreadable(name, jsondoc.Problem{Pos: jsondoc.Pos{Line: 1, Column: 1}, Message: "lint does not read " + strings.ToUpper(format)})
		f.Suggestion = "Give it JSON, NDJSON, Markdown, or plain text (.txt)."
		return nil, []findings.Finding{f}, nil
	}
	if bad != nil {
		for _, p := range bad.Problems {
			f := unreadable(name, p.Problem.Problem)
			f.Rule = cmp.Or(p.Rule, f.Rule)
			problems = append(problems, f)
		}
	}
	return units, problems, nil
}

// lintOrigin returns the origin of the documents of a file, as an import would
// have it. Tools that MCP servers list are theirs, even of an unnamed server: no
// name among them is one of toolcrib's own.
func lintOrigin(file, server string) func(wire.Document) intake.Origin {
	return func(doc wire.Document) intake.Origin {
		o := intake.Origin{Layer: registry.LayerUser, Server: server != "" || doc.Format == wire.MCP && doc.Server != wire.SelfName}
		o.Label = cmp.Or(registry.ServerName(cmp.Or(server, doc.Server, file)), "server")
		return o
	}
}

// wireUnits reads what other programs write: one document, or a stream of
// documents and of single tools. It reports false for anything else, such as
// proposals.
func wireUnits(data []byte, from func(wire.Document) intake.Origin) ([]*unit, bool) {
	nodes, err := jsondoc.ParseStream(data, jsondoc.DefaultLimits)
	if err != nil || slices.ContainsFunc(nodes, func(n *jsondoc.Node) bool { return n.Get("subject") != nil }) {
		return nil, false
	}
	if doc, err := wire.Decode(data); err == nil {
		return itemUnits(doc, from(doc), "0"), true
	}
	var units []*unit
	for i, n := range nodes {
		doc, err := wire.DecodeNode(n)
		if err != nil {
			return nil, false
		}
		units = append(units, itemUnits(doc, from(doc), strconv.Itoa(i))...)
	}
	return units, len(units) > 0
}

// itemUnits makes a proposal out of every tool of a document that another
// program wrote, as an import does. The number tells the document apart from others of
// its file: each is the list of another server.
func itemUnits(doc wire.Document, from intake.Origin, number string) []*unit {
	var units []*unit
	for _, it := range doc.Items {
		t := from.Definition(it)
		subject := registry.Subject{Kind: registry.KindTool, Layer: from.Layer, ID: t.ID}
		units = append(units, &unit{
			change:   rules.Change{Apart: true, Draft: proposals.Draft{Type: proposals.New, Subject: subject, Definition: registry.Definition{Tool: &t}}, Source: it.Raw},
			families: toolFamilies, subject: it.Name, tool: it.Name, server: number, lintPlace: lintPlace{doc: it.Node(), item: it.Path, field: it.Place},
		})
	}
	for _, path := range doc.NotKept {
		var words []string
		doc.Node.Find(path).Walk(func(n *jsondoc.Node, _ func() string) bool {
			if n.Kind == jsondoc.String {
				words = append(words, n.Text)
			}
			return true
		})
		if len(words) > 0 {
			u := plainUnit("prompt.txt", []byte(strings.Join(words, "\n\n")))
			u.subject, u.lintPlace = path, lintPlace{doc: doc.Node, field: func(string) string { return path }}
			units = append(units, u)
		}
	}
	for _, e := range doc.Entries {
		if !e.Locked {
			units = append(units, &unit{
				change:   rules.Change{Apart: true, Draft: proposals.Draft{Type: proposals.New, Subject: e.Subject, Definition: e.Definition}, Source: e.Raw},
				families: toolFamilies + "RA", subject: e.Subject.String(), tool: e.Subject.ID, lintPlace: lintPlace{doc: e.Node, item: e.Path},
			})
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
	prompt, _, _ := filetext.Decode(data, true)
	return &unit{
		change: rules.Change{Apart: true, Draft: proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id},
			Definition: registry.Definition{Tool: &registry.Tool{ID: id, Kind: registry.PromptTool, Prompt: prompt}},
		}},
		families: textFamilies, subject: name, lintPlace: lintPlace{prefix: "definition.prompt"},
	}
}

// at gives a finding its file and its place there.
func (u *unit) at(file string, f rules.Finding) findings.Finding {
	out := findings.Finding{
		Rule: f.Rule, Name: ruleNames()[f.Rule], Severity: string(f.Severity), File: file, Subject: u.subject, Tool: u.tool,
		Message: f.Message, Suggestion: f.Suggestion, Importer: f.Importer, Passage: f.Passage, Waivable: f.Waivable, Server: u.server,
	}
	if u.folder != nil {
		u.inFolder(file, f, &out)
	} else {
		u.locate(f, &out)
	}
	return out
}

// ruleNames are the names of all rules by id.
var ruleNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, r := range ruleset.All() {
		names[r.ID] = r.Name
	}
	return names
})

// lintPlace is where the fields of a unit stand in its file.
type lintPlace struct {
	text *spans.File
	doc  *jsondoc.Node // what the fields are in; nil for a plain text
	item string        // the path of doc in the file's document, "" for all of it
	// field turns the path of a finding into one inside doc; nil leaves it.
	field func(string) string
	// folder has the files of a skill or of instructions.
	folder *registry.Folder
	// prefix is taken off the paths of findings: fields that only exist because
	// a text was made into a proposal to be looked at.
	prefix string
}

// locate gives out the place of a finding: the passage in the file, else the
// field, else the nearest thing around it.
func (p *lintPlace) locate(f rules.Finding, out *findings.Finding) {
	if p.doc == nil {
		out.Path = strings.TrimPrefix(f.Path, p.prefix)
		out.Line, out.Column, out.EndLine, out.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
		return
	}
	path := f.Path
	if p.field != nil {
		path = p.field(path)
	}
	out.Path, out.Field = path, path
	switch {
	case p.item != "" && strings.HasPrefix(path, "["):
		out.Path = p.item + path
	case p.item != "" && (path == "" || path == jsondoc.Root):
		out.Path = p.item
	case p.item != "":
		out.Path = p.item + "." + path
	}
	at, key, whole := p.doc.Lead(path)
	out.Line, out.Column = at.Pos.Line, at.Pos.Column
	span, found := spans.Span{}, false
	if whole && at.Kind == jsondoc.String {
		span, found = p.passage(at.Pos, at.Text, f)
	}
	if !found && key != nil && f.Passage != "" {
		if span, found = p.passage(key.Pos, key.Key, f); found {
			out.Line, out.Column = key.Pos.Line, key.Pos.Column
		}
	}
	if found {
		out.Line, out.Column = span.From.Line, span.From.Column
		out.EndLine, out.EndColumn = span.To.Line, span.To.Column
	}
}

// passage finds what a finding is about in a value that stands at at.
func (p *lintPlace) passage(at jsondoc.Pos, value string, f rules.Finding) (spans.Span, bool) {
	start, end := offset(value, f.Line, f.Column), offset(value, f.EndLine, f.EndColumn)
	switch {
	case f.Passage == "":
		start, end = 0, len(value)
	case start < 0 || end < start || value[start:end] != f.Passage:
		if start = strings.Index(value, f.Passage); start < 0 {
			return spans.Span{}, false
		}
		end = start + len(f.Passage)
	}
	return p.text.Value(at, value, start, end)
}

// offset returns where a line and column of a text begin, in bytes; -1 when it
// has no such place.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	for ; column > 1 && at < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if line < 1 || column != 1 {
		return -1
	}
	return at
}
