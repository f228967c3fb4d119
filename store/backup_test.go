package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolcrib/internal/filelock"
	"toolcrib/store/sqlite"
	"toolcrib/store/storetest"
)

// TestBackupRemovesUnfinished checks that a backup removes the files of a killed backup, but not those of a running one
// (C68).
func TestBackupRemovesUnfinished(t *testing.T) {
	if storetest.OnPostgres() {
		t.Skip("a server has programs of its own for copies")
	}
	db, dir := storetest.New(t), t.TempDir()
	for _, name := range []string{".toolcrib-backup-1", ".toolcrib-backup-1-journal", ".toolcrib-backup-1.lock", ".toolcrib-backup-2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("part"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := filelock.Lock(filepath.Join(dir, ".toolcrib-backup-2.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := db.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 3 || names[0] != ".toolcrib-backup-2" || names[1] != ".toolcrib-backup-2.lock" || names[2] != "copy.db" {
		t.Errorf("left: %q", names)
	}
}

// TestBackupLeavesOthers checks that a backup does not remove folders and links with names of unfinished backups.
func TestBackupLeavesOthers(t *testing.T) {
	if storetest.OnPostgres() {
		t.Skip("a server has programs of its own for copies")
	}
	db, dir, elsewhere := storetest.New(t), t.TempDir(), filepath.Join(t.TempDir(), "made")
	kept := filepath.Join(dir, ".toolcrib-backup-z", "notes")
	if err := errors.Join(
		os.Mkdir(filepath.Dir(kept), 0o700), os.WriteFile(kept, nil, 0o600), os.WriteFile(filepath.Dir(kept)+".lock", nil, 0o600),
		os.Symlink(elsewhere, filepath.Join(dir, ".toolcrib-backup-w.lock")),
		db.Backup(t.Context(), filepath.Join(dir, "copy.db")),
	); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("a file was made where a link points")
	}
}

// TestBackupOfFrozen backs up a file in a folder without write permission (C68).
func TestBackupOfFrozen(t *testing.T) {
	if storetest.OnPostgres() {
		t.Skip("a server has programs of its own for copies")
	}
	whole := filepath.Join(t.TempDir(), "whole.db")
	if err := storetest.New(t).Backup(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	f, err := sqlite.Open(t.Context(), whole, sqlite.Options{Existing: true, Frozen: true, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	if err := f.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(whole + "-shm"); err == nil {
		t.Error("the backup wrote beside the file")
	}
}
