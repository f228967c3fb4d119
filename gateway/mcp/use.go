package mcp

import (
	"context"
	"encoding/json"
	"time"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// caller is on whose behalf an actor finds and calls tools.
func (s *Server) caller(actor proposals.Actor) gateway.Caller {
	c := s.config.Caller
	c.Actor = actor
	return c
}

type docHit struct {
	ID          string `json:"id"`
	WireName    string `json:"wire_name"` // to describe and call it by; the id works too
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Category    string `json:"category,omitempty"`
	Description string `json:"description"`
	Approval    string `json:"approval"`
	Deferred    bool   `json:"deferred,omitempty"`
}

// search is search_tools.
func (s *Server) search(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	in := struct {
		Query string `json:"query"`
		Limit int    `json:"limit"`
	}{Limit: gateway.DefaultHits}
	if err := bind(args, &in); err != nil {
		return nil, err
	}
	if in.Limit < 1 || in.Limit > gateway.MaxHits {
		return nil, jsondoc.Problems{{Path: "limit", Message: "expected 1 to 100"}}
	}
	hits, err := s.config.Gateway.Search(ctx, s.caller(actor), in.Query, in.Limit)
	if err != nil {
		return nil, err
	}
	tools := make([]docHit, len(hits))
	for i, h := range hits {
		tools[i] = docHit{
			ID: h.Tool.ID, WireName: h.Wire, Name: h.Name, Kind: string(h.Kind), Category: h.Category, Description: h.Short, Approval: string(h.Approval), Deferred: h.Deferred,
		}
	}
	return map[string]any{"tools": tools}, nil
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

// describe is describe_tool.
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

type docRun struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Version    int             `json:"version"`
	At         time.Time       `json:"at"`
	DurationMS float64         `json:"duration_ms"`
	Output     json.RawMessage `json:"output"`
	Answer     json.RawMessage `json:"answer,omitempty"` // what else the provider answered with
	Warnings   []string        `json:"warnings,omitempty"`
}

// execute is execute_tool: it runs a call, or returns the outcome of one that
// waited for the user.
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
		return nil, jsondoc.Problems{{Path: "pending", Message: "cannot be combined with other arguments: it polls the outcome of a pending call"}}
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
			if req.Said, err = gateway.ReadCallContext(said, "call_context"); err != nil {
				return nil, err
			}
		}
		r, err = s.config.Gateway.Execute(ctx, s.caller(actor), req)
	}
	if err != nil {
		return nil, err
	}
	return docRun{
		Call: r.Call, Tool: r.Tool.String(), Version: r.Version, At: r.At, DurationMS: float64(r.Duration.Microseconds()) / 1000, Output: r.Output, Answer: r.Answer, Warnings: r.Warnings,
	}, nil
}
