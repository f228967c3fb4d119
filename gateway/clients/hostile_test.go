package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"toolcrib/internal/shortrun"
)

// TestHalfWritten parses every fixture truncated at every second byte, and with every second byte removed.
func TestHalfWritten(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fixture := range archive.Files {
		client := "cursor"
		switch filepath.Ext(fixture.Name) {
		case ".toml":
			client = "codex"
		case ".yaml":
			client = "continue"
		}
		for i := 0; i < len(fixture.Data); i += shortrun.Every(5) {
			data := bytes.Clone(fixture.Data[:i])
			if i%2 == 1 {
				data = append(data, fixture.Data[i+1:]...)
			}
			f := parsed(t, client, fixture.Name, data)
			guardAndBack(t, &f)
		}
	}
}

// TestHostile parses files that no client writes. They must be rejected with a position or parsed correctly, and must
// not crash the program.
func TestHostile(t *testing.T) {
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		laughs += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+",", 8) + "*" + p + "]\n"
	}
	for _, tc := range []struct{ name, client, path, data, want string }{
		{"deep JSON", "cursor", "m.json", strings.Repeat("[", 20_000), "m.json:1:20001: "},
		{"deep closed JSON", "cursor", "m.json", strings.Repeat("[", 500) + strings.Repeat("]", 500), "nested deeper than 100"},
		{"brackets", "cursor", "m.json", strings.Repeat("[", MaxBytes), "more than 100000"},
		{"values", "cursor", "m.json", "[" + strings.Repeat("1,", 600_000) + "1]", "more than 500000"},
		{"deep TOML", "codex", "c.toml", "a = " + strings.Repeat("[", MaxBytes-10), "c.toml:1:"},
		{"deep TOML key", "codex", "c.toml", strings.Repeat("a.", 100_000) + "a = 1", ""},
		{"twice in TOML", "codex", "c.toml", "[a]\n[mcp_servers.x]\n[a]\n", "c.toml:3:"},
		{"table over a value", "codex", "c.toml", "mcp_servers = 1\n[mcp_servers.x]\ncommand = 'x'\n", "c.toml:2:"},
		{"deep YAML", "continue", "c.yaml", strings.Repeat("[", 1_000_000), "c.yaml:"},
		{"deep block YAML", "continue", "c.yaml", strings.Repeat("- ", 1_000_000), "c.yaml:"},
		{"laughs", "continue", "c.yaml", laughs, "more than 500000"},
		{"itself", "continue", "c.yaml", "a: &a\n  b: *a\n", "c.yaml:"},
		{"documents", "continue", "c.yaml", "a: 1\n---\nmcpServers: []\n", "more than one YAML document"},
		{"tag", "continue", "c.yaml", "mcpServers: !!binary x\n", ""},
		{"not UTF-8", "cursor", "m.json", "{\"mcpServers\":{\"\xff\":{\"command\":\"\xfe\"}}}", "no letter or digit"},
		{"UTF-16", "cursor", "m.json", "\xff\xfe{\x00}\x00", "m.json:1:"},
		{"a string", "cursor", "m.json", `"mcpServers"`, ""},
		{"servers are a string", "cursor", "m.json", `{"mcpServers":"x"}`, ""},
		{"a server is a number", "cursor", "m.json", "{\"mcpServers\":{\n\"x\":1}}", "the entry is not an object"},
		{"a list of numbers", "continue", "c.yaml", "mcpServers: [1, 2]\n", "the entry is not an object"},
		{"both", "cursor", "m.json", `{"mcpServers":{"x":{"command":"a","url":"https://b"}}}`, "the entry has both a command and a URL"},
		{"odd kinds", "cursor", "m.json", `{"mcpServers":{"x":{"command":{"path":1},"args":{"a":1},"env":["a"],"headers":3}}}`, "the entry has neither"},
		{"no object in a project", "claude-code", ".claude.json", `{"projects":{"a":null,"b":[{"mcpServers":{}}],"c":{"mcpServers":[]}}}`, ""},
		{"unfinished", "cursor", "m.json", "{\n  \"mcpServers\": {\n    \"x\": {\"command\"", "m.json:3:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if len(tc.data) > 1<<19 {
				shortrun.NeedsLong(t)
			}
			f := parsed(t, tc.client, tc.path, []byte(tc.data))
			var all []string
			for _, p := range f.Problems {
				all = append(all, p.Error())
			}
			for _, s := range f.Servers {
				all = append(all, s.Refused)
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("problems: %.300q, want %q", got, tc.want)
			}
			guardAndBack(t, &f)
		})
	}
}

// TestNotAFile checks paths of client files that are not regular files.
func TestNotAFile(t *testing.T) {
	m := Machine{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, Inspect: inspect}
	name := filepath.Join(m.Home, ".cursor", "mcp.json")
	only := func(want string) {
		t.Helper()
		found := m.Find("cursor")
		if len(found) != 1 || len(found[0].Problems) != 1 || !strings.Contains(found[0].Problems[0].Error(), want) {
			t.Fatalf("found %+v, want %q", found, want)
		}
		if after, _ := found[0].Guard(prefix, names(&found[0])); len(after.doc.Data) != len(found[0].doc.Data) {
			t.Fatal("it is guarded")
		}
	}
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	only(name + ": ")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	save(t, name, bytes.Repeat([]byte(" "), MaxBytes+1))
	only("larger than 5 MB")
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		only("permission denied")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Base(name), name); err != nil {
		t.Skip(err)
	}
	only("too many links")
}
