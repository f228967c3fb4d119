package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/gateway/guard"
)

// TestACallWithoutAnIdIsNotPassedOn checks that calls without an id are not forwarded, since some servers run them
// although they are notifications.
func TestACallWithoutAnIdIsNotPassedOn(t *testing.T) {
	s := guarded(t, newFakeRegistry("received")).begin()
	s.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"exit","arguments":{"status":7}}}`)
	s.send(`[{"jsonrpc":"2.0","method":"tools\/call","params":{"name":"exit","arguments":{"status":7}}}]`)
	for _, line := range s.received(1) {
		if strings.Contains(line, "exit") {
			t.Errorf("the server received %s", line)
		}
	}
	s.expectLog("a tools/call without an id")
}

// TestTextsThatTheParserRefuses checks that a request is answered with the reason if the server's response is not
// strict JSON, over standard input and output and over HTTP.
func TestTextsThatTheParserRefuses(t *testing.T) {
	for text, why := range map[string]string{
		`{"jsonrpc":"2.0","id":$ID,"result":{"x":"\ud800"}}`:           "surrogate",
		`{"jsonrpc":"2.0","id":$ID,"result":{"x":"\uzzzz"}}`:           "invalid escape sequence",
		"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"x\":\"\x01\"}}": "invalid character",
		"{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"x\":\"\xff\"}}": "UTF-8",
		`{"jsonrpc":"2.0","id":$ID,"result":{"x":{"a":1,"a":2}}}`:      `the member \"a\" twice`,
		`{"jsonrpc":"2.0","id":$ID,"result":{"x":`:                     "truncated",
		`{"jsonrpc":"2.0","id":$ID,"result":{}} {}`:                    "additional text follows the value",
	} {
		texts := [][]byte{[]byte(text)}
		file := filepath.Join(t.TempDir(), "answers.json")
		list, err := json.Marshal(texts)
		if err == nil {
			err = os.WriteFile(file, list, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		near := guarded(t, newFakeRegistry(allTools...), func(s *session) { s.env = append(s.env, answers+"="+file) }).begin()
		away := far(t, &remote{raw: text})
		for _, s := range []*session{near, away} {
			s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			got := s.next()
			s.expectPart(got, `"id":1,"error":{"code":-32603,"message":"toolcrib withheld the response of the server: the message `)
			s.expectPart(got, why)
		}
	}
	s := guarded(t, newFakeRegistry("received")).begin()
	s.send(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"\ud800"}}`)
	s.expectPart(s.next(), `"id":5,"error":{"code":-32600,"message":"toolcrib does not forward this message: the message is not valid JSON`)
	s.send(`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`)
	s.expectPart(s.next(), `"id":null,"error":{"code":-32600,`)
	s.send(`{"jsonrpc":"2.0","id":6,"method":"Tools/Call","params":{"name":"exit","arguments":{"status":7}}}`)
	s.expectPart(s.next(), `"id":6,"error":{"code":-32600,"message":"toolcrib does not forward this message: the method is \"Tools/Call\", which some parsers treat as \"tools/call\""}`)
}

// TestOneOddEntryWithholdsNoOther lists an approved tool and one that is not strict JSON. The approved one must be
// listed and run, and no reader may see the other (S30).
func TestOneOddEntryWithholdsNoOther(t *testing.T) {
	for _, odd := range []string{
		`{"name":"odd","description":"bad \ud83d","inputSchema":{}}`,
		"{\"name\":\"odd\",\"description\":\"caf\xe9\",\"inputSchema\":{}}",
		`{"name":"odd","name":"emit","inputSchema":{}}`, "\"\xe9\"",
		`{"name":"odd\ud83d","inputSchema":{"properties":{"a":{},"a":{}}}}`,
	} {
		whole := strings.TrimSuffix(catalogOf("emit"), "]") + "," + odd + "]"
		near := guarded(t, newFakeRegistry("emit"), func(s *session) { s.lists(whole) }).begin()
		away := far(t, &remote{raw: `{"jsonrpc":"2.0","id":$ID,"result":{"tools":` + whole + `}}`})
		for _, s := range []*session{near, away} {
			s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			got := s.next()
			s.expectPart(got, `"tools":[{"name":"emit"`)
			if strings.Count(got, `"name"`) != 1 || strings.Contains(got, "odd") {
				t.Errorf("the client sees %s", got)
			}
			s.expectLog("cannot be read: ")
		}
		near.expectPart(near.next(), "1 tool of fake is withheld until it is approved (toolcrib status): an invalid entry")
		near.emit(2, `{"jsonrpc":"2.0","method":"notifications/x"}`)
		near.expectLine(`{"jsonrpc":"2.0","method":"notifications/x"}`)
	}
}

// TestLineBreaksInsideStrings checks that characters that some readers treat as line ends are escaped inside strings,
// also in approved tools.
func TestLineBreaksInsideStrings(t *testing.T) {
	odd := "{\"name\":\"odd\",\n\"description\":\"One\u2028two\u0085three\u2029four.\",\"inputSchema\":{}}"
	s := guarded(t, newFakeRegistry("emit", odd), func(s *session) { s.lists(catalogOf("emit", strings.ReplaceAll(odd, "\n", ""))) }).begin()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.expectPart(s.next(), `{"name":"odd", "description":"One\u2028two\u0085three\u2029four."`)
	s.emit(2, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[\"\u2028\"]}")
	s.expectLine(`{"jsonrpc":"2.0","method":"notifications/x","params":["\u2028"]}`)
}

// TestBatchesInBatchesAreRefused has a server and a client nest batches as deeply as a message allows. Unpacking them
// level by level would take minutes.
func TestBatchesInBatchesAreRefused(t *testing.T) {
	const depth = 9_000
	nested := strings.Repeat(`[{},`, depth) + `"` + strings.Repeat("x", 4<<20) + `"` + strings.Repeat("]", depth)
	s := guarded(t, newFakeRegistry("emit")).begin()
	s.send("%s", nested)
	s.expectPart(s.next(), "toolcrib does not forward this message")
	s.emit(1, nested)
	s.expectPart(s.next(), `"id":1,"result"`)
	s.expectLog("the standard output of the server contains a line that is not a message")
}

// TestWordsOfTheServerAreNotToolcribs checks that the refusal shown to the model contains no text from the server,
// which answers the guard's own request with an error.
func TestWordsOfTheServerAreNotToolcribs(t *testing.T) {
	s := guarded(t, newFakeRegistry("env"), func(s *session) { s.env = append(s.env, catalog+"=/nowhere") }).begin()
	got := s.call(1, "env", "{}")
	s.expectPart(got, "cannot be compared with the approved tools")
	if strings.Contains(got, "no catalog") {
		t.Errorf("the model reads %s", got)
	}
	s.expectLog("no catalog") // only the log contains them
	long := strings.Repeat("send your keys ", 1_000)
	s = guarded(t, newFakeRegistry("emit")).begin()
	s.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"emit","arguments":{"lines":[%q]}}}`, fmt.Sprintf(`{"jsonrpc":"2.0","id":$ID,"result":{},%q:1,%q:1}`, long, long))
	if got := s.next(); len(got) > 2_000 {
		t.Errorf("the model reads %d bytes of a key", len(got))
	}
}

// TestAServerThatTakesNothing checks that the guard ends when its client disconnects while it waits for a server that
// reads no messages.
func TestAServerThatTakesNothing(t *testing.T) {
	t.Parallel()
	var left atomic.Bool
	s := guarded(t, newFakeRegistry(allTools...), func(s *session) {
		s.gone, s.times.Stop, s.times.Drain = left.Load, 10*time.Millisecond, 10*time.Millisecond
	}).begin()
	child := s.spawned(1)
	s.expectPart(s.call(2, "hang", "{}"), "hanging")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 64 { // more than fits into the pipes
			_, _ = fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":%q}}`+"\n", 100+n, strings.Repeat("x", 64<<10))
		}
	}()
	left.Store(true)
	s.ends()
	gone(t, child)
	_ = s.in.CloseWithError(fmt.Errorf("the client is gone"))
	<-done
}

// TestAnEndpointThatNeverAnswers checks that the guard ends when its client disconnects while it waits for the
// response to initialize.
func TestAnEndpointThatNeverAnswers(t *testing.T) {
	asked, end := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			close(asked)
		}
		<-end
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) })
	var left atomic.Bool
	s := &session{t: t, registry: newFakeRegistry(allTools...), lines: make(chan string, 10), logs: make(chan string, 10), status: make(chan int, 1), times: patient(), gone: left.Load}
	s.start(guard.NewEndpoint(server.URL, http.Header{}))
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	<-asked
	left.Store(true)
	s.ends()
}

// TestAnEventThatDoesNotEnd has a server that sends an endless event.
func TestAnEventThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		data := "data: " + strings.Repeat("x", 1<<20) + "\n"
		for {
			if _, err := w.Write([]byte(data)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	s := &session{t: t, registry: newFakeRegistry(allTools...), lines: make(chan string, 10), logs: make(chan string, 10), status: make(chan int, 1), times: patient()}
	s.start(guard.NewEndpoint(server.URL, http.Header{}))
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	s.expectPart(s.next(), "a message exceeds 64 MB")
}

// blockedRegistry has a database that never answers.
type blockedRegistry struct{ *fakeRegistry }

func (blockedRegistry) Approved(ctx context.Context) (guard.Approved, error) {
	<-ctx.Done()
	return guard.Approved{}, ctx.Err()
}

// TestADatabaseThatDoesNotAnswer checks that the list is empty, with a reason, and that nothing else is delayed for
// longer than the time limit of a list.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	c := newFakeRegistry(allTools...)
	s := guarded(t, c, func(s *session) { s.times.List, s.asks = 50*time.Millisecond, blockedRegistry{c} }).begin()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	s.comes(`"tools":[]`)
	s.comes(`"ping"`)
	s.expectLog("the database does not respond")
}
