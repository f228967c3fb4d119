//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// TestFileModes checks that other accounts cannot read the files of a database, regardless of the umask, and that the
// mode of its folder does not change.
func TestFileModes(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	there := t.TempDir()
	if err := os.Chmod(there, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(there, "toolcrib.db")
	db := storetest.Open(t, path)
	listedQueue(t, db, 1) // creates the write-ahead log
	for name, want := range map[string]os.FileMode{
		there: 0o755, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o; want %04o", name, got, want)
		}
	}
}
