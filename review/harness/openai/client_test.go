package openai

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/review/harness"
)

const secret = "sk-secret-0123456789"

// serve returns a client for a server with handler h, and the number of requests.
func serve(t *testing.T, c Config, h http.HandlerFunc) (*Client, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h(w, r)
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c.BaseURL, c.Model, c.APIKey, c.Transport = server.URL+"/v1", "tiny", secret, transport
	if c.Timeout == 0 {
		c.Timeout = 3 * time.Minute
	}
	if c.RetryDelay == 0 {
		c.RetryDelay = time.Millisecond
	}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client, &asked
}

// says responds like a model that answers with text.
func says(w http.ResponseWriter, text string) {
	completes(w, map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}})
}

func completes(w http.ResponseWriter, choices ...any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "c", "object": "chat.completion", "model": "tiny", "choices": choices})
}

func TestAnswer(t *testing.T) {
	// The environment must have no effect.
	t.Setenv("OPENAI_API_KEY", "other")
	t.Setenv("OPENAI_BASE_URL", "http://192.0.2.1/")
	t.Setenv("OPENAI_ORG_ID", "other")
	t.Setenv("HTTP_PROXY", "http://192.0.2.1/")
	client, asked := serve(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("Openai-Organization") != "" {
			t.Errorf("got %s %s %v", r.Method, r.URL, r.Header)
		}
		if body.Model != "tiny" || len(body.Messages) != 2 || body.Messages[0].Role != "system" || body.Messages[1].Role != "user" {
			t.Errorf("got %+v", body)
		}
		says(w, body.Messages[0].Content+" <"+body.Messages[1].Content+"> ü\u202e")
	})
	got, err := client.Answer(t.Context(), "Be brief.", "Hello")
	if err != nil || got != "Be brief. <Hello> ü\u202e" || asked.Load() != 1 {
		t.Errorf("got %q, %v after %d requests", got, err, asked.Load())
	}
}

func TestAnswerWithoutKeyAndPrompt(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "" || strings.Contains(string(body), "system") {
			t.Errorf("got %v, %s", r.Header, body)
		}
		says(w, "ok")
	}))
	defer server.Close()
	client, err := New(Config{BaseURL: server.URL, Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := client.Answer(t.Context(), "", "Hello"); err != nil || got != "ok" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRefusalIsAnAnswer(t *testing.T) {
	client, _ := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		completes(w, map[string]any{"finish_reason": "stop", "message": map[string]any{"content": nil, "refusal": "I will not."}})
	})
	if got, err := client.Answer(t.Context(), "", "x"); err != nil || got != "I will not." {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRetry(t *testing.T) {
	for _, status := range []int{500, 502, 503, 429, 408} {
		var n atomic.Int32
		client, _ := serve(t, Config{Retries: 2}, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if !strings.Contains(string(body), "Hello") {
				t.Errorf("%d: asked for %q", status, body)
			}
			if n.Add(1) <= 2 {
				w.WriteHeader(status)
				return
			}
			says(w, "at last")
		})
		if got, err := client.Answer(t.Context(), "", "Hello"); err != nil || got != "at last" {
			t.Errorf("%d: got %q, %v", status, got, err)
		}
	}
}

// status returns a handler that responds with a status and a JSON body.
func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// body returns a handler that responds with a text of the given media type.
func body(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
	}
}

// choice returns a handler that responds with a completion that has the given finish reason.
func choice(reason, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		completes(w, map[string]any{"finish_reason": reason, "message": map[string]any{"content": content}})
	}
}

// noAnswers lists failing endpoints with the expected errors and numbers of requests.
var noAnswers = []struct {
	name    string
	handler http.HandlerFunc
	asked   int32
	want    string
}{
	{"broken for good", status(500, `{"error":{"message":"out of\u202e memory"}}`), 3, `the endpoint failed (500 Internal Server Error: out of\u202e memory)`},
	{"broken without a word", status(503, ""), 3, "the endpoint failed (503 Service Unavailable)"},
	{"broken with a page", status(502, "<html>\x1b[31m"), 3, "the endpoint failed (502 Bad Gateway)"},
	{"key refused", status(401, `{"error":{"message":"Incorrect API key provided: `+secret+`."}}`), 1, "the endpoint refused the API key (401 Unauthorized: Incorrect API key provided: [API key].)"},
	{"no such model", status(404, `{"error":{"message":"The model tiny does not exist"}}`), 1, "the endpoint does not know this address or model (404 Not Found: The model tiny does not exist)"},
	{"bad request", status(400, `{"error":"too long"}`), 1, "the endpoint failed (400 Bad Request)"},
	{"come back in an hour", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(429)
	}, 1, "the endpoint limits the request rate (429 Too Many Requests)"},
	{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/v1/chat/completions?again", http.StatusTemporaryRedirect)
	}, 1, "the endpoint redirects to another address; toolcrib does not follow redirects (307 Temporary Redirect)"},
	{"a page", body("text/html", "<html>Welcome</html>"), 1, errNoCompletion.Error()},
	{"garbage", body("application/json", "\x00\xff{{"), 1, errNoCompletion.Error()},
	{"nothing", body("application/json", ""), 1, errNoCompletion.Error()},
	{"null", body("application/json", "null"), 1, errNoCompletion.Error()},
	{"other JSON", body("application/json", `{"hello":"world"}`), 1, errNoCompletion.Error()},
	{"list", body("application/json", `[1,2]`), 1, errNoCompletion.Error()},
	{"no choice", func(w http.ResponseWriter, _ *http.Request) { completes(w) }, 1, errNoCompletion.Error()},
	{"no text", choice("stop", ""), 1, "the answer has no text"},
	{"cut off", choice("length", "half an ans"), 1, "the answer was cut off at the length limit of the model"},
	{"held back", choice("content_filter", ""), 1, "the endpoint withheld the answer"},
	{"too long", choice("stop", strings.Repeat("x", 1_001)), 1, errTooLarge.Error()},
	{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 3, "the connection to"},
	{"cut short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices":[`)
	}, 1, errNoCompletion.Error()},
}

func TestNoAnswer(t *testing.T) {
	for _, tt := range noAnswers {
		t.Run(tt.name, func(t *testing.T) {
			client, asked := serve(t, Config{Retries: 2, MaxAnswer: 1_000}, tt.handler)
			got, err := client.Answer(t.Context(), "", "x")
			if err == nil || got != "" || !strings.HasPrefix(err.Error(), tt.want) || errors.Is(err, harness.ErrNotConnected) {
				t.Fatalf("got %q, %v; want %s", got, err, tt.want)
			}
			if asked.Load() != tt.asked {
				t.Errorf("asked %d times, want %d", asked.Load(), tt.asked)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the key is in %q", err)
			}
			for _, r := range err.Error() {
				if r < ' ' || r > '~' {
					t.Errorf("the error holds %q", r)
				}
			}
		})
	}
}

func TestNotConnected(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	strange := httptest.NewUnstartedServer(nil)
	strange.Config.ErrorLog = log.New(io.Discard, "", 0)
	strange.StartTLS()
	defer strange.Close()
	for name, tt := range map[string]struct{ address, want string }{
		"nobody there": {gone.URL, "no model is connected: no connection to "},
		"not trusted":  {strange.URL, "the certificate of"},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := New(Config{BaseURL: tt.address, Model: "tiny", APIKey: secret, Retries: 1, RetryDelay: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Answer(t.Context(), "", "x")
			if !errors.Is(err, harness.ErrNotConnected) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestSuite asks the model for answers that are not recorded. The results must report if no model is available.
func TestSuite(t *testing.T) {
	client, _ := serve(t, Config{}, func(w http.ResponseWriter, _ *http.Request) { says(w, "It is slow.") })
	gone, err := New(Config{BaseURL: "http://127.0.0.1:1", Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	cases := []proposals.TestCase{{
		Name: "slow", Input: "Pace it.", Expect: proposals.ExpectPass,
		Checks: []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"slow"`)}},
	}}
	for _, tt := range []struct {
		model  harness.Model
		want   harness.Outcome
		reason string
	}{
		{client, harness.Passed, "satisfies every check"},
		{gone, harness.NotRun, `no model is connected: no connection to "127.0.0.1:1"`},
		{nil, harness.NotRun, "no model is connected"},
	} {
		got := harness.Suite{Cases: cases, Prompt: "P", Model: tt.model}.Run(t.Context())[0]
		if got.Outcome != tt.want || !strings.Contains(got.Reason, tt.reason) || got.Live != (tt.want == harness.Passed) {
			t.Errorf("got %+v", got)
		}
	}
}
