package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// answer is a result as it came over the wire.
type answer struct {
	raw  json.RawMessage
	node *jsondoc.Node
	err  error // what kept it from being read
}

type answerKey struct{}

// listen returns a context whose request leaves its result in the answer.
func listen(ctx context.Context) (context.Context, *answer) {
	a := &answer{}
	return context.WithValue(ctx, answerKey{}, a), a
}

// tap sits between a transport and the SDK. It keeps the results that somebody
// listens for as the bytes that came, and hands the SDK stand-ins for them: it
// would decode them into types that lose keys, and remember a list for as long
// as the server likes.
type tap struct {
	mu      sync.Mutex
	waiting map[jsonrpc.ID]waiting
	broke   error // why nothing can be read any more, nil when it can
}

type waiting struct {
	answer *answer
	method string
}

// fail keeps the first reason for which nothing can be read any more: the SDK
// only reports that it is so.
func (t *tap) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broke == nil && (errors.Is(err, ErrTooLarge) || errors.Is(err, ErrProtocol)) {
		t.broke = err
	}
}

func (t *tap) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broke
}

// sent notes a request that somebody listens for.
func (t *tap) sent(ctx context.Context, msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
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

// forget ends the waiting for an answer that may never come.
func (t *tap) forget(a *answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, w := range t.waiting {
		if w.answer == a {
			delete(t.waiting, id)
		}
	}
}

// received keeps the result of a message and returns what the SDK gets.
func (t *tap) received(msg jsonrpc.Message) jsonrpc.Message {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		return msg
	}
	t.mu.Lock()
	w, ok := t.waiting[resp.ID]
	delete(t.waiting, resp.ID)
	t.mu.Unlock()
	if !ok || resp.Error != nil {
		return msg
	}
	n, err := jsondoc.Parse(resp.Result, jsondoc.Limits{Bytes: MaxMessage, Depth: jsondoc.DefaultLimits.Depth})
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
