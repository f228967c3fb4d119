package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pageSize is how many prompts or resources one page lists.
const pageSize = 100

// intercept answers what is read from the registry as it is asked: the SDK
// would want every prompt and version in memory.
func (s *Server) intercept(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ListPromptsRequest:
			return answer(s.prompts(ctx, r.Params))
		case *sdk.GetPromptRequest:
			return answer(s.prompt(ctx, r.Params))
		case *sdk.ListResourcesRequest:
			return answer(s.resources(ctx, r.Params))
		case *sdk.ListResourceTemplatesRequest:
			return templates(), nil
		case *sdk.ReadResourceRequest:
			return answer(s.resource(ctx, r.Params))
		}
		return next(ctx, method, req)
	}
}

// answer keeps a nil result from becoming one that is not nil.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fresh says that a list is stale as soon as it is read: an approval must not
// wait for a client's memory.
func fresh() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follow tells clients when something was approved, whoever approved it and in
// which process, until ctx ends.
func (s *Server) follow(ctx context.Context) {
	last, _ := s.config.Registry.State(ctx) // what can not be read now is read at the next turn
	ticker := time.NewTicker(s.config.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		state, err := s.config.Registry.State(ctx)
		if err != nil || state == last {
			continue
		}
		last = state
		s.announce()
	}
}

// announce sends list_changed. The SDK does so when one of its own features
// changes, so a placeholder of each kind does; nobody can list or get it.
func (s *Server) announce() {
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, nil)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, nil)
}
