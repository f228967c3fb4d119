package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"toolcrib/store"
)

// newImage returns the bytes of a new database. Creating one takes a quarter of a second, so tests start with a copy.
var newImage = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolcrib")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	path := filepath.Join(dir, "test.db")
	db, err := store.Open(context.Background(), path, store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func writeImage(t testing.TB, path string) {
	t.Helper()
	image, err := newImage()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
}
