package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/internal/door"
	"toolcrib/internal/turns"
	"toolcrib/internal/visible"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// docConfig is all that an application needs to run an agent, but for the channel
// and its prompt: they follow it in the same object.
type docConfig struct {
	Agent  string `json:"agent"`
	Format Format `json:"format"`
	// SHA-256 over subject, version and content hash of every definition that the agent has.
	CatalogHash    string          `json:"catalog_hash"`
	EnabledActions []string        `json:"enabled_actions"` // The names by which tools are called
	Tools          json.RawMessage `json:"tools"`           // In the form that was asked for
	// How many tools are not offered at once: the agent finds them
	// with search_tools, over MCP.
	Deferred int `json:"deferred"`
	// What the format has no place for.
	LeftOut []string `json:"left_out,omitempty"`
}

// agentConfig is GET /v1/agents/{id}/config.
func (s *Server) agentConfig(q *request) error {
	if err := q.own(); err != nil {
		return err
	}
	channel, format := q.text("channel", prompt.Web), Format(q.text("format", string(wire.Toolcrib)))
	if !registry.ValidChannel(channel) {
		return problem(http.StatusBadRequest, "usage", "channel is "+quote(channel)+"; a channel is a name such as web or telegram")
	}
	if !slices.Contains([]Format{wire.OpenAI, wire.Anthropic, wire.MCP, wire.Toolcrib}, format) {
		return problem(http.StatusBadRequest, "usage", "format is "+quote(string(format))+"; write openai, anthropic, mcp or toolcrib")
	}
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	v, err := s.view(q)
	if err != nil {
		return err
	}
	if unchanged(q, v.hash) {
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
	tail, err := configTail(v, channel, now)
	if err == nil {
		write(q.w, http.StatusOK, head, tail)
	}
	return err
}

// own refuses requests about another agent than the token's.
func (q *request) own() error {
	if id := q.r.PathValue("id"); id != q.caller.Agent {
		return problem(http.StatusForbidden, "not_allowed", "the token is of the agent "+quote(q.caller.Agent)+", and reads and calls only as itself")
	}
	return nil
}

// configTail returns the rest of the answer: the channel and its prompt.
func configTail(v *view, channel string, now prompt.Context) ([]byte, error) {
	key := renderedFor{channel, now.Zone, now.MemoryNotes, now.UserInstructions}
	if tail := v.rendered.get(key, now.Now); tail != nil {
		return tail, nil
	}
	text, err := encode(map[string]string{"channel": channel, "prompt": v.prompts.With(now).Render(channel).Text})
	if err != nil {
		return nil, err
	}
	tail := bytes.TrimPrefix(text, []byte("{"))
	v.rendered.put(key, now.Now, tail)
	return tail, nil
}

// configHead returns the part that all channels and users share: the answer up
// to the comma before the channel.
func (s *Server) configHead(ctx context.Context, v *view, f Format) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if head, ok := v.heads[f]; ok {
		return head, nil
	}
	head, err := s.newConfigHead(ctx, v, f)
	if err == nil {
		v.heads[f] = head
	}
	return head, err
}

func (s *Server) newConfigHead(ctx context.Context, v *view, f Format) ([]byte, error) {
	tools, deferred := v.loaded.offered()
	doc := docConfig{
		Agent: v.loaded.Agent.Live.Subject.ID, Format: f, CatalogHash: v.hash, Deferred: deferred, EnabledActions: []string{},
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
	return append(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), ','), nil
}

// rendered caches the last rendered prompts in the form of configTail. Times in
// prompts are precise to the minute, so that within a minute the same context yields
// the same bytes.
type rendered struct {
	mu     sync.Mutex
	minute time.Time
	size   int
	bodies map[renderedFor][]byte
}

// renderedFor has the values that a prompt depends on, besides the minute.
type renderedFor struct {
	channel, zone, notes, instructions string
}

// maxRendered bounds the bytes of the prompts that are kept.
const maxRendered = 8 << 20

func (r *rendered) get(key renderedFor, at time.Time) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.minute.Equal(at.Truncate(time.Minute)) {
		return nil
	}
	return r.bodies[key]
}

func (r *rendered) put(key renderedFor, at time.Time, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	minute := at.Truncate(time.Minute)
	if !r.minute.Equal(minute) || r.size+len(body) > maxRendered || r.bodies == nil {
		r.minute, r.size, r.bodies = minute, 0, map[renderedFor][]byte{}
	}
	r.size += len(body) - len(r.bodies[key])
	r.bodies[key] = body
}

// refusal is an answer that is an error.
type refusal struct {
	status int
	fault  mcp.Fault
	close  bool // end the connection: nothing more is read from it
}

// Error implements error.
func (r *refusal) Error() string { return r.fault.Message }

func problem(status int, code, message string) error {
	return &refusal{status: status, fault: mcp.Fault{Code: code, Message: message}}
}

func quote(text string) string { return jsondoc.Quote(text) }

// answerTo turns an error into an answer.
func (s *Server) answerTo(ctx context.Context, err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	fault := s.config.Documents.FaultOf(err)
	status := statusOf(err)
	if status == http.StatusInternalServerError && ctx.Err() == nil {
		s.config.Logger.Error("request failed", "error", err.Error())
		fault = mcp.Fault{Code: "failed", Message: "the server could not do this; its log has the reason"}
	}
	return &refusal{status: status, fault: fault}
}

// statusOf translates errors of the service into statuses.
func statusOf(err error) int {
	var refused *gateway.Error
	var malformed jsondoc.Problems
	switch {
	case errors.As(err, &refused):
		return statusOfCall(refused.Code)
	case errors.As(err, &malformed), errors.Is(err, review.ErrText), errors.Is(err, registry.ErrSubject),
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
	default: // whatever the provider calls it
		return http.StatusBadGateway
	}
}

// refuse writes an error.
func refuse(w http.ResponseWriter, r *refusal) {
	if r.close {
		door.TurnAway(w)
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

// encode writes a document. Hidden characters in it are escaped: it means the
// same and can be shown.
func encode(v any) ([]byte, error) {
	text, err := jsondoc.Encode(v)
	return visible.JSON(text), err
}

// answer writes a document.
func answer(w http.ResponseWriter, v any) error {
	body, err := encode(v)
	if err == nil {
		write(w, http.StatusOK, body)
	}
	return err
}

// write writes a JSON answer. An error is one of the client, who went away.
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

// budgets bound what clients may have under way, together and of one token.
type budgets struct {
	requests *turns.Turns // streams apart
	large    *turns.Turns // requests with bodies of more than largeBody bytes
	events   *turns.Turns // streams of events
	listens  *turns.Turns // streams of MCP
	calls    *turns.Turns // calls over MCP; their clients may be gone
}

// newBudgets returns the limits of open requests, of all clients and of one token.
func newBudgets() budgets {
	return budgets{
		requests: turns.New(512, 128), large: turns.New(4, 2), events: turns.New(3072, 512), listens: turns.New(512, 128), calls: turns.New(512, 128),
	}
}
