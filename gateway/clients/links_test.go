package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLinksAreNotFollowedSilently replaces a file, or one of its folders, with a link into a folder of dotfiles. The
// target must be reported, and written only on request.
func TestLinksAreNotFollowedSilently(t *testing.T) {
	for _, at := range []string{".cursor/mcp.json", ".cursor"} {
		t.Run(at, func(t *testing.T) {
			m, name := cursor(t)
			dotfiles := filepath.Join(t.TempDir(), "kept")
			if err := errors.Join(os.Rename(filepath.Join(m.Home, at), dotfiles), os.Symlink(dotfiles, filepath.Join(m.Home, at))); err != nil {
				t.Skip(err)
			}
			real, err := filepath.EvalSymlinks(name)
			if err != nil {
				t.Fatal(err)
			}
			f := found(t, m)
			if f.Target != real || len(f.Servers) != 2 {
				t.Fatalf("target %q, servers %d", f.Target, len(f.Servers))
			}
			after, _ := f.Guard(prefix, names(&f))
			if err := f.Write(after.doc.Data, false); !errors.Is(err, ErrLink) {
				t.Fatalf("written: %v", err)
			}
			if err := f.Write(after.doc.Data, true); err != nil || !bytes.Equal(load(t, real), after.doc.Data) {
				t.Fatalf("not written to %s: %v", real, err)
			}
			if info, err := os.Lstat(filepath.Join(m.Home, at)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Fatalf("the link is gone: %v", err)
			}
		})
	}
}

// TestHomeBehindALink checks that a home folder that is itself a link does not count as a link to the outside.
func TestHomeBehindALink(t *testing.T) {
	m, _ := cursor(t)
	link := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(m.Home, link); err != nil {
		t.Skip(err)
	}
	m.Home = link
	if f := found(t, m); f.Target != "" {
		t.Fatalf("target %s", f.Target)
	}
}

// TestReadOnlyFilesAreLeft checks that read-only files are not replaced, although their folder is writable.
func TestReadOnlyFilesAreLeft(t *testing.T) {
	m, name := cursor(t)
	before := load(t, name)
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	f := found(t, m)
	after, _ := f.Guard(prefix, names(&f))
	if err := f.Write(after.doc.Data, false); !errors.Is(err, ErrReadOnly) || !bytes.Equal(load(t, name), before) {
		t.Fatalf("written: %v", err)
	}
}
