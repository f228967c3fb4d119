package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// emptyFile is the live file of a project that has nothing.
var emptyFile = registry.V0File{}.Encode()

// definitionsKey holds, beside the prompts of the v0 format, what that format
// has no place for: action tools and agents, whole.
const definitionsKey = "definitions"

// content returns what the live file should hold: the project's active
// definitions, prompt tools in the v0 format that applications read.
func (w *Workspace) content(ctx context.Context, store Store) ([]byte, error) {
	current, err := store.Current(ctx, w.layer())
	if err != nil {
		return nil, err
	}
	return encodeLive(current)
}

func encodeLive(current []Dated) ([]byte, error) {
	var file registry.V0File
	rest := jsondoc.NewArray()
	for _, d := range current {
		switch {
		case d.Definition.Status() == registry.Deactivated:
		case isPrompt(d.Definition):
			p, _ := registry.NewV0Prompt(*d.Definition.Tool, rfc3339(d.CreatedAt), rfc3339(d.UpdatedAt))
			file.Prompts = append(file.Prompts, p)
		default:
			n, err := jsondoc.FromValue(map[string]any{"subject": d.Subject, "version": d.Version, "definition": json.RawMessage(d.Definition.Canonical())})
			if err != nil {
				return nil, err
			}
			rest.Items = append(rest.Items, n)
		}
	}
	text := file.Encode()
	if len(rest.Items) == 0 {
		return text, nil
	}
	n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	n.Set(definitionsKey, rest)
	return jsondoc.Indent(n), nil
}

func isPrompt(d registry.Definition) bool { return d.Tool != nil && d.Tool.Kind == registry.PromptTool }

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// decodeLive reads a live file, edited or not. The keys of a prompt tool that
// the v0 format has no place for are those of the live definition.
func decodeLive(text []byte, layer registry.Layer, current []Dated) (map[registry.Subject]registry.Definition, error) {
	n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	found := map[registry.Subject]registry.Definition{}
	if rest := n.Remove(definitionsKey); rest != nil {
		if err := decodeRest(rest, layer, found); err != nil {
			return nil, err
		}
	}
	file, err := registry.DecodeV0(jsondoc.Canonical(n))
	if err != nil {
		return nil, err
	}
	for _, p := range file.Prompts {
		t := p.Tool()
		subject := registry.Subject{Kind: registry.KindTool, Layer: layer, ID: t.ID}
		if i := slices.IndexFunc(current, func(d Dated) bool { return d.Subject == subject && isPrompt(d.Definition) }); i >= 0 {
			t = overlaid(*current[i].Definition.Tool, t)
		}
		found[subject] = registry.Definition{Tool: &t}
	}
	return found, nil
}

// overlaid returns t with the texts of edited.
func overlaid(t, edited registry.Tool) registry.Tool {
	t.Name, t.Archetype, t.Scope = edited.Name, edited.Archetype, edited.Scope
	t.UsageNotes, t.Goals, t.Guardrails, t.Prompt = edited.UsageNotes, edited.Goals, edited.Guardrails, edited.Prompt
	t.Status = ""
	return t
}

func decodeRest(rest *jsondoc.Node, layer registry.Layer, found map[registry.Subject]registry.Definition) error {
	for i, item := range rest.Items {
		path := jsondoc.Index(definitionsKey, i)
		var text string
		if s := item.Get("subject"); s != nil {
			text = s.Text
		}
		subject, err := registry.ParseSubject(text)
		if err != nil {
			return fmt.Errorf("%s.subject: %w", path, err)
		}
		if subject.Layer != layer {
			return fmt.Errorf("%s.subject: %s does not belong to %s", path, subject, layer)
		}
		definition := item.Get("definition")
		if definition == nil {
			return fmt.Errorf("%s.definition is missing", path)
		}
		d, ps := registry.BindDefinition(subject.Kind, definition, path+".definition")
		if err := ps.Err(); err != nil {
			return err
		}
		found[subject] = d
	}
	return nil
}
