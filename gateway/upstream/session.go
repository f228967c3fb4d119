package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway/texts"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Declared has the capabilities that are declared to every server, as JSON: none. They are
// stored with a list because the list may depend on them.
const Declared = "{}"

// declaredLikeClient are those that are declared with Server.LikeClient.
const declaredLikeClient = `{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{}}`

func (s Server) declared() (string, *mcp.ClientCapabilities) {
	if !s.LikeClient {
		return Declared, &mcp.ClientCapabilities{}
	}
	//nolint:staticcheck // deprecated since 2026-07-28; clients declare them
	return declaredLikeClient, &mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		RootsV2:     &mcp.RootCapabilities{ListChanged: true}, Sampling: &mcp.SamplingCapabilities{},
	}
}

// lastWithHandshake is the newest revision that begins with initialize.
const lastWithHandshake = "2025-11-25"

// Session is a connection to a server.
type Session struct {
	server Server
	sdk    *mcp.ClientSession
	tap    *tap
	stderr *tail
	force  func() // ends the connection without a word
	ended  chan struct{}
}

// Connect connects to a server. It asks for the newest revision first and for the
// older handshake when the server does not understand that. changed is called
// whenever the server reports changed tools; it may be nil.
func Connect(ctx context.Context, s Server, changed func()) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	if s.LikeClient {
		session, err := connect(ctx, s, changed, lastWithHandshake)
		if err == nil || ctx.Err() != nil {
			return session, err
		}
	}
	first, stop := context.WithTimeout(ctx, cmp.Or(s.Newest, s.timeout()/2))
	defer stop()
	session, err := connect(first, s, changed, "")
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return session, err
	}
	// Some servers never answer an unknown request.
	return connect(ctx, s, changed, lastWithHandshake)
}

func connect(ctx context.Context, s Server, changed func(), revision string) (*Session, error) {
	session := &Session{server: s, tap: &tap{}, stderr: &tail{}, ended: make(chan struct{})}
	_, capabilities := s.declared()
	options := &mcp.ClientOptions{
		Capabilities:   capabilities,
		Logger:         slog.New(slog.DiscardHandler),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // toolcrib cannot answer such requests
	}
	if changed != nil {
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
		if s.Texts {
			options.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { changed() }
		}
	}
	var transport mcp.Transport
	giveUp := func(bool) {}
	session.force = func() {}
	if s.URL != "" {
		transport = newEndpoint(s, session.tap, changed != nil)
	} else {
		p := &process{server: s, tap: session.tap, stderr: session.stderr}
		transport, giveUp = p, p.giveUp
		session.force = p.kill
	}
	// The SDK blocks until the server accepts a message; a server that does not read must not block a caller beyond its
	// timeout.
	type outcome struct {
		sdk *mcp.ClientSession
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		sdk, err := mcp.NewClient(&mcp.Implementation{Name: "toolcrib", Version: "1"}, options).
			Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		done <- outcome{sdk, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			giveUp(ctx.Err() != nil)
			return nil, session.failed(ctx, o.err)
		}
		session.sdk = o.sdk
	case <-ctx.Done():
		giveUp(true)
		go func() {
			if o := <-done; o.sdk != nil {
				_ = o.sdk.Close() // it came too late
			}
		}()
		return nil, session.failed(ctx, ctx.Err())
	}
	go func() {
		_ = session.sdk.Wait() // the next call reports the reason
		close(session.ended)
	}()
	return session, nil
}

// The codes with which the SDK itself, and no server, reports a call on a
// connection that is ending.
const (
	clientClosing = -32003
	serverClosing = -32004
)

// failed returns the error for a failed exchange, with its cause.
func (s *Session) failed(ctx context.Context, err error) error {
	var answered *jsonrpc.Error
	broke := s.tap.failure()
	switch {
	case broke != nil:
		err = broke
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%w: %w%s", ErrTimeout, context.DeadlineExceeded, s.tap.unanswered())
	case errors.As(err, &answered) && answered.Code != clientClosing && answered.Code != serverClosing:
	case answered != nil, errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EPIPE):
		err = ErrClosed
	}
	return &failed{server: s.server.Name, stderr: s.stderr.String(), err: err}
}

// closes limits how long a session may take to end. The SDK first answers the server's requests, and waits for a server
// that does not read.
const closes = endsByItself + endsWhenTold + time.Second

// Close ends the session, and the program of a server that is one.
func (s *Session) Close() {
	go func() { _ = s.sdk.Close() }() // it ends either way
	select {
	case <-s.ended:
	case <-time.After(closes):
		s.force()
	}
}

// Ended returns a channel that is closed when the session ends.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// alive reports whether the session has not ended.
func (s *Session) alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// ask runs one exchange and returns the unchanged result.
func (s *Session) ask(ctx context.Context, request func(context.Context) error) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
	defer cancel()
	a := &answer{} // the tap stores the result there
	ctx = context.WithValue(ctx, answerKey{}, a)
	defer s.tap.forget(a)
	// As in connect, a server that does not read must not block the caller.
	done := make(chan error, 1)
	go func() { done <- request(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	switch {
	case err == nil && a.node == nil:
		err = fmt.Errorf("%w: no answer arrived", ErrProtocol)
	case err != nil && ctx.Err() == nil && a.err != nil:
		err = a.err
	}
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	return a, nil
}

// page requests one page of the list of tools.
func (s *Session) page(ctx context.Context, cursor string) (tools []json.RawMessage, next string, err error) {
	a, err := s.ask(ctx, func(ctx context.Context) error {
		_, err := s.sdk.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if n := a.node.Get("tools"); n == nil || n.Kind != jsondoc.Array {
		return nil, "", s.failed(ctx, fmt.Errorf("%w: its list has no tools", ErrProtocol))
	}
	var members map[string]json.RawMessage // a struct would take a key in capitals, too
	if err = json.Unmarshal(a.raw, &members); err == nil {
		err = json.Unmarshal(members["tools"], &tools)
	}
	if err != nil {
		return nil, "", s.failed(ctx, fmt.Errorf("%w: %w", ErrProtocol, err))
	}
	if n := a.node.Get("nextCursor"); n != nil && n.Kind == jsondoc.String {
		next = n.Text
	}
	return tools, next, nil
}

// Tools returns the JSON of every tool that the server lists, unchanged, from all pages, and the entries that cannot be
// read. A server without the method has no tools.
func (s *Session) Tools(ctx context.Context) (all []json.RawMessage, skipped []wire.Skipped, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
	defer cancel()
	seen, size := map[string]bool{}, 0
	for cursor := ""; ; {
		tools, next, err := s.page(ctx, cursor)
		var answered *jsonrpc.Error
		if errors.As(err, &answered) && answered.Code == jsonrpc.CodeMethodNotFound {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, tools...)
		for _, t := range tools {
			size += len(t)
		}
		switch {
		case len(all) > MaxTools:
			err = fmt.Errorf("%w: more than %d tools", ErrTooLarge, MaxTools)
		case size > MaxMessage:
			err = fmt.Errorf("%w: more than %d MiB of tools", ErrTooLarge, MaxMessage>>20)
		case next == "":
			all, skipped = wire.Readable(all)
			return all, skipped, nil
		case seen[next]:
			all, skipped = wire.Readable(all)
			return all, append(skipped, wire.RepeatedPage), nil
		case len(seen) == MaxPages:
			err = fmt.Errorf("%w: a list of more than %d pages", ErrTooLarge, MaxPages)
		}
		if err != nil {
			return nil, nil, s.failed(ctx, err)
		}
		seen[next], cursor = true, next
	}
}

// Call calls a tool by its name on the server and returns the unchanged result. args is an object.
func (s *Session) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, *jsondoc.Node, error) {
	a, err := s.ask(ctx, func(ctx context.Context) error {
		_, err := s.sdk.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return a.raw, a.node, nil
}

// List connects to a server, reads its list of tools and returns it as a document
// that registry/wire reads: the server's name, the protocol revision, the declared
// capabilities, and every tool byte by byte.
func List(ctx context.Context, s Server) ([]byte, error) {
	session, err := Connect(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Document(ctx)
}

// Document returns the document of List over a session.
func (s *Session) Document(ctx context.Context) ([]byte, error) {
	tools, skipped, err := s.Tools(ctx)
	if err != nil {
		return nil, err
	}
	declared, _ := s.server.declared()
	list := wire.ServerList{Capabilities: json.RawMessage(declared), Tools: tools, Skipped: skipped}
	info := &mcp.Implementation{}
	if r := s.sdk.InitializeResult(); r != nil {
		list.Protocol, info = cmp.Or(s.tap.revision, r.ProtocolVersion), cmp.Or(r.ServerInfo, info)
	}
	list.Server = jsondoc.Canonical(jsondoc.NewObject(
		jsondoc.Member{Key: "name", Value: jsondoc.NewString(info.Name)}, jsondoc.Member{Key: "version", Value: jsondoc.NewString(info.Version)}))
	if s.server.Texts {
		if list.Texts, err = s.texts(ctx); err != nil {
			return nil, err
		}
	}
	return list.Document(), nil
}

// texts returns the server's prompts and its instructions.
func (s *Session) texts(ctx context.Context) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.server.timeout())
	defer cancel()
	reader, instructions := texts.Reader{Ask: s.askText}, ""
	if r := s.sdk.InitializeResult(); r != nil {
		instructions = r.Instructions
		if r.Capabilities != nil && r.Capabilities.Prompts == nil {
			reader.Ask = func(context.Context, string, *jsondoc.Node) (json.RawMessage, error) { return nil, texts.ErrNoMethod }
		}
	}
	return reader.Read(ctx, instructions, false)
}

// askText implements texts.Ask.
func (s *Session) askText(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error) {
	a, err := s.ask(ctx, func(ctx context.Context) error {
		if method == "prompts/list" {
			p, err := decoded[mcp.ListPromptsParams](params)
			if err == nil {
				_, err = s.sdk.ListPrompts(ctx, p)
			}
			return err
		}
		p, err := decoded[mcp.GetPromptParams](params)
		if err == nil {
			_, err = s.sdk.GetPrompt(ctx, p)
		}
		return err
	})
	var answered *jsonrpc.Error
	switch {
	case errors.As(err, &answered) && answered.Code == jsonrpc.CodeMethodNotFound:
		return nil, fmt.Errorf("%w: %w", texts.ErrNoMethod, err)
	case errors.As(err, &answered):
		return nil, fmt.Errorf("%w: %w", texts.ErrRefused, err)
	case err != nil:
		return nil, err
	}
	return a.raw, nil
}

func decoded[T any](params *jsondoc.Node) (*T, error) {
	p := new(T)
	return p, json.Unmarshal(jsondoc.Canonical(params), p)
}

// Waits after a failure before the next attempt: twice as long each
// time.
const (
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
)

// Watch lists a server's tools until ctx ends: whenever the server reports a
// change, and at an interval, over a new connection, because a program runs its
// upgrade only after a restart. look gets a document as List returns it, or an
// error; it is called from one goroutine.
func Watch(ctx context.Context, s Server, every time.Duration, look func(document []byte, err error)) {
	retry := firstRetry
	for ctx.Err() == nil {
		err := watch(ctx, s, every, func(document []byte) {
			retry = firstRetry
			look(document, nil)
		})
		if err == nil || ctx.Err() != nil {
			continue
		}
		look(nil, err)
		select {
		case <-ctx.Done():
		case <-time.After(min(retry, every)):
		}
		retry = min(2*retry, lastRetry)
	}
}

// watch looks over one connection until it is time for a new one.
func watch(ctx context.Context, s Server, every time.Duration, look func([]byte)) error {
	changed := make(chan struct{}, 1)
	session, err := Connect(ctx, s, func() {
		select {
		case changed <- struct{}{}:
		default: // it will be looked at anyway
		}
	})
	if err != nil {
		return err
	}
	defer session.Close()
	end := time.After(every)
	for {
		document, err := session.Document(ctx)
		if err != nil {
			return err
		}
		look(document)
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
