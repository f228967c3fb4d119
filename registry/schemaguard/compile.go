package schemaguard

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// Schema is a safe and valid schema. It is safe for concurrent use.
type Schema struct {
	Checked
	compiled *jsonschema.Schema
	budget   matchBudget
}

// ErrLoad is the error for every document that the validator tries to load.
var ErrLoad = errors.New("external documents are not loaded")

// location is the address under which the validator knows the schema.
const location = "mem:///schema"

// Compile checks a schema and prepares it for validation. The error is a
// jsondoc.Problems: from Check, or about an invalid JSON Schema.
func Compile(schema json.RawMessage) (*Schema, error) {
	c, err := Check(schema)
	if err != nil {
		return nil, err
	}
	return c.Compile()
}

// Compile prepares the schema for validation. The error is a jsondoc.Problems about
// an invalid JSON Schema.
func (c Checked) Compile() (*Schema, error) {
	s := &Schema{Checked: c}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyLoader{})
	compiler.UseRegexpEngine(s.budget.compile)
	if slices.Contains(dialects[:3], dialect(c.Root)) { // before 2019-09
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

// newerDefs defines "$defs" for dialects that do not have it but whose users write
// it. Without it, the validator would find the subschemas but prepare the whole
// document again for each.
func newerDefs() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:        "mem:///defs",
		Subschemas: []jsonschema.SchemaPath{{jsonschema.Prop("$defs"), jsonschema.AllProp{}}},
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return nil, nil
		},
	}
}

// denyLoader refuses to load any document.
type denyLoader struct{}

func (denyLoader) Load(string) (any, error) { return nil, ErrLoad }

// invalid converts the validator's errors about the schema.
func (g *graph) invalid(err error) error {
	var ps jsondoc.Problems
	var invalid *jsonschema.SchemaValidationError
	var found *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &found) {
		ps = explain(found, g.root.node, nil)
	} else {
		ps.Add(jsondoc.Root, "is not a valid JSON Schema: %s", jsondoc.Printable(err.Error()))
	}
	return ps.Locate(g.root.node)
}

// export converts n for the validator. It omits keywords that would make the
// validator look for other documents.
func (g *graph) export(n *jsondoc.Node) any {
	switch n.Kind {
	case jsondoc.Object:
		v := g.byNode[n]
		if v != nil && v.open {
			return false
		}
		object := make(map[string]any, len(n.Members))
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
		return lists.Map(n.Items, g.export)
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

// value converts a value for the validator.
func value(n *jsondoc.Node) any { return (&graph{}).export(n) }

// Scope selects the values to which a subschema applies.
type Scope uint8

// The scopes. Nowhere is for subschemas that are only used by reference, and for
// those that describe the content of a string.
const (
	Nowhere   Scope = iota
	Here            // the same value
	Member          // the member with the subschema's key
	Members         // any member of an object
	Names           // the names of the members of an object
	ElementAt       // the element of an array with the subschema's index
	Elements        // any element of an array
)

// shape describes the form in which a keyword contains subschemas.
type shape uint8

const (
	one    shape = 1 << iota // a schema
	list                     // an array of schemas
	byName                   // an object of schemas
)

// keywords has all keywords with subschemas, of all drafts. "dependencies" may also
// contain arrays of names.
var keywords = map[string]struct {
	shape shape
	scope Scope
}{
	"allOf":                 {list, Here},
	"anyOf":                 {list, Here},
	"oneOf":                 {list, Here},
	"not":                   {one, Here},
	"if":                    {one, Here},
	"then":                  {one, Here},
	"else":                  {one, Here},
	"dependentSchemas":      {byName, Here},
	"dependencies":          {byName, Here},
	"properties":            {byName, Member},
	"patternProperties":     {byName, Members},
	"additionalProperties":  {one, Members},
	"unevaluatedProperties": {one, Members},
	"propertyNames":         {one, Names},
	"prefixItems":           {list, ElementAt},
	"items":                 {one | list, Elements},
	"additionalItems":       {one, Elements},
	"unevaluatedItems":      {one, Elements},
	"contains":              {one, Elements},
	"$defs":                 {byName, Nowhere},
	"definitions":           {byName, Nowhere},
	"contentSchema":         {one, Nowhere},
}

// Keywords that refer to another schema.
var references = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// Holds reports whether a keyword contains subschemas, and whether they have names
// that the author of the schema chose.
func Holds(keyword string) (holds, named bool) {
	k, ok := keywords[keyword]
	return ok, k.shape == byName
}

// Subschema is a schema under a keyword of another schema.
type Subschema struct {
	Node  *jsondoc.Node // an object, true or false
	Scope Scope
	Key   string // name, if the keyword contains an object of schemas
	Index int    // index, if the keyword contains an array

	keyword string
	shape   shape
}

// Subschemas returns the subschemas under m, a member of a schema. A value with the
// wrong shape contains none; Compile refuses it.
func Subschemas(m jsondoc.Member) []Subschema {
	var held []Subschema
	k := keywords[m.Key]
	add := func(s Subschema) {
		if s.Node.Kind == jsondoc.Object || s.Node.Kind == jsondoc.Bool {
			s.keyword = m.Key
			held = append(held, s)
		}
	}
	switch n := m.Value; {
	case n.Kind == jsondoc.Array && k.shape&list != 0:
		if m.Key == "items" { // before 2020-12: one schema for each element
			k.scope = ElementAt
		}
		for i, item := range n.Items {
			add(Subschema{Node: item, Scope: k.scope, Index: i, shape: list})
		}
	case n.Kind == jsondoc.Object && k.shape&byName != 0:
		for _, named := range n.Members {
			add(Subschema{Node: named.Value, Scope: k.scope, Key: named.Key, shape: byName})
		}
	case k.shape&one != 0:
		add(Subschema{Node: n, Scope: k.scope, shape: one})
	}
	return held
}

// Path returns the path of s, given the path of the schema that contains it.
func (s Subschema) Path(around string) string {
	path := jsondoc.Join(around, s.keyword)
	switch s.shape {
	case byName:
		return jsondoc.Join(path, s.Key)
	case list:
		return jsondoc.Index(path, s.Index)
	case one:
	}
	return path
}
