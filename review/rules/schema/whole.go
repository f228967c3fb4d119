// This file checks the requirements of the programs that offer tools to a model.

package schema

import (
	"fmt"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// LimitsRule is the id of the rule about schemas that can hang or crash a program.
const LimitsRule = "D101"

// refusedNames reports an action tool if clients refuse its name, with a finding for each client.
func refusedNames(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || t.Kind != registry.ActionTool {
		return nil
	}
	name, server, path := t.ID, "", "definition.id"
	if p := t.Provider; p != nil && p.Type == registry.ProviderMCP {
		server = p.Server
		if p.Name != "" {
			name, path = p.Name, "definition.provider.name"
		}
	}
	return lists.Map(registry.NameProblems(name, server), func(p registry.NameProblem) rules.Finding {
		return rules.Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s refuses the name: %s.", p.Host, p.Message)}
	})
}

// refusedByHosts reports input schemas that are valid in JSON Schema but that OpenAI refuses
// together with the whole request: "object schema missing properties", "array schema missing
// items".
func (s *Schema) refusedByHosts() []rules.Finding {
	if !s.input() || s.refused != nil {
		return nil
	}
	var found jsondoc.Problems
	for _, part := range s.Parts {
		switch n := part.Node; {
		case n.Get("$ref") != nil || n.Get("type") == nil:
		case n.Get("type").Text == "array" && n.Get("items") == nil && n.Get("prefixItems") == nil:
			found = append(found, jsondoc.Problem{Path: part.Path(), Message: "the array has no items"})
		case part.of == nil && n.Get("type").Text == "object" && n.Get("properties") == nil:
			found = append(found, jsondoc.Problem{Path: jsondoc.Root, Message: "the object has no properties"})
		}
	}
	return s.findings(found)
}

// eachSchema returns a rule that calls check for each schema of the tool.
func eachSchema(id string, check func(*Schema) []rules.Finding) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		return slices.Concat(lists.Map(schemasOf(c), check)...)
	})
}

// fits reports whether the schema n allows the type of value. If n
// has no type, or if the value is null, it returns true. It does not follow references.
func fits(n, value *jsondoc.Node) bool {
	types := n.Get("type")
	if types == nil || value.Kind == jsondoc.Null {
		return true
	}
	return slices.ContainsFunc(append([]*jsondoc.Node{types}, types.Items...), func(t *jsondoc.Node) bool {
		return t.Kind == jsondoc.String && typeIs(t.Text, value)
	})
}

func typeIs(name string, value *jsondoc.Node) bool {
	switch value.Kind {
	case jsondoc.Bool:
		return name == "boolean"
	case jsondoc.Number:
		return name == "number" || name == "integer"
	case jsondoc.String:
		return name == "string"
	case jsondoc.Array:
		return name == "array"
	case jsondoc.Object:
		return name == "object"
	case jsondoc.Null:
	}
	return true
}
