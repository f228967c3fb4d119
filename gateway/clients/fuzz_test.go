package clients

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// roundTrip wraps a file and restores it. Whatever the file is, either wrapping
// refuses it or every byte comes back, and everything but the servers stays.
func roundTrip(t *testing.T, client, path string, data []byte) {
	t.Helper()
	f := parsed(t, client, path, data)
	f.Masked()
	after, err := f.Wrap(entry)
	if err != nil {
		return
	}
	wrapped := parsed(t, client, path, after)
	if !wrapped.Wrapped(entry) || f.rest() != wrapped.rest() {
		t.Fatalf("%q is wrapped as %q", data, after)
	}
	back, err := wrapped.Restore(&f)
	if err != nil {
		t.Fatalf("%q, wrapped as %q, is not restored: %v", data, after, err)
	}
	if !bytes.Equal(back, data) && inOnePlace(&f) {
		t.Fatalf("%q is restored as %q", data, back)
	}
}

// inOnePlace reports whether nothing stands between the servers. Only TOML has
// files in which something does.
func inOnePlace(f *File) bool {
	for _, h := range f.held {
		at, _ := f.regions(h)
		for i := 1; i < len(at); i++ {
			if at[i].from != at[i-1].to {
				return false
			}
		}
	}
	return true
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
			roundTrip(t, client, path, data)
		}
	})
}

func FuzzTOML(f *testing.F) {
	seed(f, ".toml")
	f.Fuzz(func(t *testing.T, data []byte) { roundTrip(t, "codex", "config.toml", data) })
}

func FuzzYAML(f *testing.F) {
	seed(f, ".yaml")
	f.Fuzz(func(t *testing.T, data []byte) { roundTrip(t, "continue", "config.yaml", data) })
}
