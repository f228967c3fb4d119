package proposals

import (
	"fmt"

	"toolcrib/registry/jsondoc"
)

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
