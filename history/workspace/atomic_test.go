package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/atomicfile"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWriteReplacesWholeFiles writes a file twice and checks that no temporary file
// remains.
func TestWriteReplacesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"a long first text", "short"} {
		if err := (files{dir}).write("deep/er/live.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, filepath.Join(dir, "deep/er/live.json")); got != text {
			t.Errorf("it has %q; want %q", got, text)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "deep/er"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestLinksOutOfTheFolderAreNotFollowed checks that links cannot be used to read or
// write outside of the workspace.
func TestLinksOutOfTheFolderAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("untouched"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := files{dir}
	for link, target := range map[string]string{"file": secret, "folder": outside} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("symbolic links are not supported: %v", err)
		}
	}
	for _, name := range []string{"file", "folder/secret"} {
		if text, err := f.read(name); !errors.Is(err, errEscapes) {
			t.Errorf("%s was read: %q, %v", name, text, err)
		}
	}
	if err := f.write("folder/secret", []byte("taken over")); !errors.Is(err, errEscapes) || !strings.Contains(err.Error(), filepath.Join(dir, "folder")) {
		t.Errorf("it wrote through a link to a folder: %v", err)
	}
	if err := f.write("file", []byte("mine")); err != nil {
		t.Fatal(err) // replaces the link itself
	}
	if got := readFile(t, secret); got != "untouched" {
		t.Errorf("outside is %q", got)
	}
	if got, err := f.read("file"); err != nil || string(got) != "mine" {
		t.Errorf("inside is %q, %v", got, err)
	}
}

func TestOnlyFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (files{dir}).read("folder"); !errors.Is(err, errNoFile) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := (files{dir}).read("absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

// TestSweepRemovesLeftovers checks that only temporary files are removed.
func TestSweepRemovesLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"live.json", atomicfile.Temporary + "ABC", "my" + atomicfile.Temporary} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join((files{dir}).sweep("."), (files{dir}).sweep("absent")); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, atomicfile.Temporary+"ABC")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover: %v", err)
	}
}
