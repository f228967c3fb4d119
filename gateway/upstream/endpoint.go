package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Time limits for making a connection, and for a stream to begin.
const (
	dialTime   = 10 * time.Second
	streamTime = 3 * time.Second
)

// newEndpoint returns the transport to a server's URL, with a stream of notifications if watching is set.
func newEndpoint(s Server, t *tap, watching bool) *mcp.StreamableClientTransport {
	base := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout:    dialTime,
		ResponseHeaderTimeout:  s.timeout(),
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
	return &mcp.StreamableClientTransport{
		Endpoint:     s.URL,
		MaxRetries:   2,
		MaxEventSize: 2 * MaxMessage,

		DisableStandaloneSSE: !watching,
		HTTPClient: &http.Client{
			Transport: &carrier{base: base, tap: t, token: s.Token, headers: s.Headers},
			// The token is for the configured address only.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// carrier carries messages over HTTP with a tap in between.
type carrier struct {
	base    *http.Transport
	tap     *tap
	token   string
	headers http.Header
}

// RoundTrip implements http.RoundTripper.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	maps.Copy(req.Header, c.headers)
	call, err := c.note(req)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(req)
	if err != nil {
		return nil, err
	}
	if refused := resp.StatusCode; req.Method == http.MethodPost && (refused == http.StatusUnauthorized || refused == http.StatusForbidden) {
		discard(resp)
		c.tap.fail(ErrCredentials)
		return nil, ErrCredentials
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		discard(resp)
		return nil, fmt.Errorf("%w: it redirects to %q; configure that address if you trust it", ErrProtocol, resp.Header.Get("Location"))
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "text/event-stream":
		resp.Body = newEvents(resp.Body, c.tap)
		return resp, nil
	case err == nil && kind == "application/json" && call: // responses to notifications have no content
		err = c.tapBody(resp)
	default:
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxNoise), resp.Body}
		return resp, nil
	}
	if err != nil {
		c.tap.fail(err)
		discard(resp)
		return nil, err
	}
	return resp, nil
}

// send sends a request. A server that lets a stream of notifications wait has
// none: the list is looked at again anyway.
func (c *carrier) send(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return c.base.RoundTrip(req)
	}
	ctx, cancel := context.WithCancel(req.Context())
	timer := time.AfterFunc(streamTime, cancel)
	resp, err := c.base.RoundTrip(req.WithContext(ctx))
	switch {
	case !timer.Stop() && req.Context().Err() == nil:
		if err == nil {
			discard(resp)
		}
		return &http.Response{
			StatusCode: http.StatusMethodNotAllowed, Header: http.Header{}, Body: http.NoBody, Request: req,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	case err != nil:
		cancel()
		return nil, err
	}
	resp.Body = limitedBody{resp.Body, closing{resp.Body, cancel}}
	return resp, nil
}

// closing closes the resource of a body together with it.
type closing struct {
	io.Closer
	end context.CancelFunc
}

func (c closing) Close() error {
	defer c.end()
	return c.Closer.Close()
}

// note registers an outgoing request with the tap, and reports whether it is a call.
func (c *carrier) note(req *http.Request) (call bool, err error) {
	if req.GetBody == nil {
		return false, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return false, err
	}
	defer body.Close() //nolint:errcheck // it was in memory
	text, err := io.ReadAll(body)
	if err != nil {
		return false, err
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return false, err
	}
	c.tap.sent(req.Context(), msg)
	r, ok := msg.(*jsonrpc.Request)
	return ok && r.IsCall(), nil
}

// tapBody reads the single message of a response.
func (c *carrier) tapBody(resp *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(resp.Body, MaxMessage+1))
	if err != nil {
		return err
	}
	if len(text) > MaxMessage {
		return fmt.Errorf("%w: a message of more than %d MiB", ErrTooLarge, MaxMessage>>20)
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err == nil {
		text, err = jsonrpc.EncodeMessage(c.tap.received(msg))
	}
	if err != nil && resp.StatusCode < 300 {
		return fmt.Errorf("%w: a message cannot be read: %w", ErrProtocol, err)
	}
	closed := resp.Body.Close()
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return errors.Join(closed)
}

// limitedBody is a body that is read only in part.
type limitedBody struct {
	io.Reader
	io.Closer
}

// discard closes an unwanted body.
func discard(resp *http.Response) { _ = resp.Body.Close() }

// events is a stream of server-sent events that passes through a tap
// (html.spec.whatwg.org/multipage/server-sent-events.html).
type events struct {
	in    io.ReadCloser
	lines *bufio.Reader
	tap   *tap
	rest  []byte
	err   error
}

func newEvents(in io.ReadCloser, t *tap) *events {
	return &events{in: in, lines: bufio.NewReaderSize(in, 64<<10), tap: t}
}

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		if e.rest, e.err = e.event(); e.err != nil {
			e.tap.fail(e.err)
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (e *events) Close() error { return e.in.Close() }

// event returns the next event with replaced data for the SDK, and the error that
// ended the stream.
func (e *events) event() ([]byte, error) {
	var head, data []byte
	for {
		line, err := limitedLine(e.lines, MaxMessage)
		text := bytes.TrimRight(line, "\r\n")
		if len(head)+len(data)+len(text) > MaxMessage {
			return nil, fmt.Errorf("%w: an event of more than %d MiB", ErrTooLarge, MaxMessage>>20)
		}
		if part, ok := bytes.CutPrefix(text, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(part, []byte(" "))...), '\n')
		} else if len(text) > 0 && text[0] != ':' {
			head = append(append(head, text...), '\n')
		}
		if err != nil {
			return nil, err // an event that is cut off is none
		}
		if len(text) == 0 && len(head)+len(data) > 0 {
			return e.tapped(head, bytes.TrimSuffix(data, []byte("\n")))
		}
	}
}

func (e *events) tapped(head, data []byte) ([]byte, error) {
	if len(data) > 0 {
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			return nil, fmt.Errorf("%w: an event cannot be read: %w", ErrProtocol, err)
		}
		if data, err = jsonrpc.EncodeMessage(e.tap.received(msg)); err != nil {
			return nil, err
		}
		head = append(append(append(head, "data: "...), data...), '\n')
	}
	return append(head, '\n'), nil
}
