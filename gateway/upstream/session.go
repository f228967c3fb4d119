// This file connects to a server and sends requests over the connection.

package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/gateway/guard"
	"toolcrib/gateway/texts"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Declared is the JSON form of the capabilities that toolcrib declares to servers without LikeClient. It is an empty
// object, because toolcrib does not have any capabilities. Documents contain the declared capabilities, because a
// server's list may depend on them.
const Declared = "{}"

func (s Server) declared() string {
	if s.LikeClient {
		return `{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{}}`
	}
	return Declared
}

// The newest revision of the protocol with a handshake, and the newest revision without a handshake.
const (
	handshakeRevision = "2025-11-25"
	modernRevision    = "2026-07-28"
)

// Session is a connection to a server.
type Session struct {
	server Server
	conn   *guard.Conn
	stderr func() string

	hello    *jsondoc.Node // the server's response to initialize or server/discover
	revision string
	meta     string // the _meta member and the closing brace of the params of every request; "" in a revision with a handshake
}

// Connect connects to a server. It first tries the newest revision of the protocol, and then the handshake of older
// revisions. With LikeClient, it tries the handshake first. If changed is not nil, it is called whenever the server
// reports changed tools or, with Texts, changed prompts.
func Connect(ctx context.Context, s Server, changed func()) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	session := &Session{server: s, stderr: func() string { return "" }}
	if ctx.Err() != nil {
		return nil, session.failed(ctx, ctx.Err())
	}
	to, stderr, err := s.connection()
	if err != nil {
		return nil, session.failed(ctx, err)
	}
	session.stderr = stderr
	var notify func(method string)
	if changed != nil {
		notify = func(method string) {
			if method == "notifications/tools/list_changed" || s.Texts && method == "notifications/prompts/list_changed" {
				changed()
			}
		}
	}
	if session.conn, err = guard.Dial(to, guard.Times{MaxMessage: MaxMessage}, notify); err != nil {
		return nil, session.failed(ctx, err)
	}
	if err := session.handshake(ctx, changed != nil); err != nil {
		if s.Spare && ctx.Err() != nil {
			session.conn.CloseInput()
		} else {
			session.conn.Close()
		}
		return nil, err
	}
	return session, nil
}

// handshake agrees on a revision of the protocol with the server. If watching is true and the revision has no
// handshake, it also subscribes to notifications of changed lists.
func (s *Session) handshake(ctx context.Context, watching bool) error {
	const client = `{"name":"toolcrib","version":"1"}`
	discover := func() (err error) {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second) // some servers never respond to unknown requests
		defer cancel()
		s.revision, s.meta = modernRevision, fmt.Sprintf(
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":%s}}`, modernRevision, client, s.server.declared())
		_, s.hello, err = s.ask(limited, "server/discover", []byte("{}"), nil)
		versions := s.hello.Get("supportedVersions")
		if err == nil && (versions == nil || !slices.ContainsFunc(versions.Items, func(n *jsondoc.Node) bool { return n.Text == modernRevision })) {
			err = s.failed(ctx, fmt.Errorf("%w: the server does not support the revision %s", ErrProtocol, modernRevision))
		}
		if err == nil && watching {
			params := []byte(`{"notifications":{"toolsListChanged":true,"promptsListChanged":true},` + s.meta)
			go func() { _, _ = s.conn.Call(context.Background(), "subscriptions/listen", params, nil) }() // ends with the connection
		}
		return err
	}
	handshake := func() (err error) {
		s.meta = ""
		params := fmt.Appendf(nil, `{"protocolVersion":"%s","clientInfo":%s,"capabilities":%s}`, handshakeRevision, client, s.server.declared())
		if _, s.hello, err = s.ask(ctx, "initialize", params, nil); err == nil {
			s.revision = s.hello.Get("protocolVersion").AsString()
			s.conn.Notify("notifications/initialized", []byte("{}"))
		}
		return err
	}
	first, second := discover, handshake
	if s.server.LikeClient {
		first, second = handshake, discover
	}
	err := first()
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrCredentials) || errors.As(err, new(guard.Unreachable)) {
		return err
	}
	if other := second(); other == nil || !s.server.LikeClient {
		return other
	}
	return err
}

// failed returns the error to report for a request that failed with err. If an error of this package describes the
// failure, the result wraps it.
func (s *Session) failed(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%w: %w", ErrTimeout, context.DeadlineExceeded)
		if s.conn != nil && s.conn.Skipped() != "" {
			err = fmt.Errorf("%w; %w", err, Noise("the standard output contains lines that are not messages, such as "+jsondoc.Quote(s.conn.Skipped())))
		}
	case errors.As(err, new(guard.Credentials)):
		err = ErrCredentials
	case errors.Is(err, guard.ErrRedirect):
		err = fmt.Errorf("%w: %w", ErrProtocol, err)
	case errors.Is(err, guard.ErrTooLarge):
		err = fmt.Errorf("%w: a message of more than %d MiB", ErrTooLarge, MaxMessage>>20)
	}
	return &failed{server: s.server.Name, stderr: s.stderr(), err: err}
}

// Close closes the session. If the server is a program, Close also ends the program.
func (s *Session) Close() { s.conn.Close() }

// Ended returns a channel that is closed when the session ends.
func (s *Session) Ended() <-chan struct{} { return s.conn.Ended() }

// ask sends a request and returns the unchanged and the parsed result. It does not parse lists, because texts.List
// parses them. params is a JSON object without surrounding white space. headers contains the arguments of a call that
// are also sent as HTTP headers.
func (s *Session) ask(ctx context.Context, method string, params []byte, headers map[string]string) (json.RawMessage, *jsondoc.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
	defer cancel()
	if s.meta != "" {
		params = bytes.TrimSuffix(params, []byte("}"))
		if len(params) > 1 {
			params = append(params, ',')
		}
		params = append(params, s.meta...)
	}
	raw, err := s.conn.Call(ctx, method, params, headers)
	if err != nil {
		return nil, nil, s.failed(ctx, err)
	}
	if strings.HasSuffix(method, "/list") {
		return raw, nil, nil
	}
	n, err := jsondoc.Parse(raw, jsondoc.Limits{Bytes: MaxMessage, Depth: jsondoc.DefaultLimits.Depth})
	if err == nil && n.Kind != jsondoc.Object {
		err = fmt.Errorf("expected an object, got %s", n.Kind)
	}
	if err != nil {
		return nil, nil, s.failed(ctx, fmt.Errorf("%w: the response to %s cannot be read: %w", ErrProtocol, method, err))
	}
	return raw, n, nil
}

// Tools returns the unchanged JSON of all tools of the server, and descriptions of the entries that cannot be read. If
// the server does not implement tools/list, both results are empty.
func (s *Session) Tools(ctx context.Context) (tools []json.RawMessage, skipped []wire.Skipped, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
	defer cancel()
	tools, repeats, err := texts.List(ctx, s.askText, "tools", MaxTools, MaxMessage)
	switch {
	case errors.Is(err, texts.ErrNoMethod):
		return nil, nil, nil
	case errors.Is(err, texts.ErrEndless):
		return nil, nil, s.failed(ctx, fmt.Errorf("%w: %w", ErrTooLarge, err))
	case err != nil && !errors.As(err, new(*failed)):
		return nil, nil, s.failed(ctx, fmt.Errorf("%w: %w", ErrProtocol, err))
	case err != nil:
		return nil, nil, err
	}
	tools, skipped = wire.Readable(tools)
	if repeats {
		skipped = append(skipped, wire.RepeatedPage)
	}
	return tools, skipped, nil
}

// Call calls the tool with the given name on the server and returns the unchanged and the parsed result. definition is
// the tool's JSON in the server's list. It may require that certain arguments are also sent as headers. args is a JSON
// object.
func (s *Session) Call(ctx context.Context, name string, definition, args json.RawMessage) (json.RawMessage, *jsondoc.Node, error) {
	params := fmt.Appendf(nil, `{"name":%s,"arguments":%s}`, jsondoc.Canonical(jsondoc.NewString(name)), args)
	return s.ask(ctx, "tools/call", params, wire.ParamHeaders(definition, args))
}

// List connects to a server and returns the document of its tools for registry/wire. The document contains the server's
// name, the protocol revision, the declared capabilities, and the unchanged JSON of every tool.
func List(ctx context.Context, s Server) ([]byte, error) {
	session, err := Connect(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Document(ctx)
}

// Document is like List, for an existing session.
func (s *Session) Document(ctx context.Context) ([]byte, error) {
	tools, skipped, err := s.Tools(ctx)
	if err != nil {
		return nil, err
	}
	info := cmp.Or(s.hello.Get("serverInfo"), s.hello.Get("_meta").Get("io.modelcontextprotocol/serverInfo"))
	list := wire.ServerList{
		Protocol: s.revision, Capabilities: json.RawMessage(s.server.declared()), Tools: tools, Skipped: skipped,
		Server: jsondoc.Canonical(jsondoc.NewObject(
			jsondoc.Member{Key: "name", Value: jsondoc.NewString(info.Get("name").AsString())}, jsondoc.Member{Key: "version", Value: jsondoc.NewString(info.Get("version").AsString())})),
	}
	if s.server.Texts {
		ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
		defer cancel()
		reader := texts.Reader{Ask: s.askText}
		if list.Texts, err = reader.Read(ctx, s.hello.Get("instructions").AsString(), false); err != nil {
			return nil, err
		}
	}
	return list.Document(), nil
}

// askText is a texts.Ask that sends requests over s.
func (s *Session) askText(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error) {
	if capabilities := s.hello.Get("capabilities"); strings.HasPrefix(method, "prompts/") && capabilities != nil && capabilities.Get("prompts") == nil {
		return nil, texts.ErrNoMethod
	}
	raw, _, err := s.ask(ctx, method, jsondoc.Canonical(params), nil)
	var answered *jsonrpc.Error
	switch {
	case errors.As(err, &answered) && answered.Code == jsonrpc.CodeMethodNotFound:
		return nil, fmt.Errorf("%w: %w", texts.ErrNoMethod, err)
	case errors.As(err, &answered):
		return nil, fmt.Errorf("%w: %w", texts.ErrRefused, err)
	}
	return raw, err
}

// Minimum and maximum delay before another attempt after a failure. The delay doubles after each failure.
const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
)

// Watch calls fn with the document of a server's tools until ctx is done. It reads the document at the start, whenever
// the server reports a change, and once in each interval. For the periodic reads, it opens a new connection, because
// the tools of an upgraded program are available only in a new process. After a failure, it calls fn with the error and
// tries again later. Calls of fn are not concurrent.
func Watch(ctx context.Context, s Server, interval time.Duration, fn func(document []byte, err error)) {
	retry := firstRetry
	for ctx.Err() == nil {
		err := watch(ctx, s, interval, func(document []byte) {
			retry = firstRetry
			fn(document, nil)
		})
		if err == nil || ctx.Err() != nil {
			continue
		}
		fn(nil, err)
		select {
		case <-ctx.Done():
		case <-time.After(min(retry, interval)):
		}
		retry = min(2*retry, lastRetry)
	}
}

// watch is the part of Watch that uses a single connection. It returns nil after interval or when ctx is done, and an
// error if the connection fails.
func watch(ctx context.Context, s Server, interval time.Duration, fn func([]byte)) error {
	changed := make(chan struct{}, 1)
	session, err := Connect(ctx, s, func() {
		select {
		case changed <- struct{}{}:
		default: // already requested
		}
	})
	if err != nil {
		return err
	}
	defer session.Close()
	end := time.After(interval)
	for {
		document, err := session.Document(ctx)
		if err != nil {
			return err
		}
		fn(document)
		select {
		case <-ctx.Done():
			return nil
		case <-end:
			return nil
		case <-changed:
		case <-session.Ended():
			return session.failed(ctx, ErrClosed)
		}
	}
}
