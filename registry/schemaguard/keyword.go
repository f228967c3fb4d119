package schemaguard

import "toolcrib/registry/jsondoc"

// Scope selects the value that a subschema is applied to.
type Scope uint8

// The scopes. Nowhere is that of a subschema that is only referred to, or that
// describes the content of a string.
const (
	Nowhere   Scope = iota
	Here            // the same value
	Member          // the member of the keyword's key
	Members         // any member of an object
	Names           // the names of an object's members
	ElementAt       // the element of a list with the keyword's index
	Elements        // any element of a list
)

// shape describes how the subschemas stand under a keyword.
type shape uint8

const (
	one    shape = 1 << iota // a schema
	list                     // a list of schemas
	byName                   // an object of schemas
)

// keywords lists every keyword that holds subschemas, in any draft. Besides
// schemas, "dependencies" holds lists of names.
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

// The keywords that refer to a schema elsewhere.
var references = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// Holds reports whether a keyword holds subschemas, and whether it holds them by
// names that the author of the schema chose.
func Holds(keyword string) (holds, named bool) {
	k, ok := keywords[keyword]
	return ok, k.shape == byName
}

// Subschema is a schema under a keyword of another one.
type Subschema struct {
	Node  *jsondoc.Node // an object, true or false
	Scope Scope
	Key   string // its name, where the keyword holds schemas by name
	Index int    // its place, where the keyword holds a list

	keyword string
	shape   shape
}

// Subschemas returns the schemas that stand under m, a member of a schema. A
// keyword whose value has the wrong shape holds none; Compile refuses it.
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
		if m.Key == "items" { // one schema for each place, before 2020-12
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

// Path returns where s stands in the document, given the path of the schema around
// it.
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
