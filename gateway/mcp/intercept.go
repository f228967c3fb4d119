// Prompts, versions, and approved tools, which are read from the registry on request.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestedNameKey is the context key of the name or URI in a client's request.
type requestedNameKey struct{}

// intercept reads prompts and versions from the registry on request. The SDK would keep all of them in memory, so it
// has only one placeholder of each.
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
				Description: "All approved versions of your tools, of your agent, of its allow-list, and of skills and instruction files: kind is tool, agent, list, skill or instructions, layer is global, user or project/NAME.",
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

// requestedName returns the name or URI in the client's request.
func requestedName(ctx context.Context) string {
	text, _ := ctx.Value(requestedNameKey{}).(string)
	return text
}

// addPlaceholders adds a placeholder prompt and a placeholder resource to the SDK, and a placeholder tool if approved
// tools are listed. Adding a placeholder again makes the SDK notify clients that the lists have changed.
func (s *Server) addPlaceholders() {
	if s.config.Expose.listsTools() {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callApproved)
	}
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, s.getPrompt)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, s.readVersion)
}

// answer prevents a nil result from becoming a non-nil interface value.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// uncached marks a list as immediately stale, so that clients do not cache it.
func uncached() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follow notifies clients of approvals in any process, and of changes of exposed tools on their upstream servers,
// until ctx is done. It returns once those servers are being polled.
func (s *Server) follow(ctx context.Context) {
	followed := map[string]bool{}
	followServers := func() {
		if !s.config.Expose.listsTools() {
			return
		}
		entries, _ := s.exposed(ctx) // the list request reports an error
		for _, name := range upstreamServers(entries) {
			if !followed[name] {
				followed[name] = true
				s.config.Upstream.Follow(ctx, name, s.addPlaceholders)
			}
		}
	}
	last, _ := s.config.Registry.State(ctx) // after an error, the first state counts as a change
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
