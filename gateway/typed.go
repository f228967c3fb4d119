package gateway

import (
	"encoding/json"
	"slices"

	"toolcrib/registry/jsondoc"
)

// propertyTypes returns the types that a schema names for each argument.
func propertyTypes(schema json.RawMessage) map[string][]string {
	types := map[string][]string{}
	n, err := jsondoc.Parse(schema, jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth})
	if err != nil {
		return types
	}
	properties := n.Get("properties")
	if properties == nil || properties.Kind != jsondoc.Object {
		return types
	}
	for _, m := range properties.Members {
		switch t := m.Value.Get("type"); {
		case t == nil:
		case t.Kind == jsondoc.String:
			types[m.Key] = []string{t.Text}
		case t.Kind == jsondoc.Array:
			for _, item := range t.Items {
				types[m.Key] = append(types[m.Key], item.Text)
			}
		}
	}
	return types
}

// typed makes a value of a text from a line: of the type that the schema wants
// where the text is one, else a string.
func typed(text string, types []string) *jsondoc.Node {
	if len(types) == 0 || slices.Contains(types, "string") {
		return jsondoc.NewString(text)
	}
	n, err := jsondoc.Parse([]byte(text), jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth})
	if err != nil {
		return jsondoc.NewString(text)
	}
	wanted := map[jsondoc.Kind][]string{
		jsondoc.Number: {"number", "integer"}, jsondoc.Bool: {"boolean"}, jsondoc.Array: {"array"}, jsondoc.Object: {"object"}, jsondoc.Null: {"null"},
	}
	for _, name := range wanted[n.Kind] {
		if slices.Contains(types, name) {
			return n
		}
	}
	return jsondoc.NewString(text)
}
