// This file collects metrics and logs requests.

package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"toolcrib/gateway"
)

// responseRecorder is an http.ResponseWriter that records properties of the response for the metrics and the log.
type responseRecorder struct {
	http.ResponseWriter
	status  int
	size    int
	route   string
	request *request
}

// recorderKey is the context key of the *responseRecorder of a request.
type recorderKey struct{}

// WriteHeader implements http.ResponseWriter.
func (o *responseRecorder) WriteHeader(status int) {
	o.status = cmp.Or(o.status, status)
	o.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (o *responseRecorder) Write(text []byte) (int, error) {
	o.status = cmp.Or(o.status, http.StatusOK)
	n, err := o.ResponseWriter.Write(text)
	o.size += n
	return n, err
}

// Flush implements http.Flusher.
func (o *responseRecorder) Flush() { _ = http.NewResponseController(o.ResponseWriter).Flush() }

// Unwrap returns the underlying response writer, for http.ResponseController.
func (o *responseRecorder) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// observe returns a handler that calls next, and counts and logs every request. Calls of tools and refused requests
// with a valid token are logged at level info, and failures of the server at level error. All other requests are logged
// at level debug, because clients without a token must not be able to fill the log.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := &responseRecorder{ResponseWriter: w, route: "/"}
		began := s.config.Now()
		s.metrics.inFlight.Add(1)
		defer s.metrics.inFlight.Add(-1)
		next.ServeHTTP(o, r.WithContext(context.WithValue(r.Context(), recorderKey{}, o)))
		took := s.config.Now().Sub(began)
		s.metrics.request(o.route, r.Method, o.status, took)
		known := o.request != nil && o.request.token.ID != ""
		level := slog.LevelDebug
		switch {
		case o.status >= http.StatusInternalServerError && o.status != http.StatusServiceUnavailable && o.status != http.StatusBadGateway && o.status != http.StatusGatewayTimeout:
			level = slog.LevelError
		case known && (o.status >= http.StatusBadRequest || o.request.r.Method == http.MethodPost && o.route != mcpPath):
			level = slog.LevelInfo
		}
		if !s.config.Logger.Enabled(r.Context(), level) {
			return
		}
		attrs := []slog.Attr{
			slog.String("method", r.Method), slog.String("route", o.route), slog.Int("status", o.status), slog.Int("bytes", o.size), slog.Duration("took", took.Round(time.Microsecond)),
		}
		if known {
			attrs = append(attrs, slog.String("token", o.request.token.ID), slog.String("actor", o.request.caller.Actor.String()))
		}
		s.config.Logger.LogAttrs(r.Context(), level, "request", attrs...)
	})
}

// metrics contains the counters of the server. The server writes them in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats). It does not use the client library of Prometheus,
// because this library would be initialized at the start of every command.
type metrics struct {
	version string
	start   time.Time

	inFlight, refused atomic.Int64

	mu       sync.Mutex
	requests map[requestLabels]int64
	took     map[string]*histogram // keyed by route
	calls    map[string]int64      // keyed by error code; "ok" for success
}

type requestLabels struct {
	route, method string
	status        int
}

// buckets contains the upper limits of the buckets of a histogram, in seconds.
var buckets = [...]float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 10, 60}

type histogram struct {
	counts [len(buckets)]int64
	count  int64
	sum    float64
}

// request counts a request. Requests with a method that no route accepts are counted together.
func (m *metrics) request(route, method string, status int, took time.Duration) {
	if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete}, method) {
		method = "other"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[requestLabels{route, method, status}]++
	h := m.took[route]
	if h == nil {
		h = &histogram{}
		m.took[route] = h
	}
	seconds := took.Seconds()
	h.count, h.sum = h.count+1, h.sum+seconds
	for i, limit := range buckets {
		if seconds <= limit {
			h.counts[i]++
		}
	}
}

// called counts a call. err is the error of the call, or nil. Calls with codes of providers are counted together.
func (m *metrics) called(err error) {
	code := "ok"
	var refused *gateway.Error
	switch {
	case errors.As(err, &refused) && statusOfCall(refused.Code) == http.StatusBadGateway:
		code = "provider" // providers may define any number of codes
	case errors.As(err, &refused):
		code = string(refused.Code)
	case err != nil:
		code = "failed"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[code]++
}

// writeMetrics handles GET /metrics.
func (s *Server) writeMetrics(q *request) error {
	var b bytes.Buffer
	s.metrics.write(&b, q.event, q.state, s.budgets.events.Open(), s.clients.open())
	if s.config.Metrics != nil {
		s.config.Metrics(&b)
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = q.w.Write(b.Bytes())
	return nil
}

func (m *metrics) write(b *bytes.Buffer, event, state int64, streams, clients int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	family := func(name, kind, help string) { fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	gauge := func(name, help string, value any) {
		family(name, "gauge", help)
		fmt.Fprintf(b, "%s %v\n", name, value)
	}
	family("toolcrib_build_info", "gauge", "The running version.")
	fmt.Fprintf(b, "toolcrib_build_info{version=%q} 1\n", m.version)
	gauge("process_start_time_seconds", "Start time of the server, in seconds since 1970.", m.start.Unix())
	gauge("toolcrib_requests_in_flight", "Open requests, including streams.", m.inFlight.Load())
	gauge("toolcrib_event_streams", "Open event streams.", streams)
	gauge("toolcrib_mcp_clients", "Tokens with an MCP endpoint.", clients)
	gauge("toolcrib_newest_event", "The number of the newest event of the audit log.", event)
	gauge("toolcrib_registry_state", "A number that increases with every approval.", state)
	family("toolcrib_tokens_refused_total", "counter", "Requests with an invalid token.")
	fmt.Fprintf(b, "toolcrib_tokens_refused_total %d\n", m.refused.Load())
	family("toolcrib_calls_total", "counter", "Calls of tools by outcome.")
	for _, code := range slices.Sorted(maps.Keys(m.calls)) {
		fmt.Fprintf(b, "toolcrib_calls_total{code=%q} %d\n", code, m.calls[code])
	}
	family("toolcrib_requests_total", "counter", "Requests by route, method and status.")
	for _, l := range slices.SortedFunc(maps.Keys(m.requests), func(a, b requestLabels) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}) {
		fmt.Fprintf(b, "toolcrib_requests_total{route=%q,method=%q,status=\"%d\"} %d\n", l.route, l.method, l.status, m.requests[l])
	}
	const duration = "toolcrib_request_duration_seconds"
	family(duration, "histogram", "Durations of requests, by route.")
	for _, route := range slices.Sorted(maps.Keys(m.took)) {
		h := m.took[route]
		for i, limit := range buckets {
			fmt.Fprintf(b, "%s_bucket{route=%q,le=\"%v\"} %d\n", duration, route, limit, h.counts[i])
		}
		fmt.Fprintf(b, "%s_bucket{route=%q,le=\"+Inf\"} %d\n%s_sum{route=%q} %v\n%s_count{route=%q} %d\n", duration, route, h.count, duration, route, h.sum, duration, route, h.count)
	}
}
