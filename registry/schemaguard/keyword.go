package schemaguard

// scope selects the value that a subschema is applied to.
type scope uint8

const (
	nowhere   scope = iota // it only stands there, to be referred to
	here                   // the same value
	member                 // the member of the keyword's key
	members                // any member of an object
	names                  // the names of an object's members
	elementAt              // the element of a list with the keyword's index
	elements               // any element of a list
)

// shape describes how the subschemas stand under a keyword.
type shape uint8

const (
	one    shape = 1 << iota // a schema
	list                     // a list of schemas
	byName                   // an object of schemas
)

// keyword is one that holds subschemas.
type keyword struct {
	shape shape
	scope scope
}

// keywords lists every keyword that holds subschemas, in any draft. Besides
// schemas, "dependencies" holds lists of names.
var keywords = map[string]keyword{
	"allOf":                 {list, here},
	"anyOf":                 {list, here},
	"oneOf":                 {list, here},
	"not":                   {one, here},
	"if":                    {one, here},
	"then":                  {one, here},
	"else":                  {one, here},
	"dependentSchemas":      {byName, here},
	"dependencies":          {byName, here},
	"properties":            {byName, member},
	"patternProperties":     {byName, members},
	"additionalProperties":  {one, members},
	"unevaluatedProperties": {one, members},
	"propertyNames":         {one, names},
	"prefixItems":           {list, elementAt},
	"items":                 {one | list, elements},
	"additionalItems":       {one, elements},
	"unevaluatedItems":      {one, elements},
	"contains":              {one, elements},
	"$defs":                 {byName, nowhere},
	"definitions":           {byName, nowhere},
	"contentSchema":         {one, nowhere},
}

// The keywords that refer to a schema elsewhere.
var references = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}
