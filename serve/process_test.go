package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolcrib/cli"
)

// program is the name under which toolcrib runs as a process of its own.
const program = "toolcrib-process"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: func() { os.Exit(cli.Run(cli.System())) }})
}

// place is a home with a database, a hub for its tools, and an agent that has
// them.
type place struct {
	testing.TB
	dir string
}

// hub answers calls with their inputs; inputs {"fail": CODE} make it fail.
func hub(t testing.TB) string {
	t.Helper()
	stop := make(chan struct{})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Inputs struct {
				Fail string `json:"fail"`
			} `json:"inputs"`
			User json.RawMessage `json:"user_id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		answer := map[string]any{"success": true, "result": map[string]any{"user": call.User}}
		switch call.Inputs.Fail {
		case "":
		case "ASK":
			answer = map[string]any{"success": true, "requires_approval": true, "approval_request_id": "ap1", "message": "Ask the harbour master.", "result": map[string]any{}}
		case "HANG":
			select {
			case <-r.Context().Done():
			case <-stop:
			}
			return
		case "503":
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		default:
			answer = map[string]any{"success": false, "error": map[string]any{"code": call.Inputs.Fail, "message": "It did not work."}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(h.Close)
	t.Cleanup(func() { close(stop) })
	return h.URL
}

// tool is a proposal of an action tool; change sets keys of its definition.
func tool(id, hub string, change map[string]any) map[string]any {
	d := map[string]any{
		"id": id, "kind": "action", "name": "Get " + id, "category": "other", "description": "Returns the times of high and low water at a harbour on one day, for " + id + ".",
		"inputSchema": map[string]any{
			"type": "object", "additionalProperties": false,
			"properties": map[string]any{"harbour": map[string]any{"type": "string", "description": "Name of the harbour."}, "fail": map[string]any{"type": "string", "description": "A code to fail with."}},
		},
		"annotations": map[string]any{"readOnly": true, "destructive": false}, "approval": map[string]any{"tier": "auto_approve"},
		"provider": map[string]any{"type": "http", "name": "tides." + id, "url": hub},
	}
	for k, v := range change {
		d[k] = v
	}
	return proposal("tool:user/"+id, d)
}

func proposal(subject string, definition map[string]any) map[string]any {
	check := func(name, expect, output string) map[string]any {
		return map[string]any{"name": name, "input": "Husum", "expect": expect, "output": output, "checks": []any{map[string]any{"type": "max_chars", "value": 20}}}
	}
	return map[string]any{
		"type": "new", "subject": subject, "baseVersion": 0, "definition": definition, "rationale": "Skippers ask for the tides every morning.",
		"examples":  []string{"When is high water in Husum tomorrow?", "Low water at Emden on Sunday"},
		"testCases": []any{check("short", "pass", "At six."), check("long", "fail", "At six, when the water is high.")},
	}
}

// open makes a place whose agent skipper has the tools.
func open(t testing.TB, tools ...map[string]any) place {
	t.Helper()
	p := place{t, t.TempDir()}
	names := []string{}
	all := []any{}
	for _, one := range tools {
		names = append(names, one["definition"].(map[string]any)["id"].(string))
		all = append(all, one)
	}
	all = append(all, proposal("agent:user/skipper", map[string]any{"id": "skipper", "name": "Skipper", "description": "Plans trips at sea.", "allowList": names}))
	p.approve(all...)
	return p
}

// approve proposes and approves.
func (p place) approve(proposals ...any) {
	p.Helper()
	text, err := json.Marshal(proposals)
	if err != nil {
		p.Fatal(err)
	}
	p.write("proposals.json", string(text))
	var made struct {
		Proposals []struct {
			ID string `json:"id"`
		} `json:"proposals"`
	}
	if err := json.Unmarshal([]byte(p.run("propose", "proposals.json", "--json")), &made); err != nil {
		p.Fatal(err)
	}
	for _, one := range made.Proposals {
		p.run("show", one.ID)
		p.run("approve", one.ID)
	}
}

func (p place) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p place) command(name string, args ...string) *exec.Cmd {
	p.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.CommandContext(p.Context(), path, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + filepath.Join(p.dir, "test.db")}
	return cmd
}

// run runs toolcrib inside the test, which costs a fifth of a process, and returns
// its standard output.
func (p place) run(args ...string) string {
	p.Helper()
	var out, errs bytes.Buffer
	env := cli.System()
	env.Args, env.In, env.Out, env.Err, env.Dir = args, strings.NewReader(""), &out, &errs, p.dir
	env.InTerminal, env.OutTerminal = false, false
	env.Getenv = func(name string) string {
		return map[string]string{"HOME": p.dir, "PATH": os.Getenv("PATH"), "TOOLCRIB_DB": filepath.Join(p.dir, "test.db")}[name]
	}
	if code := cli.Main(p.Context(), env); code != 0 {
		p.Fatalf("%v: exit status %d: %s", args, code, errs.String())
	}
	return out.String()
}

// token makes a token for skipper and returns its secret and its id.
func (p place) token(args ...string) (secret, id string) {
	p.Helper()
	var doc struct {
		Secret string `json:"secret"`
		Token  struct {
			ID string `json:"id"`
		} `json:"token"`
	}
	if err := json.Unmarshal([]byte(p.run(append([]string{"tokens", "create", "skipper", "--json"}, args...)...)), &doc); err != nil {
		p.Fatal(err)
	}
	return doc.Secret, doc.Token.ID
}

// server is toolcrib serve as a process.
type server struct {
	place
	cmd     *exec.Cmd
	url     string // http://127.0.0.1:PORT, or the path of a socket
	secret  string
	tokenID string
	lines   chan string // of its log, closed at its end
	log     []string
}

// serve starts a server and makes a token for skipper.
func (p place) serve(args ...string) *server {
	p.Helper()
	s := &server{place: p, lines: make(chan string, 10_000)}
	s.secret, s.tokenID = p.token("--user", "ada")
	s.cmd = p.command(program, append([]string{"serve", "--log-format", "json", "--log-level", "debug"}, args...)...)
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(errs); scan.Scan(); {
			s.lines <- scan.Text()
		}
	}()
	s.url, _ = s.await("serving")["address"].(string)
	p.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		s.end()
	})
	return s
}

// await reads the log up to a line with a message.
func (s *server) await(message string) map[string]any {
	s.Helper()
	for line := range s.lines {
		s.log = append(s.log, line)
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == message {
			return entry
		}
	}
	s.Fatalf("the log ended before %q: %s", message, strings.Join(s.log, "\n"))
	return nil
}

// end reads the rest of the log and returns the exit status.
func (s *server) end() int {
	for line := range s.lines {
		s.log = append(s.log, line)
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// stop interrupts it, and looks for secrets in its log.
func (s *server) stop() {
	s.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.Fatal(err)
	}
	if code := s.end(); code != 130 {
		s.Errorf("exit status %d, want 130: %s", code, strings.Join(s.log, "\n"))
	}
	if strings.Contains(strings.Join(s.log, "\n"), s.secret[len(s.secret)-26:]) {
		s.Error("the log has the token")
	}
}

// hanging is when a test that fails ends.
const hanging = time.Minute

// request makes a request with the token.
func (s *server) request(method, path, body string, header ...string) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	return r
}

// do sends a request and returns the answer with its body.
func (s *server) do(r *http.Request) (*http.Response, string) {
	s.Helper()
	resp, err := (&http.Client{Timeout: hanging, Transport: documented{s}}).Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp, string(text)
}

// get asks for a path and returns the status and the document.
func (s *server) get(path string, header ...string) (int, map[string]any) {
	s.Helper()
	resp, text := s.do(s.request(http.MethodGet, path, "", header...))
	return resp.StatusCode, document(text)
}

// post calls a tool.
func (s *server) post(body string) (int, map[string]any) {
	s.Helper()
	resp, text := s.do(s.request(http.MethodPost, "/v1/agents/skipper/execute", body))
	return resp.StatusCode, document(text)
}

// document reads a JSON object, nil when there is none.
func document(text string) map[string]any {
	var doc map[string]any
	if json.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	return doc
}

// code returns the code of an error.
func code(doc map[string]any) string {
	fault, _ := doc["error"].(map[string]any)
	text, _ := fault["code"].(string)
	return text
}

// configure writes the user's own configuration.
func (p place) configure(text string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, ".config", "toolcrib"), 0o700); err != nil {
		p.Fatal(err)
	}
	p.write(filepath.Join(".config", "toolcrib", "toolcrib.toml"), text)
}
