//go:build unix

package owner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/owner"
)

// TestReplacedFilesAreNotRead replaces the file again and again by one that all accounts can write. ReadFile checks
// the path, opens the file, and checks the open file, so it never returns the content of the other file.
func TestReplacedFilesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	write := func(file, text string, mode os.FileMode) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Error(err)
		}
	}
	write(name, "safe", 0o600)
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			text, mode := "safe", os.FileMode(0o600)
			if i%2 == 0 {
				text, mode = "unsafe", 0o666
			}
			write(name+".new", text, mode)
			if err := os.Rename(name+".new", name); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 20000 {
		switch text, err := owner.ReadFile(name, true, 100); {
		case err == nil && string(text) != "safe":
			t.Errorf("read %q", text)
		case err != nil && !errors.Is(err, owner.ErrUnsafe):
			t.Error(err)
		default:
			continue
		}
		break
	}
	close(done)
	<-stopped
}

// TestUnsafeFilesAreNotRead checks each condition alone.
func TestUnsafeFilesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := owner.ReadFile(file, true, 10); err != nil || string(text) != "0123456789" {
		t.Fatalf("%q, %v", text, err)
	}
	for _, test := range []struct {
		name, reason string
		limit        int64
		mode         os.FileMode
	}{
		{file, "larger than 9 bytes", 9, 0o600},
		{dir, "it is a folder", 10, 0o600},
		{file, "mode 0620", 10, 0o620},
	} {
		if err := os.Chmod(file, test.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := owner.ReadFile(test.name, true, test.limit); !errors.Is(err, owner.ErrUnsafe) || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}
