package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry/wire"
)

// recorder is a Server that records the messages sent to it.
type recorder struct{ sent bytes.Buffer }

func (r *recorder) start(context.Context, Times, func(string)) error { return nil }

func (r *recorder) serve(context.Context, func([]byte)) (int, error) { return 0, nil }

func (r *recorder) send(_ context.Context, _ *message, line []byte) error {
	_, err := r.sent.Write(oneLine(line))
	return err
}

func (r *recorder) finish() {}

// idleGuard returns a guard without a running server, with one approved tool, and its output to the client. The
// client waits for the responses to a list request with id 1 and to initialize with id 2.
func idleGuard(tb testing.TB) (*Guard, *recorder, *bytes.Buffer) {
	tb.Helper()
	raw := json.RawMessage(`{"name":"good","inputSchema":{}}`)
	item, err := wire.ReadItem(wire.MCP, raw)
	if err != nil {
		tb.Fatal(err)
	}
	server, out := &recorder{}, &bytes.Buffer{}
	g := New(Config{Name: "far", Out: out, Log: func(string) {}}, server)
	g.approvals.set(Approved{State: 1, Tools: map[string]Tool{"good": {Hash: item.Hash(), Raw: raw}}}, nil)
	g.requests.add("1", &openRequest{method: "tools/list"})
	g.requests.add("2", &openRequest{method: "initialize"})
	return g, server, out
}

// seeds returns messages that split, hide or repeat a list with an unapproved tool.
func seeds() (texts []string) {
	const list = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"evil"}]}}`
	const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"evil"}}`
	for _, inner := range []string{list, call} {
		texts = append(texts, inner, "["+inner+","+inner+"]", "[["+inner+"]]", inner+inner, "\ufeff"+inner, strings.ReplaceAll(inner, `"`, `'`))
		for _, end := range []string{"\n", "\r", "\u2028", "\u0085", "\v"} {
			for _, odd := range []string{`1`, `"\uzzzz"`, "\"\x01\"", "\"\xff\"", `"\ud800"`, `"\q"`, `NaN`, "\"" + end + "\"", "\"\\" + end + "\""} {
				texts = append(texts, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"good","inputSchema":{}}],"x":[%s,%s%s%s]}}`, odd, end, inner, end))
			}
			texts = append(texts, fmt.Sprintf(`{"jsonrpc":"2.0","id":4,"method":"ping","params":[%s%s%s]}`, end, inner, end))
		}
	}
	texts = append(texts, `[{"id":1,"method":"tools/CAll","params":{"name":"evil"}},{"id":1,"id":2}]`)
	return append(texts, `{"id":1,"result":{"tools":[]},"Result":{"tools":[{"name":"evil"}]}}`, `{"id":1,"result":{"tools":[],"tools":[{"name":"evil"}]}}`,
		`{"id":2,"result":{"capabilities":{"tools":{}},"instructions":"x"}}`, `{"id":1e0,"result":{}}`, `{"method":"ping"}`, strings.Repeat("[", 20_000))
}

// anyLineEnd matches everything that a reader treats as a line end.
var anyLineEnd = regexp.MustCompile("[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]")

// FuzzMessage compares the guard's parser with encoding/json and lets the readers in Go search the guard's output for
// unapproved tools and unlogged calls.
func FuzzMessage(f *testing.F) {
	for _, text := range seeds() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := read(text); err == nil {
			sameMessage(t, &m)
		} else if m.id.present() && !json.Valid(m.id.of(text)) {
			t.Errorf("the id of a refused message is %q", m.id.of(text))
		}
		g, server, out := idleGuard(t)
		g.handleServer(t.Context(), bytes.Clone(text))
		e := NewEndpoint("http://far.example", nil)
		e.log, e.receive = g.config.Log, func(line []byte) { g.handleServer(t.Context(), line) }
		asks, err := read([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.relayMessages(&asks, bytes.Clone(text))
		if err != nil && !errors.As(err, new(malformed)) {
			t.Errorf("pass fails with %v", err)
		}
		g.handleClient(t.Context(), bytes.Clone(text))
		seen := SeenByGo(out.Bytes())
		if i := slices.IndexFunc(seen.Tools, func(name string) bool { return name != "good" }); i >= 0 {
			t.Errorf("the client sees the tool %q in %q", seen.Tools[i], out)
		}
		if calls := SeenByGo(server.sent.Bytes()).Calls; len(calls) > 0 {
			t.Errorf("the server sees calls of %q in %q", calls, server.sent.String())
		}
		for _, stream := range []*bytes.Buffer{out, &server.sent} {
			for line := range bytes.Lines(stream.Bytes()) {
				if whole := bytes.TrimSuffix(line, []byte("\n")); len(whole) == len(line) || anyLineEnd.Match(whole) || !json.Valid(whole) {
					t.Errorf("a line is %q", line)
				}
			}
		}
	})
}

// sameMessage checks that encoding/json understands a message as the guard does, and that its line is the same
// message.
func sameMessage(t *testing.T, m *message) {
	t.Helper()
	line := oneLine(m.text)
	if !bytes.HasSuffix(line, []byte("\n")) || anyLineEnd.Match(line[:len(line)-1]) {
		t.Errorf("%q is written as %q", m.text, line)
	}
	var plain, written map[string]any
	for text, into := range map[*[]byte]*map[string]any{&m.text: &plain, &line: &written} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			t.Fatalf("encoding/json refuses %q: %v", *text, err)
		}
	}
	if !reflect.DeepEqual(plain, written) {
		t.Errorf("%q is written as %q, which means something else", m.text, line)
	}
	if method, named := plain["method"].(string); named != (m.kind != response) || method != m.method {
		t.Errorf("the method of %q is %q, read as %q", m.text, method, m.method)
	}
	for name, at := range map[string]span{"id": m.id, "params": m.params, "result": m.result, "error": m.failure} {
		value, there := plain[name]
		if there != at.present() {
			t.Errorf("%s of %q: %t, read as %t", name, m.text, there, at.present())
			continue
		}
		if !there {
			continue
		}
		var got any
		d := json.NewDecoder(bytes.NewReader(at.of(m.text)))
		d.UseNumber()
		if err := d.Decode(&got); err != nil || !reflect.DeepEqual(got, value) {
			t.Errorf("%s of %q is read as %q: %v", name, m.text, at.of(m.text), err)
		}
	}
	if again, err := read(bytes.TrimSuffix(line, []byte("\n"))); err != nil || again.key() != m.key() || again.method != m.method || again.kind != m.kind {
		t.Errorf("%q is written as %q, which is read as %+v: %v", m.text, line, again, err)
	}
}
