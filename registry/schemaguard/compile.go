package schemaguard

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/registry/jsondoc"
)

// Schema is a schema that is safe and valid. It may be used by several
// goroutines at once.
type Schema struct {
	Checked
	compiled *jsonschema.Schema
	budget   backtrackBudget
}

// ErrLoad refuses the validator another document.
var ErrLoad = errors.New("other documents are not loaded")

// location is the address of the schema itself.
const location = "mem:///schema"

// Compile checks a schema and prepares it for validation. The error is a
// jsondoc.Problems: that of Check, or that of an invalid JSON Schema.
func Compile(schema json.RawMessage) (*Schema, error) {
	c, err := Check(schema)
	if err != nil {
		return nil, err
	}
	return c.Compile()
}

// Compile prepares the schema for validation. The error is a jsondoc.Problems, about
// an invalid JSON Schema.
func (c Checked) Compile() (*Schema, error) {
	s := &Schema{Checked: c}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyLoader{})
	compiler.UseRegexpEngine(s.budget.compile)
	if old(c.Root) {
		compiler.RegisterVocabulary(newerDefs())
	}
	err := compiler.AddResource(location, c.graph.export(c.Root))
	if err == nil {
		s.compiled, err = compiler.Compile(location)
	}
	if err != nil {
		return nil, c.graph.invalid(err)
	}
	return s, nil
}

// old reports whether n names a dialect before 2019-09, which lacks "$defs".
func old(n *jsondoc.Node) bool {
	switch dialect(n) {
	case dialects[0], dialects[1], dialects[2]:
		return true
	}
	return false
}

// newerDefs makes "$defs" hold subschemas in the dialects that lack it and
// whose users write it all the same. The validator would find them without,
// but prepare the whole document again for each.
func newerDefs() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:        "mem:///defs",
		Subschemas: []jsonschema.SchemaPath{{jsonschema.Prop("$defs"), jsonschema.AllProp{}}},
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return nil, nil
		},
	}
}

// denyLoader loads nothing.
type denyLoader struct{}

func (denyLoader) Load(string) (any, error) { return nil, ErrLoad }

// invalid describes what the validator refuses about the schema.
func (g *graph) invalid(err error) error {
	var ps jsondoc.Problems
	var invalid *jsonschema.SchemaValidationError
	var found *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &found) {
		ps = explain(found, g.root.node, nil)
	} else {
		ps.Add(jsondoc.Root, "is no valid JSON Schema: %s", jsondoc.Printable(err.Error()))
	}
	return ps.Locate(g.root.node)
}

// export returns n as the validator wants it: without the keywords that would
// make it look for other documents.
func (g *graph) export(n *jsondoc.Node) any {
	switch n.Kind {
	case jsondoc.Object:
		object := make(map[string]any, len(n.Members))
		v := g.byNode[n]
		for _, m := range n.Members {
			switch {
			case v == nil:
				object[m.Key] = g.export(m.Value)
			case m.Key == "$schema", m.Key == "$vocabulary":
			case (m.Key == "$id" || m.Key == "id") && !strings.HasPrefix(m.Value.Text, "#"):
			default:
				object[m.Key] = g.export(m.Value)
			}
		}
		if address := dialect(n); v != nil && v == g.root && address != "" {
			object["$schema"] = "http://" + address
		}
		return object
	case jsondoc.Array:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = g.export(item)
		}
		return items
	case jsondoc.String:
		return n.Text
	case jsondoc.Number:
		return json.Number(n.Text)
	case jsondoc.Bool:
		return n.Text == "true"
	case jsondoc.Null:
	}
	return nil
}

// value returns n as the validator wants it.
func value(n *jsondoc.Node) any { return (&graph{}).export(n) }
