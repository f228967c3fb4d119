package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// askedKey is the key of the name or URI that a client asked for.
type askedKey struct{}

// intercept reads prompts and versions from the registry on request: the SDK would
// want each in memory. It has one of each, as a placeholder.
func (s *Server) intercept(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, done, err := s.turn(ctx, req)
		if err != nil {
			return nil, err
		}
		defer done()
		native := s.config.Expose.native()
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			if native {
				return answer(s.native.list(ctx, r.Params))
			}
		case *sdk.CallToolRequest:
			if native && !s.native.owns(r.Params.Name) {
				ctx = context.WithValue(ctx, askedKey{}, r.Params.Name)
				one, params := *r, *r.Params
				params.Name, one.Params = name, &params
				req = &one
			}
		case *sdk.ListPromptsRequest:
			return answer(s.prompts.list(ctx, r.Params))
		case *sdk.ListResourcesRequest:
			return answer(s.versions.list(ctx, r.Params))
		case *sdk.ListResourceTemplatesRequest:
			return &sdk.ListResourceTemplatesResult{Cacheable: fresh(), ResourceTemplates: []*sdk.ResourceTemplate{{
				URITemplate: uriTemplate, Name: "version", Title: "A version", MIMEType: uriType,
				Description: "Every version that was ever approved of the tools that you have, of your agent, of the allow-list that it names, and of skills and instruction files: kind is tool, agent, list, skill or instructions, layer is global, user or project/NAME.",
			}}}, nil
		case *sdk.GetPromptRequest:
			ctx = context.WithValue(ctx, askedKey{}, r.Params.Name)
			one, params := *r, *r.Params
			params.Name, one.Params = name, &params
			req = &one
		case *sdk.ReadResourceRequest:
			ctx = context.WithValue(ctx, askedKey{}, r.Params.URI)
			one, params := *r, *r.Params
			params.URI, one.Params = uriPrefix, &params
			req = &one
		}
		res, err := next(ctx, method, req)
		if own := new(jsonrpc.Error); err != nil && method == "initialize" && !errors.As(err, &own) {
			err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		return res, err
	}
}

// turn waits for a turn for a request that takes a processor.
func (s *Server) turn(ctx context.Context, req sdk.Request) (held context.Context, done func(), err error) {
	switch req.(type) {
	case *sdk.ListToolsRequest, *sdk.CallToolRequest, *sdk.ListPromptsRequest, *sdk.GetPromptRequest, *sdk.ListResourcesRequest, *sdk.ReadResourceRequest:
		if s.config.Turn != nil {
			return s.config.Turn(ctx)
		}
	}
	return ctx, func() {}, nil
}

// asked returns the name or URI in the client's request.
func asked(ctx context.Context) string {
	text, _ := ctx.Value(askedKey{}).(string)
	return text
}

// stand adds one placeholder prompt and resource to the SDK, and a placeholder tool if
// approved tools are listed. It also notifies clients that the lists changed, because
// the SDK does so whenever a placeholder is added again.
func (s *Server) stand() {
	if s.config.Expose.native() {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callNative)
	}
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, s.prompts.get)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, s.versions.read)
}

// answer prevents a nil result from becoming a non-nil interface value.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fresh marks a list as immediately stale, so that clients do not cache it.
func fresh() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follower notifies clients of approvals in any process, and of changes of approved
// tools on their upstream servers.
type follower struct {
	registry Registry
	every    time.Duration
	native   *nativeTools
	changed  func() // notifies clients that their lists changed
}

// follow notifies clients until ctx ends. It returns once the servers are being asked.
func (f follower) follow(ctx context.Context) {
	last, _ := f.registry.State(ctx) // unreadable state is read at the next turn
	followed := map[string]bool{}
	f.upstream(ctx, followed)
	go f.poll(ctx, last, followed)
}

// poll looks again and again whether something was approved since last.
func (f follower) poll(ctx context.Context, last int64, followed map[string]bool) {
	for told := int64(0); ; {
		told = f.registry.Wait(ctx, told, f.every)
		if ctx.Err() != nil {
			return
		}
		state, err := f.registry.State(ctx)
		if err != nil || state == last {
			continue
		}
		last = state
		f.upstream(ctx, followed)
		f.changed()
	}
}

// upstream follows the lists of the servers of the exposed tools until ctx ends, and
// notifies clients of changes.
func (f follower) upstream(ctx context.Context, known map[string]bool) {
	if !f.native.expose.native() {
		return
	}
	entries, err := f.native.exposed(ctx)
	if err != nil {
		return // the list itself reports it
	}
	for _, name := range upstreamServers(entries) {
		if !known[name] {
			known[name] = true
			f.native.upstream.Follow(ctx, []string{name}, f.changed)
		}
	}
}
