// This file implements the GET /v1/agents/{id}/config endpoint, and encodes responses and errors.

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/semaphore"
	"toolcrib/internal/visible"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// docConfig contains the settings that an application needs to run an agent. In the response, the channel and its
// prompt follow in the same JSON object.
type docConfig struct {
	Agent  string `json:"agent"`
	Format Format `json:"format"`
	// SHA-256 over subject, version and content hash of every definition that the agent has.
	CatalogHash    string          `json:"catalog_hash"`
	EnabledActions []string        `json:"enabled_actions"` // The names by which tools are called
	Tools          json.RawMessage `json:"tools"`           // In the requested format
	// The number of tools that the prompt omits. The agent finds these tools with search_tools, over MCP.
	Deferred int `json:"deferred"`
	// The agent's switches for the application.
	Features map[string]bool `json:"features,omitempty"`
	// Parts that the format cannot represent.
	LeftOut []string `json:"left_out,omitempty"`
}

// agentConfig handles GET /v1/agents/{id}/config.
func (s *Server) agentConfig(q *request) error {
	if err := q.checkAgent(); err != nil {
		return err
	}
	channel, format := q.text("channel", prompt.Web), Format(q.text("format", string(wire.Toolcrib)))
	if !registry.ValidChannel(channel) {
		return problem(http.StatusBadRequest, "usage", "channel must be a name such as web or telegram (got "+jsondoc.Quote(channel)+")")
	}
	if !slices.Contains([]Format{wire.OpenAI, wire.Anthropic, wire.MCP, wire.Toolcrib}, format) {
		return problem(http.StatusBadRequest, "usage", "format must be openai, anthropic, mcp, or toolcrib (got "+jsondoc.Quote(string(format))+")")
	}
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	v, err := s.view(q)
	if err != nil {
		return err
	}
	if notModified(q, v.hash) {
		return nil
	}
	now := prompt.Context{Now: s.config.Now()}
	if err := s.config.Catalog.Known(q.r.Context(), caller, &now); err != nil {
		return err
	}
	head, err := s.configHead(q.r.Context(), v, format)
	if err != nil {
		return err
	}
	tail, err := encode(map[string]string{"channel": channel, "prompt": v.prompts.With(now).Render(channel).Text})
	if err == nil {
		write(q.w, http.StatusOK, head, bytes.TrimPrefix(tail, []byte("{")))
	}
	return err
}

// checkAgent returns an error if the agent in the path is not the agent of the token.
func (q *request) checkAgent() error {
	if id := q.r.PathValue("id"); id != q.caller.Agent {
		return problem(http.StatusForbidden, "not_allowed", "the token belongs to the agent "+jsondoc.Quote(q.caller.Agent)+", and is valid for that agent only")
	}
	return nil
}

// configHead returns the beginning of the JSON response of agentConfig, up to the comma before the channel. This part
// is the same for all channels and users.
func (s *Server) configHead(ctx context.Context, v *view, f Format) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if head, ok := v.heads[f]; ok {
		return head, nil
	}
	tools := slices.DeleteFunc(slices.Clone(v.loaded.Tools), func(d Definition) bool { return d.Deferred })
	doc := docConfig{
		Agent: v.loaded.Agent.Live.Subject.ID, Format: f, CatalogHash: v.hash, Deferred: len(v.loaded.Tools) - len(tools), EnabledActions: []string{},
		Features: v.loaded.Agent.Live.Definition.Agent.Features,
	}
	for _, d := range tools {
		if t := d.Live.Definition.Tool; t.Kind == registry.ActionTool {
			doc.EnabledActions = append(doc.EnabledActions, t.WireName())
		}
	}
	var err error
	if f == wire.Toolcrib {
		doc.Tools, err = json.Marshal(append([]Definition{}, tools...))
	} else {
		doc.Tools, doc.LeftOut, err = s.config.Catalog.Encode(ctx, tools, f)
	}
	if err != nil {
		return nil, err
	}
	text, err := encode(doc)
	if err != nil {
		return nil, err
	}
	v.heads[f] = append(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), ',')
	return v.heads[f], nil
}

// refusal is an error response.
type refusal struct {
	status int
	fault  mcp.Fault
	close  bool // close the connection without reading the rest of the request
}

// Error implements error.
func (r *refusal) Error() string { return r.fault.Message }

func problem(status int, code, message string) error {
	return &refusal{status: status, fault: mcp.Fault{Code: code, Message: message}}
}

// answerTo converts an error to an error response.
func (s *Server) answerTo(ctx context.Context, err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	fault := s.config.Documents.FaultOf(err)
	status := statusOf(err)
	if status == http.StatusInternalServerError && ctx.Err() == nil {
		s.config.Logger.Error("request failed", "error", err.Error())
		fault = mcp.Fault{Code: "failed", Message: "the server failed; the log of the server contains the cause"}
	}
	return &refusal{status: status, fault: fault}
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	if refused, ok := errors.AsType[*gateway.Error](err); ok {
		return statusOfCall(refused.Code)
	}
	switch {
	case errors.As(err, new(jsondoc.Problems)), errors.Is(err, review.ErrText), errors.Is(err, registry.ErrSubject),
		errors.Is(err, wire.ErrFormat), errors.Is(err, review.ErrIncomplete), errors.Is(err, review.ErrExcess):
		return http.StatusBadRequest
	case errors.Is(err, proposals.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, proposals.ErrAuthority), errors.Is(err, review.ErrLocked), errors.Is(err, review.ErrBlocked), errors.Is(err, review.ErrRepeated):
		return http.StatusForbidden
	case errors.Is(err, review.ErrPace), errors.Is(err, review.ErrLimit):
		return http.StatusTooManyRequests
	case errors.Is(err, registry.ErrNoTools), errors.Is(err, registry.ErrUnknownList), errors.Is(err, proposals.ErrConflict):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// statusOfCall returns the HTTP status for the error code of a call.
func statusOfCall(code gateway.Code) int {
	switch code {
	case gateway.CodeApprovalRequired:
		return http.StatusAccepted
	case gateway.CodeUnknown:
		return http.StatusNotFound
	case gateway.CodeNotAllowed, gateway.CodeGateRefused, gateway.CodeApprovalRefused:
		return http.StatusForbidden
	case gateway.CodeArguments, gateway.CodeFormat, gateway.CodeMultiple, gateway.CodeNonce, gateway.CodeNotCallable:
		return http.StatusBadRequest
	case gateway.CodeAmbiguous, gateway.CodeApprovalExpired, gateway.CodeApprovalOutdated, gateway.CodeChanged, gateway.CodeInterrupted, gateway.CodeProviderApproval:
		return http.StatusConflict
	case gateway.CodeCooldown, gateway.CodeDailyLimit, gateway.CodePendingFull:
		return http.StatusTooManyRequests
	case gateway.CodeTimeout:
		return http.StatusGatewayTimeout
	case gateway.CodeNotConnected, gateway.CodeUnavailable, gateway.CodeGateUnavailable, gateway.CodeCanceled:
		return http.StatusServiceUnavailable
	default: // the codes of the provider and of unknown failures
		return http.StatusBadGateway
	}
}

// refuse writes an error response.
func refuse(w http.ResponseWriter, r *refusal) {
	if r.close {
		httpserver.Reject(w)
	}
	if r.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolcrib"`)
	}
	w.Header().Del("ETag")
	w.Header().Set("Cache-Control", "no-store")
	body, err := encode(map[string]mcp.Fault{"error": r.fault})
	if err != nil {
		body = []byte(`{"error":{"code":"failed","message":"the error cannot be written"}}`)
	}
	write(w, r.status, body)
}

// encode encodes a document with hidden characters escaped.
func encode(v any) ([]byte, error) {
	text, err := jsondoc.Encode(v)
	return visible.JSON(text), err
}

// answer writes v as a JSON response with status 200.
func answer(w http.ResponseWriter, v any) error {
	body, err := encode(v)
	if err == nil {
		write(w, http.StatusOK, body)
	}
	return err
}

// write writes a JSON response that consists of the given parts. It ignores errors, because they occur only if the
// client has disconnected.
func write(w http.ResponseWriter, status int, parts ...[]byte) {
	h, size := w.Header(), 0
	for _, part := range parts {
		size += len(part)
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(size))
	w.WriteHeader(status)
	for _, part := range parts {
		_, _ = w.Write(part)
	}
}

// budgets limits the number of concurrent requests, for all clients together and for each token.
type budgets struct {
	requests *semaphore.Semaphore // all requests except streams
	large    *semaphore.Semaphore // requests with bodies of more than largeBody bytes
	events   *semaphore.Semaphore // event streams
	listens  *semaphore.Semaphore // MCP streams
	calls    *semaphore.Semaphore // calls over MCP, including calls of disconnected clients
}
