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

// TestWriteExport checks that an export replaces only the requested file, and only if requested.
func TestWriteExport(t *testing.T) {
	dir := t.TempDir()
	a := &command.App{Printer: &output.Printer{Env: process.Env{Dir: dir}}}
	if err := os.WriteFile(filepath.Join(dir, "there"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		replace bool
		err     string
	}{
		{"new", false, ""},
		{"there", false, "there exists; nothing was written"},
		{"there", true, ""},
		{".", true, "is a folder"},
		{os.DevNull, true, "is not a regular file"},
		{"none/x", false, "not found; create it first"},
	} {
		err := export.WriteExport(a, tt.name, []byte("text"), tt.replace)
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
