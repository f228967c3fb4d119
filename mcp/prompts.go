package mcp

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/visible"
)

// prompts is prompts/list: the approved prompt tools.
func (s *Server) prompts(ctx context.Context, p *sdk.ListPromptsParams) (*sdk.ListPromptsResult, error) {
	after := ""
	if p != nil {
		after = p.Cursor
	}
	if after != "" && !registry.ValidID(after) {
		return nil, invalid("the cursor is none of ours")
	}
	found, next, err := s.config.Registry.Prompts(ctx, after, pageSize)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, NextCursor: next, Cacheable: fresh()}
	for _, l := range found {
		t := l.Definition.Tool
		out.Prompts = append(out.Prompts, &sdk.Prompt{
			Name: t.WireName(), Title: visible.Line(t.Name), Description: visible.Text(about(*t)), Arguments: promptArguments(*t),
			Meta: sdk.Meta{"toolcrib/version": l.Version, "toolcrib/contentHash": l.ContentHash},
		})
	}
	return out, nil
}

// about says what a prompt tool is for.
func about(t registry.Tool) string {
	if t.Description != "" {
		return t.Description
	}
	return t.UsageNotes
}

// promptArguments are the properties that the schema of a prompt tool names.
func promptArguments(t registry.Tool) []*sdk.PromptArgument {
	n, err := jsondoc.Parse(t.InputSchema, jsondoc.DefaultLimits)
	if err != nil {
		return nil
	}
	required := map[string]bool{}
	if list := n.Get("required"); list != nil {
		for _, item := range list.Items {
			required[item.Text] = true
		}
	}
	var args []*sdk.PromptArgument
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			a := &sdk.PromptArgument{Name: m.Key, Required: required[m.Key]}
			if d := m.Value.Get("description"); d != nil && d.Kind == jsondoc.String {
				a.Description = visible.Text(d.Text)
			}
			args = append(args, a)
		}
	}
	return args
}

// prompt is prompts/get: the text of a prompt tool as an agent gets it in its
// catalog, and what it is to be used on.
func (s *Server) prompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	p := req.Params
	l, err := s.config.Registry.Prompt(ctx, asked(ctx))
	if errors.Is(err, review.ErrNotFound) {
		return nil, invalid("no approved prompt tool is called %s", jsondoc.Quote(asked(ctx)))
	}
	if err != nil {
		return nil, err
	}
	t := *l.Definition.Tool
	given := jsondoc.NewObject()
	known := map[string]bool{}
	for _, a := range promptArguments(t) {
		known[a.Name] = true
		v, ok := p.Arguments[a.Name]
		if !ok && a.Required {
			return nil, invalid("arguments.%s is missing", a.Name)
		}
		if ok {
			given.Set(a.Name, jsondoc.NewString(v))
		}
	}
	for key := range p.Arguments {
		if !known[key] {
			return nil, invalid("%s is no argument of %s", jsondoc.Quote("arguments."+key), t.ID)
		}
	}
	out := prompt.Render(prompt.Input{
		Agent: registry.Agent{PromptTemplate: "$tool_catalog"}, Tools: []prompt.Tool{{Tool: &t, Locked: l.Locked}},
	}, "web")
	text := out.Text
	if len(given.Members) > 0 {
		text += "\n\nUse it now with these arguments:\n\n" + string(jsondoc.Indent(given))
	}
	return &sdk.GetPromptResult{
		Description: visible.Text(about(t)),
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: strings.TrimRight(text, "\n")}}},
	}, nil
}
