package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tailscale/hujson"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// starts starts a server as its client does: with the command in the file, in the folder of the entry or of the client,
// with the variables of the entry, and with values for placeholders, which are given in pairs.
func (c testDB) starts(file []byte, name string, values ...string) client {
	c.t.Helper()
	var config struct {
		Servers map[string]struct {
			Command, Cwd string
			Args         []string
			Env          map[string]string
		} `json:"mcpServers"`
	}
	plain, err := hujson.Standardize(file)
	if err == nil {
		err = json.Unmarshal(plain, &config)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	entry, fill := config.Servers[name], strings.NewReplacer(values...)
	for i, arg := range entry.Args {
		entry.Args[i] = fill.Replace(arg)
	}
	cmd := c.command(cmp.Or(entry.Cwd, c.dir), entry.Args...)
	for key, value := range entry.Env {
		cmd.Env = append(cmd.Env, key+"="+fill.Replace(value))
	}
	cl := client{t: c.t, changed: make(chan string, 100)}
	cl.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "cursor", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { cl.changed <- "tools" },
	}).Connect(c.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = cl.Close() })
	return cl
}

// TestFromClientToGuarded follows the steps of a new user. The servers of a client are found, proposed, guarded, and
// approved while the client runs. The client must then have their tools under their own names, and the servers must
// have the variables in the client's file. The servers must be found again behind the guard, and the file must be
// restored.
func TestFromClientToGuarded(t *testing.T) {
	c := newTestDB(t)
	const before = "{\n  // my servers\n  \"mcpServers\": {\n    \"library\": {\"command\": \"mcp-fixture\", \"args\": [\"tools.json\"], \"env\": {\"FIXTURE_SECRET\": \"s3cret\"}}, // mine\n  },\n  \"other\": [1, 2,],\n}\n"
	c.write(".cursor/mcp.json", before)
	c.write("tools.json", "["+lookTool+","+askTool+"]")
	if out := c.run("init", "--yes"); !strings.Contains(out, "library: 2 definitions, 2 proposed as the change set library") {
		t.Fatalf("%s", out)
	}
	if out := c.run("wrap", "--yes"); strings.Contains(out, "s3cret") || !strings.Contains(out, "1 file written") {
		t.Fatalf("%s", out)
	}
	file := filepath.Join(c.dir, ".cursor", "mcp.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, _ := strings.Cut(before, `"command": "mcp-fixture", "args": [`)
	middle, ok := strings.CutPrefix(string(text), head+`"command": "toolcrib", "args": ["guard", "library", `)
	middle, ok2 := strings.CutSuffix(middle, `"--", "mcp-fixture", `+tail)
	if !ok || !ok2 || !strings.Contains(middle, `"--db", "`) {
		t.Fatalf("more than the command changed:\n%s", text)
	}
	cl := c.starts(text, "library")
	if names := cl.names(); len(names) > 0 {
		t.Errorf("nothing is approved, and %v are listed", names)
	}
	c.approveAll()
	for range cl.changed {
		if len(cl.names()) == 2 {
			break
		}
	}
	r, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "lookUp", Arguments: map[string]any{"what": "x"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, _ := json.Marshal(r.StructuredContent); !strings.Contains(string(got), `"secret":"s3cret"`) {
		t.Errorf("the server has not the variable that the client gave it: %s", got)
	}

	if out := c.run("wrap"); !strings.Contains(out, "No changes to write: every server is already guarded.") {
		t.Errorf("wrapped twice: %s", out)
	}
	if out := c.run("init", "--yes"); !strings.Contains(out, "library  cursor   mcp-fixture tools.json") || !strings.Contains(out, "library: 2 definitions, 2 unchanged since their approval") {
		t.Errorf("behind the guard: %s", out)
	}
	c.run("unwrap", "--yes")
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("restored as\n%s\n%v", text, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestEntriesKeepWhatTheyHave starts a guarded entry as its client does, which fills in placeholders, and requests the
// server's folder, arguments, and environment. All other parts of the entry must remain unchanged, byte for byte.
func TestEntriesKeepWhatTheyHave(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.write("work/tools.json", "["+lookTool+"]")
	dir, err := filepath.EvalSymlinks(filepath.Join(c.dir, "work"))
	if err != nil {
		t.Fatal(err)
	}
	const head = `{"mcpServers": { "files" : {"type":"stdio", "x-new":{"a":[1.0, "\u00e9"]} , "command":`
	tail := `, "env":{"FIXTURE_SECRET" : "${env:TOKEN}"}, "cwd":` + strconv.Quote(dir) + `, "disabled":false,"autoApprove":["lookUp"],"timeout" : 6e4, "tools":{"lookUp":{"allow":true}} } } }`
	before := head + `"mcp-fixture", "args":["tools.json", "--root=${workspaceFolder}", "${input:key}"]` + tail
	c.write(".cursor/mcp.json", before)
	c.run("wrap", "--yes")
	text, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	rest, ok := strings.CutPrefix(string(text), head+`"toolcrib", "args":["guard", "files", `)
	if rest, ok2 := strings.CutSuffix(rest, `"--", "mcp-fixture", "tools.json", "--root=${workspaceFolder}", "${input:key}"]`+tail); !ok || !ok2 || strings.Contains(rest, "{") {
		t.Fatalf("more than the command changed:\n%s", text)
	}
	cl := c.starts(text, "files", "${env:TOKEN}", "t0ken and ${this}", "${workspaceFolder}", "/home/a b", "${input:key}", "k$y")
	c.waits("files_look", "list")
	c.approveAll()
	<-cl.changed
	r, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "lookUp", Arguments: map[string]any{"what": "x"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	got, ok := r.StructuredContent.(map[string]any)
	if !ok || got["secret"] != "t0ken and ${this}" || got["dir"] != dir || got["command"] != "tools.json --root=/home/a b k$y" {
		t.Errorf("the server has %v, and should be in %s", got, dir)
	}
	c.run("unwrap", "--yes")
	if text, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json")); err != nil || string(text) != before {
		t.Errorf("restored as\n%s\n%v", text, err)
	}
}

// TestSignInsAreLeftAlone checks that servers that require a sign-in remain unchanged, because the client signs in, and
// so do servers that do not respond. A server with a token in its headers must be wrapped. A guard for a server that
// requires a sign-in must be removed (G27).
func TestSignInsAreLeftAlone(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer web.Close()
	c := newTestDB(t)
	c.write(".cursor/mcp.json", `{"mcpServers":{"signs":{"url":"`+web.URL+`/mcp"},"has":{"url":"`+web.URL+`/has","headers":{"Authorization":"Bearer s3cret"}},"gone":{"url":"http://127.0.0.1:1/mcp"}}}`)
	code, out := c.exits("wrap", "--yes")
	if code != 6 || !strings.Contains(out, "signs (cursor): the server requires a sign-in (OAuth), which only the client can perform") || !strings.Contains(out, "gone (cursor): the server does not respond") {
		t.Errorf("exit status %d: %s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json"))
	if err != nil || !strings.Contains(string(text), `"signs":{"url":"`) || !strings.Contains(string(text), `"TOOLCRIB_HEADER_Authorization":"Bearer s3cret"`) || strings.Count(string(text), `"--url"`) != 1 {
		t.Errorf("%s, %v", text, err)
	}
	wrapped := strings.ReplaceAll(string(text), `"gone":{"url":"http://127.0.0.1:1/mcp"}`, `"late":{"command":"toolcrib","args":["guard","late","--url","`+web.URL+`/late"]}`)
	c.write(".cursor/mcp.json", wrapped)
	if code, out := c.exits("wrap", "--yes"); code != 6 || !strings.Contains(out, "late (cursor): the server requires a sign-in (OAuth), which only the client can perform; the guard is removed") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if again, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json")); err != nil || strings.Contains(string(again), `"late"]`) || !strings.Contains(string(again), web.URL+"/late") {
		t.Errorf("%s, %v", again, err)
	}
	c.write(".cursor/mcp.json", string(text))
	code, out = c.exits("init", "--yes")
	for _, want := range []string{"signs: not read: the server requires a sign-in (OAuth), which only the client can perform", "has: not read: the server rejected the credentials in the entry", "gone: not read: the address of the server does not respond (connect: connection refused)"} {
		if code != 6 || !strings.Contains(out, want) {
			t.Errorf("exit status %d, without %q: %s", code, want, out)
		}
	}
}

// TestInitAsksAFewAtOnce uses more servers than are read in parallel. None of them responds before the maximum number
// of servers has been started (G30).
func TestInitAsksAFewAtOnce(t *testing.T) {
	few := 2 * runtime.GOMAXPROCS(0)
	count := few + 3
	var mu sync.Mutex
	answered := 0
	seen, all := map[string]bool{}, make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if seen[r.URL.Path] = true; len(seen) == few {
			select {
			case <-all:
			default:
				close(all)
			}
		}
		mu.Unlock()
		<-all
		mu.Lock()
		if asked := len(seen); answered == 0 && asked > few {
			t.Errorf("%d servers are asked at a time", asked)
		}
		answered++
		mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
	}))
	defer web.Close()
	c := newTestDB(t)
	var entries []string
	for i := range count {
		entries = append(entries, fmt.Sprintf(`"s%d":{"url":"%s/%d"}`, i, web.URL, i))
	}
	c.write(".cursor/mcp.json", `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	code, out := c.exits("init", "--yes", "--timeout", "1m")
	if code != 6 || strings.Count(out, ": not read: ") != count || strings.Contains(out, "within") {
		t.Errorf("exit status %d: %s", code, out)
	}
}

// TestWrapNamesAStableProgram checks that clients never start a temporary file of go run.
func TestWrapNamesAStableProgram(t *testing.T) {
	c := newTestDB(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for _, tc := range []struct{ own, inPath, want string }{
		{"/root/.cache/go-build/ab/cd-d/toolcrib", "", "temporary file of go run"},
		{"/tmp/go-build123/b001/exe/toolcrib", "installed", filepath.Join(bin, "toolcrib")},
		{filepath.Join(bin, "1.0", "toolcrib"), "linked", filepath.Join(bin, "toolcrib")},
		{filepath.Join(bin, "1.0", "toolcrib"), "installed", filepath.Join(bin, "1.0", "toolcrib")},
		{filepath.Join(bin, "1.0", "tc"), "", "must be called toolcrib"},
	} {
		if err := os.RemoveAll(filepath.Join(bin, "toolcrib")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(bin, "1.0"), 0o755), os.WriteFile(filepath.Join(bin, "1.0", "toolcrib"), []byte("#!/bin/sh\n"), 0o755)); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		var err error
		switch tc.inPath {
		case "installed":
			err = os.WriteFile(filepath.Join(bin, "toolcrib"), []byte("#!/bin/sh\n"), 0o755) //nolint:gosec // a program
		case "linked":
			err = os.Symlink(filepath.Join("1.0", "toolcrib"), filepath.Join(bin, "toolcrib"))
		}
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		c.write(".cursor/mcp.json", `{"mcpServers":{"a":{"command":"a"}}}`)
		env := c.env([]string{"wrap", "--yes"}, strings.NewReader(""), &out, &errs)
		env.Program = tc.own
		cli.Main(t.Context(), env)
		text, err := os.ReadFile(filepath.Join(c.dir, ".cursor", "mcp.json"))
		if got := string(text) + errs.String(); err != nil || !strings.Contains(got, tc.want) {
			t.Errorf("%s, with one %s: %s", tc.own, tc.inPath, got)
		}
	}
}
