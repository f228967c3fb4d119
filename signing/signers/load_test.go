package signers_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
)

// TestLoadPrefersTheSystemFolder checks that the system folder takes precedence, even if its file is
// broken.
func TestLoadPrefersTheSystemFolder(t *testing.T) {
	line := "user:mara " + signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey()) + "\n"
	system, user := t.TempDir(), t.TempDir()
	for _, dir := range []string{system, user} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := signers.Load(system, user); !errors.Is(err, signers.ErrNoFile) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := signers.Load(filepath.Join(system, "none"), filepath.Join(user, "none")); !errors.Is(err, signers.ErrNoFile) {
		t.Errorf("no folders: %v", err)
	}
	signingtest.WriteFile(t, filepath.Join(user, signers.AllowedFile), line)
	s, file, err := signers.Load(system, user)
	if err != nil || len(s.Entries()) != 1 || file != filepath.Join(user, signers.AllowedFile) {
		t.Errorf("the user's: %s, %v", file, err)
	}
	if os.Geteuid() != 0 {
		return // only root can write to the system folder
	}
	signingtest.WriteFile(t, filepath.Join(system, signers.AllowedFile), line+line)
	s, file, err = signers.Load(system, user)
	if err != nil || len(s.Entries()) != 2 || file != filepath.Join(system, signers.AllowedFile) {
		t.Errorf("the system's: %s, %v", file, err)
	}
	signingtest.WriteFile(t, filepath.Join(system, signers.AllowedFile), "nonsense\n")
	if _, _, err := signers.Load(system, user); !errors.Is(err, signers.ErrFile) {
		t.Errorf("invalid file of the system: %v", err)
	}
}

// TestRevocationListIsAnError checks that a key revocation list beside the signers
// file is rejected, with the remedy, as soon as it appears.
func TestRevocationListIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f := signers.File{System: filepath.Join(dir, "none"), User: dir}
	list := filepath.Join(dir, "revoked_keys")
	signingtest.WriteFile(t, list, "")
	if _, err := f.Signers(); !errors.Is(err, signers.ErrFile) || errors.Is(err, signers.ErrNoFile) {
		t.Errorf("without a signers file: %v", err)
	}
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	signingtest.WriteFile(t, filepath.Join(dir, signers.AllowedFile), "user:mara "+signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey())+"\n")
	if _, err := f.Signers(); err != nil {
		t.Fatal(err)
	}
	signingtest.WriteFile(t, list, "")
	_, err := f.Signers()
	if !errors.Is(err, signers.ErrFile) {
		t.Fatalf("with a list: %v", err)
	}
	for _, part := range []string{list, "valid-before", "remove the line;", "delete", "signers record"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not contain %q: %v", part, err)
		}
	}
}

// TestUnsafeFiles rejects files that others can write, and files that are not
// regular.
func TestUnsafeFiles(t *testing.T) {
	line := "user:mara " + signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey()) + "\n"
	for name, spoil := range map[string]func(dir, file string) error{
		"others may write to it":         func(_, file string) error { return os.Chmod(file, 0o602) },
		"its group may write to it":      func(_, file string) error { return os.Chmod(file, 0o620) },
		"others may write to its folder": func(dir, _ string) error { return os.Chmod(dir, 0o777) },
		"it is a folder":                 func(_, file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
		"it is too large":                func(_, file string) error { return os.WriteFile(file, make([]byte, signers.MaxSize+1), 0o600) },
		"a revocation list is beside it": func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "revoked_keys"), nil, 0o600) },
		"a link to no list is beside it": func(dir, _ string) error { return os.Symlink("none", filepath.Join(dir, "revoked_keys")) },
	} {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, signers.AllowedFile)
		signingtest.WriteFile(t, file, line)
		if err := spoil(dir, file); err != nil {
			t.Fatal(err)
		}
		if _, _, err := signers.Load(t.TempDir(), dir); !errors.Is(err, signers.ErrFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := signers.Load("etc/toolcrib", t.TempDir()); !errors.Is(err, signers.ErrFile) || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("a folder of the working directory: %v", err)
	}
}
