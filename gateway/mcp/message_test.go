package mcp

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestCheckMessage checks that messages are rejected if the SDK would round their numbers, ignore parts of them, or
// respond with the names of its own types (C52).
func TestCheckMessage(t *testing.T) {
	for text, want := range map[string]int64{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: 0, `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`: 0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`: 0,
		`{"jsonrpc":"2.0","id":"9007199254740993","method":"ping","params":{}}`: 0, `{"jsonrpc":"2.0","id":1,"method":"odd","params":7}`: 0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":7}}`: 0, // the tool reports the error
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`:                            -32600, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`: -32700, `{`: -32700, `7`: -32700,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`: -32602, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`: -32602,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`: -32602,
	} {
		refused, _ := checkMessage([]byte(text))
		switch {
		case refused == nil && want != 0, refused != nil && refused.Code != want:
			t.Errorf("%s: %v, want %d", text, refused, want)
		case refused != nil && (strings.Contains(refused.Message, "mcp.") || strings.Contains(refused.Message, "Go ")):
			t.Errorf("%s: %s", text, refused.Message)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(text))
		w := httptest.NewRecorder()
		if passes := (&Server{}).checkBody(w, r); passes != (want == 0) || !passes && (w.Code != 400 || !strings.Contains(w.Body.String(), `"error":{"code":-32`)) {
			t.Errorf("over HTTP, %s: %v, %d %s", text, passes, w.Code, w.Body)
		}
	}
}

// TestAnswersAfterTheInputEnded checks that all requests are answered if a program writes them and closes the pipe
// immediately.
func TestAnswersAfterTheInputEnded(t *testing.T) {
	var out bytes.Buffer
	to := &responseWriter{to: &out}
	from := &messageReader{lines: bufio.NewReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"b","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`)), out: to, last: time.Hour}
	var passed []string
	buf := make([]byte, 1000)
	ended := make(chan struct{})
	for range 3 {
		n, err := from.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		passed = append(passed, string(buf[:n]))
	}
	go func() {
		defer close(ended)
		_, _ = from.Read(buf)
	}()
	for _, answer := range []string{`{"jsonrpc":"2.0","id":"b","result":{}}`, `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, `{"jsonrpc":"2.0","method":"notifications/x"}`} {
		_, _ = to.Write([]byte(answer + "\n"))
	}
	select {
	case <-ended:
		t.Errorf("the input ended before the first request was answered: %q", passed)
	default:
	}
	_, _ = to.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}` + "\n"))
	<-ended
	if len(to.unanswered) > 0 {
		t.Error(to.unanswered)
	}
}
