//go:build unix

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe checks that a pipe without a writer is detected without blocking.
func TestPipe(t *testing.T) {
	m := Machine{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, Inspect: inspect}
	name := filepath.Join(m.Home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	found := m.Find("cursor")
	if len(found) != 1 || len(found[0].Problems) != 1 || !strings.HasSuffix(found[0].Problems[0].Error(), "not a regular file") {
		t.Fatalf("found %+v", found)
	}
}
