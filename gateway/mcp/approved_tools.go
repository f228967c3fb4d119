// This file implements the tools/list and tools/call methods of a server that lists approved tools.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Expose selects the tools that the server lists to a client.
type Expose string

// Values of Expose. They do not affect prompts and resources.
const (
	// ExposeMeta lists the built-in tools of toolcrib, which find and call approved tools and propose changes.
	// ExposeMeta is the default.
	ExposeMeta Expose = "meta"
	// ExposeTools lists the approved tools as tools of the server. It also lists call_outcome, which returns the
	// outcome of a pending call.
	ExposeTools Expose = "tools"
	// ExposeBoth lists the built-in tools except call_outcome, and the approved tools. An approved tool with the name
	// of a built-in tool is not listed.
	ExposeBoth Expose = "both"
)

// callOutcome is the tool that polls pending calls if execute_tool is not listed.
const callOutcome = "call_outcome"

// listsTools reports whether the server lists approved tools.
func (e Expose) listsTools() bool { return e == ExposeTools || e == ExposeBoth }

// isBuiltIn reports whether a listed built-in tool has the given name.
func (s *Server) isBuiltIn(name string) bool {
	return slices.ContainsFunc(s.own, func(t *sdk.Tool) bool { return t.Name == name })
}

// listTools implements tools/list if approved tools are listed. The result contains the built-in tools, followed by the
// approved tools of the agent in the order of their ids. Tools that differ from the list of their upstream server are
// omitted.
func (s *Server) listTools(ctx context.Context, p *sdk.ListToolsParams) (*sdk.ListToolsResult, error) {
	after := ""
	if p != nil {
		after = p.Cursor
	}
	entries, err := s.exposed(ctx)
	if err != nil {
		return nil, err
	}
	// Wait until the upstream servers have been polled once, because some clients read the list only once. If a server
	// does not respond in time, list its approved tools. If the server later reports different tools, the client
	// receives a notification.
	limited, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	s.config.Upstream.WaitPolled(limited, upstreamServers(entries))
	entries = slices.DeleteFunc(entries, func(e registry.Entry) bool { return s.config.Upstream.Drifted(e.Definition.Tool) })
	out := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: uncached()}
	if after == "" {
		out.Tools = append(out.Tools, s.own...)
	}
	if entries, out.NextCursor, err = page(entries, after); err != nil {
		return nil, err
	}
	approved, err := s.written.of(entries)
	out.Tools = append(out.Tools, approved...)
	return out, err
}

// exposed returns the approved tools of the agent that can be listed: the action tools, except tools with the name of a
// built-in tool.
func (s *Server) exposed(ctx context.Context) ([]registry.Entry, error) {
	_, entries, err := s.config.Gateway.Tools(ctx, s.config.Caller)
	return slices.DeleteFunc(entries, func(e registry.Entry) bool {
		t := e.Definition.Tool
		return t.Kind != registry.ActionTool || s.isBuiltIn(t.WireName())
	}), err
}

// upstreamServers returns the names of the MCP servers that run the given tools, without duplicates.
func upstreamServers(entries []registry.Entry) []string {
	var names []string
	for _, e := range entries {
		p := e.Definition.Tool.Provider
		if p != nil && p.Type == registry.ProviderMCP && !slices.Contains(names, p.Server) {
			names = append(names, p.Server)
		}
	}
	return names
}

// maxWritten is the maximum number of pages in a pageCache.
const maxWritten = 32

// pageCache caches pages of the list of approved tools, because clients request the same list repeatedly. The key of a
// page is a hash over the versions of the tools on the page. A pageCache is safe for concurrent use. Callers must not
// modify the returned tools.
type pageCache struct {
	mu    sync.Mutex
	pages map[string][]*sdk.Tool
}

// of returns the page with the given tools. It converts the tools if the page is not in the cache.
func (w *pageCache) of(entries []registry.Entry) ([]*sdk.Tool, error) {
	fields := make([]string, 0, 2*len(entries))
	for _, e := range entries {
		fields = append(fields, e.Subject.String()+" "+strconv.Itoa(e.Version), e.ContentHash)
	}
	key := history.Seal(fields...)
	w.mu.Lock()
	known, ok := w.pages[key]
	w.mu.Unlock()
	if ok {
		return known, nil
	}
	tools, err := approvedTools(entries)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pages) >= maxWritten || w.pages == nil {
		w.pages = map[string][]*sdk.Tool{}
	}
	w.pages[key] = tools
	return tools, nil
}

// approvedTools converts approved tools to entries of tools/list. The _meta of each entry contains the approved version
// and its content hash.
func approvedTools(entries []registry.Entry) ([]*sdk.Tool, error) {
	text, _, err := wire.Encode(wire.MCP, lists.Map(entries, func(e registry.Entry) wire.Listed { return wire.Listed{Tool: *e.Definition.Tool} }))
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []definition `json:"tools"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	tools := make([]*sdk.Tool, len(entries))
	for i, d := range list.Tools {
		tools[i] = d.tool()
		tools[i].Meta = sdk.Meta{"toolcrib/version": entries[i].Version, "toolcrib/contentHash": entries[i].ContentHash}
	}
	return tools, nil
}

// callApproved implements tools/call for an approved tool. The call passes the same gates as a call through
// execute_tool. The response is the unwrapped result of the tool. If the name is unknown, callApproved returns a
// protocol error.
func (s *Server) callApproved(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := requestedName(ctx)
	var unknown error
	run := func(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
		r, err := s.config.Gateway.Execute(ctx, s.caller(actor), gateway.Request{Tool: name, Args: jsondoc.Canonical(args)})
		if refused, ok := errors.AsType[*gateway.Error](err); ok && refused.Code == gateway.CodeUnknown {
			unknown = invalid("unknown tool %q: %s", name, refused.Message)
		}
		return toolResult(r), err
	}
	r, err := s.handler(run, nil)(ctx, req)
	if unknown != nil {
		return nil, unknown
	}
	if err == nil && r.IsError {
		r.StructuredContent = nil // clients would validate the error against the tool's output schema
	}
	return r, err
}

// outcome implements call_outcome. It returns the outcome of a pending call.
func (s *Server) outcome(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Pending string `json:"pending"`
	}
	if err := bind(args, &in, "pending"); err != nil {
		return nil, err
	}
	r, err := s.config.Gateway.Outcome(ctx, s.caller(actor), in.Pending)
	return toolResult(r), err
}

// toolResult is the result of a call in the form that the tool returned. (A Run has a different form.)
type toolResult gateway.Result

// result converts r to an SDK result. If the output is the result of an MCP server, its content is unchanged. The
// output of any other provider becomes the structured content.
func (r toolResult) result() (*sdk.CallToolResult, error) {
	out, err := result(r.Output, false)
	if err != nil {
		return nil, err
	}
	var theirs sdk.CallToolResult
	if json.Unmarshal(r.Output, &theirs) == nil && theirs.Content != nil {
		var exact struct {
			Structured json.RawMessage `json:"structuredContent"` // raw JSON, because decoding would round large numbers
		}
		if err := json.Unmarshal(r.Output, &exact); err != nil {
			return nil, err
		}
		out.Content, out.StructuredContent = theirs.Content, nil
		if len(exact.Structured) > 0 {
			out.StructuredContent = exact.Structured
		}
	}
	out.Meta = sdk.Meta{"toolcrib/call": r.Call, "toolcrib/tool": r.Tool.String(), "toolcrib/version": r.Version}
	if len(r.Warnings) > 0 {
		out.Meta["toolcrib/warnings"] = r.Warnings
	}
	if len(r.Answer) > 0 {
		out.Meta["toolcrib/answer"] = r.Answer
	}
	return out, nil
}

// howToPoll adds a sentence about call_outcome to the error of a call that waits for the user. It returns any other
// error unchanged. If call_outcome is not listed, it returns every error unchanged.
func (s *Server) howToPoll(err error) error {
	refused, ok := errors.AsType[*gateway.Error](err)
	if s.config.Expose != ExposeTools || !ok || refused.Pending == "" {
		return err
	}
	told := *refused
	told.Message = fmt.Sprintf("%s To poll for the outcome, call %s with {\"pending\":%q}.", refused.Message, callOutcome, refused.Pending)
	return &told
}
