// This file splits files into units, and maps findings to positions in the files.

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

	"toolcrib/cli/findings"
	"toolcrib/internal/lists"
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

// The rule that reports unreadable files.
const (
	UnreadableRule = "T100"
	unreadableName = "unreadable"
)

// The rule families that run on plain texts, on files, and on imported tools. These families do not require the
// template of a proposal.
const (
	textFamilies = "SPB"
	fileFamilies = "SPFB"
	toolFamilies = "SPODBL"
)

// unit is a definition or a text to lint.
type unit struct {
	change   rules.Change
	families string // families to run, or "" for all
	// subject is the name for display, and tool is the name of the tool in the file.
	subject, tool string
	// server identifies the list of tools that contains the unit. It is "" if the unit is not in a list.
	server string
	lintPlace
}

// readUnits splits the content of a file into units. name is the name of the file, data is its content, and executable
// is its executable bit. If the file is a list of tools, server is the name of their server, or "" if the name is
// unknown. If a part of the file is unreadable, readUnits returns a finding instead of an error, because the other
// parts and files can still be checked.
func readUnits(name, server string, data []byte, executable bool) ([]*unit, []findings.Finding, error) {
	front, _, fronted := mdfile.SplitFront(string(data))
	fronted = fronted || mdfile.OpenFront(string(data))
	refuse := func(p jsondoc.Problem, suggestion string) ([]*unit, []findings.Finding, error) {
		f := unreadable(name, p)
		f.Suggestion = suggestion
		return nil, []findings.Finding{f}, nil
	}
	base := strings.ToLower(filepath.Base(name))
	switch ext := filepath.Ext(base); {
	case isScript(base), ext == ".txt" && inInstructions(name):
		return []*unit{fileUnit(name, data, executable)}, nil, nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return refuse(noPlace("the file is a zip archive"), "Unpack the archive, and check the extracted files.")
	case slices.Contains([]string{".txt", ".prompt", ".prompty", ".j2", ".jinja", ".jinja2"}, ext), ext == ".md" && !fronted && !instructs(name, false):
		return []*unit{plainUnit(name, data)}, nil, nil
	case (instructionName(base) || slices.Contains([]string{".md", ".markdown", ".mdc"}, ext) || fronted) && !proposalKey.MatchString(front):
		return []*unit{fileUnit(name, data, executable)}, nil, nil
	}
	text := spans.New(data)
	if !fronted {
		if docs := wireDocuments(data); len(docs) > 0 {
			var units []*unit
			var skipped []findings.Finding
			for i, doc := range docs {
				// Use the origin that an import would assign. MCP tools always belong to a server, even if its name is
				// unknown. Otherwise, they could be mistaken for built-in tools.
				from := intake.Origin{Layer: registry.LayerUser, Server: server != "" || doc.Format == wire.MCP && doc.Server != wire.SelfName}
				from.Label = cmp.Or(registry.ServerName(cmp.Or(server, doc.Server, name)), "server")
				units = append(units, itemUnits(doc, from, strconv.Itoa(i))...)
				for _, s := range doc.Skipped { // do not report tools that the provider of the model runs
					if s.Entry == nil {
						continue
					}
					if kind := s.Entry.Node().Get("type"); kind == nil || kind.Text == "function" {
						skipped = append(skipped, unreadable(name, jsondoc.Problem{Path: s.Entry.Path, Pos: s.Entry.Pos, Message: s.String()}))
					}
				}
			}
			for _, u := range units {
				u.text = text
			}
			return units, skipped, nil
		}
		proposed := func(n *jsondoc.Node) bool {
			return slices.ContainsFunc([]string{"type", "subject", "baseVersion", "definition", "rationale"}, func(key string) bool { return n.Get(key) != nil })
		}
		if n, err := jsondoc.Parse(data, jsondoc.DefaultLimits); err == nil && n.Kind == jsondoc.Object && (wire.OtherType(n) != "" || !proposed(n)) && n.Get("subject") == nil && n.Get("definition") == nil {
			return refuse(jsondoc.Problem{Pos: n.Pos, Message: "not a supported list of tools: the file contains " + cmp.Or(wire.OtherType(n), "a JSON object that is not a proposal")}, "Pass files with lists of tools, proposals, or prompts.")
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
			change: rules.Change{Draft: p.Draft, Isolated: true}, subject: p.Draft.Subject.String(), tool: p.Draft.Subject.ID, lintPlace: lintPlace{text: text, doc: p.Doc},
		})
	}
	var problems []findings.Finding
	if format := strings.TrimPrefix(filepath.Ext(name), "."); bad != nil && slices.Contains([]string{"toml", "yaml", "yml"}, strings.ToLower(format)) {
		return refuse(noPlace("lint cannot read "+strings.ToUpper(format)), "Convert the file to JSON, NDJSON, Markdown, or plain text (.txt).")
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

// wireDocuments parses data in the formats of other programs: a single document, or a stream of documents and tools. It
// returns nil for any other content, such as proposals.
func wireDocuments(data []byte) (docs []wire.Document) {
	proposed := func(n *jsondoc.Node) bool { return n.Get("subject") != nil }
	if doc, err := wire.Decode(data); err == nil {
		if proposed(doc.Node) || slices.ContainsFunc(doc.Node.Items, proposed) {
			return nil
		}
		return []wire.Document{doc}
	}
	nodes, err := jsondoc.ParseStream(data, jsondoc.DefaultLimits)
	if err != nil || slices.ContainsFunc(nodes, proposed) {
		return nil
	}
	for _, n := range nodes {
		if paths := frameTexts(n); len(paths) > 0 {
			docs = append(docs, wire.Document{Node: n, NotKept: paths})
			continue
		}
		doc, err := wire.DecodeNode(n)
		if err != nil || wire.OtherType(n) != "" {
			return nil
		}
		docs = append(docs, doc)
	}
	if !slices.ContainsFunc(docs, func(doc wire.Document) bool { return len(doc.Items)+len(doc.Entries)+len(doc.NotKept) > 0 }) {
		return nil
	}
	return docs
}

// frameTexts returns the paths of the texts in the response of an MCP server to initialize or prompts/get, with or
// without the JSON-RPC envelope: https://modelcontextprotocol.io/specification/2025-06-18/schema.
func frameTexts(n *jsondoc.Node) (paths []string) {
	prefix := ""
	if result := n.Get("result"); result != nil && n.Get("jsonrpc") != nil {
		n, prefix = result, "result."
	}
	if n.Get("serverInfo") != nil {
		for _, key := range []string{"instructions", "serverInfo"} {
			if n.Get(key) != nil {
				paths = append(paths, prefix+key)
			}
		}
	}
	if messages := n.Get("messages"); messages != nil && messages.Kind == jsondoc.Array {
		for i, m := range messages.Items {
			if content := m.Get("content"); m.Get("role") != nil && content != nil && content.Kind == jsondoc.Object { // in other conversations, the content is a text or a list
				paths = append(paths, jsondoc.Index(prefix+"messages", i)+".content")
			}
		}
	}
	return paths
}

// itemUnits returns units for the tools and texts in doc, a document in the format of another program. It converts
// tools to proposals in the same way as an import. number identifies doc among the documents of the file.
func itemUnits(doc wire.Document, from intake.Origin, number string) []*unit {
	var units []*unit
	for _, it := range doc.Items {
		t := from.Definition(it)
		subject := registry.Subject{Kind: registry.KindTool, Layer: from.Layer, ID: t.ID}
		units = append(units, &unit{
			change:   rules.Change{Isolated: true, Draft: proposals.Draft{Type: proposals.New, Subject: subject, Definition: registry.Definition{Tool: &t}}, Source: it.Raw},
			families: toolFamilies, subject: it.Name, tool: it.Name, server: number, lintPlace: lintPlace{doc: it.Node(), item: it.Path, field: it.Place},
		})
	}
	apart := slices.Clone(doc.NotKept)
	for _, s := range doc.Skipped {
		if s.Entry != nil {
			apart = append(apart, s.Entry.Path)
		}
	}
	for _, path := range apart {
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
				change:   rules.Change{Isolated: true, Draft: proposals.Draft{Type: proposals.New, Subject: e.Subject, Definition: e.Definition}, Source: e.Raw},
				families: toolFamilies + "RA", subject: e.Subject.String(), tool: e.Subject.ID, lintPlace: lintPlace{doc: e.Node, item: e.Path},
			})
		}
	}
	return units
}

// plainUnit returns a unit for a plain text. It represents the text as a prompt tool.
func plainUnit(name string, data []byte) *unit {
	id := strings.ToLower(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	if !registry.ValidID(id) {
		id = "prompt"
	}
	prompt, _, _ := filetext.Decode(data, true)
	return &unit{
		change: rules.Change{Isolated: true, Draft: proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id},
			Definition: registry.Definition{Tool: &registry.Tool{ID: id, Kind: registry.PromptTool, Prompt: prompt}},
		}},
		families: textFamilies, subject: name, lintPlace: lintPlace{prefix: "definition.prompt"},
	}
}

// at converts f, a finding of a rule about u, to a finding about the given file, with a position in this file.
func (u *unit) at(file string, f rules.Finding) findings.Finding {
	out := findings.Finding{
		Rule: f.Rule, Name: ruleNames()[f.Rule], Severity: string(f.Severity), File: file, Subject: u.subject, Tool: u.tool,
		Message: f.Message, Suggestion: f.Suggestion, Importer: f.Importer, Passage: f.Passage, Waivable: f.Waivable, Server: u.server,
	}
	if u.folder == nil {
		u.locate(f, &out)
		return out
	}
	longest := "" // name of the file that contains the finding
	for name := range u.folder.Files {
		at := jsondoc.Join("definition.files", name)
		if rest, ok := strings.CutPrefix(f.Path, at); ok && (rest == "" || rest[0] == '.') && len(name) > len(longest) {
			longest, out.Path = name, strings.TrimPrefix(strings.TrimPrefix(rest, ".text"), ".")
		}
	}
	switch {
	case longest == "":
		out.Path = f.Path
	case len(u.folder.Files) > 1:
		out.File = filepath.Join(filepath.Dir(file), filepath.FromSlash(longest))
	}
	out.Line, out.Column, out.EndLine, out.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
	return out
}

// ruleNames returns a map from the ids of all rules to their names.
var ruleNames = sync.OnceValue(func() map[string]string {
	return lists.Index(ruleset.All(), func(r rules.Rule) (string, string) { return r.ID, r.Name })
})

// lintPlace maps the fields of a unit to positions in a file.
type lintPlace struct {
	text *spans.File
	doc  *jsondoc.Node // contains the fields; nil for plain text
	item string        // path of doc in the file, or "" if doc is the whole file
	// field converts the path of a finding to a path in doc. If field is nil, both paths are the same.
	field func(string) string
	// folder contains the files of a skill or of instructions.
	folder *registry.Folder
	// prefix is removed from the paths of findings. The rules see a plain text as part of a proposal, and prefix is the
	// path of the text in this proposal.
	prefix string
}

// locate sets the position in result, the finding for f, to the position of the passage of f. If the file does not
// contain the passage, locate uses the position of the field of f. If the field does not exist either, it uses the
// position of the innermost existing value around the missing field.
func (p *lintPlace) locate(f rules.Finding, result *findings.Finding) {
	if p.doc == nil {
		result.Path = strings.TrimPrefix(f.Path, p.prefix)
		result.Line, result.Column, result.EndLine, result.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
		return
	}
	path := f.Path
	if p.field != nil {
		path = p.field(path)
	}
	result.Path, result.Field = path, path
	switch {
	case p.item != "" && strings.HasPrefix(path, "["):
		result.Path = p.item + path
	case p.item != "" && (path == "" || path == jsondoc.Root):
		result.Path = p.item
	case p.item != "":
		result.Path = p.item + "." + path
	}
	at, key, whole := p.doc.Lead(path)
	result.Line, result.Column = at.Pos.Line, at.Pos.Column
	span, found := spans.Span{}, false
	if whole && at.Kind == jsondoc.String {
		span, found = p.passage(at.Pos, at.Text, f)
	}
	if !found && key != nil && f.Passage != "" {
		if span, found = p.passage(key.Pos, key.Key, f); found {
			result.Line, result.Column = key.Pos.Line, key.Pos.Column
		}
	}
	if found {
		result.Line, result.Column = span.From.Line, span.From.Column
		result.EndLine, result.EndColumn = span.To.Line, span.To.Column
	}
}

// passage returns the place in the file of the text that f is about. pos is the place of value in the file. If value
// does not contain the text, passage returns false.
func (p *lintPlace) passage(pos jsondoc.Pos, value string, f rules.Finding) (spans.Span, bool) {
	start, end := spans.Offset(value, jsondoc.Pos{Line: f.Line, Column: f.Column}), spans.Offset(value, jsondoc.Pos{Line: f.EndLine, Column: f.EndColumn})
	switch {
	case f.Passage == "":
		start, end = 0, len(value)
	case start < 0 || end < start || value[start:end] != f.Passage:
		if start = strings.Index(value, f.Passage); start < 0 {
			return spans.Span{}, false
		}
		end = start + len(f.Passage)
	}
	return p.text.Value(pos, value, start, end)
}

// unreadable returns a finding for the syntax error p in the file called name.
func unreadable(name string, p jsondoc.Problem) findings.Finding {
	message := p.Message
	if !strings.HasSuffix(message, "?") {
		message += "."
	}
	return findings.Finding{
		Rule: UnreadableRule, Name: unreadableName, Severity: string(rules.Block), File: name, Subject: name,
		Line: p.Pos.Line, Column: p.Pos.Column, Path: p.Path, Message: message,
	}
}

// isSkill reports whether the file called name is a SKILL.md, which makes its folder a skill.
func isSkill(name string) bool { return filepath.Base(name) == registry.SkillFile }
