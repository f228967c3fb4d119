// This file decodes proposals in Markdown.

package proposals

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

// Titles of the sections of a proposal, in addition to the sections of its definition.
const (
	titleRationale = "Rationale"
	titleExamples  = "Examples"
	titleTestCases = "Test cases"
)

// proposalKeys are the keys in front matter that belong to the proposal. All other keys
// belong to its definition.
var proposalKeys = []string{"type", "subject", "baseVersion", "restoreVersion", "changeSet", "rationale", "examples", "testCases"}

// DecodeMarkdown decodes a proposal in Markdown. The YAML front matter contains keys of the
// proposal and of its definition. Sections contain long texts of the definition, the
// rationale, the examples, and the test cases. If the definition has no id, it receives the
// id of the subject. DecodeMarkdown is as strict as DecodeJSON and returns the same errors,
// with positions in the Markdown file.
func DecodeMarkdown(data []byte) (Parsed, error) {
	if err := checkSize(data, MaxDocument); err != nil {
		return Parsed{}, err
	}
	kind, known := kindOfFile(data)
	titles := proposalTitles(kind)
	if !known {
		tool, agent := proposalTitles(registry.KindTool), proposalTitles(registry.KindAgent) // a list has no sections
		titles = func(title string) (string, bool) {
			if canonical, ok := tool(title); ok {
				return canonical, true
			}
			return agent(title)
		}
	}
	file, err := mdfile.Parse(data, titles)
	if problems, ok := errors.AsType[jsondoc.Problems](err); ok { // convert paths in the file to paths in the proposal
		for i, p := range problems {
			if p.Path != jsondoc.Root && !slices.Contains(proposalKeys, headOf(p.Path)) {
				problems[i].Path = joinPath("definition", p.Path)
			}
		}
		err = problems
	}
	if err != nil {
		return Parsed{}, brokenText(err)
	}
	doc, ps := gather(file, kind, known)
	parsed := bindDraft(doc)
	ps.Append(parsed.Malformed...)
	parsed.Malformed = ps
	return parsed, malformed([]Parsed{parsed})
}

// kindOfFile returns the kind of the subject in the front matter. The kind determines which
// headings begin a section. For example, "## Soul" begins a section for an agent, but is
// plain text for a tool.
func kindOfFile(data []byte) (registry.Kind, bool) {
	rest := bytes.TrimPrefix(data, byteOrderMark)
	front, lines := 0, 0
	for line := range bytes.Lines(rest) {
		front += len(line)
		if lines++; lines > 1 && string(bytes.TrimRight(line, " \t\r\n")) == "---" {
			break
		}
	}
	file, err := mdfile.Parse(rest[:front], mdfile.TitleSet())
	if err != nil {
		return "", false
	}
	return subjectKind(file.Front)
}

func proposalTitles(kind registry.Kind) mdfile.Titles {
	return mdfile.DefinitionTitles(kind, titleRationale, titleExamples, titleTestCases)
}

// joinPath joins two paths. path is relative to the value at outer.
func joinPath(outer, path string) string {
	switch {
	case path == jsondoc.Root:
		return outer
	case strings.HasPrefix(path, "["):
		return outer + path
	}
	return outer + "." + path
}

// gather builds the JSON tree of a proposal from a Markdown file. If kind is not valid, the
// definition contains only the keys of the front matter.
func gather(file mdfile.File, kind registry.Kind, valid bool) (*jsondoc.Node, jsondoc.Problems) {
	doc := &jsondoc.Node{Kind: jsondoc.Object, Pos: file.Front.Pos}
	definition := &jsondoc.Node{Kind: jsondoc.Object}
	fold := strings.NewReplacer("_", "", "-", "", " ", "")
	for _, m := range file.Front.Members {
		// Misspelled keys also belong to the proposal; bindDraft reports them.
		if slices.ContainsFunc(proposalKeys, func(k string) bool { return strings.EqualFold(k, fold.Replace(m.Key)) }) {
			doc.Members = append(doc.Members, m)
		} else {
			definition.Members = append(definition.Members, m)
		}
	}
	rest, ps := mdfile.InsertSections(kind, definition, "definition", file.Sections)
	if len(definition.Members) > 0 {
		definition.Pos = definition.Members[0].Pos
		if valid && definition.Get("id") == nil {
			text := doc.Get("subject")
			if subject, err := registry.ParseSubject(text.Text); err == nil {
				id := &jsondoc.Node{Kind: jsondoc.String, Pos: text.Pos, Text: subject.ID}
				definition.Members = append(definition.Members, jsondoc.Member{Key: "id", Pos: text.Pos, Value: id})
			}
		}
		doc.Members = append(doc.Members, jsondoc.Member{Key: "definition", Pos: definition.Pos, Value: definition})
	}
	for _, s := range rest {
		ps.Append(section(doc, s)...)
	}
	return doc, ps
}

// section adds the content of a section to doc, the JSON tree of the proposal.
func section(doc *jsondoc.Node, s mdfile.Section) jsondoc.Problems {
	if s.Text == "" {
		return nil
	}
	var (
		key   string
		value *jsondoc.Node
		ps    jsondoc.Problems
		read  func(*page) (*jsondoc.Node, jsondoc.Problems)
	)
	switch s.Title {
	case titleRationale:
		key, value = "rationale", &jsondoc.Node{Kind: jsondoc.String, Pos: s.Pos, Text: s.Text}
	case titleExamples:
		key, read = "examples", readExamples
	case titleTestCases:
		key, read = "testCases", readTestCases
	default:
		// This is a text of a definition of unknown kind. Add the key, because the decoder
		// must report it.
		if doc.Get("definition") == nil {
			doc.Members = append(doc.Members, jsondoc.Member{Key: "definition", Pos: s.Pos, Value: &jsondoc.Node{Kind: jsondoc.Object, Pos: s.Pos}})
		}
		return nil
	}
	p := &page{key: key, lines: strings.Split(s.Text, "\n"), first: s.Pos.Line}
	switch {
	case read == nil:
	case p.atBlock(): // used for lists that bullets or headings cannot represent
		value, ps = p.block(key)
		p.skipBlank()
		if p.more() {
			ps.Append(p.refuse(key, "unexpected text after the block, which must contain the whole list")...)
		}
		if value == nil {
			value = &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
		}
	default:
		value, ps = read(p)
	}
	if doc.Get(key) != nil {
		ps.Append(jsondoc.Problem{Path: key, Pos: s.Pos, Message: "is in both the front matter and a section; keep one"})
		return ps
	}
	doc.Members = append(doc.Members, jsondoc.Member{Key: key, Pos: s.Pos, Value: value})
	return ps
}

// readExamples parses a list of examples. Each example is a bullet. Its continuation lines
// are indented by two spaces.
func readExamples(p *page) (*jsondoc.Node, jsondoc.Problems) {
	list := &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
	var (
		ps    jsondoc.Problems
		lines []string // lines of the current example
	)
	finish := func() {
		if n := len(list.Items); n > 0 {
			list.Items[n-1].Text = strings.TrimRight(strings.Join(lines, "\n"), " \t")
		}
	}
	for empty := p.skipBlank(); p.more(); empty = p.skipBlank() {
		if len(list.Items) > maxList {
			return list, ps // bindDraft reports that the list is too long
		}
		line := p.line()
		if (line[0] == '-' || line[0] == '*') && (len(line) == 1 || line[1] == ' ' || line[1] == '\t') {
			finish()
			list.Items = append(list.Items, &jsondoc.Node{Kind: jsondoc.String, Pos: p.pos()})
			lines = []string{strings.TrimLeft(line[1:], " \t")}
		} else if text, ok := strings.CutPrefix(line, "  "); ok && len(list.Items) > 0 {
			lines = append(append(lines, make([]string, empty)...), text)
		} else {
			ps.Append(p.refuse(p.key, `expected "- " before an example, or two spaces before a continuation line`)...)
		}
		p.at++
	}
	finish()
	return list, ps
}

// bulletable reports whether a bullet can represent text without changing it.
func bulletable(text string) bool {
	if !mdfile.Representable(text) || text[0] == ' ' || text[0] == '\t' {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && isBlank(line) {
			return false
		}
	}
	return true
}

const caseHeading = "###"

// readTestCases parses a list of test cases. Each test case has a third-level heading with
// its name, followed by a YAML block with its other fields.
func readTestCases(p *page) (*jsondoc.Node, jsondoc.Problems) {
	list := &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
	var ps jsondoc.Problems
	for p.skipBlank(); p.more() && len(list.Items) <= maxList; p.skipBlank() {
		name, ok := caseName(p.line())
		if !ok {
			ps.Append(p.refuse(p.key, "expected a heading %q with the name of a test case, followed by a ```yaml block with its input, expect, output and checks", caseHeading+" ")...)
			for p.at++; p.more(); p.at++ { // skip to the next test case, because the problem is reported only once
				if _, ok := caseName(p.line()); ok {
					break
				}
			}
			continue
		}
		path := jsondoc.Index(p.key, len(list.Items))
		tc, problems := readTestCase(p, path, name)
		list.Items = append(list.Items, tc)
		ps.Append(problems...)
	}
	return list, ps
}

func readTestCase(p *page, path, name string) (*jsondoc.Node, jsondoc.Problems) {
	tc := &jsondoc.Node{Kind: jsondoc.Object, Pos: p.pos()}
	if name != "" {
		tc.Members = append(tc.Members, jsondoc.Member{
			Key: "name", Pos: p.pos(),
			Value: &jsondoc.Node{Kind: jsondoc.String, Pos: p.pos(), Text: name},
		})
	}
	p.at++
	p.skipBlank()
	if !p.atBlock() {
		return tc, nil
	}
	rest, ps := p.block(path)
	switch {
	case rest == nil:
	case rest.Kind != jsondoc.Object:
		ps.Append(problemAt(rest, path, "expected the keys input, expect, output and checks, got "+rest.Kind.String())...)
	case rest.Get("name") != nil:
		ps.Append(problemAt(rest.Get("name"), jsondoc.Join(path, "name"), "the heading already contains the name of the test case; omit name")...)
	default:
		tc.Members = append(tc.Members, rest.Members...)
	}
	return tc, ps
}

// caseName returns the name in line if line is the heading of a test case.
func caseName(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, caseHeading)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.Trim(rest, " \t"), true
}
