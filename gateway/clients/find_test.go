package clients

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/rogpeppe/go-internal/txtar"
)

// systems contains, by operating system, the folders that the fixtures refer to.
var systems = map[string]map[string]string{
	"linux":   {"appdata": "home/.config", "zed": "home/.config/zed", "local": "home/.config", "goose": "home/.config/goose"},
	"darwin":  {"appdata": "home/Library/Application Support", "zed": "home/.config/zed", "local": "home/.config", "goose": "home/.config/goose"},
	"windows": {"appdata": "home/AppData/Roaming", "zed": "home/AppData/Roaming/Zed", "local": "home/AppData/Local", "goose": "home/AppData/Roaming/Block/goose/config"},
}

// furnished returns a machine with the fixtures, with CRLF line ends on Windows and tabs as indentation on macOS.
func furnished(t *testing.T, system string) Machine {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	m := Machine{OS: system, Home: filepath.Join(top, "home"), Project: filepath.Join(top, "project"), Getenv: func(string) string { return "" }, Inspect: inspect}
	for _, f := range archive.Files {
		folder, rest, _ := strings.Cut(strings.TrimPrefix(f.Name, "{"), "}")
		base := folder
		switch {
		case systems[system][folder] != "":
			base = systems[system][folder]
		case folder == "xdg":
			base = "home/.config"
		}
		data := f.Data
		switch {
		case system == "windows":
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		case system == "darwin" && filepath.Ext(f.Name) == ".json":
			data = bytes.ReplaceAll(data, []byte("  "), []byte("\t"))
		}
		save(t, filepath.Join(top, base, rest), data)
	}
	return m
}

func save(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	for system := range systems {
		t.Run(system, func(t *testing.T) {
			m := furnished(t, system)
			var b strings.Builder
			top := filepath.Dir(m.Home)
			for _, f := range m.Find() {
				fmt.Fprintf(&b, "== %s (%s) %s\n", f.Client, f.Scope, filepath.ToSlash(strings.TrimPrefix(f.Path, top)))
				for _, s := range f.Servers {
					fmt.Fprintln(&b, shown(s.Masked()))
				}
				for _, p := range f.Problems {
					fmt.Fprintln(&b, "problem:", filepath.ToSlash(strings.TrimPrefix(p.Error(), top)))
				}
				after, _ := f.Guard(prefix, names(&f))
				fmt.Fprintf(&b, "-- guarded\n%s", bytes.ReplaceAll(after.doc.Data, []byte("\r\n"), []byte("␍\n")))
			}
			golden.RequireEqual(t, []byte(b.String()))
		})
	}
}

// shown formats a server as one line.
func shown(s Server) string {
	parts := []string{fmt.Sprintf("%s %s %q", s.Name, s.Transport, append([]string{s.Command}, s.Args...))}
	for name, value := range map[string]any{
		"project": s.Project, "dir": s.Dir, "url": s.URL, "env": s.Env, "inherit": s.Inherit,
		"headers": s.Headers, "token": s.TokenEnv,
	} {
		if text := fmt.Sprint(value); text != "" && text != "[]" {
			parts = append(parts, name+"="+text)
		}
	}
	slices.Sort(parts[1:])
	if s.Disabled {
		parts = append(parts, "disabled")
	}
	if s.Refused != "" {
		parts = append(parts, "refused: "+s.Refused)
	}
	return strings.Join(parts, " ")
}

// TestFindHonoursVariables checks that files are found in folders set by environment variables.
func TestFindHonoursVariables(t *testing.T) {
	const servers = `{"mcpServers":{"a":{"command":"a"}},"context_servers":{"a":{"command":"a"}},"mcp":{"a":{"type":"local","command":["a"]}}}`
	for _, tc := range []struct{ system, variable, file, client string }{
		{"linux", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json", "claude-desktop"},
		{"linux", "XDG_CONFIG_HOME", "zed/settings.json", "zed"},
		{"linux", "FLATPAK_XDG_CONFIG_HOME", "zed/settings.json", "zed"},
		{"windows", "APPDATA", "Claude/claude_desktop_config.json", "claude-desktop"},
		{"windows", "APPDATA", "Zed/settings.json", "zed"},
		{"darwin", "XDG_CONFIG_HOME", "opencode/opencode.json", "opencode"},
		{"darwin", "CLAUDE_CONFIG_DIR", ".claude.json", "claude-code"},
		{"linux", "GEMINI_CLI_HOME", ".gemini/settings.json", "gemini"},
	} {
		t.Run(tc.system+" "+tc.variable+" "+tc.client, func(t *testing.T) {
			dir := t.TempDir()
			save(t, filepath.Join(dir, tc.file), []byte(servers))
			m := Machine{OS: tc.system, Home: t.TempDir(), Inspect: inspect, Getenv: func(name string) string {
				if name == tc.variable {
					return dir
				}
				return ""
			}}
			found := m.Find(tc.client)
			if len(found) != 1 || len(found[0].Servers) != 1 {
				t.Fatalf("found %+v", found)
			}
			m.Getenv = func(string) string { return "relative" }
			if found := m.Find(tc.client); len(found) != 0 {
				t.Fatalf("a relative path counts: %+v", found)
			}
		})
	}
}

func TestFindWithoutAHome(t *testing.T) {
	m := Machine{OS: "linux", Getenv: func(string) string { return "" }, Inspect: inspect}
	if found := m.Find(); len(found) != 0 {
		t.Fatalf("found %+v", found)
	}
}

// TestProjectInHomeIsFoundOnce checks that ~/.cursor/mcp.json, which is a user's and a project's file, is listed
// once.
func TestProjectInHomeIsFoundOnce(t *testing.T) {
	m := furnished(t, "linux")
	m.Project = m.Home
	if found := m.Find("cursor"); len(found) != 1 || found[0].Scope != User {
		t.Fatalf("found %+v", found)
	}
}

func TestEveryClientHasAFixture(t *testing.T) {
	m := furnished(t, "linux")
	for _, c := range All() {
		if found := m.Find(c.ID); len(found) == 0 {
			t.Errorf("%s: no fixture", c.ID)
		}
		if c.Source == "" || c.Name == "" {
			t.Errorf("%s: no source or no name", c.ID)
		}
	}
}
