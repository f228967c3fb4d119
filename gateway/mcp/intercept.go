// This file implements the middleware that serves prompts, resources, and approved tools from the registry.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestedNameKey is the context key of the tool name, prompt name, or resource URI in a client's request.
type requestedNameKey struct{}

// intercept is an SDK middleware. Because the SDK stores prompts, resources, and tools in memory, only a single
// placeholder of each type is added to the SDK. intercept responds to list requests without the SDK. In other requests,
// it replaces the requested name with the name of the placeholder. The handler of the placeholder reads the requested
// object from the registry.
func (s *Server) intercept(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch req.(type) {
		case *sdk.ListToolsRequest, *sdk.CallToolRequest, *sdk.ListPromptsRequest, *sdk.GetPromptRequest, *sdk.ListResourcesRequest, *sdk.ReadResourceRequest:
			if s.config.Turn != nil {
				held, done, err := s.config.Turn(ctx)
				if err != nil {
					return nil, err
				}
				defer done()
				ctx = held
			}
		}
		native := s.config.Expose.listsTools()
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			if native {
				return answer(s.listTools(ctx, r.Params))
			}
		case *sdk.CallToolRequest:
			if native && !s.isBuiltIn(r.Params.Name) {
				ctx = context.WithValue(ctx, requestedNameKey{}, r.Params.Name)
				one, params := *r, *r.Params
				params.Name, one.Params = name, &params
				req = &one
			}
		case *sdk.ListPromptsRequest:
			return answer(s.listPrompts(ctx, r.Params))
		case *sdk.ListResourcesRequest:
			return answer(s.listVersions(ctx, r.Params))
		case *sdk.ListResourceTemplatesRequest:
			return &sdk.ListResourceTemplatesResult{Cacheable: uncached(), ResourceTemplates: []*sdk.ResourceTemplate{{
				URITemplate: uriTemplate, Name: "version", Title: "A version", MIMEType: uriType,
				Description: "All approved versions of your tools, your agent, its allow-list, skills, and instruction files. kind is tool, agent, list, skill or instructions; layer is global, user or project/NAME.",
			}}}, nil
		case *sdk.GetPromptRequest:
			ctx = context.WithValue(ctx, requestedNameKey{}, r.Params.Name)
			one, params := *r, *r.Params
			params.Name, one.Params = name, &params
			req = &one
		case *sdk.ReadResourceRequest:
			ctx = context.WithValue(ctx, requestedNameKey{}, r.Params.URI)
			one, params := *r, *r.Params
			params.URI, one.Params = uriPrefix, &params
			req = &one
		}
		res, err := next(ctx, method, req)
		if err != nil && method == "initialize" && !errors.As(err, new(*jsonrpc.Error)) {
			err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		return res, err
	}
}

// requestedName returns the name or URI in the client's request that intercept has replaced.
func requestedName(ctx context.Context) string {
	text, _ := ctx.Value(requestedNameKey{}).(string)
	return text
}

// addPlaceholders adds a placeholder prompt and a placeholder resource to the SDK, and a placeholder tool if approved
// tools are listed (see intercept). When a placeholder is added again, the SDK notifies clients of a changed list.
func (s *Server) addPlaceholders() {
	if s.config.Expose.listsTools() {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callApproved)
	}
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, s.getPrompt)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, s.readVersion)
}

// answer converts r to an sdk.Result. If err is not nil, it returns a nil interface rather than an interface that
// contains a nil pointer.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// uncached returns the cache settings of a list that clients must not cache.
func uncached() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follow notifies clients of changed lists until ctx is done. A list changes when a proposal is approved in any
// process, or when an upstream server changes an exposed tool. follow starts the polling of the upstream servers and a
// goroutine, and then returns.
func (s *Server) follow(ctx context.Context) {
	followed := map[string]bool{}
	followServers := func() {
		if !s.config.Expose.listsTools() {
			return
		}
		entries, _ := s.exposed(ctx) // ignore the error, because a list request reports it
		for _, name := range upstreamServers(entries) {
			if !followed[name] {
				followed[name] = true
				s.config.Upstream.Follow(ctx, name, s.addPlaceholders)
			}
		}
	}
	last, _ := s.config.Registry.State(ctx) // on an error, the first state is treated as a change
	followServers()
	go func() {
		for told := int64(0); ; {
			told = s.config.Registry.Wait(ctx, told, s.config.Every)
			if ctx.Err() != nil {
				return
			}
			if state, err := s.config.Registry.State(ctx); err == nil && state != last {
				last = state
				followServers()
				s.addPlaceholders()
			}
		}
	}()
}
