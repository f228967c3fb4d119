//go:build unix

package crash

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// place is somewhere a database may be, or may not.
type place struct {
	name string
	make func(t *testing.T, c testDB) string // returns the path
	exit int                                 // exit code of list
	says string                              // expected in its output
}

func places() []place {
	file := func(name string, content []byte, mode os.FileMode) func(*testing.T, testDB) string {
		return func(t *testing.T, _ testDB) string {
			t.Helper()
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, content, mode); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	return []place{
		{"a missing folder", func(t *testing.T, _ testDB) string {
			t.Helper()
			return filepath.Join(t.TempDir(), "not", "yet", "toolcrib.db")
		}, 1, "does not exist; create the folder"},
		{"an empty file", file("toolcrib.db", nil, 0o600), 0, ""},
		{"a few bytes", file("toolcrib.db", []byte("hello"), 0o600), 1, "not a toolcrib database"},
		{"a text", file("toolcrib.db", []byte(strings.Repeat("This is a letter. ", 400)), 0o600), 1, ""},
		{"a folder", func(t *testing.T, _ testDB) string { t.Helper(); return t.TempDir() }, 1, ""},
		{"a folder below a file", func(t *testing.T, c testDB) string { t.Helper(); return filepath.Join(c.path, "toolcrib.db") }, 1, ""},
		{"a symbolic link", func(t *testing.T, c testDB) string {
			t.Helper()
			link := filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(c.path, link); err != nil {
				t.Fatal(err)
			}
			return link
		}, 0, "scene_pacer"},
		{"a symbolic link to nothing", func(t *testing.T, _ testDB) string {
			t.Helper()
			dir := t.TempDir()
			link := filepath.Join(dir, "link.db")
			if err := os.Symlink(filepath.Join(dir, "real.db"), link); err != nil {
				t.Fatal(err)
			}
			return link
		}, 1, "which does not exist"},
		{"a database of a newer toolcrib", func(t *testing.T, c testDB) string {
			t.Helper()
			newer := c.copied(t)
			if err := storetest.ExecRaw(t.Context(), newer.path, "PRAGMA user_version = 9999"); err != nil {
				t.Fatal(err)
			}
			return newer.path
		}, 1, "newer"},
		{"a database of another program", func(t *testing.T, _ testDB) string {
			t.Helper()
			path := filepath.Join(t.TempDir(), "other.db")
			if err := storetest.ExecRaw(t.Context(), path, "CREATE TABLE notes (body TEXT)"); err != nil {
				t.Fatal(err)
			}
			return path
		}, 1, "another program"},
		{"a device", func(*testing.T, testDB) string { return os.DevNull }, 1, ""},
		{"a full device", func(*testing.T, testDB) string { return "/dev/full" }, 1, ""},
	}
}

// TestOddPlaces opens databases where people put them, or put something else.
func TestOddPlaces(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	well := newTestDB(t)
	well.must(proposal("user", "scene_pacer"), "propose", "-")
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			c := well.on(p.make(t, well))
			before := content(t, c.path)
			out, errs, code := c.run("", opening()...)
			if code == 0 {
				out, errs, code = c.run("", "list")
			}
			if code != p.exit || !strings.Contains(out+errs, p.says) {
				t.Errorf("exit %d, want %d\n%s%s", code, p.exit, out, errs)
			}
			if code != 0 && !strings.HasPrefix(errs, "toolcrib: ") {
				t.Errorf("no sentence: %q", errs)
			}
			if code != 0 && content(t, c.path) != before {
				t.Errorf("what is no database of toolcrib was changed")
			}
		})
	}
	figures.note(t, "odd places for a database", len(places()), "opened or refused with a sentence; what is not ours is left as it was")
}

// content returns the content of a regular file, and "" for others.
func content(t *testing.T, path string) string {
	t.Helper()
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// nobody is a user id without files.
const nobody = 65534

// TestReadOnly looks at a database that may not be written, in a folder that
// may be and in one that may not.
func TestReadOnly(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody who may not write")
	}
	for _, folder := range []os.FileMode{0o777, 0o555} {
		c := newTestDB(t)
		dir, err := os.MkdirTemp("", "toolcrib-readonly-") // t.TempDir is below a folder that only root may enter
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		c = c.on(filepath.Join(dir, "toolcrib.db"))
		c.must(proposal("user", "scene_pacer"), "propose", "-")
		c.must("", "verify", "--deep")
		if err := errors.Join(os.Chmod(c.path, 0o444), os.Chmod(dir, folder)); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list"}, {"show", "#1"}, {"--approve", "#1"}} {
			out, errs, code := c.as(nobody, args...)
			writes := args[0] == "--approve"
			switch {
			case writes && (code == 0 || !strings.HasPrefix(errs, "toolcrib: ")):
				t.Errorf("folder %o: %v: exit %d\n%s%s", folder, args, code, out, errs)
			case !writes && code == 0 && !strings.Contains(out, "scene_pacer"):
				t.Errorf("folder %o: %v shows something else:\n%s", folder, args, out)
			case !writes && code != 0:
				t.Errorf("folder %o: %v: exit %d: what may be read cannot be read\n%s", folder, args, code, errs)
			}
		}
		after, err := os.ReadFile(c.path)
		if err != nil || string(after) != string(before) {
			t.Errorf("folder %o: the file was changed: %v", folder, err)
		}
	}
	figures.note(t, "read-only file, in a folder that may be written and in one that may not", 2, "read, and every write refused with a sentence; the file unchanged")
}

// as runs toolcrib as another user of the system.
func (c testDB) as(uid uint32, args ...string) (stdout, stderr string, code int) {
	c.t.Helper()
	cmd := c.command(asToolcrib, args...)
	dir, err := os.MkdirTemp("", "toolcrib-nobody-")
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Another process copies the program: a file that this one had open for writing
	// could be open in a child of a test beside, and be too busy to run.
	copied := exec.CommandContext(c.t.Context(), "cp", cmd.Path, filepath.Join(dir, "toolcrib"))
	if err := errors.Join(os.Chmod(dir, 0o755), copied.Run(), os.Chmod(filepath.Join(dir, "toolcrib"), 0o755)); err != nil {
		c.t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd.Path, cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(dir, "toolcrib"), dir, &out, &errs
	cmd.Env = append(cmd.Env, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestClocks approves while the clock goes back, stops at zero, and passes the end of
// 32-bit time. The history is in the order of events, independently of the clock.
func TestClocks(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := newTestDB(t)
	times := []time.Time{
		time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC),
		time.Unix(0, 0),
		time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	}
	for i, now := range times {
		for _, args := range [][]string{{"propose", "-"}, {"--approve", "#" + string(rune('1'+i))}, {"list"}, {"log"}, {"show", "#1"}} {
			env := process.System()
			var out, errs strings.Builder
			env.Args, env.Out, env.Err, env.In = args, &out, &errs, strings.NewReader(proposal("user", "tool_"+string(rune('a'+i))))
			env.Now, env.InTerminal, env.OutTerminal = func() time.Time { return now }, false, false
			env.Getenv = c.getenv
			if code := cli.Main(t.Context(), env); code != 0 {
				t.Fatalf("%s: %v: exit %d\n%s", now, args, code, errs.String())
			}
		}
	}
	if n := count(t, c, "approved"); n != len(times) {
		t.Errorf("%d approved, want %d", n, len(times))
	}
	c.must("", "verify", "--deep")
	figures.note(t, "clock set back, to 2038, to zero, before zero, to 2500", len(times), "everything approved and listed; verify clean")
}
