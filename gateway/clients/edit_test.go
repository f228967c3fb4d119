package clients

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestWrapAndRestore wraps every fixture and puts the servers back: not one byte
// differs.
func TestWrapAndRestore(t *testing.T) {
	for system := range systems {
		t.Run(system, func(t *testing.T) {
			for _, f := range furnished(t, system).Find() {
				after, err := f.Wrap(entry)
				if errors.Is(err, ErrNoServers) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", f.Path, err)
					continue
				}
				wrapped := parsed(t, f.Client, f.Path, after)
				if !wrapped.Wrapped(entry) {
					t.Errorf("%s: servers %+v", f.Path, wrapped.Servers)
				}
				if again, err := wrapped.Wrap(entry); err != nil || !bytes.Equal(again, after) {
					t.Errorf("%s: a second wrap changes it: %v", f.Path, err)
				}
				if system == "windows" && bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n")) {
					t.Errorf("%s: line ends are mixed", f.Path)
				}
				back, err := wrapped.Restore(&f)
				if err != nil || !bytes.Equal(back, f.data) {
					t.Errorf("%s: %v; restored as\n%s", f.Path, err, back)
				}
			}
		})
	}
}

func parsed(t *testing.T, client, path string, data []byte) File {
	t.Helper()
	f, err := Parse(client, path, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWrapLeavesTheRest names the bytes around the servers.
func TestWrapLeavesTheRest(t *testing.T) {
	for _, tc := range []struct{ client, path, before, servers, after string }{
		{"cursor", "mcp.json", "\ufeff// first\n{ /* a */ \"mcpServers\" /* b */ : ", `{"x":{"command":"x"}}`, " // c\n ,\t\"odd\":[1e5,],}\n// last"},
		{
			"codex", "config.toml", "# first\nx = 1\r\n",
			"[mcp_servers.a]\ncommand='a'\n\n[mcp_servers.a.env]\nK=\"v\"", "\n# between\n[y]\nz = [\n 1, # one\n]\n# last",
		},
		{"codex", "config.toml", "a.b = 1 # first\n", "mcp_servers = { x = { command = \"x\" } } # gone", "\nc = 2\n[t]\nmcp_servers = 1\n"},
		{"continue", "config.yaml", "# first\nname: n # n\n", "mcpServers:\n- name: a\n  command: a\n  # gone", "\n\n# last\nrules: [ a,  b ]\n"},
		{"continue", "config.yaml", "---\nname: n\n", "mcpServers: {a: {command: a}}", "\n...\n"},
		{"continue", "config.yaml", "", "mcpServers: [{name: a, command: a}]", ""},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.before+tc.servers+tc.after))
		after, err := f.Wrap(entry)
		if err != nil {
			t.Errorf("%s: %v", tc.servers, err)
			continue
		}
		middle, ok := strings.CutPrefix(string(after), tc.before)
		middle, ok2 := strings.CutSuffix(middle, tc.after)
		if !ok || !ok2 || !strings.Contains(middle, "/usr/local/bin/toolcrib") || strings.Contains(middle, "gone") {
			t.Errorf("wrapped as\n%s", after)
		}
	}
}

// TestWrapRefuses lists files in which the servers cannot be replaced alone.
func TestWrapRefuses(t *testing.T) {
	for _, tc := range []struct {
		client, path, data string
		want               error
	}{
		{"cursor", "mcp.json", `{}`, ErrNoServers},
		{"cursor", "mcp.json", ``, ErrNoServers},
		{"cursor", "mcp.json", `{"mcpServers":{}}`, ErrNoServers},
		{"cursor", "mcp.json", `{"mcpServers":null}`, ErrNoServers},
		{"cursor", "mcp.json", `{"mcpServers":{"a":{"command":"a"}},"mcpServers":{"b":{"command":"b"}}}`, ErrUneditable},
		{"claude-code", ".claude.json", `{"projects":{"/p":{},"/p":{"mcpServers":{"a":{"command":"a"}}}}}`, ErrUneditable},
		{"continue", "config.yaml", "{name: n, mcpServers: [{name: a, command: a}]}", ErrUneditable},
		{"continue", "config.yaml", "? mcpServers\n: - name: a\n    command: a\n", ErrUneditable},
		{"continue", "config.yaml", "mcpServers: &s\n- name: a\n  command: a\nrules: *s\n", ErrUneditable},
	} {
		f := parsed(t, tc.client, tc.path, []byte(tc.data))
		if after, err := f.Wrap(entry); !errors.Is(err, tc.want) || after != nil {
			t.Errorf("%s: %v, %q", tc.data, err, after)
		}
	}
}

// TestRestoreKeepsWhatTheClientWrote is for clients that write to their file all
// the time, as Claude Code does.
func TestRestoreKeepsWhatTheClientWrote(t *testing.T) {
	f := parsed(t, "claude-code", "/h/.claude.json", []byte("{\"n\": 1, \"mcpServers\": {\n  \"a\": {\"command\": \"a\"}, // mine\n}}"))
	after, err := f.Wrap(entry)
	if err != nil {
		t.Fatal(err)
	}
	later := parsed(t, f.Client, f.Path, bytes.Replace(after, []byte(`"n": 1`), []byte(`"n": 2, "m": []`), 1))
	back, err := later.Restore(&f)
	if want := strings.Replace(string(f.data), `"n": 1`, `"n": 2, "m": []`, 1); err != nil || string(back) != want {
		t.Fatalf("%v\n%s", err, back)
	}
}

// TestEntryIsQuoted writes an entry with every kind of character.
func TestEntryIsQuoted(t *testing.T) {
	odd := Entry{
		Name: "tool crib.\"#'", Command: `C:\Program Files\toolcrib.exe`,
		Args: []string{"a\"b", "c\\d", "#e", "f: g", "h\ni", "\x7f\u2028<&>", "'", "${x}", "- j"},
	}
	for _, f := range furnished(t, "linux").Find() {
		after, err := f.Wrap(odd)
		if errors.Is(err, ErrNoServers) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", f.Path, err, after)
			continue
		}
		if wrapped := parsed(t, f.Client, f.Path, after); !wrapped.Wrapped(odd) {
			t.Errorf("%s: %+v", f.Path, wrapped.Servers)
		}
	}
}
