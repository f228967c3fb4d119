package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// handle carries out a tool call of an actor and returns what marshals to the
// structured result.
type handle func(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error)

// handlers returns the handler of each tool.
func (s *Server) handlers() map[string]handle {
	return map[string]handle{
		"propose_tool":    s.propose,
		"revise_proposal": s.revise,
		"list_proposals":  s.list,
		"get_proposal":    s.get,

		"lint_proposal":    s.lint,
		"preview_proposal": s.preview,

		"submit_proposal":   s.submit,
		"rebase_proposal":   s.rebase,
		"withdraw_proposal": s.withdraw,
		"comment_proposal":  s.comment,

		"search_tools":  s.search,
		"describe_tool": s.describe,
		"execute_tool":  s.execute,
		callOutcome:     s.outcome,
	}
}

// handler reads arguments strictly, and turns the outcome of a call into a result:
// the model can read an error of the tool and correct its call.
func (s *Server) handler(h handle, known []string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(req.Params.Arguments) > heavyArguments {
			select {
			case s.heavy <- struct{}{}:
				defer func() { <-s.heavy }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		args, err := arguments(req.Params.Arguments, known)
		var out any
		if err == nil {
			out, err = h(ctx, s.actor(req.ClientInfo()), args)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return result(map[string]Fault{"error": s.config.Documents.FaultOf(s.howToPoll(err))}, true)
		}
		if run, ok := out.(nativeRun); ok {
			return run.result()
		}
		r, err := result(out, false)
		if run, ok := out.(docRun); ok && err == nil {
			r.Content = append(r.Content, media(run.Output)...)
		}
		return r, err
	}
}

// media returns the pictures and sounds of a result that came from an MCP
// server: as text a model could not see them.
func media(output json.RawMessage) []sdk.Content {
	var theirs sdk.CallToolResult
	if json.Unmarshal(output, &theirs) != nil {
		return nil // it came from elsewhere
	}
	var blocks []sdk.Content
	for _, block := range theirs.Content {
		switch block.(type) {
		case *sdk.ImageContent, *sdk.AudioContent:
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// actor is who calls: the agent that the client says it is, marked as named by
// itself, unless somebody said otherwise.
func (s *Server) actor(client *sdk.Implementation) proposals.Actor {
	switch {
	case s.config.As != (proposals.Actor{}):
		return s.config.As
	case client == nil:
		return proposals.SelfNamed("")
	}
	return proposals.SelfNamed(client.Name)
}

// FaultOf tells an error, with what the gateway says beyond the message.
func (d Documents) FaultOf(err error) Fault {
	var refused *gateway.Error
	if !errors.As(err, &refused) {
		f := d.Fault(err)
		if ps := jsondoc.Problems(nil); errors.As(err, &ps) {
			f.Code = malformed
		}
		return f
	}
	return Fault{
		Code: string(refused.Code), Message: refused.Message, Pending: refused.Pending, ApprovalRequest: refused.ApprovalRequest,
		Details: asObject(refused.Details, "details"), Answer: asObject(refused.Answer, "answer"),
	}
}

// asObject returns what a provider says as the object that it is, or in one
// under a name; nil when it is nothing.
func asObject(raw json.RawMessage, name string) json.RawMessage {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	switch {
	case err != nil || n.Kind == jsondoc.Null:
		return nil
	case n.Kind != jsondoc.Object:
		return jsondoc.Canonical(jsondoc.NewObject(jsondoc.Member{Key: name, Value: n}))
	}
	return raw
}

// malformed is the code of arguments that cannot be read.
const malformed = "malformed"

// arguments reads what a tool was called with: one object, strictly. known are
// the keys that it may have; nil leaves them to the tool's own schema.
func arguments(raw json.RawMessage, known []string) (*jsondoc.Node, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return jsondoc.NewObject(), nil
	}
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	if n.Kind != jsondoc.Object {
		return nil, jsondoc.Problems{{Path: jsondoc.Root, Pos: n.Pos, Message: "expected an object with the arguments, got " + n.Kind.String()}}
	}
	if known == nil {
		return n, nil
	}
	return n, unknownKeys(n, known).Err()
}

// unknownKeys reports all unknown keys of a call at once, with the known ones, so
// that a model can correct it in one go.
func unknownKeys(args *jsondoc.Node, known []string) jsondoc.Problems {
	var ps jsondoc.Problems
	for _, m := range args.Members {
		if slices.Contains(known, m.Key) || ps.Full() {
			continue
		}
		message := "unknown key; known here: " + strings.Join(known, ", ")
		if meant := jsondoc.Closest(m.Key, known); meant != "" {
			message = fmt.Sprintf("unknown key; perhaps %q is meant; known here: %s", meant, strings.Join(known, ", "))
		}
		ps.Append(jsondoc.Problem{Path: jsondoc.Join(jsondoc.Root, m.Key), Pos: m.Pos, Message: message})
	}
	return ps
}

// keysOf returns the keys that the schema of a tool's arguments names.
func keysOf(schema json.RawMessage) ([]string, error) {
	n, err := jsondoc.Parse(schema, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	var keys []string
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			keys = append(keys, m.Key)
		}
	}
	return keys, nil
}

// result makes a structured result, with the same as text for clients that
// know no other. Hidden characters in it are escaped: it means the same and
// can be shown.
func result(v any, failed bool) (*sdk.CallToolResult, error) {
	text, err := jsondoc.Encode(v)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(visible.JSON(text))
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text), IsError: failed,
	}, nil
}
