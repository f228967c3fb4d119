package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// keeper returns a Keeper whose clock moves on by a minute each time it is read.
func keeper() Keeper {
	now := time.Date(2026, 11, 22, 14, 30, 0, 0, time.UTC)
	return Keeper{Now: func() time.Time { now = now.Add(time.Minute); return now }}
}

// cursor returns a machine with one file, and the file.
func cursor(t *testing.T) (Machine, string) {
	t.Helper()
	m := furnished(t, "linux")
	return m, filepath.Join(m.Home, ".cursor", "mcp.json")
}

func found(t *testing.T, m Machine) File {
	t.Helper()
	files := m.Find("cursor")
	if len(files) == 0 {
		t.Fatal("no file")
	}
	return files[0]
}

func load(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func wrap(t *testing.T, k Keeper, f File, e Entry) Change {
	t.Helper()
	c, err := k.Wrap(f, e)
	if err == nil {
		err = k.Apply(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKeeperRestoresEveryFile wraps and unwraps every fixture on the disk. The
// bytes and the mode are what they were, and nothing is left beside the file.
func TestKeeperRestoresEveryFile(t *testing.T) {
	for system := range systems {
		t.Run(system, func(t *testing.T) {
			m, k := furnished(t, system), keeper()
			for _, f := range m.Find() {
				if len(f.Servers) == 0 {
					continue
				}
				c := wrap(t, k, f, entry)
				wrapped := parsed(t, f.Client, f.Path, load(t, f.Path))
				if !wrapped.Wrapped(entry) {
					t.Fatalf("%s: not wrapped", f.Path)
				}
				if again, err := k.Wrap(wrapped, entry); err != nil || !again.None() || again.Backup != c.Backup {
					t.Fatalf("%s: a second wrap is %+v, %v", f.Path, again, err)
				}
				undo, err := k.Unwrap(wrapped, false)
				if err == nil {
					err = k.Apply(undo)
				}
				if err != nil || !bytes.Equal(load(t, f.Path), f.data) {
					t.Fatalf("%s: not restored: %v", f.Path, err)
				}
				if info, err := os.Stat(f.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
					t.Fatalf("%s: mode %v, %v", f.Path, info.Mode(), err)
				}
				beside, err := filepath.Glob(filepath.Join(filepath.Dir(f.Path), "*toolcrib*"))
				if err != nil || len(beside) != 0 {
					t.Fatalf("left behind: %v %v", beside, err)
				}
			}
		})
	}
}

// TestBackupIsPrivate: the file may be readable by all, its backup is not.
func TestBackupIsPrivate(t *testing.T) {
	m, _ := cursor(t)
	f := found(t, m)
	c := wrap(t, keeper(), f, entry)
	if want := f.Path + ".toolcrib-20261122T143100.000000Z.bak"; c.Backup != want {
		t.Errorf("the backup is %s", c.Backup)
	}
	if !bytes.Equal(load(t, c.Backup), f.data) {
		t.Error("the backup is not the file")
	}
	for _, name := range []string{c.Backup, f.Path + recordEnd} {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// TestApplyRefusesAChangedFile writes to the file between the plan and the write.
func TestApplyRefusesAChangedFile(t *testing.T) {
	m, name := cursor(t)
	k := keeper()
	c, err := k.Wrap(found(t, m), entry)
	if err != nil {
		t.Fatal(err)
	}
	save(t, name, []byte(`{"mcpServers":{"new":{"command":"n"}}}`))
	if err := k.Apply(c); !errors.Is(err, ErrChanged) {
		t.Fatalf("written over: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Fatalf("left behind: %v %v", entries, err)
	}
}

func TestUnwrapOfAChangedFile(t *testing.T) {
	m, name := cursor(t)
	k := keeper()
	before := found(t, m)
	wrap(t, k, before, entry)
	save(t, name, append(load(t, name), "// later\n"...))
	f := found(t, m)
	if _, err := k.Unwrap(f, false); !errors.Is(err, ErrChanged) {
		t.Fatalf("unwrapped: %v", err)
	}
	c, err := k.Unwrap(f, true)
	if err == nil {
		err = k.Apply(c)
	}
	if want := string(before.data) + "// later\n"; err != nil || string(load(t, name)) != want {
		t.Fatalf("%v\n%s", err, load(t, name))
	}
	if _, err := os.Stat(c.Backup); err != nil {
		t.Errorf("the backup of a file that is not exactly restored is gone: %v", err)
	}
	if _, err := k.Unwrap(found(t, m), false); !errors.Is(err, ErrNotWrapped) {
		t.Errorf("unwrapped twice: %v", err)
	}
}

// TestAddedServersAreNotLost adds a server to a wrapped file, as "claude mcp
// add" does.
func TestAddedServersAreNotLost(t *testing.T) {
	m, name := cursor(t)
	k := keeper()
	wrap(t, k, found(t, m), entry)
	save(t, name, bytes.Replace(load(t, name), []byte(`"toolcrib":`), []byte(`"added": {"command": "x"}, "toolcrib":`), 1))
	f := found(t, m)
	if _, err := k.Wrap(f, entry); !errors.Is(err, ErrWrapped) || !strings.Contains(err.Error(), "added") {
		t.Errorf("wrapped: %v", err)
	}
	for _, keep := range []bool{false, true} {
		if _, err := k.Unwrap(f, keep); err == nil {
			t.Errorf("unwrapped, with the added server lost (%v)", keep)
		}
	}
}

// TestWrapWithAnotherEntry replaces the entry and keeps the first backup.
func TestWrapWithAnotherEntry(t *testing.T) {
	m, name := cursor(t)
	k := keeper()
	before := found(t, m)
	first := wrap(t, k, before, entry)
	other := entry
	other.Args = []string{"mcp", "--expose", "both"}
	second := wrap(t, k, found(t, m), other)
	f := found(t, m)
	if !f.Wrapped(other) || second.Backup != first.Backup {
		t.Fatalf("wrapped as %+v, backup %s", f.Servers, second.Backup)
	}
	c, err := k.Unwrap(f, false)
	if err == nil {
		err = k.Apply(c)
	}
	if err != nil || !bytes.Equal(load(t, name), before.data) {
		t.Fatalf("not restored: %v", err)
	}
}

// TestUnwrapAfterACrash meets what is left when the file was not written.
func TestUnwrapAfterACrash(t *testing.T) {
	m, name := cursor(t)
	k := keeper()
	before := found(t, m)
	wrap(t, k, before, entry)
	save(t, name, before.data)
	c, err := k.Unwrap(found(t, m), false)
	if err == nil {
		err = k.Apply(c)
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 || !bytes.Equal(load(t, name), before.data) {
		t.Fatalf("%v, beside it %v", err, entries)
	}
}

// TestRecordIsNotTrusted forges what is kept beside a file.
func TestRecordIsNotTrusted(t *testing.T) {
	names := func(backup string) func(file string, c Change) error {
		return func(file string, c Change) error {
			text, err := os.ReadFile(file + recordEnd)
			text = bytes.Replace(text, []byte(filepath.Base(c.Backup)), []byte(backup), 1)
			return errors.Join(err, os.WriteFile(file+recordEnd, text, 0o600))
		}
	}
	link := func(name string) error { return errors.Join(os.Rename(name, name+"x"), os.Symlink(name+"x", name)) }
	for name, tc := range map[string]struct {
		forge func(file string, c Change) error
		want  error
	}{
		"another folder":   {names("../.codex/config.toml"), ErrBackup},
		"another file":     {names("mcp.json"), ErrBackup},
		"a changed backup": {func(_ string, c Change) error { return os.WriteFile(c.Backup, []byte("{}"), 0o600) }, ErrBackup},
		"no backup":        {func(_ string, c Change) error { return os.Remove(c.Backup) }, ErrBackup},
		"a linked backup":  {func(_ string, c Change) error { return link(c.Backup) }, ErrBackup},
		"a linked record":  {func(file string, _ Change) error { return link(file + recordEnd) }, ErrLink},
		"half a record":    {func(file string, _ Change) error { return os.WriteFile(file+recordEnd, []byte(`{"sch`), 0o600) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, file := cursor(t)
			k := keeper()
			if err := tc.forge(file, wrap(t, k, found(t, m), entry)); err != nil {
				t.Fatal(err)
			}
			before := load(t, file)
			_, err := k.Unwrap(found(t, m), true)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("unwrapped: %v", err)
			}
			if !bytes.Equal(load(t, file), before) {
				t.Error("the file changed")
			}
		})
	}
}
