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

// TestInstallingRunnerIsNotKilled checks that a package runner that installs for longer than the timeout is not killed: it
// can keep writing and exits by itself. Other programs are killed.
func TestInstallingRunnerIsNotKilled(t *testing.T) {
	t.Parallel()
	for name, spare := range map[string]bool{"package runner": true, "other program": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			told := filepath.Join(dir, "told")
			if err := syscall.Mkfifo(told, 0o600); err != nil {
				t.Skip(err)
			}
			const install = `cat > /dev/null; echo half >&2; exec 3> "$0"; echo installed >&3; echo '{}' || true; sleep 3; echo done >&3`
			server := upstream.Server{Name: "late", Command: []string{"sh", "-c", "trap '' TERM; " + install, told}, Timeout: time.Second, Spare: spare, LikeClient: true}
			_, err := upstream.List(t.Context(), server)
			if !errors.Is(err, upstream.ErrTimeout) {
				t.Fatalf("%v", err)
			}
			flags := os.O_RDONLY // blocks until the program opens it
			if !spare {
				flags |= syscall.O_NONBLOCK // the program has been killed
			}
			f, err := os.OpenFile(told, flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			if !spare {
				if lines.Scan() {
					t.Errorf("it runs on: %q", lines.Text())
				}
				return
			}
			if !lines.Scan() || !strings.Contains(lines.Text(), "installed") {
				t.Errorf("cut off: %q, %v", lines.Text(), lines.Err())
			}
			if !lines.Scan() || lines.Text() != "done" {
				t.Errorf("ended before it was done: %q, %v", lines.Text(), lines.Err())
			}
		})
	}
}
