package filelock_test

import (
	"path/filepath"
	"testing"

	"toolcrib/internal/filelock"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := filelock.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, held, err := filelock.Try(name); !held || err != nil {
		t.Errorf("a locked file: held %v, %v", held, err)
	}
	unlock()
	again, held, err := filelock.Try(name)
	if held || err != nil {
		t.Fatalf("after unlocking: held %v, %v", held, err)
	}
	again()
}
