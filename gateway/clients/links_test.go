package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLinksAreNotFollowedSilently has a file, and a folder on the way to it, in
// a folder of dotfiles.
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
			k := keeper()
			if _, err := k.Wrap(f, entry); !errors.Is(err, ErrLink) {
				t.Fatalf("wrapped: %v", err)
			}
			k.FollowLinks = true
			c := wrap(t, k, f, entry)
			if info, err := os.Lstat(filepath.Join(m.Home, at)); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Fatalf("the link is gone: %v", err)
			}
			if c.Path != real || bytes.Equal(load(t, real), f.data) {
				t.Fatalf("written to %s", c.Path)
			}
			undo, err := k.Unwrap(found(t, m), false)
			if err == nil {
				err = k.Apply(undo)
			}
			if err != nil || !bytes.Equal(load(t, real), f.data) {
				t.Fatalf("not restored: %v", err)
			}
		})
	}
}

// TestHomeBehindALink is no way out: the home folder itself may be a link.
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
