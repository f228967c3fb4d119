package serve

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"
)

// observed is a request as it is counted and logged.
type observed struct {
	http.ResponseWriter
	status  int
	size    int
	route   string
	request *request
}

// observedKey finds it in the context of a request.
type observedKey struct{}

// label records the route of a request.
func label(r route, q *request) {
	if o, ok := q.r.Context().Value(observedKey{}).(*observed); ok {
		o.route, o.request = r.pattern, q
	}
}

// WriteHeader implements http.ResponseWriter.
func (o *observed) WriteHeader(status int) {
	o.status = cmp.Or(o.status, status)
	o.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (o *observed) Write(text []byte) (int, error) {
	o.status = cmp.Or(o.status, http.StatusOK)
	n, err := o.ResponseWriter.Write(text)
	o.size += n
	return n, err
}

// Flush implements http.Flusher.
func (o *observed) Flush() { _ = http.NewResponseController(o.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// observe counts every request, and logs it: successes and refused logins at level
// debug, so that nobody fills the log; calls and refusals at info; failures of the
// server at error.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := &observed{ResponseWriter: w, route: "/"}
		began := s.config.Now()
		s.metrics.inFlight.Add(1)
		defer s.metrics.inFlight.Add(-1)
		next.ServeHTTP(o, r.WithContext(context.WithValue(r.Context(), observedKey{}, o)))
		took := s.config.Now().Sub(began)
		s.metrics.request(o.route, r.Method, o.status, took)
		level := o.level()
		if !s.config.Logger.Enabled(r.Context(), level) {
			return
		}
		attrs := []slog.Attr{
			slog.String("method", r.Method), slog.String("route", o.route), slog.Int("status", o.status), slog.Int("bytes", o.size), slog.Duration("took", took.Round(time.Microsecond)),
		}
		if o.request != nil && o.request.token.ID != "" {
			attrs = append(attrs, slog.String("token", o.request.token.ID), slog.String("actor", o.request.caller.Actor.String()))
		}
		s.config.Logger.LogAttrs(r.Context(), level, "request", attrs...)
	})
}

func (o *observed) level() slog.Level {
	known := o.request != nil && o.request.token.ID != ""
	switch {
	case o.status >= http.StatusInternalServerError && o.status != http.StatusServiceUnavailable && o.status != http.StatusBadGateway && o.status != http.StatusGatewayTimeout:
		return slog.LevelError
	case known && (o.status >= http.StatusBadRequest || o.request.r.Method == http.MethodPost && o.route != mcpPath):
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
