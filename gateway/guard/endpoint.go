// This file implements Endpoint, a server at a URL.

package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"toolcrib/registry/jsondoc"
)

// Endpoint is a server at a URL that uses the streamable HTTP transport.
type Endpoint struct {
	url     string
	headers http.Header
	client  *http.Client
	log     func(string)
	times   Times

	failed func(id []byte, err error) // called with the id and the error of a failed request; if nil, receive is called with an error response instead

	serving chan struct{} // closed when receive is set
	receive func(line []byte)
	ctx     context.Context //nolint:containedctx // context of every request
	stop    context.CancelFunc

	sending sync.Mutex // preserves the order of messages
	renews  sync.Mutex // held while a session is renewed

	mu       sync.Mutex
	session  string // id of the session; "" for none
	protocol string
	hello    []byte // the client's initialize request, which renew repeats
	listens  bool
}

// NewEndpoint returns the server at url. Every HTTP request to the server contains the given headers.
func NewEndpoint(url string, headers http.Header) *Endpoint {
	return &Endpoint{url: url, headers: headers, serving: make(chan struct{})}
}

// start implements Server.
func (e *Endpoint) start(ctx context.Context, times Times, log func(string)) error { //nolint:unparam // a Server may fail to start
	e.log, e.times = log, times
	e.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: times.Dial}).DialContext, TLSHandshakeTimeout: times.Dial,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // do not send headers to other addresses, because they may contain credentials
	}
	e.ctx, e.stop = context.WithCancel(ctx)
	return nil
}

// serve implements Server.
func (e *Endpoint) serve(ctx context.Context, receive func(line []byte)) (int, error) {
	e.receive = receive
	close(e.serving)
	<-e.ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.times.End)
	defer cancel()
	if req, err := e.request(ctx, http.MethodDelete, nil, nil); err == nil && req.Header.Get("Mcp-Session-Id") != "" {
		if resp, err := e.client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	return 0, nil
}

// finish implements Server.
func (e *Endpoint) finish() { e.stop() }

// send implements Server. For a request other than initialize, it waits until the request has been written. For any
// other message, it waits for the HTTP response. The server therefore receives the messages in order.
func (e *Endpoint) send(ctx context.Context, m *message, line []byte) error {
	select {
	case <-e.serving:
	case <-ctx.Done():
		return ctx.Err()
	}
	body := bytes.Clone(bytes.TrimSpace(oneLine(line)))
	own := *m
	own.text = bytes.Clone(m.text)
	e.sending.Lock()
	defer e.sending.Unlock()
	if m.method == "initialize" && m.kind == request {
		e.mu.Lock()
		e.hello, e.session = body, ""
		e.mu.Unlock()
	}
	written, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		e.post(&own, body, sync.OnceFunc(func() { close(written) }))
	}()
	if m.kind == request && m.method != "initialize" {
		select {
		case <-written:
		case <-done:
		}
		return nil
	}
	<-done
	if m.method == "notifications/initialized" {
		e.mu.Lock()
		listens := e.listens
		e.listens = true
		e.mu.Unlock()
		if !listens {
			go e.listen()
		}
	}
	return nil
}

// post sends a message and passes the response to e.receive. If the exchange of a request fails, post reports the error
// to e.failed, or passes an error response to e.receive.
func (e *Endpoint) post(m *message, body []byte, written func()) {
	id := bytes.Clone(m.id.of(m.text))
	if m.kind != request {
		id = nil
	}
	err := e.exchange(m, body, written, true)
	if err == nil || e.ctx.Err() != nil {
		return
	}
	if id == nil {
		e.log(m.method + " cannot be sent to the server: " + err.Error())
		return
	}
	if e.failed != nil {
		e.failed(id, err)
		return
	}
	why := "the server cannot be reached: " + err.Error()
	if errors.As(err, new(malformed)) {
		why = "toolcrib withheld the response of the server: " + err.Error()
	}
	e.receive(refused(id, codeInternal, why))
}

// exchange sends a message and relays the response. It calls written when the message has been written. If the server
// has lost the session and retry is true, exchange starts a new session and sends the message once more.
func (e *Endpoint) exchange(m *message, body []byte, written func(), retry bool) error {
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written() }}
	req, err := e.request(httptrace.WithClientTrace(e.ctx, trace), http.MethodPost, m, body)
	if err != nil {
		return err
	}
	session := req.Header.Get("Mcp-Session-Id")
	resp, err := e.client.Do(req)
	if err != nil {
		return Unreachable{withoutURL(err)}
	}
	defer resp.Body.Close() //nolint:errcheck // the body has been read, or is not used
	if session != "" && retry && sessionExpired(resp) {
		if err := e.renew(session); err != nil {
			return err
		}
		return e.exchange(m, body, written, false)
	}
	if m.method == "initialize" {
		e.mu.Lock()
		e.session = resp.Header.Get("Mcp-Session-Id")
		e.mu.Unlock()
	}
	return e.relayResponse(m, resp)
}

// sessionExpired reports whether resp indicates that the server no longer knows the session. The protocol specifies
// status 404 for this case. Many servers, including an example of the SDK, return 400 with an error that mentions the
// session. In both cases, the server has not processed the message.
func sessionExpired(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest {
		return resp.StatusCode == http.StatusNotFound
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), resp.Body)) // the next reader receives the text again, followed by the rest of the body or the same read error
	var said struct{ Error struct{ Message string } }
	return json.Unmarshal(text, &said) == nil && strings.Contains(strings.ToLower(said.Error.Message), "session")
}

// withoutURL returns err without the URL of the request, which may contain a secret. The result is the first
// *net.OpError in the chain of err or, if there is no such error, the innermost error.
func withoutURL(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
		if op, ok := errors.AsType[*net.OpError](err); ok {
			return op
		}
	}
	return err
}

// request returns an HTTP request with the headers of the session. m is the message in body, or nil if body is empty.
func (e *Endpoint) request(ctx context.Context, method string, m *message, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, e.headers)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/event-stream")
	}
	e.mu.Lock()
	session, protocol := e.session, e.protocol
	e.mu.Unlock()
	if m != nil {
		req.Header.Set("Content-Type", "application/json")
		if v := m.str(m.member(m.params, "_meta", metaProtocol)); v >= modernRevision {
			protocol = v
			req.Header.Set("Mcp-Method", m.method)
			if name := m.str(m.member(m.params, "name")); name != "" {
				req.Header.Set("Mcp-Name", headerValue(name))
			} else if uri := m.str(m.member(m.params, "uri")); uri != "" {
				req.Header.Set("Mcp-Name", headerValue(uri))
			}
			for name, value := range m.mirrored {
				req.Header.Set(name, headerValue(value))
			}
		}
	}
	if m != nil && m.method == "initialize" {
		return req, nil
	}
	if protocol != "" {
		req.Header.Set("Mcp-Protocol-Version", protocol)
	}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return req, nil
}

// relayResponse passes the messages in resp, the HTTP response to m, to e.receive. It returns an error if the exchange
// failed, or if m is a request and resp does not contain a response to m.
func (e *Endpoint) relayResponse(m *message, resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // a response without a type contains no messages
	if kind == "text/event-stream" && resp.StatusCode < 300 {
		return e.relayEvents(m, resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, int64(e.times.MaxMessage)+1))
	switch {
	case err != nil:
		return Unreachable{withoutURL(err)}
	case len(text) > e.times.MaxMessage:
		return ErrTooLarge
	}
	var unread error
	if kind == "application/json" && len(bytes.TrimSpace(text)) > 0 {
		var answered bool
		if answered, unread = e.relayMessages(m, text); answered { // a JSON-RPC response counts even if the HTTP status is an error
			return nil
		}
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized && len(e.headers) == 0:
		return Credentials("the server requires a sign-in (OAuth), which only the client can perform; run toolcrib wrap to restore the original entry")
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return Credentials(fmt.Sprintf("the server refuses the credentials (status %d); check the headers in the server's entry in the client's file", resp.StatusCode))
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("%w, %s (status %d); configure that address if you trust it", ErrRedirect, jsondoc.Quote(resp.Header.Get("Location")), resp.StatusCode)
	case resp.StatusCode >= 400:
		status := strings.TrimSpace(fmt.Sprintf("the server responded with status %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
		if said := strings.Join(strings.Fields(string(text)), " "); said != "" && kind != "text/html" {
			status += ": " + clip(said)
		}
		return errors.New(status)
	case unread != nil:
		return unread
	case m.kind == request:
		return fmt.Errorf("the server responded with status %d and without a message", resp.StatusCode)
	}
	return nil
}

// relayMessages passes a message or a batch from the server to e.receive. The result answered is true if text contains
// the response to m, or if m is not a request. If text is not JSON, relayMessages withholds text and returns a
// malformed error.
func (e *Endpoint) relayMessages(m *message, text []byte) (answered bool, err error) {
	answered = m == nil || m.kind != request
	messages, ok := batch(text)
	if !ok {
		messages = [][]byte{text}
	}
	for _, one := range messages {
		got, err := read(one)
		if errors.As(err, new(malformed)) {
			return false, err
		}
		if m == nil || !got.isResponse() || got.key() != m.key() {
			continue
		}
		answered = true
		if err == nil && m.method == "initialize" {
			e.mu.Lock()
			e.protocol = got.str(got.member(got.result, "protocolVersion"))
			e.mu.Unlock()
		}
	}
	e.receive(oneLine(text))
	return answered, nil
}

// relayEvents passes the messages in the event stream resp.Body to e.receive. resp is the HTTP response to the request
// that sent m. If the stream ends before the response to m, and if its events have ids, relayEvents resumes the stream.
func (e *Endpoint) relayEvents(m *message, resp *http.Response) error {
	s := &events{lines: newLineReader(resp.Body, e.times.MaxMessage)}
	for tried := 0; ; tried++ {
		answered := false
		var unread error
		err := s.each(func(data []byte) {
			passed, err := e.relayMessages(m, data)
			answered = passed && m.kind == request || answered
			if err != nil {
				e.log("withheld a message of the server: " + err.Error())
				unread = err
			}
		})
		switch {
		case answered || m.kind != request:
			return nil
		case errors.Is(err, ErrTooLarge):
			return err
		case unread != nil:
			return unread
		case s.id == "" || tried == 20 || e.ctx.Err() != nil:
			return errors.New("the event stream ended without a response")
		}
		if !e.pause(s.retry) {
			return e.ctx.Err()
		}
		resumed, err := e.resume(s.id)
		if err != nil {
			return err
		}
		defer func() { _ = resumed.Body.Close() }() // at most 20 responses are kept open
		s.lines = newLineReader(resumed.Body, e.times.MaxMessage)
	}
}

// resume opens the stream of the server's messages, beginning after the event with the given id. If id is "", the
// stream begins with new messages.
func (e *Endpoint) resume(id string) (*http.Response, error) {
	req, err := e.request(e.ctx, http.MethodGet, nil, nil)
	if err != nil {
		return nil, err
	}
	if id != "" {
		req.Header.Set("Last-Event-ID", id)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // a response without a type is not a stream
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%w (status %d)", errNoStream, resp.StatusCode)
	}
	return resp, nil
}

// errNoStream indicates that the server does not offer an event stream for messages that are not responses.
var errNoStream = errors.New("the server has no event stream")

// listen opens the stream of messages that are not responses, and passes these messages to e.receive. It reopens an
// interrupted stream until the guard ends. If the server does not offer a stream, listen returns immediately.
func (e *Endpoint) listen() {
	s := &events{}
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		resp, err := e.resume(s.id)
		if errors.Is(err, errNoStream) {
			return
		}
		if err == nil {
			wait = time.Second
			s.lines = newLineReader(resp.Body, e.times.MaxMessage)
			_ = s.each(func(data []byte) { // ignore the error, because the stream is reopened
				if _, err := e.relayMessages(nil, data); err != nil {
					e.log("withheld a message of the server: " + err.Error())
				}
			})
			_ = resp.Body.Close()
		}
		if !e.pause(max(wait, s.retry)) {
			return
		}
	}
}

// pause waits for d, or until e is stopped. It returns false if e is stopped.
func (e *Endpoint) pause(d time.Duration) bool {
	select {
	case <-e.ctx.Done():
		return false
	case <-time.After(max(d, time.Millisecond)):
		return true
	}
}

// renew starts a new session after the server has lost a session. It sends the client's initialize request again and
// discards the response. lost is the id of the lost session. If another goroutine has already replaced this session,
// renew does nothing.
func (e *Endpoint) renew(lost string) error {
	e.renews.Lock()
	defer e.renews.Unlock()
	e.mu.Lock()
	session, hello := e.session, e.hello
	e.mu.Unlock()
	if session != lost {
		return nil // another goroutine has renewed the session
	}
	m, err := read(hello)
	if err != nil {
		return errors.New("the server has lost the session")
	}
	req, err := e.request(e.ctx, http.MethodPost, &m, hello)
	if err != nil {
		return err
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, MaxLine)) // discard the response, because the client already has a response to initialize
	_ = resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("the server has lost the session and refuses a new session (status %d)", resp.StatusCode)
	}
	e.mu.Lock()
	e.session = resp.Header.Get("Mcp-Session-Id")
	e.mu.Unlock()
	e.log("the server had lost the session; toolcrib started a new session")
	initialized := []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if m, err = read(initialized); err != nil {
		return err
	}
	return e.exchange(&m, initialized, func() {}, false)
}

// events is a parser of a stream of server-sent events (HTML Living Standard, 9.2.6).
type events struct {
	lines *lineReader
	id    string
	retry time.Duration
}

// each calls fn with the data of every event until the stream ends. It stores the last id and retry fields in s.
func (s *events) each(fn func(data []byte)) error {
	var data []byte
	var there bool
	for {
		line, err := s.lines.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if there && len(bytes.TrimSpace(data)) > 0 {
				fn(data)
			}
			data, there = data[:0], false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if there {
				data = append(data, '\n')
			}
			if data, there = append(data, value...), true; len(data) > s.lines.limit {
				return ErrTooLarge
			}
		case "id":
			s.id = string(value)
		case "retry":
			if d, err := time.ParseDuration(string(value) + "ms"); err == nil && d >= 0 {
				s.retry = min(d, 30*time.Second)
			}
		}
	}
}
