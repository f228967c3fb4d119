package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/export"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
)

// TestWriteExport checks that an export replaces only regular files.
func TestWriteExport(t *testing.T) {
	dir := t.TempDir()
	a := &command.App{Printer: &output.Printer{Env: process.Env{Dir: dir}}}
	if err := os.WriteFile(filepath.Join(dir, "there"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, err string
	}{
		{"new", ""},
		{"there", ""},
		{".", "is a folder"},
		{os.DevNull, "is not a regular file"},
		{"none/x", "not found; create it first"},
	} {
		err := export.WriteExport(a, tt.name, []byte("text"))
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			continue
		}
		if got, _ := os.ReadFile(filepath.Join(dir, tt.name)); err == nil && string(got) != "text" {
			t.Errorf("%s holds %q", tt.name, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".toolcrib-*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
