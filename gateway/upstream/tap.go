package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/registry/wire"
)

// answer is an unchanged result.
type answer struct {
	raw  json.RawMessage
	node *jsondoc.Node
	err  error // why it could not be read
}

type answerKey struct{}

// tap is located between a transport and the SDK. It stores the results that a caller waits for as received, and passes
// stand-ins to the SDK, which would decode them into types that lose keys, and cache a list for as long as the server
// specifies.
type tap struct {
	mu      sync.Mutex
	waiting map[jsonrpc.ID]waiting
	broke   error      // why reading failed, or nil
	hello   jsonrpc.ID // of initialize
	// revision is the protocol revision of the server if the SDK does not know it, or "".
	revision string
	noise    string // the last line that was no message
}

// greeted returns the answer to initialize with a revision that the SDK knows: it refuses
// others, although the list of tools is the same in all of them.
func (t *tap) greeted(resp *jsonrpc.Response) jsonrpc.Message {
	n, err := jsondoc.Parse(resp.Result, jsondoc.Limits{Bytes: MaxMessage, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil || n.Kind != jsondoc.Object {
		return resp
	}
	revision := n.Get("protocolVersion")
	if revision == nil || revision.Kind != jsondoc.String || slices.Contains(knownRevisions, revision.Text) {
		return resp
	}
	t.mu.Lock()
	t.revision = revision.Text
	t.mu.Unlock()
	n.Set("protocolVersion", jsondoc.NewString(lastWithHandshake))
	resp.Result = jsondoc.Canonical(n)
	return resp
}

// knownRevisions are those of the protocol that begin with initialize and that the SDK speaks.
var knownRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", lastWithHandshake}

type waiting struct {
	answer *answer
	method string
}

// fail records the first reason why reading failed. The SDK does not report reasons.
func (t *tap) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broke == nil && (errors.Is(err, ErrTooLarge) || errors.Is(err, ErrProtocol)) {
		t.broke = err
	}
}

// maxShownNoise limits how much of a line that is no message is repeated, in characters.
const maxShownNoise = 200

// unanswered describes the other output of a server that did not answer in time.
func (t *tap) unanswered() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.noise == "" {
		return ""
	}
	return "; its standard output has lines that are not messages, such as " + jsondoc.Quote(t.noise)
}

func (t *tap) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broke
}

// sent records a request whose result is wanted.
func (t *tap) sent(ctx context.Context, msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if ok && req.Method == "initialize" {
		t.mu.Lock()
		t.hello = req.ID
		t.mu.Unlock()
	}
	a, listened := ctx.Value(answerKey{}).(*answer)
	if !ok || !listened || !req.IsCall() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[jsonrpc.ID]waiting{}
	}
	t.waiting[req.ID] = waiting{a, req.Method}
}

// forget stops waiting for an answer.
func (t *tap) forget(a *answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, w := range t.waiting {
		if w.answer == a {
			delete(t.waiting, id)
		}
	}
}

// received stores the result of a message and returns the message for the SDK.
func (t *tap) received(msg jsonrpc.Message) jsonrpc.Message {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		return msg
	}
	t.mu.Lock()
	if number, err := strconv.ParseInt(fmt.Sprint(resp.ID.Raw()), 10, 64); err == nil { // like clients, accept "1" as an answer to 1
		if id, err := jsonrpc.MakeID(float64(number)); err == nil {
			resp.ID = id
		}
	}
	w, ok := t.waiting[resp.ID]
	delete(t.waiting, resp.ID)
	hello := t.hello != jsonrpc.ID{} && resp.ID == t.hello
	t.mu.Unlock()
	if hello && resp.Error == nil {
		return t.greeted(resp)
	}
	if !ok || resp.Error != nil {
		return msg
	}
	n, err := jsondoc.Parse(resp.Result, jsondoc.Limits{Bytes: MaxMessage, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil && w.method == "tools/list" {
		if list, _, _, ok := wire.Salvage(resp.Result, "tools"); ok {
			n, err = list, nil
		}
	}
	if err == nil && n.Kind != jsondoc.Object {
		err = fmt.Errorf("expected an object, got %s", n.Kind)
	}
	if err != nil {
		w.answer.err = fmt.Errorf("%w: its answer to %s cannot be read: %w", ErrProtocol, w.method, err)
		return &jsonrpc.Response{ID: resp.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not read"}}
	}
	w.answer.raw, w.answer.node = bytes.Clone(resp.Result), n
	return &jsonrpc.Response{ID: resp.ID, Result: standIn(w.method, n)}
}

// standIn returns the result that the SDK gets instead of the server's.
func standIn(method string, n *jsondoc.Node) json.RawMessage {
	if method != "tools/list" {
		return json.RawMessage(`{"content":[]}`)
	}
	list := jsondoc.NewArray()
	if tools := n.Get("tools"); tools != nil {
		for _, tool := range tools.Items {
			if withHeaders(tool) {
				list.Items = append(list.Items, jsondoc.NewObject(
					jsondoc.Member{Key: "name", Value: tool.Get("name")}, jsondoc.Member{Key: "inputSchema", Value: tool.Get("inputSchema")}))
			}
		}
	}
	return jsondoc.Canonical(jsondoc.NewObject(jsondoc.Member{Key: "tools", Value: list}))
}

// withHeaders reports whether a tool wants arguments repeated in headers of
// HTTP, which the SDK has to know of.
func withHeaders(tool *jsondoc.Node) bool {
	name, schema := tool.Get("name"), tool.Get("inputSchema")
	if name == nil || name.Kind != jsondoc.String || schema == nil || schema.Kind != jsondoc.Object {
		return false
	}
	text := jsondoc.Canonical(schema)
	if !bytes.Contains(text, []byte(`"x-mcp-header"`)) {
		return false
	}
	_, err := schemaguard.Check(text)
	return err == nil
}

// frames passes on the messages of a stream, one per line, and drops other lines: many servers print a greeting or a
// log there. An unreadable message, or too many other lines, ends the stream.
type frames struct {
	in    io.ReadCloser
	lines *bufio.Reader
	tap   *tap
	rest  []byte
	noise int
}

func newFrames(in io.ReadCloser, t *tap) *frames {
	return &frames{in: in, lines: bufio.NewReaderSize(in, 64<<10), tap: t}
}

// Read implements io.Reader.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if f.rest, err = f.messages(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (f *frames) Close() error { return f.in.Close() }

// line returns the next line with an end of line behind it.
func (f *frames) line() ([]byte, error) {
	line, err := limitedLine(f.lines, MaxMessage)
	if len(line) > 0 && errors.Is(err, io.EOF) {
		return append(line, '\n'), nil
	}
	return line, err
}

// limitedLine reads a line of at most limit bytes, its end included.
func limitedLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("%w: a message of more than %d MiB", ErrTooLarge, limit>>20)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// messages returns the messages of a line, one per line, or an empty slice for other output. A line may be a batch,
// which the revision 2025-03-26 has.
func (f *frames) messages(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\uFEFF")))
	if len(text) == 0 {
		f.noise++ // an endless row of empty lines is noise, too
		return nil, f.quiet()
	}
	parts := []json.RawMessage{text}
	if text[0] == '[' && json.Unmarshal(text, &parts) != nil {
		parts = []json.RawMessage{text}
	}
	var all []byte
	for _, part := range parts {
		m, err := f.message(part)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}

func (f *frames) message(text []byte) ([]byte, error) {
	_, err := jsonrpc.DecodeMessage(text)
	switch {
	case err == nil:
		return append(bytes.Clone(text), '\n'), nil
	case text[0] == '{' && bytes.Contains(text, []byte(`"jsonrpc"`)):
		return nil, fmt.Errorf("%w: a message cannot be read: %w", ErrProtocol, err)
	}
	f.noise += len(text)
	f.tap.mu.Lock()
	f.tap.noise = plaintext.Clip(string(text), maxShownNoise)
	f.tap.mu.Unlock()
	return nil, f.quiet()
}

func (f *frames) quiet() error {
	if f.noise > maxNoise {
		return fmt.Errorf("%w: its standard output contains lines that are not messages", ErrProtocol)
	}
	return nil
}
