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

// The sections of a proposal in Markdown besides those of its definition.
const (
	titleRationale = "Rationale"
	titleExamples  = "Examples"
	titleTestCases = "Test cases"
)

// proposalKeys are the keys of a proposal that may stand in the front matter.
// All other keys there are the definition's.
var proposalKeys = []string{"type", "subject", "baseVersion", "restoreVersion", "changeSet", "rationale", "examples", "testCases"}

// DecodeMarkdown reads one proposal written as Markdown: YAML front matter with
// the keys of the proposal and, beside them, those of the definition; its long
// texts, the rationale, the examples and the test cases as sections. The
// definition's id may be left out and is then the subject's. It is as strict as
// DecodeJSON, and returns the same errors with the places of the Markdown file.
func DecodeMarkdown(data []byte) (Parsed, error) {
	if err := checkSize(data, MaxDocument); err != nil {
		return Parsed{}, err
	}
	kind, known := kindOfFile(data)
	titles := proposalTitles(kind)
	if !known {
		titles = either(proposalTitles(registry.KindTool), proposalTitles(registry.KindAgent)) // a list has no sections of its own
	}
	file, err := mdfile.Parse(data, titles)
	if err != nil {
		return Parsed{}, brokenText(inProposal(err))
	}
	doc, ps := gather(file, kind, known)
	parsed := bindDraft(doc)
	ps.Append(parsed.Malformed...)
	parsed.Malformed = ps
	return parsed, malformed([]Parsed{parsed})
}

// kindOfFile returns the kind of the subject in the front matter. The sections
// depend on it: "## Soul" begins one in the file of an agent, and is a line like
// others in that of a tool.
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

// either knows what a or b knows.
func either(a, b mdfile.Titles) mdfile.Titles {
	return func(title string) (string, bool) {
		if canonical, ok := a(title); ok {
			return canonical, true
		}
		return b(title)
	}
}

// inProposal gives the problems of a file the paths that the keys have in the
// proposal.
func inProposal(err error) error {
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		return err
	}
	for i, p := range ps {
		if p.Path != jsondoc.Root && !slices.Contains(proposalKeys, headOf(p.Path)) {
			ps[i].Path = below("definition", p.Path)
		}
	}
	return ps
}

// below returns the path of a value at path inside the value at outer.
func below(outer, path string) string {
	switch {
	case path == jsondoc.Root:
		return outer
	case strings.HasPrefix(path, "["):
		return outer + path
	}
	return outer + "." + path
}

// gather builds the tree of the proposal's JSON form from a file. Without a known
// kind the definition has the keys of the front matter, so that none is lost.
func gather(file mdfile.File, kind registry.Kind, known bool) (*jsondoc.Node, jsondoc.Problems) {
	doc := &jsondoc.Node{Kind: jsondoc.Object, Pos: file.Front.Pos}
	definition := &jsondoc.Node{Kind: jsondoc.Object}
	for _, m := range file.Front.Members {
		if ofProposal(m.Key) {
			doc.Members = append(doc.Members, m)
		} else {
			definition.Members = append(definition.Members, m)
		}
	}
	rest, ps := mdfile.Gather(kind, definition, "definition", file.Sections)
	if len(definition.Members) > 0 {
		definition.Pos = definition.Members[0].Pos
		if known && definition.Get("id") == nil {
			defaultID(doc, definition)
		}
		doc.Members = append(doc.Members, jsondoc.Member{Key: "definition", Pos: definition.Pos, Value: definition})
	}
	for _, s := range rest {
		ps.Append(section(doc, s)...)
	}
	return doc, ps
}

// ofProposal reports whether key is one of the proposal, or a misspelling of one,
// for which the reader of the tree names the right spelling.
func ofProposal(key string) bool {
	fold := strings.NewReplacer("_", "", "-", "", " ", "")
	return slices.ContainsFunc(proposalKeys, func(k string) bool { return strings.EqualFold(k, fold.Replace(key)) })
}

// defaultID gives the definition the id of the subject.
func defaultID(doc, definition *jsondoc.Node) {
	text := doc.Get("subject")
	subject, err := registry.ParseSubject(text.Text)
	if err != nil {
		return
	}
	id := &jsondoc.Node{Kind: jsondoc.String, Pos: text.Pos, Text: subject.ID}
	definition.Members = append(definition.Members, jsondoc.Member{Key: "id", Pos: text.Pos, Value: id})
}

// section puts what a section holds into the proposal doc.
func section(doc *jsondoc.Node, s mdfile.Section) jsondoc.Problems {
	if s.Text == "" {
		return nil
	}
	var (
		key   string
		value *jsondoc.Node
		ps    jsondoc.Problems
	)
	switch s.Title {
	case titleRationale:
		key, value = "rationale", &jsondoc.Node{Kind: jsondoc.String, Pos: s.Pos, Text: s.Text}
	case titleExamples:
		key = "examples"
		value, ps = readExamples(newPage(s, key))
	case titleTestCases:
		key = "testCases"
		value, ps = readTestCases(newPage(s, key))
	default:
		// A text of a definition whose kind is not known. Its key is kept, so that the
		// reader of the tree reports it.
		if doc.Get("definition") == nil {
			doc.Members = append(doc.Members, jsondoc.Member{Key: "definition", Pos: s.Pos, Value: &jsondoc.Node{Kind: jsondoc.Object, Pos: s.Pos}})
		}
		return nil
	}
	if doc.Get(key) != nil {
		ps.Append(jsondoc.Problem{Path: key, Pos: s.Pos, Message: "is both in the front matter and a section; keep one"})
		return ps
	}
	doc.Members = append(doc.Members, jsondoc.Member{Key: key, Pos: s.Pos, Value: value})
	return ps
}
