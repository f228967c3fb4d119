package wire

import (
	"cmp"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// SourcePath begins the path of everything that stands in the JSON a
// definition was imported from and not in the definition itself.
const SourcePath = "source:"

// Unread returns the part of the JSON that t was imported from which t does not
// repeat: keys that toolcrib does not know, and values that t shortens, replaces
// or leaves out. The source of t pins all of the JSON, so an approval of t covers
// this part too. It is an object; nil means that t has no source.
func Unread(t registry.Tool, raw []byte) *jsondoc.Node {
	if t.Source == nil {
		return nil
	}
	it, err := ReadItem(formatOfSource(t.Source.Type), raw)
	if err != nil {
		return object("unreadable", jsondoc.NewString(string(raw)))
	}
	return it.Unread(t)
}

// formatOfSource returns the format whose SourceType is kind.
func formatOfSource(kind string) Format {
	for _, f := range []Format{OpenAI, Anthropic, V0} {
		if f.SourceType() == kind {
			return f
		}
	}
	return MCP
}

// Unread returns the part of the item that t does not repeat. Whatever an item
// says is in t or in here.
func (it Item) Unread(t registry.Tool) *jsondoc.Node {
	if it.node.Kind != jsondoc.Object {
		return jsondoc.NewObject()
	}
	body := it.body()
	if body == it.node {
		return it.unreadBody(t)
	}
	rest := jsondoc.NewObject()
	for _, m := range it.node.Members {
		if m.Value == body {
			m.Value = it.unreadBody(t)
			if len(m.Value.Members) == 0 {
				continue
			}
		}
		if m.Key == "type" && text(m.Value) == "function" {
			continue
		}
		rest.Members = append(rest.Members, m)
	}
	return rest
}

func (it Item) unreadBody(t registry.Tool) *jsondoc.Node {
	rest := jsondoc.NewObject()
	for _, m := range it.body().Members {
		switch {
		case it.repeats(m, t):
			continue
		case m.Key == "annotations" && it.Format == MCP && m.Value.Kind == jsondoc.Object:
			m.Value = unreadHints(m.Value, t)
			if len(m.Value.Members) == 0 {
				continue
			}
		}
		rest.Members = append(rest.Members, m)
	}
	return rest
}

// repeats reports whether t says the same as a member of the body.
func (it Item) repeats(m jsondoc.Member, t registry.Tool) bool {
	if it.Format == V0 {
		return m.Key == "id" && text(m.Value) == it.Name || repeatsPrompt(m, t)
	}
	switch m.Key {
	case "name":
		return true // the source and the wire name are made of it
	case "title":
		return it.Format == MCP && isText(m.Value, t.Name)
	case "description":
		return isText(m.Value, t.Description)
	case schemaKey(it.Format):
		return cmp.Or(string(schema(m.Value)), "{}") == string(t.InputSchema)
	case "outputSchema":
		return it.Format == MCP && m.Value.Kind != jsondoc.Null && string(schema(m.Value)) == string(t.OutputSchema)
	case "type":
		return it.Format == OpenAI && isText(m.Value, "function") || it.Format == Anthropic && isText(m.Value, "custom")
	}
	return false
}

// repeatsPrompt is repeats for a prompt of a v0 file.
func repeatsPrompt(m jsondoc.Member, t registry.Tool) bool {
	values := map[string]string{
		"name": t.Name, "archetype": t.Archetype, "scope": string(t.Scope), "usageNotes": t.UsageNotes,
		"goals": t.Goals, "guardrails": t.Guardrails, "prompt": t.Prompt,
	}
	value, known := values[m.Key]
	return known && isText(m.Value, value)
}

// unreadHints returns the annotations of a server that t does not repeat.
func unreadHints(hints *jsondoc.Node, t registry.Tool) *jsondoc.Node {
	rest := jsondoc.NewObject()
	var a registry.Annotations
	if t.Annotations != nil {
		a = *t.Annotations
	}
	for _, m := range hints.Members {
		known := m.Key == "title" && isText(m.Value, t.Name)
		for _, key := range hintKeys() {
			v := *hintField(&a, key)
			known = known || m.Key == key && v != nil && m.Value.Kind == jsondoc.Bool && (m.Value.Text == "true") == *v
		}
		if !known {
			rest.Members = append(rest.Members, m)
		}
	}
	return rest
}

// isText reports whether n is the text s.
func isText(n *jsondoc.Node, s string) bool { return n.Kind == jsondoc.String && n.Text == s }
