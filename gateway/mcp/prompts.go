// This file implements the prompts/list and prompts/get methods, which provide the agent's whole prompt and its prompt
// tools.

package mcp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/internal/visible"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// agentPrompt is the name of the agent's whole prompt in the list of prompts. Prompt tools cannot have this name,
// because ids do not contain hyphens.
const agentPrompt = "agent-prompt"

// listPrompts implements prompts/list. The result contains the whole prompt of the agent, followed by the agent's
// prompt tools in the order of their ids.
func (s *Server) listPrompts(ctx context.Context, p *sdk.ListPromptsParams) (*sdk.ListPromptsResult, error) {
	after := ""
	if p != nil {
		after = p.Cursor
	}
	profile, tools, err := s.config.Gateway.Tools(ctx, s.config.Caller)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: uncached()}
	if after == "" && profile.Version > 0 {
		out.Prompts = append(out.Prompts, &sdk.Prompt{
			Name: agentPrompt, Title: "The prompt of " + visible.Line(profile.Definition.Name()),
			Description: "The complete prompt of " + profile.Subject.String() + " for a channel, with the stored instructions and notes of the user.",
			Arguments:   []*sdk.PromptArgument{{Name: "channel", Description: "A name such as web or telegram; the default is web."}},
		})
	}
	tools = slices.DeleteFunc(tools, func(e registry.Entry) bool { return e.Definition.Tool.Kind != registry.PromptTool })
	if tools, out.NextCursor, err = page(tools, after); err != nil {
		return nil, err
	}
	for _, l := range tools {
		t := l.Definition.Tool
		out.Prompts = append(out.Prompts, &sdk.Prompt{
			Name: t.WireName(), Title: visible.Line(t.Name), Description: visible.Text(about(*t)), Arguments: promptArguments(*t),
			Meta: sdk.Meta{"toolcrib/version": l.Version, "toolcrib/contentHash": l.ContentHash},
		})
	}
	return out, nil
}

// page returns the entries of the page that cursor selects, in the order of the ids, and the cursor of the next page.
// An empty cursor selects the first page. nextCursor is empty for the last page.
func page(tools []registry.Entry, cursor string) (entries []registry.Entry, nextCursor string, err error) {
	if cursor != "" && !registry.ValidID(cursor) {
		return nil, "", invalid("unknown cursor; request the first page without a cursor")
	}
	tools = slices.DeleteFunc(tools, func(e registry.Entry) bool { return e.Subject.ID <= cursor })
	slices.SortFunc(tools, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	if len(tools) <= pageSize {
		return tools, "", nil
	}
	return tools[:pageSize], tools[pageSize-1].Subject.ID, nil
}

// about returns the description of a prompt tool, or its usage notes if the description is empty.
func about(t registry.Tool) string {
	if t.Description != "" {
		return t.Description
	}
	return t.UsageNotes
}

// promptArguments returns the arguments that the schema of a prompt tool declares.
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
			args = append(args, &sdk.PromptArgument{Name: m.Key, Required: required[m.Key], Description: visible.Text(m.Value.Get("description").AsString())})
		}
	}
	return args
}

// renderPrompt implements prompts/get for the agent's whole prompt.
func (s *Server) renderPrompt(ctx context.Context, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	channel := prompt.Web
	for key, value := range p.Arguments {
		if key != "channel" || !registry.ValidChannel(value) {
			return nil, invalid("the only argument of %s is channel, a name such as web or telegram", agentPrompt)
		}
		channel = value
	}
	out, err := s.config.Prompter.Prompt(ctx, s.config.Caller, channel)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil, invalid("%s", err.Error())
	}
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{
		Description: "The prompt for the channel " + channel + ".",
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: out.Text}}},
	}, nil
}

// getPrompt implements prompts/get. It returns the whole prompt or the text of a prompt tool. The text of a prompt tool
// is the same as in the tool catalog of the agent's prompt, followed by the given arguments.
func (s *Server) getPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	p := req.Params
	if requestedName(ctx) == agentPrompt {
		return s.renderPrompt(ctx, p)
	}
	d, err := s.config.Gateway.Describe(ctx, s.config.Caller, requestedName(ctx))
	if errors.As(err, new(*gateway.Error)) || err == nil && d.Tool.Definition.Tool.Kind != registry.PromptTool {
		return nil, invalid("you have no prompt tool called %s", jsondoc.Quote(requestedName(ctx)))
	}
	if err != nil {
		return nil, err
	}
	l := d.Tool
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
			return nil, invalid("%s is not an argument of %s", jsondoc.Quote("arguments."+key), t.ID)
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
