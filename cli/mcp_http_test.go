package cli_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// endpoint is a process that runs toolcrib mcp --http.
type endpoint struct {
	t          *testing.T
	cmd        *exec.Cmd
	url, token string
	rest       *bufio.Scanner // rest of standard error
}

func (c testDB) endpoint(t *testing.T, args ...string) *endpoint {
	t.Helper()
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{t: t, cmd: exec.CommandContext(t.Context(), path, append([]string{"mcp", "--http", "127.0.0.1:0"}, args...)...)}
	e.cmd.Dir = c.dir
	e.cmd.Env = []string{"HOME=" + c.dir, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + filepath.Join(c.dir, "test.db")}
	errs, err := e.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.rest = bufio.NewScanner(errs)
	for e.url == "" || e.token == "" {
		if !e.rest.Scan() {
			t.Fatal("it did not start")
		}
		if v, ok := strings.CutPrefix(e.rest.Text(), "serving "); ok {
			e.url = v
		}
		if v, ok := strings.CutPrefix(e.rest.Text(), "bearer token: "); ok {
			e.token = v
		}
	}
	return e
}

// stop interrupts it.
func (e *endpoint) stop() {
	e.t.Helper()
	if err := e.cmd.Process.Signal(os.Interrupt); err != nil {
		e.t.Fatal(err)
	}
	for e.rest.Scan() {
		if strings.Contains(e.rest.Text(), e.token) {
			e.t.Errorf("the token is printed again: %s", e.rest.Text())
		}
	}
	_ = e.cmd.Wait()
	if code := e.cmd.ProcessState.ExitCode(); code != 130 {
		e.t.Errorf("exit status %d, want 130", code)
	}
}

// bearer adds the token and other headers to each request.
type bearer struct {
	token  string
	header http.Header
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	for key, values := range b.header {
		r.Header[key] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (e *endpoint) connect(revision, who string) client {
	e.t.Helper()
	cl := client{t: e.t, changed: make(chan string, 100)}
	session, err := sdk.NewClient(&sdk.Implementation{Name: who, Version: "1"}, &sdk.ClientOptions{
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { cl.changed <- "prompts" },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { cl.changed <- "resources" },
	}).Connect(e.t.Context(), &sdk.StreamableClientTransport{Endpoint: e.url, HTTPClient: &http.Client{Transport: bearer{token: e.token}}},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = session.Close() })
	cl.ClientSession = session
	return cl
}

// TestMCPOverHTTP connects clients with both protocol revisions to one endpoint, each with its own name, and informs
// both of an approval.
func TestMCPOverHTTP(t *testing.T) {
	c := newTestDB(t)
	e := c.endpoint(t)
	old, young := e.connect("2025-11-25", "old"), e.connect("2026-07-28", "young")
	for who, cl := range map[string]client{"old": old, "young": young} {
		made := cl.done("propose_tool", sample(t, who+"_pacer"))["proposal"].(map[string]any)
		if made["author"] != "agent:~"+who {
			t.Errorf("%s is %v", who, made["author"])
		}
	}
	if code, _ := old.refused("revise_proposal", func() any {
		p := sample(t, "young_pacer")
		p["id"] = old.done("list_proposals", map[string]any{"author": "agent:~young"})["proposals"].([]any)[0].(map[string]any)["id"]
		return p
	}()); code != "not_allowed" {
		t.Errorf("another's proposal was revised: %s", code)
	}
	c.run("approve", "#1")
	for _, cl := range []client{old, young} {
		for range 2 {
			<-cl.changed
		}
	}
	for _, cl := range []client{old, young} {
		_ = cl.Close()
	}
	e.stop()
}

// TestMCPRequiresAuthorization tries to connect without authorization.
func TestMCPRequiresAuthorization(t *testing.T) {
	c := newTestDB(t)
	e := c.endpoint(t, "--allow-origin", "https://good.example")
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, c := range []struct {
		name, method, path, body, token string
		header                          map[string]string
		want                            int
	}{
		{"welcome", "POST", "", hello, e.token, nil, 200},
		{"no token", "POST", "", hello, "", nil, 401},
		{"another token", "POST", "", hello, e.token[1:], nil, 401},
		{"no scheme", "POST", "", hello, "", map[string]string{"Authorization": e.token}, 401},
		{"no token, no session", "GET", "", "", "", nil, 401},
		{"no token, no sessions at all", "POST", "", hello, "", map[string]string{"Mcp-Protocol-Version": "2026-07-28"}, 401},
		{"a stranger's page", "POST", "", hello, e.token, map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page without a place", "POST", "", hello, e.token, map[string]string{"Origin": "null"}, 403},
		{"a page that looks like ours", "POST", "", hello, e.token, map[string]string{"Origin": "http://localhost.evil.example"}, 403},
		{"a page of this machine", "POST", "", hello, e.token, map[string]string{"Origin": "http://localhost:3000"}, 200},
		{"an allowed page", "POST", "", hello, e.token, map[string]string{"Origin": "https://good.example"}, 200},
		{"a rebound name", "POST", "", hello, e.token, map[string]string{"Host": "evil.example"}, 403},
		{"another path", "POST", "/../admin", hello, e.token, nil, 404},
		{"no message", "POST", "", "{", e.token, nil, 400},
		{"a revision that is not", "POST", "", hello, e.token, map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, 400},
		{"a revision to come", "POST", "", hello, e.token, map[string]string{"Mcp-Protocol-Version": "2999-01-01"}, 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, strings.TrimSuffix(e.url, "/mcp")+"/mcp"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		for k, v := range c.header {
			if req.Header.Set(k, v); k == "Host" {
				req.Host = v
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, resp.StatusCode, c.want, body)
		}
	}
	e.stop()
}

// TestMCPTokenFile creates a token file and uses it again.
func TestMCPTokenFile(t *testing.T) {
	c := newTestDB(t)
	file := filepath.Join(c.dir, "mcp.token")
	var first []byte
	for range 2 {
		e := c.endpoint(t, "--token-file", file)
		text, err := os.ReadFile(file)
		info, statErr := os.Stat(file)
		if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v, %v", err, statErr, info)
		}
		if strings.Contains(e.token, string(text)) {
			t.Error("the token is printed")
		}
		if e.token = strings.TrimSpace(string(text)); first != nil && string(first) != string(text) {
			t.Error("it is another one")
		}
		first = text
		cl := e.connect("2025-11-25", "x")
		cl.done("list_proposals", nil)
		_ = cl.Close()
		e.stop()
	}
}
