package proposals

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Parsed is a proposal that was read from a text.
type Parsed struct {
	Draft Draft
	// Doc is the tree of the proposal in its JSON form, with the places of the
	// text it was read from: Problems.Locate takes it.
	Doc *jsondoc.Node
	// Malformed is everything that could not be read. Draft lacks it.
	Malformed jsondoc.Problems
}

// DecodeJSON reads one proposal, an array of them, or a stream of them with white
// space between (NDJSON, or objects that follow each other). It refuses unknown
// keys, duplicate keys, and wrong types.
//
// The error is a *DecodeError with all problems of every proposal. The readable
// parts are returned all the same, so that a caller can also report the missing
// fields (Parsed.Problems).
func DecodeJSON(data []byte) ([]Parsed, error) {
	if err := checkSize(data, MaxFile); err != nil {
		return nil, err
	}
	nodes, err := jsondoc.ParseStream(bytes.TrimPrefix(data, byteOrderMark), limits)
	if err != nil {
		return nil, brokenText(err)
	}
	switch {
	case len(nodes) == 0:
		return nil, textError("holds no proposal")
	case len(nodes) > MaxDocuments:
		return nil, textError("holds %d proposals; at most %d are read at once", len(nodes), MaxDocuments)
	}
	parsed := make([]Parsed, len(nodes))
	for i, n := range nodes {
		parsed[i] = bindDraft(n)
	}
	return parsed, malformed(parsed)
}

// bindDraft reads the proposal that n holds.
func bindDraft(n *jsondoc.Node) Parsed {
	readable, ps := checkLists(n)
	definition := n.Get("definition")
	if definition != nil { // its kind is that of the subject, which may stand after it
		others := *readable
		others.Remove("definition")
		readable = &others
	}
	var d Draft
	ps.Append(jsondoc.Bind(readable, jsondoc.Root, &d)...)
	if len(d.Examples) == 0 {
		d.Examples = nil
	}
	if len(d.TestCases) == 0 {
		d.TestCases = nil
	}
	for i := range d.TestCases {
		if len(d.TestCases[i].Checks) == 0 {
			d.TestCases[i].Checks = nil
		}
	}
	if definition != nil {
		var problems jsondoc.Problems
		d.Definition, problems = bindContent(n, definition)
		ps.Append(problems...)
	}
	return Parsed{Draft: d, Doc: n, Malformed: ps}
}

// maxList limits how many examples or test cases are read: far more than any draft
// has, so that an author of a few too many sees all other problems too.
const maxList = 100

// checkLists refuses lists out of all proportion and returns the proposal n
// without them.
func checkLists(n *jsondoc.Node) (*jsondoc.Node, jsondoc.Problems) {
	var ps jsondoc.Problems
	for _, key := range []string{"examples", "testCases"} {
		list := n.Get(key)
		if list == nil || len(list.Items) <= maxList {
			continue
		}
		ps.Append(problemAt(list, key, fmt.Sprintf("has %d entries; at most %d are read", len(list.Items), maxList))...)
		shorter := *n
		shorter.Remove(key)
		n = &shorter
	}
	return n, ps
}

// bindContent reads the definition of the proposal doc, of the kind that the
// subject says.
func bindContent(doc, n *jsondoc.Node) (registry.Definition, jsondoc.Problems) {
	kind, ok := subjectKind(doc)
	if !ok {
		return registry.Definition{}, problemAt(n, "definition", "cannot be read without the subject, which says what it defines")
	}
	d, ps := registry.BindDefinition(kind, n, "definition")
	if len(ps) > 0 && n.Kind == jsondoc.Object {
		for _, other := range registry.SubjectKinds() {
			if other == kind {
				continue
			}
			if _, fits := registry.BindDefinition(other, n, "definition"); len(fits) > 0 {
				continue
			}
			return registry.Definition{}, problemAt(n, "definition", fmt.Sprintf("expected the definition of %s, as the subject says; these are the keys of %s", article(kind), article(other)))
		}
	}
	return withoutEmpty(d), ps
}

// subjectKind returns the kind that the subject begins with, even when the
// rest of it cannot be read.
func subjectKind(doc *jsondoc.Node) (registry.Kind, bool) {
	subject := doc.Get("subject")
	if subject == nil || subject.Kind != jsondoc.String {
		return "", false
	}
	kind, _, _ := strings.Cut(subject.Text, ":")
	k := registry.Kind(kind)
	return k, slices.Contains(registry.SubjectKinds(), k)
}

func article(k registry.Kind) string {
	switch k {
	case registry.KindAgent:
		return "an agent"
	case registry.KindInstructions:
		return "instructions"
	case registry.KindTool, registry.KindList, registry.KindSkill:
	}
	return "a " + string(k)
}

// BindJSON reads a type and refuses one that does not exist.
func (t *Type) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, t, Types())
}

// BindJSON reads an expectation and refuses one that does not exist.
func (e *Expect) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, e, []Expect{ExpectPass, ExpectFail})
}

// BindJSON reads the type of a check and refuses one that does not exist.
func (t *CheckType) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, t, CheckTypes())
}

// bindWord reads one of a few words; it leaves dst unchanged when n is none of
// them.
func bindWord[T ~string](n *jsondoc.Node, path string, dst *T, words []T) jsondoc.Problems {
	var text string
	if ps := jsondoc.Bind(n, path, &text); len(ps) > 0 {
		return ps
	}
	for _, w := range words {
		if text == string(w) {
			*dst = w
			return nil
		}
	}
	return problemAt(n, path, fmt.Sprintf("expected one of %s; got %s", list(words), jsondoc.Quote(text)))
}

func list[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

func problemAt(n *jsondoc.Node, path, message string) jsondoc.Problems {
	return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: message}}
}

// Limits of a file.
const (
	MaxFile      = 64 << 20 // bytes of one text
	MaxDocument  = 32 << 20 // bytes of one proposal
	MaxDocuments = 10_000   // proposals of one text
)

// limits bound one proposal.
var limits = jsondoc.Limits{Bytes: MaxDocument, Depth: jsondoc.DefaultLimits.Depth}

// byteOrderMark stands in front of the UTF-8 of some editors.
var byteOrderMark = []byte("\ufeff")

// DecodeFile reads the proposals of a file: Markdown when it begins with front
// matter or its name ends in .md or .markdown, else JSON in any of the forms
// that DecodeJSON takes. The name may be "", or "-" for standard input.
//
// The error is a *DecodeError that names the file; like DecodeJSON, DecodeFile
// then returns what could be read.
func DecodeFile(name string, data []byte) ([]Parsed, error) {
	decode := DecodeJSON
	if isMarkdown(name, data) {
		decode = decodeMarkdowns
	}
	parsed, err := decode(data)
	var bad *DecodeError
	if errors.As(err, &bad) {
		bad.File = name
	}
	return parsed, err
}

// decodeMarkdowns reads the one proposal that a Markdown file holds.
func decodeMarkdowns(data []byte) ([]Parsed, error) {
	p, err := DecodeMarkdown(data)
	if p.Doc == nil {
		return nil, err
	}
	return []Parsed{p}, err
}

func isMarkdown(name string, data []byte) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return true
	}
	return bytes.HasPrefix(bytes.TrimPrefix(data, byteOrderMark), []byte("---"))
}

func checkSize(data []byte, limit int) error {
	if len(data) > limit {
		return textError("has %d bytes; at most %d are read", len(data), limit)
	}
	return nil
}

// withoutEmpty returns the zero Definition for one that has no key set: it
// says no more than one that was left out.
func withoutEmpty(d registry.Definition) registry.Definition {
	if d.IsZero() || reflect.ValueOf(d.Content()).Elem().IsZero() {
		return registry.Definition{}
	}
	return d
}

// JSON returns d as a proposal file: indented by two spaces, the keys in their
// documented order, text without HTML escapes, a newline at the end. DecodeJSON
// reads it back to an equal draft.
func (d Draft) JSON() []byte {
	d.Definition = withoutEmpty(d.Definition)
	text, err := jsondoc.EncodeIndented(d)
	if err != nil {
		panic(fmt.Sprintf("proposals: a draft does not marshal: %v", err))
	}
	return text
}

// Canonical returns d in the canonical form that hashes are computed over. Two
// drafts that say the same have the same bytes.
func (d Draft) Canonical() []byte {
	return jsondoc.Canonical(d.mustNode())
}

// Beside returns what d has beside its definition as a JSON object: the rationale,
// the examples and the test cases.
func (d Draft) Beside() []byte {
	beside := jsondoc.NewObject()
	for _, m := range d.mustNode().Members {
		switch m.Key {
		case "rationale", "examples", "testCases":
			beside.Members = append(beside.Members, m)
		}
	}
	return jsondoc.Canonical(beside)
}

// Node returns d as the tree of its JSON form. It fails only for values that every
// decoder refuses, such as a NUL.
func (d Draft) Node() (*jsondoc.Node, error) {
	definition := withoutEmpty(d.Definition)
	d.Definition = registry.Definition{}
	n, err := jsondoc.FromValue(d)
	if err != nil || definition.IsZero() {
		return n, err
	}
	of, err := definition.Node() // by itself: within the document its text would be written twice
	at := slices.IndexFunc(n.Members, func(m jsondoc.Member) bool {
		return m.Key == "rationale" || m.Key == "examples" || m.Key == "testCases" || m.Key == "changeSet"
	})
	if at < 0 {
		at = len(n.Members)
	}
	n.Members = slices.Insert(n.Members, at, jsondoc.Member{Key: "definition", Value: of})
	return n, err
}

func (d Draft) mustNode() *jsondoc.Node {
	n, err := d.Node()
	if err != nil {
		panic(fmt.Sprintf("proposals: a draft does not marshal: %v", err))
	}
	return n
}
