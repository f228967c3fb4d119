package main

import (
	"cmp"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// change wraps a row into a proposal, as importing it would.
func (r row) change() *rules.Change {
	def := registry.Tool{Kind: registry.PromptTool, Name: "Prompt", ID: "prompt", Prompt: r.Text}
	if t := cmp.Or(r.Tool, r.After); t != nil {
		def = t.definition()
	}
	return &rules.Change{
		World: rules.Memory(nil),
		Draft: proposals.Draft{
			Type:       proposals.New,
			Subject:    registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: def.ID},
			Definition: registry.Definition{Tool: &def},
		},
	}
}

func (t *tool) definition() registry.Tool {
	def := registry.Tool{
		Kind: registry.ActionTool, ID: identifier(t.Name), Name: cmp.Or(t.Title, t.Name),
		Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Provider: &registry.Provider{Type: registry.ProviderMCP, Server: "server", Name: t.Name},
	}
	if t.Annotations != nil && t.Annotations.Title != "" {
		if t.Title == "" {
			def.Name = t.Annotations.Title
		} else {
			def.ShortDescription = t.Annotations.Title
		}
	}
	return def
}

// identifier makes an id of a wire name.
func identifier(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name), "_")
}
