// This file decodes proposals in JSON and encodes drafts.

package proposals

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Parsed is a proposal that was read from a text.
type Parsed struct {
	Draft Draft
	// Doc is the JSON tree of the proposal, with positions in the text. It is used to
	// locate problems.
	Doc *jsondoc.Node
	// Malformed lists the parts that could not be decoded and are therefore missing in Draft.
	Malformed jsondoc.Problems
}

// DecodeJSON decodes a proposal, an array of proposals, or a stream of proposals (NDJSON or
// concatenated objects). It reports unknown keys, duplicate keys, and wrong types.
//
// The error is a *DecodeError with the problems of all proposals. Even then, DecodeJSON
// returns the parts that it could decode. A caller can use them to report missing fields as
// well (Parsed.Problems).
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
		return nil, textError("contains no proposal")
	case len(nodes) > MaxDocuments:
		return nil, textError("contains more than %[2]d proposals (got %[1]d)", len(nodes), MaxDocuments)
	}
	parsed := lists.Map(nodes, bindDraft)
	return parsed, malformed(parsed)
}

// bindDraft decodes a proposal from the JSON tree n.
func bindDraft(n *jsondoc.Node) Parsed {
	readable := n
	var ps jsondoc.Problems
	for _, key := range []string{"examples", "testCases"} {
		if list := n.Get(key); list != nil && len(list.Items) > maxList {
			ps.Append(problemAt(list, key, fmt.Sprintf("must not have more than %[2]d entries (got %[1]d)", len(list.Items), maxList))...)
			shorter := *readable
			shorter.Remove(key)
			readable = &shorter
		}
	}
	definition := n.Get("definition")
	if definition != nil { // the kind of the definition depends on the subject, which may follow the definition
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

// maxList is the maximum number of examples or test cases that are decoded. It is much larger
// than the allowed number, because all other problems should also be reported if an author
// provides a few entries too many.
const maxList = 100

// bindContent decodes n, the definition in a proposal. doc is the JSON tree of the proposal.
// The subject in doc determines the kind of the definition.
func bindContent(doc, n *jsondoc.Node) (registry.Definition, jsondoc.Problems) {
	kind, ok := subjectKind(doc)
	if !ok {
		return registry.Definition{}, problemAt(n, "definition", "cannot be read, because the subject is missing or wrong; the subject determines the kind of the definition")
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
			return registry.Definition{}, problemAt(n, "definition", fmt.Sprintf("expected the definition of %s, because the subject is of this kind; the keys belong to the definition of %s", article(kind), article(other)))
		}
	}
	return withoutEmpty(d), ps
}

// subjectKind returns the kind in the subject of a proposal, even if the rest of the subject
// is malformed. doc is the JSON tree of the proposal.
func subjectKind(doc *jsondoc.Node) (registry.Kind, bool) {
	kind, _, _ := strings.Cut(doc.Get("subject").AsString(), ":")
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

// BindJSON implements jsondoc.Binder. It rejects unknown types.
func (t *Type) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, t, Types())
}

// BindJSON implements jsondoc.Binder. It rejects unknown expectations.
func (e *Expect) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, e, []Expect{ExpectPass, ExpectFail})
}

// BindJSON implements jsondoc.Binder. It rejects unknown types.
func (t *CheckType) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindWord(n, path, t, CheckTypes())
}

// bindWord decodes one of the given words into dst. If n is not one of these words, it
// does not change dst.
func bindWord[T ~string](n *jsondoc.Node, path string, dst *T, words []T) jsondoc.Problems {
	var text string
	if ps := jsondoc.Bind(n, path, &text); len(ps) > 0 {
		return ps
	}
	if slices.Contains(words, T(text)) {
		*dst = T(text)
		return nil
	}
	return problemAt(n, path, fmt.Sprintf("expected one of %s; got %s", list(words), jsondoc.Quote(text)))
}

func list[T ~string](words []T) string {
	return strings.Join(lists.Map(words, func(w T) string { return string(w) }), ", ")
}

func problemAt(n *jsondoc.Node, path, message string) jsondoc.Problems {
	return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: message}}
}

// Limits of a file.
const (
	MaxFile      = 64 << 20 // bytes in a text
	MaxDocument  = 32 << 20 // bytes in one proposal
	MaxDocuments = 10_000   // proposals in a text
)

// limits are the limits for parsing a proposal.
var limits = jsondoc.Limits{Bytes: MaxDocument, Depth: jsondoc.DefaultLimits.Depth}

// byteOrderMark is the UTF-8 byte order mark that some editors write.
var byteOrderMark = []byte("\ufeff")

// DecodeFile decodes the proposals in a file. The file is Markdown if it begins with front
// matter or if its name ends in .md or .markdown. Otherwise it is JSON as accepted by
// DecodeJSON. name may be "", or "-" for standard input.
//
// The error is a *DecodeError that contains the name of the file. Like DecodeJSON,
// DecodeFile also returns the parts that it could decode.
func DecodeFile(name string, data []byte) ([]Parsed, error) {
	var parsed []Parsed
	var err error
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".md" || ext == ".markdown" || bytes.HasPrefix(bytes.TrimPrefix(data, byteOrderMark), []byte("---")) {
		var p Parsed
		if p, err = DecodeMarkdown(data); p.Doc != nil {
			parsed = []Parsed{p}
		}
	} else {
		parsed, err = DecodeJSON(data)
	}
	if bad, ok := errors.AsType[*DecodeError](err); ok {
		bad.File = name
	}
	return parsed, err
}

func checkSize(data []byte, limit int) error {
	if len(data) > limit {
		return textError("must not exceed %[2]d bytes (got %[1]d)", len(data), limit)
	}
	return nil
}

// withoutEmpty returns the zero Definition if d has no fields, and d otherwise.
func withoutEmpty(d registry.Definition) registry.Definition {
	if d.IsZero() || reflect.ValueOf(d.Content()).Elem().IsZero() {
		return registry.Definition{}
	}
	return d
}

// JSON returns d as the content of a proposal file. It is indented by two spaces, its keys
// are in the order of the documentation, and it ends with a line feed. HTML characters are
// not escaped. DecodeJSON decodes the file to an equal draft.
func (d Draft) JSON() []byte {
	d.Definition = withoutEmpty(d.Definition)
	text, err := jsondoc.EncodeIndented(d)
	if err != nil {
		panic(fmt.Sprintf("proposals: a draft does not marshal: %v", err))
	}
	return text
}

// Canonical returns d in canonical form, which is hashed. Equal drafts have equal canonical
// forms.
func (d Draft) Canonical() []byte {
	n, err := d.Node()
	if err != nil {
		panic(fmt.Sprintf("proposals: a draft does not marshal: %v", err))
	}
	return jsondoc.Canonical(n)
}

// Beside returns a JSON object with the rationale, the examples, and the test cases of d.
func (d Draft) Beside() []byte {
	return Draft{Rationale: d.Rationale, Examples: d.Examples, TestCases: d.TestCases}.Canonical()
}

// Node returns d as a JSON tree. It returns an error only for values that every decoder
// rejects, such as a text with a NUL.
func (d Draft) Node() (*jsondoc.Node, error) {
	definition := withoutEmpty(d.Definition)
	d.Definition = registry.Definition{}
	n, err := jsondoc.FromValue(d)
	if err != nil || definition.IsZero() {
		return n, err
	}
	of, err := definition.Node() // encoded separately, because encoding it as part of d would copy its text once more
	at := slices.IndexFunc(n.Members, func(m jsondoc.Member) bool {
		return m.Key == "rationale" || m.Key == "examples" || m.Key == "testCases" || m.Key == "changeSet"
	})
	if at < 0 {
		at = len(n.Members)
	}
	n.Members = slices.Insert(n.Members, at, jsondoc.Member{Key: "definition", Value: of})
	return n, err
}
