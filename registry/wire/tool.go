package wire

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// noDescription replaces a missing description: a model needs one to choose a tool,
// and a reviewer should notice the gap.
const noDescription = "(No description was given.)"

// Onto returns t with all fields of the item. Fields that the format does not have
// stay unchanged; fields that it has and the item lacks are removed. The caller
// sets id, provider, source and status.
func (it Item) Onto(t registry.Tool) registry.Tool {
	switch it.Format {
	case V0:
		var p registry.V0Prompt
		_ = jsondoc.Bind(it.node, jsondoc.Root, &p) // Problems reports mismatches
		said := p.Tool()
		t.Kind, t.Name, t.Archetype, t.Scope = said.Kind, said.Name, said.Archetype, said.Scope
		t.UsageNotes, t.Goals, t.Guardrails, t.Prompt = said.UsageNotes, said.Goals, said.Guardrails, said.Prompt
	case MCP:
		t.Kind = registry.ActionTool
		t.Name = label(cmp.Or(text(it.node.Get("title")), text(it.node.Get("annotations").Get("title")), t.Name, it.Name))
		t.Description = description(it.node)
		t.InputSchema, t.OutputSchema = schema(it.node.Get("inputSchema")), schema(it.node.Get("outputSchema"))
		t.Annotations = it.hints(t.Annotations)
		if len(t.InputSchema) == 0 {
			t.InputSchema = []byte("{}")
		}
	case MCPText:
		n := it.Shown()
		t.Kind = registry.ServerText
		t.Name = label(cmp.Or(text(n.Get("title")), it.Name))
		t.Description, t.Prompt = text(n.Get("description")), text(n.Get("prompt"))
		t.InputSchema = schema(n.Get("inputSchema"))
	case OpenAI, Anthropic:
		t.Kind = registry.ActionTool
		t.Name = label(cmp.Or(t.Name, it.Name))
		t.Description = description(it.body())
		t.InputSchema = schema(cmp.Or(it.body().Get("parameters"), it.body().Get("input_schema")))
		if len(t.InputSchema) == 0 {
			t.InputSchema = []byte("{}")
		}
	case Toolcrib, Names:
	}
	return t
}

func description(n *jsondoc.Node) string {
	if s := text(n.Get("description")); strings.TrimSpace(s) != "" {
		return s
	}
	return noDescription
}

// label shortens a label to the limit for definitions.
func label(s string) string {
	if utf8.RuneCountInString(s) <= registry.MaxName {
		return s
	}
	return string([]rune(s)[:registry.MaxName-1]) + "…"
}

// schema returns a schema in canonical form, or nil.
func schema(n *jsondoc.Node) []byte {
	if n == nil || n.Kind == jsondoc.Null {
		return nil
	}
	return jsondoc.Canonical(n)
}

// hintKeys returns the keys of MCP annotations.
func hintKeys() []string {
	return []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
}

func hintField(a *registry.Annotations, key string) **bool {
	switch key {
	case "readOnlyHint":
		return &a.ReadOnly
	case "destructiveHint":
		return &a.Destructive
	case "idempotentHint":
		return &a.Idempotent
	}
	return &a.OpenWorld
}

// hints returns annotations with the values that the server claims. Missing hints
// stay missing, because readers choose their own defaults.
func (it Item) hints(old *registry.Annotations) *registry.Annotations {
	var a registry.Annotations
	if old != nil {
		a = *old
	}
	for _, key := range hintKeys() {
		n := it.node.Get("annotations").Get(key)
		*hintField(&a, key) = nil
		if n != nil && n.Kind == jsondoc.Bool {
			v := n.Text == "true"
			*hintField(&a, key) = &v
		}
	}
	if a == (registry.Annotations{}) {
		return nil
	}
	return &a
}

// Problems returns the reasons why the item cannot be read in its format: values of
// the wrong type, and violations for which the protocol excludes a tool. Unknown
// keys are no problem.
func (it Item) Problems() jsondoc.Problems {
	var ps jsondoc.Problems
	if it.Format == V0 {
		return jsondoc.Bind(it.node, jsondoc.Root, new(registry.V0Prompt))
	}
	body := it.body()
	if it.Format == MCPText {
		body = it.Shown()
	}
	for _, want := range []struct {
		key  string
		kind jsondoc.Kind
	}{
		{"description", jsondoc.String},
		{"title", jsondoc.String},
		{"inputSchema", jsondoc.Object},
		{"outputSchema", jsondoc.Object},
		{"input_schema", jsondoc.Object},
		{"parameters", jsondoc.Object},
		{"annotations", jsondoc.Object},
	} {
		if n := body.Get(want.key); n != nil && n.Kind != want.kind && n.Kind != jsondoc.Null {
			ps.Append(jsondoc.Problem{Path: want.key, Pos: n.Pos, Message: "expected " + want.kind.String() + ", got " + n.Kind.String()})
		}
	}
	if it.Format == MCP {
		h := headers{seen: map[string]string{}}
		h.schema(body.Get("inputSchema"), "inputSchema", true)
		ps.Append(h.found...)
	}
	return ps
}

// Rest returns the parts of the item that Onto does not copy to t, in canonical
// form. Changing them does not change a text for a model, but it changes the
// approved tool. The times of a v0 file are not included.
func (it Item) Rest(t registry.Tool) string {
	if it.Format == MCPText { // a definition has the answers as one text
		return string(jsondoc.Canonical(it.node))
	}
	rest := it.Unread(it.Onto(t))
	if it.Format == V0 {
		rest.Remove("createdAt")
		rest.Remove("updatedAt")
	}
	return string(jsondoc.Canonical(rest))
}
