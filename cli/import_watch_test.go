package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// watchProcess is a watch in a separate process.
type watchProcess struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startWatch(t *testing.T, dir string) *watchProcess {
	t.Helper()
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	w := &watchProcess{t: t, cmd: exec.CommandContext(t.Context(), path, "watch", "--json", "--mcp", fixtureServer+" tools.json", "--server", "tracker", "--every", "1h")}
	w.cmd.Dir = dir
	w.cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + filepath.Join(dir, "test.db")}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.lines = bufio.NewScanner(out)
	w.lines.Buffer(nil, 1<<20)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// next waits for the next document and returns its steps as "change subject".
func (w *watchProcess) next() []string {
	w.t.Helper()
	if !w.lines.Scan() {
		w.t.Fatalf("the watch ended: %v", w.lines.Err())
	}
	var doc struct {
		Kind  string
		Steps []struct{ Change, Subject string }
	}
	if err := json.Unmarshal(w.lines.Bytes(), &doc); err != nil || doc.Kind != "import" {
		w.t.Fatalf("%s: %v", w.lines.Bytes(), err)
	}
	var told []string
	for _, s := range doc.Steps {
		told = append(told, s.Change+" "+s.Subject)
	}
	return told
}

func (w *watchProcess) interrupt() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	if w.lines.Scan() {
		w.t.Errorf("more was proposed: %s", w.lines.Bytes())
	}
	_ = w.cmd.Wait()
	if code := w.cmd.ProcessState.ExitCode(); code != 130 {
		w.t.Errorf("exit status %d, want 130", code)
	}
}

// TestWatchSaysWhoActs checks that the watch prints its actor at the start, and that its proposals wait for the user.
func TestWatchSaysWhoActs(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tools.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "watch", "--as", "agent:watch", "--mcp", fixtureServer+" tools.json", "--server", "tracker")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + filepath.Join(dir, "test.db"), "TOOLCRIB_ACTOR=user:mara"}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil || !strings.Contains(line, "agent:watch proposes changes, which wait for the user") {
		t.Errorf("it says %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // another test checks its status
}

// TestWatch changes a server's list during a watch that polls only on demand, and stops and restarts the watch in
// between.
func TestWatch(t *testing.T) {
	shortrun.NeedsLong(t)
	dir := t.TempDir()
	lists := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "next"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "tools.json")); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(w *watchProcess, want ...string) {
		t.Helper()
		got := w.next()
		if len(got) != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q, want %q", got[i], want[i])
			}
		}
	}
	const (
		ping = `{"name":"ping","description":"Answer at once.","inputSchema":{"type":"object"}}`
		pong = `{"name":"pong","description":"Answer the answer.","inputSchema":{"type":"object"}}`
	)
	lists("[" + ping + "]")
	w := startWatch(t, dir)
	expect(w, "new tool:user/tracker_ping")
	lists("[" + ping + "," + pong + "]")
	expect(w, "pending tool:user/tracker_ping", "new tool:user/tracker_pong")
	w.interrupt()

	approve := exec.CommandContext(context.Background(), w.cmd.Path, "approve", "#1", "#2", "--unseen")
	approve.Dir, approve.Env = w.cmd.Dir, w.cmd.Env
	if out, err := approve.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lists("[" + pong + "]") // while the watch is stopped
	w = startWatch(t, dir)
	expect(w, "none tool:user/tracker_pong", "deactivate tool:user/tracker_ping")
	w.interrupt()
}
