package shipped_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/registry/jsondoc"
)

// deny loads no documents: shipped schemas have no external references.
type deny struct{}

func (deny) Load(string) (any, error) { return nil, errors.New("no documents are loaded") }

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(deny{})
	c.AssertFormat()
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, args []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", args, err)
	}
}

// checkDescribed checks that every object in an input schema is closed and that
// every property has a description.
func checkDescribed(t *testing.T, schema *jsondoc.Node, path string) {
	t.Helper()
	if items := schema.Get("items"); items != nil {
		checkDescribed(t, items, path+".items")
	}
	props := schema.Get("properties")
	if props == nil {
		return
	}
	if closed := schema.Get("additionalProperties"); closed == nil || closed.Text != "false" {
		t.Errorf("%s allows additional properties", path)
	}
	for _, m := range props.Members {
		at := path + "." + m.Key
		if d := m.Value.Get("description"); d == nil || d.Text == "" {
			t.Errorf("%s has no description", at)
		}
		if m.Value.Get("type") == nil {
			t.Errorf("%s has no type", at)
		}
		checkDescribed(t, m.Value, at)
	}
}
