package proposals

import (
	"fmt"
	"reflect"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// document is the written form of a Draft: the keys and their order are those of
// the proposal template.
type document struct {
	Type           Type        `json:"type,omitempty"`
	Subject        subjectText `json:"subject,omitzero"`
	BaseVersion    *int        `json:"baseVersion,omitempty"`
	RestoreVersion int         `json:"restoreVersion,omitempty"`
	Definition     content     `json:"definition,omitzero"`
	Rationale      string      `json:"rationale,omitempty"`
	Examples       []string    `json:"examples,omitempty"`
	TestCases      []TestCase  `json:"testCases,omitempty"`
	ChangeSet      string      `json:"changeSet,omitempty"`
}

// FileType is the type of a proposal as a file has it, for its schema.
func FileType() reflect.Type { return reflect.TypeFor[document]() }

// subjectText is a subject as the string it is written as.
type subjectText struct{ registry.Subject }

// BindJSON reads the string.
func (s *subjectText) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	var text string
	ps := jsondoc.Bind(n, path, &text)
	if len(ps) > 0 {
		return ps
	}
	if err := checkLength(text, maxSubject); err != "" {
		return problemAt(n, path, err)
	}
	subject, err := registry.ParseSubject(text)
	if err != nil {
		return problemAt(n, path, err.Error())
	}
	s.Subject = subject
	return nil
}

// maxSubject is longer than any subject, in characters.
const maxSubject = 256

// content is a definition whose kind is not known while it is being read: the
// subject says it, and may stand after it.
type content struct {
	definition registry.Definition // when writing
	node       *jsondoc.Node       // when reading
}

// BindJSON keeps the node for later.
func (c *content) BindJSON(n *jsondoc.Node, _ string) jsondoc.Problems {
	c.node = n
	return nil
}

// IsZero reports whether there is no definition.
func (c content) IsZero() bool { return c.definition.IsZero() }

// MarshalJSON writes the tool, agent or list with its keys in their documented order.
func (c content) MarshalJSON() ([]byte, error) {
	switch {
	case c.definition.Agent != nil:
		return jsondoc.Encode(c.definition.Agent)
	case c.definition.List != nil:
		return jsondoc.Encode(c.definition.List)
	default:
		return jsondoc.Encode(c.definition.Tool)
	}
}

// document returns the written form of d.
func (d Draft) document() document {
	return document{
		Type:           d.Type,
		Subject:        subjectText{d.Subject},
		BaseVersion:    d.BaseVersion,
		RestoreVersion: d.RestoreVersion,
		Definition:     content{definition: withoutEmpty(d.Definition)},
		Rationale:      d.Rationale,
		Examples:       d.Examples,
		TestCases:      d.TestCases,
		ChangeSet:      d.ChangeSet,
	}
}

// withoutEmpty returns the zero Definition for one that has no key set: it
// says no more than one that was left out.
func withoutEmpty(d registry.Definition) registry.Definition {
	if d.Tool != nil && reflect.ValueOf(*d.Tool).IsZero() || d.Agent != nil && reflect.ValueOf(*d.Agent).IsZero() ||
		d.List != nil && reflect.ValueOf(*d.List).IsZero() {
		return registry.Definition{}
	}
	return d
}

// JSON returns d as a proposal file: indented by two spaces, the keys in their
// documented order, text without HTML escapes, a newline at the end. DecodeJSON
// reads it back to an equal draft.
func (d Draft) JSON() []byte {
	text, err := jsondoc.EncodeIndented(d.document())
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

// node returns d as the tree of its JSON form. It fails only for values that every
// decoder refuses, such as a NUL.
func (d Draft) node() (*jsondoc.Node, error) { return jsondoc.FromValue(d.document()) }

func (d Draft) mustNode() *jsondoc.Node {
	n, err := d.node()
	if err != nil {
		panic(fmt.Sprintf("proposals: a draft does not marshal: %v", err))
	}
	return n
}
