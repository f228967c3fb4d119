//go:build unix

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// act is something that must happen whole or not at all.
type act struct {
	name  string
	setup func(t *testing.T, c testDB)                      // on a new database
	args  func(t *testing.T, c testDB) []string             // arguments of the command to kill
	stdin string                                            // input of the command
	whole func(t *testing.T, c testDB) (before, after bool) // state of the database
	short int                                               // every how many steps in the short battery
}

// at runs toolcrib so that it dies at the nth passing of a point, and reports
// whether it did.
func (c testDB) at(point string, n int, stdin string, args ...string) (died bool) {
	c.t.Helper()
	cmd := c.command(asToolcrib, args...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s@%d", diesAt, point, n))
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	switch code := cmd.ProcessState.ExitCode(); code {
	case -1:
		return true
	case 0:
		return false
	default:
		c.t.Fatalf("toolcrib %s: exit %d\n%s", strings.Join(args, " "), code, out)
		return false
	}
}

// count returns how many proposals are in a state.
func count(t *testing.T, c testDB, state string) int {
	t.Helper()
	return len(states(t, c, state))
}

func acts() []act {
	members := 4
	var set strings.Builder
	for i := range members {
		set.WriteString(strings.Replace(proposal("user", fmt.Sprintf("member_%d", i)), `"type":"new"`, `"type":"new","changeSet":"all of it"`, 1))
	}
	return []act{
		{
			name: "open a new file", short: 240,
			setup: func(*testing.T, testDB) {},
			args:  func(*testing.T, testDB) []string { return opening() },
			whole: func(*testing.T, testDB) (bool, bool) { return true, true },
		},
		{
			name: "propose", short: 13, stdin: proposal("user", "scene_pacer"),
			setup: func(t *testing.T, c testDB) { t.Helper(); c.must("", opening()...) },
			args:  func(*testing.T, testDB) []string { return []string{"propose", "-"} },
			whole: func(t *testing.T, c testDB) (bool, bool) {
				t.Helper()
				n := count(t, c, "")
				return n == 0, n == 1 && count(t, c, "user_review") == 1
			},
		},
		{
			name: "approve", short: 13,
			setup: func(t *testing.T, c testDB) { t.Helper(); c.must(proposal("user", "scene_pacer"), "propose", "-") },
			args:  func(*testing.T, testDB) []string { return []string{"--approve", "#1"} },
			whole: func(t *testing.T, c testDB) (bool, bool) {
				t.Helper()
				_, _, code := c.run("", "history", "tool:user/scene_pacer")
				return code == 3 && count(t, c, "user_review") == 1, code == 0 && count(t, c, "approved") == 1
			},
		},
		{
			name: "approve a change set", short: 40,
			setup: func(t *testing.T, c testDB) { t.Helper(); c.must(set.String(), "propose", "-") },
			args:  func(*testing.T, testDB) []string { return []string{"--approve", "set:all of it", "--unseen"} },
			whole: func(t *testing.T, c testDB) (bool, bool) {
				t.Helper()
				return count(t, c, "user_review") == members, count(t, c, "approved") == members
			},
		},
		{
			name: "reject", short: 13,
			setup: func(t *testing.T, c testDB) { t.Helper(); c.must(proposal("user", "scene_pacer"), "propose", "-") },
			args:  func(*testing.T, testDB) []string { return []string{"reject", "#1", "--note", "Not needed."} },
			whole: func(t *testing.T, c testDB) (bool, bool) {
				t.Helper()
				return count(t, c, "user_review") == 1, count(t, c, "rejected") == 1
			},
		},
	}
}

// TestKilledBetweenSteps kills each act before every single statement it runs
// and after its commit: the database shows it whole or not at all, and it can
// be done again.
func TestKilledBetweenSteps(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	for _, a := range acts() {
		t.Run(a.name, func(t *testing.T) {
			before := newTestDB(t)
			a.setup(t, before)
			kills, undone := 0, 0
			for n := 1; ; n += blows(1, a.short) {
				c := before.copied(t)
				args := a.args(t, c)
				if !c.at("statement", n, a.stdin, args...) {
					break
				}
				kills++
				if a.check(t, c, n, args) {
					undone++
				}
			}
			c := before.copied(t)
			args := a.args(t, c)
			if !c.at("committed", 1, a.stdin, args...) {
				t.Error("the act commits nothing")
			}
			a.check(t, c, kills+1, args) // a new file is there after its last commit only
			figures.note(t, "kill -9 between two statements of: "+a.name, kills+1, "%d times as if never begun, else whole; then done again", undone)
		})
	}
}

// check checks the database after a kill, and repeats the act if it was not done.
func (a act) check(t *testing.T, c testDB, n int, args []string) (undone bool) {
	t.Helper()
	before, after := a.whole(t, c)
	if !before && !after {
		t.Errorf("kill %d: neither undone nor done", n)
	}
	if before {
		c.must(a.stdin, args...)
		if _, after := a.whole(t, c); !after {
			t.Errorf("kill %d: done again and not done", n)
		}
	}
	c.must("", "verify", "--deep")
	return before
}

// copied returns the same processes on a copy of the database.
func (c testDB) copied(t *testing.T) testDB {
	t.Helper()
	home := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(c.path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "toolcrib.db"+suffix), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c.on(filepath.Join(home, "toolcrib.db"))
}

// publishPoints are the moments of writing a workspace's files.
var publishPoints = []string{"committed", "publish", "file", "file-written", "file-renamed", "live-file", "published"}

// TestKilledWhilePublishing kills the writing of a workspace's files at each
// of its steps, for each file: the next command finishes it.
func TestKilledWhilePublishing(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	base := newTestDB(t)
	var lines strings.Builder
	for i := range 3 {
		lines.WriteString(proposal("project/novel", fmt.Sprintf("tool_%d", i)))
	}
	waiting := ids(t, base.must(lines.String(), "propose", "--json", "-"))
	kills := 0
	for _, point := range publishPoints {
		for n := 1; n <= blows(6, 1); n++ {
			folder := t.TempDir()
			c := base.copied(t)
			c.args = []string{"--project", "novel", "--workspace", folder}
			if !c.at(point, n, "", append([]string{"--approve", "--unseen"}, waiting...)...) {
				break
			}
			kills++
			agree(t, c, folder)
			if count(t, c, "user_review") == len(waiting) { // the first commit is not yet the approval's
				c.must("", append([]string{"--approve", "--unseen"}, waiting...)...)
			}
			if files := agree(t, c, folder); files != len(waiting) {
				t.Errorf("killed at %s, passing %d: %d snapshots, want %d", point, n, files, len(waiting))
			}
			c.must("", "verify", "--deep")
			left, err := filepath.Glob(filepath.Join(folder, ".control-room", "prompts", "history", "*", ".toolcrib-*"))
			if err != nil {
				t.Fatal(err)
			}
			more, err := filepath.Glob(filepath.Join(folder, ".control-room", "prompts", ".toolcrib-*"))
			if err != nil {
				t.Fatal(err)
			}
			if left = append(left, more...); len(left) > 0 {
				t.Errorf("killed at %s, passing %d: half files stay behind: %v", point, n, left)
			}
		}
	}
	figures.note(t, "kill -9 at each step of publishing files", kills, "the next command finished it; no half file left")
}
