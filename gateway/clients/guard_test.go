package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"
)

var prefix = Prefix{Program: "/usr/local/bin/toolcrib"}

// inspect parses the command line of a guard with the flags from cli. The value of --db becomes the database.
func inspect(s Start) Use {
	set := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	var l Line
	db := set.String("db", "", "")
	set.StringVar(&l.Was, "was", "", "")
	set.StringVar(&l.Token, "token-env", "", "")
	set.StringVar(&l.URL, "url", "", "")
	err := set.Parse(s.Args)
	words, dash := set.Args(), set.ArgsLenAtDash()
	use := Use{Program: s.Program, Database: *db}
	switch {
	case err != nil:
		use.Differs = err.Error()
	case len(words) < 2 || words[0] != "guard":
	case l.URL != "" && len(words) == 2:
		l.Name, l.Server = words[1], -1
		if n := len(s.Args) - 1; s.Args[n] == l.URL {
			l.Server = n
		}
		use.Line = l
	case dash == 2 && len(words) > 2:
		l.Name, l.Server = words[1], len(s.Args)-len(words)+2
		use.Line = l
	default:
		use.Differs = "starts no server"
	}
	if strings.Contains(*db, "evil") {
		use.Differs = "uses " + *db
	}
	for _, v := range s.Env {
		if v.Name == "TOOLCRIB_DB" || v.Name == "HOME" {
			use.Differs = "uses " + v.Value
		}
	}
	return use
}

// parsed parses data as the file of a client at a path that need not exist.
func parsed(t *testing.T, client, path string, data []byte) File {
	t.Helper()
	for _, c := range All() {
		if c.ID != client {
			continue
		}
		at := c.places[0]
		for _, l := range c.places {
			rest := l.path[strings.IndexByte(l.path, '}')+1:]
			if rest != "" && strings.HasSuffix(path, rest) && !strings.HasPrefix(l.path, localPlugin) {
				at = l
			}
		}
		return Machine{Inspect: inspect}.newFile(c, at, path, data)
	}
	t.Fatalf("no client %s", client)
	return File{}
}

// names returns the names of the servers that can be guarded, by index.
func names(f *File) map[int]string {
	all := map[int]string{}
	for _, e := range Entries([]File{*f}, nil) {
		if e.Fault == "" && !e.Server().Guarded() {
			all[e.Index] = e.Name
		}
	}
	return all
}

// guarded returns the indexes of the guarded servers.
func guarded(f *File) []int {
	var all []int
	for i := range f.Servers {
		if f.Servers[i].Guarded() {
			all = append(all, i)
		}
	}
	return all
}

// guardAndBack guards all servers of a file that can be guarded and unguards them, and checks that the file has its
// original bytes.
func guardAndBack(t *testing.T, f *File) (File, map[int]string) {
	t.Helper()
	f.Masked()
	which := names(f)
	after, left := f.Guard(prefix, which)
	if more, _ := after.Guard(prefix, names(&after)); len(left) == 0 && !bytes.Equal(more.doc.Data, after.doc.Data) {
		t.Fatalf("%s: a second time changes it:\n%s\n%s", f.Path, after.doc.Data, more.doc.Data)
	}
	after.Masked()
	back, kept := after.Unguard(guarded(&after))
	if was := guarded(f); len(was) > 0 { // previously guarded servers must be unguarded too
		bare, _ := f.Unguard(was)
		if !bytes.Equal(back.doc.Data, bare.doc.Data) {
			t.Fatalf("%q\nis guarded as %q\nand unguarded as %q", f.doc.Data, after.doc.Data, back.doc.Data)
		}
		return after, left
	}
	if len(kept) > 0 || !bytes.Equal(back.doc.Data, f.doc.Data) {
		t.Fatalf("%q\nis guarded as %q\nand restored as %q: %v", f.doc.Data, after.doc.Data, back.doc.Data, kept)
	}
	return after, left
}

// TestGuardAndUnguard guards and unguards the servers of every fixture and checks that all bytes are as before and
// that line ends are not mixed.
func TestGuardAndUnguard(t *testing.T) {
	for system := range systems {
		t.Run(system, func(t *testing.T) {
			for _, f := range furnished(t, system).Find() {
				after, left := guardAndBack(t, &f)
				if len(left) > 0 || len(guarded(&after)) != len(names(&f)) {
					t.Errorf("%s: left %v, of %v guarded %v", f.Path, left, names(&f), guarded(&after))
				}
				if system == "windows" && bytes.Count(after.doc.Data, []byte("\n")) != bytes.Count(after.doc.Data, []byte("\r\n")) {
					t.Errorf("%s: line ends are mixed", f.Path)
				}
			}
		})
	}
}

// TestGuardedText compares the bytes of guarded entries.
func TestGuardedText(t *testing.T) {
	for _, tc := range []struct{ client, path, before, after string }{
		{"cursor", "mcp.json", `{"mcpServers":{"a":{"command":"n\u0070x","args":["-y", "x"],"cwd":"/w"}}}`, `{"mcpServers":{"a":{"command":"toolcrib","args":["guard", "a", "--", "n\u0070x", "-y", "x"],"cwd":"/w"}}}`},
		{"cursor", "mcp.json", `{"mcpServers":{"a":{"command":"x"}}}`, `{"mcpServers":{"a":{"command":"toolcrib", "args": ["guard", "a", "--", "x"]}}}`},
		{"cursor", "mcp.json", "{\"mcpServers\":{\"a\":{\r\n\t\"command\":\"x\", // c\r\n}}}", "{\"mcpServers\":{\"a\":{\r\n\t\"command\":\"toolcrib\",\r\n\t\"args\": [\"guard\", \"a\", \"--\", \"x\"], // c\r\n}}}"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"a":{"args":[ /* none */ ],"command":"x"}}}`, `{"mcpServers":{"a":{"args":["guard", "a", "--was", "args", "--", "x" /* none */ ],"command":"toolcrib"}}}`},
		{
			"claude-code", ".mcp.json", `{"mcpServers":{"a":{"type":"http","url":"https://h/${X}","headers":{"X-Key":"k"},"timeout":5}}}`,
			`{"mcpServers":{"a":{"type":"stdio","command":"toolcrib", "args": ["guard", "a", "--was", "url:http", "--url", "https://h/${X}"],"env":{"TOOLCRIB_HEADER_X_Key":"k"},"timeout":5}}}`,
		},
		{
			"opencode", "opencode.json", `{"mcp":{"a":{"type":"local","command":["x"]},"b":{"type":"remote","url":"https://h","headers":{"K":"v"}}}}`,
			`{"mcp":{"a":{"type":"local","command":["toolcrib", "guard", "a", "--", "x"]},"b":{"type":"local","command":["toolcrib", "guard", "b", "--was", "url:remote", "--url", "https://h"],"environment":{"TOOLCRIB_HEADER_K":"v"}}}}`,
		},
		{"zed", "settings.json", `{"context_servers":{"a":{"command":{"path":"x","args":["y"]}}}}`, `{"context_servers":{"a":{"command":{"path":"toolcrib","args":["guard", "a", "--", "x", "y"]}}}}`},
		{"codex", "config.toml", "[mcp_servers.a] # t\n  command = 'x' # c\n[y]\n", "[mcp_servers.a] # t\n  command = \"toolcrib\" # c\n  args = [\"guard\", \"a\", \"--\", 'x']\n[y]\n"},
		{"codex", "config.toml", "mcp_servers.a.command = 'x'", "mcp_servers.a.command = \"toolcrib\"\nmcp_servers.a.args = [\"guard\", \"a\", \"--\", 'x']"},
		{
			"codex", "config.toml", "[mcp_servers.a]\nurl = 'https://h'\nbearer_token_env_var = 'T'\n[mcp_servers.a.http_headers]\nX-K = 'v'\n",
			"[mcp_servers.a]\ncommand = \"toolcrib\"\nargs = [\"guard\", \"a\", \"--token-env\", \"T\", \"--url\", 'https://h']\nenv_vars = ['T']\n[mcp_servers.a.env]\nTOOLCRIB_HEADER_X_K = 'v'\n",
		},
		{"continue", "config.yaml", "\ufeffmcpServers:\n- command: x # c\n  name: a\n", "\ufeffmcpServers:\n- command: \"toolcrib\" # c\n  args:\n    - \"guard\"\n    - \"a\"\n    - \"--\"\n    - x\n  name: a\n"},
		{"continue", "config.yaml", "mcpServers:\n- name: a\n  command: x\n  args:\n  - -y\n", "mcpServers:\n- name: a\n  command: \"toolcrib\"\n  args:\n  - \"guard\"\n  - \"a\"\n  - \"--\"\n  - x\n  - -y\n"},
		{
			"goose", "config.yaml", "extensions:\n  a:\n    type: streamable_http\n    uri: https://h\n    envs: {}\n    headers:\n      X-K: v\n",
			"extensions:\n  a:\n    type: stdio\n    cmd: \"toolcrib\"\n    args:\n      - \"guard\"\n      - \"a\"\n      - \"--was\"\n      - \"uri:streamable_http\"\n      - \"--url\"\n      - https://h\n    headers: {}\n    envs:\n      TOOLCRIB_HEADER_X_K: v\n",
		},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.before))
		after, left := f.Guard(Prefix{Program: "toolcrib"}, names(&f))
		if string(after.doc.Data) != tc.after || len(left) > 0 {
			t.Errorf("%s\nis guarded as\n%s\nwant\n%s\n%v", tc.before, after.doc.Data, tc.after, left)
		}
		guardAndBack(t, &f)
	}
}

// TestLeftAlone checks that servers that cannot be guarded stay unchanged, with a reason, and do not affect other
// servers.
func TestLeftAlone(t *testing.T) {
	for _, tc := range []struct{ client, path, data, want string }{
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"type":"sse","url":"https://h"}}}`, "SSE"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h/sse"}}}`, "SSE"},
		{"gemini", "settings.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h"}}}`, "SSE"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"type":"ws","url":"wss://h"}}}`, "the server uses the transport ws"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h","oauth":{"clientId":"x"}}}}`, "signs in"},
		{"claude-code", ".mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h","headersHelper":"x"}}}`, "computes"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"command":"a","command":"b"}}}`, "the entry has the duplicate key command"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"command":"a"},"a":{"command":"b"}}}`, "several servers have this name"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h","headers":{"K":"v"},"env":{"E":"e"}}}}`, "could not tell them apart"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h","headers":{"K":"v","k":"w"}}}}`, "the entry has the duplicate header k"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"url":"https://h","command":"c"}}}`, "a command and a URL"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"command":"c","args":"x"}}}`, "not a list"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":{"command":"/x/toolcrib","args":["mcp"]}}}`, "toolcrib itself"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"☃":{"command":"c"}}}`, "no letter or digit"},
		{"cursor", "mcp.json", `{"mcpServers":{"ok":{"command":"o"},"a":7}}`, "not an object"},
		{"zed", "settings.json", `{"context_servers":{"ok":{"command":"o"},"a":{"settings":{}}}}`, "neither"},
		{"copilot-ide", "mcp.json", `{"servers":{"ok":{"command":"o"},"a":{"url":"https://h","requestInit":{"headers":{"A":"b"}}}}}`, "requestInit"},
		{"goose", "config.yaml", "extensions:\n  ok: {cmd: o}\n  a: {type: builtin, name: developer}\n", "built into"},
		{"continue", "config.yaml", "x: &x {command: c}\nmcpServers:\n- {name: ok, command: o}\n- {<<: *x, name: a}\n", "merge key"},
		{"continue", "config.yaml", "x: &x {command: c, name: a}\nmcpServers:\n- {name: ok, command: o}\n- *x\n", "alias"},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.data))
		after, _ := guardAndBack(t, &f)
		if got := guarded(&after); len(got) != 1 || after.Servers[got[0]].Name != "ok" || !strings.Contains(f.Servers[len(f.Servers)-1].Refused, tc.want) {
			t.Errorf("%s: guarded %v, %q; want %q", tc.data, got, f.Servers[len(f.Servers)-1].Refused, tc.want)
		}
	}
	for _, data := range []string{`{"mcpServers":{"a":{"command":"a"}},"mcpServers":{"b":{"command":"b"}}}`, `{"projects":{"/p":{},"/p":{"mcpServers":{"a":{"command":"a"}}}}}`} {
		f := parsed(t, "claude-code", ".claude.json", []byte(data))
		if n := names(&f); len(n) > 0 || len(f.Servers) == 0 {
			t.Errorf("%s: to be guarded: %v", data, n)
		}
	}
	f := parsed(t, "continue", "config.yaml", []byte("mcpServers:\n- name: a\n  command: >-\n    c\n- name: ok\n  command: o\n"))
	if after, left := f.Guard(prefix, names(&f)); left[0] != severalLines || len(guarded(&after)) != 1 {
		t.Errorf("left %v", left)
	}
}

// TestUnguardAfterEdits unguards entries that were edited after they had been guarded.
func TestUnguardAfterEdits(t *testing.T) {
	for _, tc := range []struct{ client, path, edited, want string }{
		{"cursor", "m.json", "{\"mcpServers\":{\"a\":{\"args\":[\n\"guard\",\n\"a\",\n\"--\",\n\"x\",\n\"-y\"\n],\"command\":\"/b/toolcrib\"}}}", "{\"mcpServers\":{\"a\":{\"args\":[\n\"-y\"\n],\"command\":\"x\"}}}"},
		{"cursor", "m.json", `{"mcpServers":{"a":{"args":["guard","a","--","x"],"command":"toolcrib","disabled":true}}}`, `{"mcpServers":{"a":{"command":"x","disabled":true}}}`},
		{"cursor", "m.json", "{\"mcpServers\":{\"a\":{\"command\":\"toolcrib\",\"args\":[\"guard\",\"a\",\"--\",\"x\", // the program\n\"-y\"]}}}", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[ // the program\n\"-y\"]}}}"},
		{"cursor", "m.json", `{"mcpServers":{"a":{"command":"C:\\bin\\toolcrib.exe","args":["guard","--db","x.db","a","--","x","--","y"]}}}`, `{"mcpServers":{"a":{"command":"x","args":["--","y"]}}}`},
		{"cursor", "m.json", `{"mcpServers":{"a":{"env":{"TOOLCRIB_HEADER_K":"v","TOOLCRIB_HEADER_L":"w"},"args":["guard","a","--url","https://h"],"command":"toolcrib"}}}`, `{"mcpServers":{"a":{"headers":{"K":"v","L":"w"},"url":"https://h"}}}`},
		{"codex", "c.toml", "[mcp_servers.a]\nargs = [\n  'guard', 'a', '--', # here\n  'x', '-y' ]\ncommand = 'toolcrib'\n", "[mcp_servers.a]\nargs = [\n   # here\n  '-y' ]\ncommand = 'x'\n"},
		{"continue", "c.yaml", "mcpServers:\n- name: a\n  command: toolcrib\n  args: [guard, a, --, x, -y]\n", "mcpServers:\n- name: a\n  command: x\n  args: [-y]\n"},
		{"continue", "c.yaml", "mcpServers:\n- name: a\n  args:\n  - guard\n  - a # it\n  - --was\n  - args\n  - --\n  - x\n  command: toolcrib\n", "mcpServers:\n- name: a\n  args:\n   # it\n   []\n  command: x\n"},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.edited))
		back, left := f.Unguard(guarded(&f))
		if string(back.doc.Data) != tc.want || len(left) > 0 {
			t.Errorf("%s\nis unguarded as\n%s\nwant\n%s\n%v", tc.edited, back.doc.Data, tc.want, left)
		}
	}
	f := parsed(t, "cursor", "m.json", []byte(`{"mcpServers":{"a":{"command":["toolcrib","guard"],"args":["a","--","x"]},"b":{"command":["toolcrib"],"args":["guard","b","--url","https://h"]}}}`))
	if back, _ := f.Unguard([]int{0, 1}); !bytes.Equal(back.doc.Data, f.doc.Data) {
		t.Errorf("unguarded as %s", back.doc.Data)
	}
	f = parsed(t, "cursor", "m.json", []byte(`{"mcpServers":{"a":{"command":"toolcrib","args":["guard","a","--url","https://h"],"env":{"TOOLCRIB_HEADER_K":"v","E":"e"}},"b":{"command":"toolcrib","args":["guard","b","--","x"]}}}`))
	if back, left := f.Unguard([]int{0, 1}); !strings.Contains(left[0], "the variable E,") || len(guarded(&back)) != 1 {
		t.Errorf("left %v", left)
	}
}

// TestPermissionsKeepMatching checks that guarding does not change a client's permissions, which refer to the names
// of the server and its tools.
func TestPermissionsKeepMatching(t *testing.T) {
	const rules = `"permissions":{"deny":["mcp__everything__get-env"]},"disabledMcpServers":["everything"],`
	f := parsed(t, "claude-code", "/h/.claude.json", []byte(`{`+rules+`"mcpServers":{"everything":{"command":"npx","args":["-y","e"],"alwaysAllow":["echo"],"trust":true,"timeout":5}}}`))
	after, _ := f.Guard(prefix, names(&f))
	s := after.Servers[0]
	if !strings.Contains(string(after.doc.Data), rules) || s.Name != "everything" || !s.Guarded() || !s.Disabled || !strings.HasSuffix(string(after.doc.Data), `"alwaysAllow":["echo"],"trust":true,"timeout":5}}}`) {
		t.Errorf("%s", after.doc.Data)
	}
}

// TestFlagsAreQuoted writes a prefix with special characters of every kind into every fixture.
func TestFlagsAreQuoted(t *testing.T) {
	odd := Prefix{Program: `C:\Program Files\toolcrib.exe`, Flags: []string{"--db", "a\"b\\c#e f: g\th\u2028<&>'${x}\x7f, ]"}}
	for _, f := range furnished(t, "linux").Find() {
		after, left := f.Guard(odd, names(&f))
		for _, i := range guarded(&after) {
			if g := after.Servers[i].Guard; g.Program != odd.Program || g.Database != odd.Flags[1] {
				t.Errorf("%s: %+v", f.Path, g)
			}
		}
		if back, _ := after.Unguard(guarded(&after)); len(left) > 0 || !bytes.Equal(back.doc.Data, f.doc.Data) {
			t.Errorf("%s: %v\n%s", f.Path, left, back.doc.Data)
		}
	}
}

func cursor(t *testing.T) (Machine, string) {
	t.Helper()
	m := Machine{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, Inspect: inspect}
	name := filepath.Join(m.Home, ".cursor", "mcp.json")
	save(t, name, []byte("{\"mcpServers\": {\n  \"a\": {\"command\": \"a\"}, // mine\n  \"b\": {\"command\": \"b\"},\n}}\n"))
	return m, name
}

func found(t *testing.T, m Machine) File {
	t.Helper()
	all := m.Find("cursor")
	if len(all) != 1 {
		t.Fatalf("found %+v", all)
	}
	return all[0]
}

func load(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWriteKeepsTheMode checks that a file is replaced atomically, with its mode, and that no temporary file is left.
func TestWriteKeepsTheMode(t *testing.T) {
	m, name := cursor(t)
	f := found(t, m)
	after, _ := f.Guard(prefix, names(&f))
	if err := f.Write(after.doc.Data, false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o640 || !bytes.Equal(load(t, name), after.doc.Data) {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	save(t, name, []byte(`{"mcpServers":{"new":{"command":"n"}}}`))
	if err := f.Write(after.doc.Data, false); !errors.Is(err, ErrChanged) {
		t.Errorf("written over: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func seed(f *testing.F, kinds ...string) {
	f.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, fixture := range archive.Files {
		for _, kind := range kinds {
			if filepath.Ext(fixture.Name) == kind {
				f.Add(fixture.Data)
				f.Add(bytes.ReplaceAll(fixture.Data, []byte("\n"), []byte("\r\n")))
			}
		}
	}
}

func FuzzJSON(f *testing.F) {
	seed(f, ".json", ".jsonc")
	f.Fuzz(func(t *testing.T, data []byte) {
		for client, path := range map[string]string{
			"cursor": "mcp.json", "claude-code": ".claude.json", "opencode": "opencode.json",
			"vscode": "/Code/User/settings.json", "zed": "settings.json", "continue": "/.continue/mcpServers/a.json",
		} {
			file := parsed(t, client, path, data)
			guardAndBack(t, &file)
		}
	})
}

func FuzzTOML(f *testing.F) {
	seed(f, ".toml")
	f.Fuzz(func(t *testing.T, data []byte) {
		file := parsed(t, "codex", "config.toml", data)
		guardAndBack(t, &file)
	})
}

func FuzzYAML(f *testing.F) {
	seed(f, ".yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, client := range []string{"continue", "goose"} {
			file := parsed(t, client, "config.yaml", data)
			guardAndBack(t, &file)
		}
	})
}
