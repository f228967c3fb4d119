package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/examples/loader"
	"toolcrib/internal/shortrun"
	"toolcrib/registry/jsondoc"
)

// TestLoaders runs the examples with a server and again without it. They must load the same tools.
func TestLoaders(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	p := open(t, tool("get_tides", hub(t), nil))
	s := p.serve("--http", "127.0.0.1:0")
	_, want := s.get(configPath + "?format=openai")
	loaders := map[string]func(t *testing.T) ([]byte, error){
		"go": func(t *testing.T) ([]byte, error) {
			t.Helper()
			t.Setenv("TOOLCRIB_URL", s.url)
			t.Setenv("TOOLCRIB_TOKEN", s.secret)
			return loader.Load(&http.Client{Timeout: hanging}, "skipper", filepath.Join(p.dir, "go.json"))
		},
		"python": func(t *testing.T) ([]byte, error) {
			t.Helper()
			return s.script(t, "python3", "load.py", "import json, load; print(json.dumps(load.load('skipper', copy='python.json')))", "-c")
		},
		"typescript": func(t *testing.T) ([]byte, error) {
			t.Helper()
			return s.script(t, "node", "load.ts", "import('./load.mjs').then(m => m.load('skipper', 'openai', 'typescript.json')).then(c => console.log(JSON.stringify(c)))", "-e")
		},
	}
	same := func(when string) {
		for name, load := range loaders {
			t.Run(name+" "+when, func(t *testing.T) {
				text, err := load(t)
				if err != nil {
					t.Fatal(err)
				}
				if got := document(string(text)); got == nil || encoded(t, got) != encoded(t, want) {
					t.Errorf("got %s", encoded(t, got))
				}
			})
		}
	}
	same("while it is there")
	for name := range loaders {
		if info, err := os.Stat(filepath.Join(p.dir, name+".json")); err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("others may read the copy of %s: %v", name, info.Mode())
		}
	}
	same("while its answer is the copy")
	if _, text := s.do(s.request(http.MethodGet, "/metrics", "")); !strings.Contains(text, `code="304"`) && !strings.Contains(text, `status="304"`) {
		t.Error("nothing was answered with 304")
	}
	s.stop()
	same("while it is away")
	s = p.serve("--http", "127.0.0.1:0")
	p.run("tokens", "revoke", s.tokenID)
	for name, load := range loaders {
		t.Run(name+" without a valid token", func(t *testing.T) {
			if got, err := load(t); err == nil {
				t.Errorf("it loads %s", got) // (G19)
			}
		})
	}
	s.stop()
}

func encoded(t *testing.T, doc map[string]any) string {
	t.Helper()
	delete(doc, "prompt") // the time in it may differ
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exampleTimeout matches the timeout in an example.
var exampleTimeout = regexp.MustCompile(`(timeout[=(])2((?:000)?\))`)

// script runs code next to a copy of an example.
func (s *server) script(t *testing.T, program, example, code, flag string) ([]byte, error) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program, "is not installed")
	}
	text, err := os.ReadFile(filepath.Join("../../examples/loader", example))
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 15 {
		t.Errorf("%s has %d lines", example, lines)
	}
	text = exampleTimeout.ReplaceAll(text, []byte("${1}180${2}")) // no timeout on a busy machine
	if js, ok := strings.CutSuffix(example, ".ts"); ok {          // node runs TypeScript from 22.18 on: it leaves out the types
		example, text = js+".mjs", regexp.MustCompile(`(\w+): string`).ReplaceAll(text, []byte("$1"))
	}
	s.write(example, string(text))
	cmd := s.command(program, flag, code)
	cmd.Env = append(cmd.Env, "TOOLCRIB_URL="+s.url, "TOOLCRIB_TOKEN="+s.secret)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs.String())
	}
	return out, err
}

// TestRoundTrip exports tools, loads them from a server, calls one by its exported name, and checks them with the
// code of an application. The tools must be the same everywhere.
func TestRoundTrip(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil), tool("get_winds", hub(t), nil))
	s := p.serve("--http", "127.0.0.1:0")
	for format, nameOf := range map[string]func(map[string]any) any{
		"openai": func(t map[string]any) any {
			if f, ok := t["function"].(map[string]any); ok {
				return f["name"]
			}
			return t["name"]
		},
		"anthropic": func(t map[string]any) any { return t["name"] },
		"mcp":       func(t map[string]any) any { return t["name"] },
	} {
		t.Run(format, func(t *testing.T) {
			s := s.with(t)
			exported := parsed(t, s.run("export", "--format", format, "--agent", "skipper"))
			if list := exported.Get("tools"); list != nil {
				exported = list
			}
			_, body := s.do(s.request(http.MethodGet, configPath+"?format="+format, ""))
			config := document(body)
			loaded := jsondoc.Canonical(parsed(t, body).Get("tools"))
			if want := jsondoc.Canonical(exported); len(loaded) < 100 || !bytes.Equal(want, loaded) {
				t.Errorf("exported %s\nloaded %s", want, loaded)
			}
			for i, one := range config["tools"].([]any) {
				name := nameOf(one.(map[string]any))
				if name != config["enabled_actions"].([]any)[i] {
					t.Errorf("tool %d is %v, action %v", i, name, config["enabled_actions"])
				}
				body, _ := json.Marshal(map[string]any{"tool": name})
				if status, doc := s.post(string(body)); status != 200 {
					t.Errorf("%v: %d %v", name, status, doc)
				}
			}
			s.write("app.json", string(loaded))
			s.run("check", "--code", "app.json", "--agent", "skipper")
		})
	}
	s.stop()
}

// parsed parses a JSON document and keeps all digits of numbers.
func parsed(t *testing.T, text string) *jsondoc.Node {
	t.Helper()
	n, err := jsondoc.Parse([]byte(text), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCallFromPython calls a tool with the code that the SDK examples share. A refusal must be returned as a result
// for the model.
func TestCallFromPython(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", hub(t), nil))
	s := p.serve("--http", "127.0.0.1:0")
	for args, want := range map[string]string{`{}`: `"output":{"user":"ada"}`, `{"harbour": 7}`: `"code":"tool_call_invalid_args"`} {
		if got, err := s.script(t, "python3", "call.py", "import call; print(call.call('skipper', 'get_tides', "+args+"))", "-c"); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, %v", args, got, err)
		}
	}
	s.stop()
	for _, example := range []string{"openai_agent.py", "anthropic_agent.py", "langchain_tools.py"} {
		text, err := os.ReadFile(filepath.Join("../../examples/loader", example))
		if err != nil {
			t.Fatal(err)
		}
		p.write(example, string(text))
		if out, err := p.command("python3", "-m", "py_compile", example).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", example, err, out)
		}
	}
}
