//go:build unix

package upstream_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolcrib/gateway/upstream"
)

// TestAnInstallationIsSpared has a package runner that installs for longer than the
// server may take: it is not cut off, may write, and ends by itself. Any other program
// is killed.
func TestAnInstallationIsSpared(t *testing.T) {
	for _, spare := range []bool{true, false} {
		dir := t.TempDir()
		told := filepath.Join(dir, "told")
		if err := syscall.Mkfifo(told, 0o600); err != nil {
			t.Skip(err)
		}
		const install = `cat > /dev/null; echo half >&2; exec 3> "$0"; echo installed >&3; echo '{}' || true; echo done >&3`
		server := upstream.Server{Name: "late", Command: []string{"sh", "-c", "trap '' TERM; " + install, told}, Timeout: 200 * time.Millisecond, Spare: spare, LikeClient: true}
		_, err := upstream.List(t.Context(), server)
		if !errors.Is(err, upstream.ErrTimeout) {
			t.Fatalf("%v", err)
		}
		f, err := os.OpenFile(told, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !spare { // nobody writes any more
			if n, err := f.Read(make([]byte, 1)); n > 0 {
				t.Errorf("it runs on: %v", err)
			}
			f.Close()
			continue
		}
		f.Close()
		if f, err = os.Open(told); err != nil { // waits for the program
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		if !lines.Scan() || !strings.Contains(lines.Text(), "installed") {
			t.Errorf("cut off: %q, %v", lines.Text(), lines.Err())
		}
		f.Close()
	}
}
