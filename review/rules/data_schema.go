package rules

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// accepting is an action tool of our own that takes what the schema says.
func accepting(id, schema string) proposals.Draft {
	d := action(id)
	d.Definition.Tool.InputSchema = []byte(schema)
	return d
}

// onlyThis is the property that most examples have.
const onlyThis = `"id":{"description":"Only this one.","type":"string"}`

// object is the schema of an object with properties, given as they stand in
// JSON, of which some are required.
func object(properties string, required ...string) string {
	schema := `{"properties":{` + properties + `}`
	if len(required) > 0 {
		schema += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return schema + `,"type":"object"}`
}

// arrayOf is a property that is a list of items, given as a schema.
func arrayOf(name, description, items string) string {
	return fmt.Sprintf(`%q:{"description":%q,"items":%s,"type":"array"}`, name, description, items)
}

// schemaRules look at a schema as a whole.
// limitsRule is the rule about schemas that can hang or kill their reader.
const limitsRule = "D101"

func schemaRules() []Rule {
	byNumber := object(`"id":{"description":"Only this one.","pattern":"PATTERN","type":"string"}`)
	sound := Example{Show: `{"type":"object","properties":{"ids":…}}`, Draft: action("get_invoices")}
	return []Rule{
		{
			ID: limitsRule, Name: "schema-limits", Severity: Block, Locked: true,
			Doc: "A schema is larger or deeper than 256 KiB or 64 levels, becomes more than 5,000 subschemas " +
				"when its references are followed, leads back to itself, refers to another document, or holds a " +
				"regular expression that takes too long. Such a schema can hang or kill whoever reads it, or make " +
				"them read files.",
			Suggestion: "Make the schema smaller, and write into it what it refers to.",
			Bad:        Example{Show: `{"$ref":"file:///etc/passwd"}`, Draft: accepting("get_invoices", `{"$ref":"file:///etc/passwd","type":"object"}`)},
			Good:       sound,
			Check: eachSchema(func(s *schema) []Finding {
				return s.findings(s.refused)
			}),
		},
		{
			ID: "D102", Name: "schema-invalid", Severity: Block, Locked: true,
			Doc: "A schema is no valid JSON Schema. Hosts refuse a tool like that, or take it and check nothing. " +
				"Of an imported tool the user may waive it with a reason, as nobody here can correct it.",
			Suggestion: "Correct the schema; see https://json-schema.org/understanding-json-schema.",
			Bad:        Example{Show: `{"type":"objekt"}`, Draft: accepting("get_invoices", `{"type":"objekt"}`)},
			Good:       sound,
			Check: eachSchema(func(s *schema) []Finding {
				return s.findings(s.invalid)
			}),
		},
		{
			ID: "D103", Name: "schema-says-little", Severity: Info,
			Doc: "A schema lacks its type or everything else, names a dialect that is not known, or holds a " +
				"regular expression that has to backtrack, which is given a quarter of a second for each call and 32 " +
				"KiB of text. It is accepted; it may let through more than its author thinks, or less.",
			Suggestion: `Begin the schema with "type":"object" and list the properties; {"type":"object","additionalProperties":false} says that there are none.`,
			Bad:        Example{Show: `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, Draft: accepting("get_invoices", `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`)},
			Good:       sound,
			Check: eachSchema(func(s *schema) []Finding {
				var odd jsondoc.Problems
				for _, remark := range s.remarks {
					if s.input() || remark.Path != jsondoc.Root { // what comes back may be of any type
						odd = append(odd, remark)
					}
				}
				return s.findings(odd)
			}),
		},
		{
			ID: "D104", Name: "arguments-no-object", Severity: Warn,
			Doc:        "The input schema wants something else than an object. The arguments of a call are always an object, so that no call can be right.",
			Suggestion: `Give the input schema "type":"object" and make what it describes now a property of it.`,
			Bad:        Example{Show: `{"type":"array"}`, Draft: accepting("get_invoices", `{"type":"array"}`)},
			Good:       sound,
			Check: eachSchema(func(s *schema) []Finding {
				if !s.input() || s.refused != nil || fits(s.root, jsondoc.NewObject()) {
					return nil
				}
				return []Finding{{Path: s.below("type"), Message: "The input schema does not allow an object, which is what the arguments of a call are."}}
			}),
		},
		{
			ID: "D105", Name: "name-refused", Severity: Warn,
			Doc: "A host does not take tools of this name: MCP allows 128 letters, digits, `_`, `.` and `-`, " +
				"OpenAI 64 and no dot, with `mcp__<server>__` before the name of an imported one counted in, " +
				"Anthropic 128 and no dot. There the tool is missing, or the whole list is refused for its sake.",
			Suggestion: "Have the tool renamed where it comes from, or keep it from agents on that host.",
			Bad:        Example{Show: `"name": "invoices.get" of an MCP server`, Draft: fromServer("invoices_get", "invoices.get")},
			Good:       Example{Show: `"name": "invoices-get"`, Draft: fromServer("invoices_get", "invoices-get")},
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				t := judged(c)
				if t == nil || t.Kind != registry.ActionTool {
					return nil, nil
				}
				name, server, path := t.ID, "", "definition.id"
				if p := t.Provider; p != nil && p.Type == registry.ProviderMCP {
					server = p.Server
					if p.Name != "" {
						name, path = p.Name, "definition.provider.name"
					}
				}
				var found []Finding
				for _, p := range registry.NameProblems(name, server) {
					found = append(found, Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s refuses the name: %s.", p.Host, p.Message)})
				}
				return found, nil
			},
		},
		{
			ID: "D106", Name: "pattern-not-run", Severity: Warn,
			Doc: "A schema holds a regular expression that cannot be run here: it is none in the syntax of " +
				"ECMA-262, which JSON Schema asks for. toolcrib cannot tell whether a value was approved, so " +
				"every call that brings one is refused, and every result.",
			Suggestion: "Write the expression in the syntax of ECMA-262, or take it out.",
			Bad:        Example{Show: `"pattern":"^[a-z]++$"`, Draft: accepting("get_invoices", strings.Replace(byNumber, "PATTERN", "^[a-z]++$", 1))},
			Good:       Example{Show: `"pattern":"^(?!x)[a-z]+$"`, Draft: accepting("get_invoices", strings.Replace(byNumber, "PATTERN", "^(?!x)[a-z]+$", 1))},
			Check:      eachSchema(func(s *schema) []Finding { return s.findings(s.unrun) }),
		},
	}
}

// fromServer is an action tool that an MCP server calls name.
func fromServer(id, name string) proposals.Draft {
	d := action(id)
	d.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: "billing", Name: name}
	return d
}

// eachSchema calls check for every schema of a change.
func eachSchema(check func(*schema) []Finding) func(context.Context, *Change) ([]Finding, error) {
	return func(_ context.Context, c *Change) ([]Finding, error) {
		var found []Finding
		for _, s := range c.schemas() {
			found = append(found, check(s)...)
		}
		return found, nil
	}
}

// fits reports whether the type of a value is among those that n asks for, by
// itself; a value of null and a schema without a type always fit.
func fits(n, value *jsondoc.Node) bool {
	types := n.Get("type")
	if types == nil || value.Kind == jsondoc.Null {
		return true
	}
	for _, t := range append([]*jsondoc.Node{types}, types.Items...) {
		if t.Kind == jsondoc.String && typeIs(t.Text, value) {
			return true
		}
	}
	return false
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
