package serve

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/internal/door"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

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
	case errors.As(err, &malformed), errors.Is(err, review.ErrText), errors.Is(err, registry.ErrSubject):
		return http.StatusBadRequest
	case errors.Is(err, review.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, proposals.ErrAuthority):
		return http.StatusForbidden
	case errors.Is(err, registry.ErrNoTools), errors.Is(err, registry.ErrUnknownList), errors.Is(err, review.ErrConflict):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// statusOfCall translates what a gate or a provider said of a call.
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
