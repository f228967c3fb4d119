// This file executes calls of built-in tools, and implements the tools that find and call approved tools.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// handle implements a built-in tool. It executes a call by the given actor and returns the structured result.
type handle func(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error)

// handlers returns the implementations of the built-in tools, keyed by name.
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

// handler returns an SDK handler that parses the arguments, calls h, and converts the outcome to a result. An error of
// h also becomes a result, because the model should read the error and correct the call. If keys is not nil, arguments
// with other keys are errors.
func (s *Server) handler(h handle, keys []string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(req.Params.Arguments) > heavyArguments {
			select {
			case s.heavy <- struct{}{}:
				defer func() { <-s.heavy }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		args, err := arguments(req.Params.Arguments, keys)
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
		if run, ok := out.(toolResult); ok {
			return run.result()
		}
		r, err := result(out, false)
		if run, ok := out.(Run); ok && err == nil {
			r.Content = append(r.Content, media(run.Output)...)
		}
		return r, err
	}
}

// media returns the image and audio blocks in the output of an MCP server. The blocks become part of the content of the
// response, because models cannot perceive images and sounds in JSON form.
func media(output json.RawMessage) []sdk.Content {
	var theirs sdk.CallToolResult
	if json.Unmarshal(output, &theirs) != nil {
		return nil // result of another provider
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

// actor returns the actor of the given client. If Config.As is set, it is the actor of every client. Otherwise, the
// actor is an agent with the name that the client reports, marked as self-named.
func (s *Server) actor(client *sdk.Implementation) proposals.Actor {
	switch {
	case s.config.As != (proposals.Actor{}):
		return s.config.As
	case client == nil:
		return proposals.SelfNamed("")
	}
	return proposals.SelfNamed(client.Name)
}

// FaultOf returns the JSON form of err. If err is a *gateway.Error, the result includes the code and the details in
// err.
func (d Documents) FaultOf(err error) Fault {
	refused, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		f := d.Fault(err)
		if errors.As(err, new(jsondoc.Problems)) {
			f.Code = malformed
		}
		return f
	}
	return Fault{
		Code: string(refused.Code), Message: refused.Message, Pending: refused.Pending, ApprovalRequest: refused.ApprovalRequest,
		Details: asObject(refused.Details, "details"), Answer: asObject(refused.Answer, "answer"),
	}
}

// asObject returns raw if raw is a JSON object, and nil if raw is invalid or null. It wraps any other value in an
// object that contains only this value, under the given name.
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

// malformed is the code of a Fault for invalid arguments.
const malformed = "malformed"

// arguments parses the arguments of a tool, which must be an object. Only the given keys are permitted. If keys is nil,
// all keys are permitted, because the gateway validates the arguments against the tool's schema.
func arguments(raw json.RawMessage, keys []string) (*jsondoc.Node, error) {
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
	if keys == nil {
		return n, nil
	}
	var ps jsondoc.Problems // report all unknown keys, because a model can then correct them in a single step
	for _, m := range n.Members {
		if slices.Contains(keys, m.Key) || ps.Full() {
			continue
		}
		message := "unknown key; known keys: " + strings.Join(keys, ", ")
		if meant := jsondoc.Closest(m.Key, keys); meant != "" {
			message = fmt.Sprintf("unknown key; did you mean %q? Known keys: %s", meant, strings.Join(keys, ", "))
		}
		ps.Append(jsondoc.Problem{Path: jsondoc.Join(jsondoc.Root, m.Key), Pos: m.Pos, Message: message})
	}
	return n, ps.Err()
}

// result returns a tool result with the JSON form of v as structured content. The result also contains the same JSON as
// text, for clients that support only text. Hidden characters are escaped, which does not change the meaning of the
// JSON. If failed is true, the result is marked as an error.
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

// caller returns Config.Caller with the given actor.
func (s *Server) caller(actor proposals.Actor) gateway.Caller {
	c := s.config.Caller
	c.Actor = actor
	return c
}

type docHit struct {
	ID          string `json:"id"`
	WireName    string `json:"wire_name"` // name for describe_tool and execute_tool, which also accept the id
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Category    string `json:"category,omitempty"`
	Description string `json:"description"`
	Approval    string `json:"approval"`
	Deferred    bool   `json:"deferred,omitempty"`
}

// search implements search_tools.
func (s *Server) search(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	in := struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}{Limit: gateway.DefaultHits}
	if err := bind(args, &in); err != nil {
		return nil, err
	}
	if in.Limit < 1 || in.Limit > gateway.MaxHits {
		return nil, jsondoc.Problems{{Path: "limit", Message: "expected a number from 1 to 100"}}
	}
	hits, err := s.config.Gateway.Search(ctx, s.caller(actor), in.Query, in.Limit)
	if err != nil {
		return nil, err
	}
	return map[string]any{"tools": lists.Map(hits, func(h gateway.Hit) docHit {
		return docHit{
			ID: h.Tool.ID, WireName: h.Wire, Name: h.Name, Kind: string(h.Kind), Category: h.Category, Description: h.Short, Approval: string(h.Approval), Deferred: h.Deferred,
		}
	})}, nil
}

type docDescription struct {
	Subject     string          `json:"subject"`
	WireName    string          `json:"wire_name"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	Approval    string          `json:"approval"`
	Why         string          `json:"why"`
	Definition  json.RawMessage `json:"definition"`
}

// describe implements describe_tool.
func (s *Server) describe(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := bind(args, &in, "name"); err != nil {
		return nil, err
	}
	d, err := s.config.Gateway.Describe(ctx, s.caller(actor), in.Name)
	if err != nil {
		return nil, err
	}
	return map[string]any{"tool": docDescription{
		Subject: d.Tool.Subject.String(), WireName: d.Tool.Definition.Tool.WireName(), Version: d.Tool.Version, ContentHash: d.Tool.ContentHash, Approval: string(d.Approval), Why: d.Why,
		Definition: d.Tool.Definition.Canonical(),
	}}, nil
}

// Run is the result of a call in JSON documents.
type Run struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Version    int             `json:"version"`
	At         time.Time       `json:"at"`
	DurationMS float64         `json:"duration_ms"` // The duration of the provider's work
	Output     json.RawMessage `json:"output"`
	Answer     json.RawMessage `json:"answer,omitempty"` // Other fields of the provider's answer
	Warnings   []string        `json:"warnings,omitempty"`
}

// NewRun returns the form of r that JSON documents contain.
func NewRun(r gateway.Result) Run {
	return Run{
		Call: r.Call, Tool: r.Tool.String(), Version: r.Version, At: r.At, DurationMS: float64(r.Duration.Microseconds()) / 1000,
		Output: r.Output, Answer: r.Answer, Warnings: r.Warnings,
	}
}

// execute implements execute_tool. It runs a call or, if the arguments contain the id of a pending call, returns the
// outcome of the pending call.
func (s *Server) execute(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Name    string `json:"name"`
		Pending string `json:"pending"`
	}
	given, said := args.Remove("args"), args.Remove("call_context")
	if err := bind(args, &in); err != nil {
		return nil, err
	}
	var r gateway.Result
	var err error
	switch {
	case in.Pending != "" && (in.Name != "" || given != nil || said != nil):
		return nil, jsondoc.Problems{{Path: "pending", Message: "cannot be combined with other arguments, because pending polls the outcome of an earlier call"}}
	case in.Pending != "":
		r, err = s.config.Gateway.Outcome(ctx, s.caller(actor), in.Pending)
	case in.Name == "":
		return nil, jsondoc.Problems{{Path: "name", Message: "missing"}}
	default:
		req := gateway.Request{Tool: in.Name}
		if given != nil {
			req.Args = jsondoc.Canonical(given)
		}
		if said != nil {
			if req.CallContext, err = gateway.ReadCallContext(said, "call_context"); err != nil {
				return nil, err
			}
		}
		r, err = s.config.Gateway.Execute(ctx, s.caller(actor), req)
	}
	if err != nil {
		return nil, err
	}
	return NewRun(r), nil
}

// bind stores args in *dst, a struct. It returns an error for unknown and invalid arguments and for missing required
// arguments.
func bind(args *jsondoc.Node, dst any, required ...string) error {
	ps := jsondoc.Bind(args, jsondoc.Root, dst)
	for _, key := range required {
		if args.Get(key) == nil {
			ps.Append(jsondoc.Problem{Path: key, Pos: args.Pos, Message: "missing"})
		}
	}
	return ps.Err()
}
