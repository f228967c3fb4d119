package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"toolcrib/internal/failpoint"
)

// holds returns text and mode of a file and the number of other files in its
// folder.
func holds(t *testing.T, file string) (text string, mode fs.FileMode, others int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if info, err := os.Lstat(file); err == nil {
		mode = info.Mode()
	}
	all, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), mode, len(all) - 1
}

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := Write(file, []byte("one"), Options{Mode: 0o640, Keep: true}); err != nil {
		t.Fatal(err)
	}
	if text, mode, others := holds(t, file); text != "one" || mode.Perm() != 0o640 && runtime.GOOS != "windows" || others != 0 {
		t.Errorf("new: %q %v %d", text, mode, others)
	}
	if err := os.Chmod(file, 0o604); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, []byte("two"), Options{Mode: 0o600, Keep: true}); err != nil {
		t.Fatal(err)
	}
	if text, mode, _ := holds(t, file); text != "two" || mode.Perm() != 0o604 && runtime.GOOS != "windows" {
		t.Errorf("kept: %q %v", text, mode)
	}
	if err := Write(file, []byte("three"), Options{Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if text, mode, others := holds(t, file); text != "three" || mode.Perm() != 0o600 && runtime.GOOS != "windows" || others != 0 {
		t.Errorf("replaced: %q %v %d", text, mode, others)
	}
	if err := Write(filepath.Join(filepath.Dir(file), "nowhere", "file"), nil, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

// TestCheckKeepsTheOld checks that a failing Check leaves the old file and no
// temporary file.
func TestCheckKeepsTheOld(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	no := errors.New("no")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, []byte("new"), Options{Mode: 0o600, Check: func() error { return no }}); !errors.Is(err, no) {
		t.Error(err)
	}
	if text, _, others := holds(t, file); text != "old" || others != 0 {
		t.Errorf("%q %d", text, others)
	}
}

// TestLinksAreReplaced checks that Write replaces a link without touching its
// target, and that WriteIn follows no link out of the root.
func TestLinksAreReplaced(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	link := filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, link), os.Symlink(filepath.Dir(outside), filepath.Join(dir, "out"))); err != nil {
		t.Skip(err) // this system has no links
	}
	if err := Write(link, []byte("mine"), Options{Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if text, mode, _ := holds(t, link); text != "mine" || !mode.IsRegular() {
		t.Errorf("%q %v", text, mode)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := WriteIn(root, "out/secret", []byte("mine"), Options{Mode: 0o600}); err == nil {
		t.Error("wrote outside of the root")
	}
	if text, _, others := holds(t, outside); text != "secret" || others != 0 {
		t.Errorf("%q %d", text, others)
	}
}

// TestNew checks that Write with New creates a file, replaces none, accepts one with
// the same content, and leaves no temporary file. Other programs create theirs between
// the check and the last step.
func TestNew(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(file string) error
		want      string
		exists    bool
	}{
		"nothing":      {func(string) error { return nil }, "mine", false},
		"other":        {func(file string) error { return os.WriteFile(file, []byte("theirs"), 0o600) }, "theirs", true},
		"part of it":   {func(file string) error { return os.WriteFile(file, []byte("mi"), 0o600) }, "mi", true},
		"the same":     {func(file string) error { return os.WriteFile(file, []byte("mine"), 0o600) }, "mine", false},
		"link nowhere": {func(file string) error { return os.Symlink("nowhere", file) }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			var made error
			defer failpoint.ArmFunc("file-checked", func() { made = c.meanwhile(file) })()
			err := Write(file, []byte("mine"), Options{Mode: 0o600, New: true})
			if made != nil {
				t.Skip(made) // this system has no links
			}
			if text, _, others := holds(t, file); text != c.want || errors.Is(err, fs.ErrExist) != c.exists || err != nil && !c.exists || others != 0 {
				t.Errorf("%q %d %v", text, others, err)
			}
		})
	}
}

// TestDuplicate checks what New does where the file system does not support hard links.
func TestDuplicate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "temp"), []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := duplicate(root, "temp", "file"); err != nil {
		t.Fatal(err)
	}
	if text, mode, _ := holds(t, file); text != "mine" || mode.Perm() != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("%q %v", text, mode)
	}
	if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := duplicate(root, "temp", "file"); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if text, _, _ := holds(t, file); text != "theirs" {
		t.Errorf("%q", text)
	}
}
