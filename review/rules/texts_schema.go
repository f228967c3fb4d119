package rules

import (
	"encoding/json"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// schemaDepth is how deep a schema is followed for its texts. What lies deeper
// is refused by the rules about schemas.
const schemaDepth = 100

// schema adds every string in a JSON schema: its texts, its data, and the
// names it gives. One that cannot be read as JSON is added as it is.
func (t *texts) schema(path string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	root, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		t.add(path, string(raw), Value)
		return
	}
	t.walk(root, path, place{kind: Value, schema: true}, schemaDepth)
}

// place is where in a schema a value stands.
type place struct {
	kind   TextKind
	param  string
	schema bool // the value is a schema
	named  bool // the value maps names to schemas
}

// textKinds are the keywords whose value is a text.
var textKinds = map[string]TextKind{"description": Prose, "title": Label, "$comment": Note, "markdownDescription": Prose}

// plainKeywords are the other keywords of JSON Schema 2020-12 and its
// predecessors that hold no schemas. Any other key is the author's own and a text.
var plainKeywords = map[string]bool{
	"$schema": true, "$id": true, "$ref": true, "$anchor": true, "$dynamicRef": true, "$dynamicAnchor": true, "$vocabulary": true,
	"type": true, "enum": true, "const": true, "default": true, "examples": true, "format": true, "pattern": true, "required": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true, "minLength": true,
	"maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true, "minContains": true, "maxContains": true,
	"minProperties": true, "maxProperties": true, "dependentRequired": true, "readOnly": true, "writeOnly": true, "deprecated": true,
	"contentEncoding": true, "contentMediaType": true, "nullable": true, "id": true, "discriminator": true, "xml": true, "example": true,
}

// holdsData are the keywords whose value is data, not a schema.
var holdsData = map[string]bool{"enum": true, "const": true, "default": true, "examples": true, "example": true, "required": true}

func (t *texts) walk(n *jsondoc.Node, path string, at place, depth int) {
	if depth == 0 {
		return
	}
	switch n.Kind {
	case jsondoc.String:
		if n.Text != "" {
			t.list = append(t.list, Text{Path: path, Value: n.Text, Kind: at.kind, Visible: true, Param: at.param})
		}
	case jsondoc.Array:
		for i, item := range n.Items {
			t.walk(item, jsondoc.Index(path, i), at, depth-1)
		}
	case jsondoc.Object:
		for _, m := range n.Members {
			t.member(m, jsondoc.Join(path, m.Key), at, depth-1)
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.Number:
	}
}

// member adds one key of an object and its value.
func (t *texts) member(m jsondoc.Member, path string, at place, depth int) {
	below := place{kind: Value, param: at.param}
	switch {
	case at.named:
		below.schema = true
		if at.param == "" {
			below.param = m.Key
		}
		t.name(path, m.Key, below.param)
	case at.schema:
		kind, isText := textKinds[m.Key]
		holds, named := schemaguard.Holds(m.Key)
		switch {
		case isText:
			below.kind = kind
		case named:
			below.named = true
		case holdsData[m.Key]:
		case holds, plainKeywords[m.Key]:
			below.schema = true
		default:
			t.name(path, m.Key, at.param)
		}
	default:
		t.name(path, m.Key, at.param)
	}
	t.walk(m.Value, path, below, depth)
}

// name adds a name that the author of the schema chose.
func (t *texts) name(path, name, param string) {
	if name != "" {
		t.list = append(t.list, Text{Path: path, Value: name, Kind: Identifier, Visible: true, Param: param})
	}
}
