//go:build linux

package workbench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite" // holds the lock

	"toolcrib/tools/bench/terminal"
)

// TestSignalWhileTheDatabaseIsBusy (C5) sends a signal while a confirmed approval waits
// for the database. The signal cancels the approval at once, restores the terminal,
// and prints that nothing was approved.
func TestSignalWhileTheDatabaseIsBusy(t *testing.T) {
	t.Parallel()
	for n, blow := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(blow.String(), func(t *testing.T) {
			t.Parallel()
			c := newTestDB(t)
			id := fmt.Sprintf("pacer_%d", n)
			c.run("propose", "--as", "agent:drafter", c.file(id))
			tm, err := terminal.Start(t.Context(), terminal.Program{
				Args: []string{"sh", "-c", c.bin + ` --as user:mara; echo "status $?"; stty -a | grep -c -w -e '[^-]echo' -e '[^-]icanon'; printf 'at the %s' end; read -r line`},
				Dir:  c.home, Env: append(c.env(), "PATH="+os.Getenv("PATH")), Width: 100, Height: 30,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tm.Close() })
			p := person{t, tm}
			p.asksToApprove(id)
			release := c.occupied()
			p.answers("y approve")
			p.sees("writing")
			if err := syscall.Kill(child(t, tm.PID()), blow); err != nil {
				t.Fatal(err)
			}
			p.sees("at the end")
			screen, err := tm.Screen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"not approved: toolcrib quit while the database was busy", "status 130", "at the end"} {
				if !strings.Contains(screen, want) {
					t.Errorf("the screen lacks %q", want)
				}
			}
			if strings.Contains(screen, "Rationale") || strings.Contains(screen, "━━") {
				t.Error("the alternate screen is still there")
			}
			if t.Failed() {
				t.Log(screen)
			}
			release()
			if out := c.run("list", "--state", "user_review"); !strings.Contains(out, id) {
				t.Errorf("it does not wait any more:\n%s", out)
			}
			c.run("verify")
		})
	}
}

// occupied takes the lock for writing, as another process would, until release.
func (c testDB) occupied() (release func()) {
	c.t.Helper()
	// The workbench may be recording the shown proposals at this moment.
	db, err := sql.Open("sqlite", filepath.Join(c.home, "toolcrib.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		c.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		c.t.Fatal(err)
	}
	return func() {
		if _, err := db.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			c.t.Error(err)
		}
		if err := db.Close(); err != nil {
			c.t.Error(err)
		}
	}
}

// child returns the one process that pid has started.
func child(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Skip(err)
	}
	found, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return found
}
