package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/cli"
)

// pruning is a database with calls from three days ago and from today.
type pruning struct {
	testDB
	*testing.T
}

func newPruning(t *testing.T) pruning {
	t.Helper()
	p := pruning{newTestDB(t), t}
	for _, age := range []time.Duration{72 * time.Hour, 71 * time.Hour, 0} {
		p.at(0, age, "exec", "get_tasks", "--agent", "assistant", "--args", "{}")
		p.at(0, age, "exec", "no_such_tool", "--agent", "assistant", "--args", "{}", "--as", "agent:assistant", "--json")
	}
	return p
}

// at runs toolcrib at a time in the past. It does not check the exit status of exec.
func (p pruning) at(code int, age time.Duration, args ...string) string {
	p.Helper()
	var out bytes.Buffer
	env := p.env(args, strings.NewReader(""), &out, &out)
	env.Now = func() time.Time { return time.Now().Add(-age) }
	if got := cli.Main(p.Context(), env); got != code && args[0] != "exec" {
		p.Fatalf("%v: exit status %d: %s", args, got, out.String())
	}
	return out.String()
}

// TestCallsPrune moves calls to a file. Earlier and later checkpoints must remain valid, and the file must prove the
// calls in a checkpoint. Only a user may move calls (G37).
func TestCallsPrune(t *testing.T) {
	p := newPruning(t)
	file := filepath.Join(t.TempDir(), "old.jsonl")
	p.at(0, 0, "checkpoint", "--new-key")
	early := filepath.Join(t.TempDir(), "early")
	p.at(0, 0, "backup", early+".db")
	p.at(5, 0, "calls", "prune", "--before", "1d", "--as", "agent:assistant")
	p.at(2, 0, "calls", "prune")
	p.at(2, 0, "calls", "prune", "--before", "yesterday")
	if out := p.at(1, 0, "calls", "prune", "--before", "1h"); !strings.Contains(out, "24 hours") {
		t.Error(out)
	}
	if out := p.at(0, 0, "calls", "prune", "--before", "1d", "--to", file, "--dry-run"); !strings.Contains(out, "would move 4 calls") {
		t.Error(out)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a dry run wrote the file")
	}
	checkpoint := func(name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(p.at(0, 0, "checkpoint")), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := checkpoint("before")
	if out := p.at(0, 0, "calls", "prune", "--before", "1d", "--to", file); !strings.Contains(out, "Moved 4 calls, up to call 4, to "+file) {
		t.Error(out)
	}
	after := checkpoint("after")
	if out := p.at(0, 0, "verify", "--checkpoint", before, "--checkpoint", after); !strings.Contains(out, "extends 2 checkpoints") || strings.Contains(out, "was not checked") {
		t.Error(out)
	}
	if out := p.at(0, 0, "verify", "--calls", file); !strings.Contains(out, "4 moved calls") {
		t.Error(out)
	}
	if out := p.at(3, 0, "verify", "--calls", file+"x"); !strings.Contains(out, file+"x: not found") || strings.Contains(out, "Damaged") {
		t.Error(out)
	}
	if out := p.at(0, 0, "calls", "log"); strings.Count(out, "get_tasks") != 1 {
		t.Error(out)
	}
	if out := p.at(0, 0, "log"); !strings.Contains(out, "prune-calls") {
		t.Error(out)
	}

	// A checkpoint of a call in the middle of a file requires the file.
	p.at(0, -72*time.Hour, "exec", "get_tasks", "--agent", "assistant", "--args", "{}")
	middle, repository := checkpoint("middle"), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", repository).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.write(".config/toolcrib/toolcrib.toml", "[checkpoints]\nto = \"git:"+repository+"\"\n")
	p.at(0, 0, "checkpoint", "--publish")
	p.at(0, -96*time.Hour, "exec", "get_tasks", "--agent", "assistant", "--args", "{}")
	p.at(0, -150*time.Hour, "exec", "get_tasks", "--agent", "assistant", "--args", "{}")
	p.at(0, -150*time.Hour, "calls", "prune", "--before", "1d", "--to", file+"2")
	p.at(0, 0, "checkpoint", "--publish") // extends the checkpoint with a moved call
	if out := p.at(0, 0, "verify", "--checkpoint", middle); !strings.Contains(out, "was moved to a file") {
		t.Error(out)
	}
	if out := p.at(0, 0, "verify", "--checkpoint", middle, "--calls", file+"2"); strings.Contains(out, "was not checked") {
		t.Error(out)
	}
	text, err := os.ReadFile(file + "2")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"2", bytes.Replace(text, []byte("get_tasks"), []byte("set_tasks"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := p.at(6, 0, "verify", "--calls", file+"2"); !strings.Contains(out, "lines were changed") {
		t.Error(out)
	}
}

// TestCallsKeep checks that toolcrib serve moves old calls automatically.
func TestCallsKeep(t *testing.T) {
	p := newPruning(t)
	p.write(".config/toolcrib/toolcrib.toml", "[calls]\nkeep = \"1d\"\n")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	socket := filepath.Join(t.TempDir(), "private", "s")
	if err := os.Mkdir(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	var out bytes.Buffer
	go func() {
		env := p.env([]string{"serve", "--socket", socket}, strings.NewReader(""), &out, &out)
		done <- cli.Main(ctx, env)
	}()
	p.waitMoved()
	stop()
	<-done
	p.at(0, 0, "verify")
}

// waitMoved waits until the calls from three days ago have been moved.
func (p pruning) waitMoved() {
	p.Helper()
	for limit := time.Now().Add(time.Minute); strings.Count(p.at(0, 0, "calls", "log"), "get_tasks") != 1; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			p.Fatal("no calls are moved")
		}
	}
}
