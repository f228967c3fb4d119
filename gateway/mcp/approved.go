package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pageSize sets how many prompts or resources one page lists.
const pageSize = 100

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
				return answer(s.tools(ctx, r.Params))
			}
		case *sdk.CallToolRequest:
			if native && !s.owns(r.Params.Name) {
				ctx = context.WithValue(ctx, askedKey{}, r.Params.Name)
				one, params := *r, *r.Params
				params.Name, one.Params = name, &params
				req = &one
			}
		case *sdk.ListPromptsRequest:
			return answer(s.prompts(ctx, r.Params))
		case *sdk.ListResourcesRequest:
			return answer(s.resources(ctx, r.Params))
		case *sdk.ListResourceTemplatesRequest:
			return templates(), nil
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

// asked returns what a client asked for.
func asked(ctx context.Context) string {
	text, _ := ctx.Value(askedKey{}).(string)
	return text
}

// stand adds the prompt and the resource that stand for all, and the tool where
// approved ones are listed. It also tells clients that the lists changed: the SDK does
// so whenever one of its own is added again.
func (s *Server) stand() {
	if s.config.Expose.native() {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callNative)
	}
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, s.prompt)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, s.resource)
}

// answer keeps a nil result from becoming one that is not nil.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fresh reports that a list is stale as soon as it is read, so that clients cache
// none.
func fresh() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follow notifies clients of approvals in any process, and of changes of approved
// tools on their upstream servers, until ctx ends. It returns once the servers are
// being asked.
func (s *Server) follow(ctx context.Context) {
	last, _ := s.config.Registry.State(ctx) // what cannot be read now is read at the next turn
	followed := map[string]bool{}
	s.followUpstream(ctx, followed)
	go s.poll(ctx, last, followed)
}

// poll looks again and again whether something was approved since last.
func (s *Server) poll(ctx context.Context, last int64, followed map[string]bool) {
	for told := int64(0); ; {
		told = s.config.Registry.Wait(ctx, told, s.config.Every)
		if ctx.Err() != nil {
			return
		}
		state, err := s.config.Registry.State(ctx)
		if err != nil || state == last {
			continue
		}
		last = state
		s.followUpstream(ctx, followed)
		s.stand()
	}
}
