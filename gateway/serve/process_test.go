package serve_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolcrib/cli"
	"toolcrib/cli/process"
)

// program is the name under which toolcrib runs as a process of its own.
const program = "toolcrib-process"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: func() { os.Exit(cli.Run(nil)) }})
}

// place is a home directory with a database, a hub for its tools, and an agent that has them.
type place struct {
	testing.TB
	dir string
}

// hub starts a hub that returns the inputs of calls. The inputs {"fail": CODE} make a call fail.
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

// tool returns a proposal of an action tool; change sets keys of its definition.
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

// open returns a place in which the agent skipper has the tools.
func open(t testing.TB, tools ...map[string]any) place {
	t.Helper()
	p := place{t, t.TempDir()}
	names := []string{}
	all := []any{}
	for _, one := range tools {
		names = append(names, one["definition"].(map[string]any)["id"].(string))
		all = append(all, one)
	}
	all = append(all, proposal("agent:user/skipper", map[string]any{"id": "skipper", "name": "Skipper", "description": "Plans trips at sea.", "allowList": names, "features": map[string]any{"missions_enabled": true}}))
	p.approve(all...)
	return p
}

// approve submits and approves proposals.
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

// run runs toolcrib inside the test process, which takes a fifth of the time of a new process, and returns its
// standard output.
func (p place) run(args ...string) string {
	p.Helper()
	var out, errs bytes.Buffer
	env := process.System()
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

// token creates a token for skipper and returns its secret and id.
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

// configure writes the user's configuration file.
func (p place) configure(text string) {
	p.Helper()
	if err := os.MkdirAll(filepath.Join(p.dir, ".config", "toolcrib"), 0o700); err != nil {
		p.Fatal(err)
	}
	p.write(filepath.Join(".config", "toolcrib", "toolcrib.toml"), text)
}
