package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestWorkbenchPublishes approves in the dialogue, and checks that its checkpoint is in the repository and that the
// next start prints its age.
func TestWorkbenchPublishes(t *testing.T) {
	shortrun.NeedsLong(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	demo, err := filepath.Abs("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", "--bare", kept).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(dir, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("accessible = true\n[checkpoints]\nto = \"git:"+kept+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"propose", demo, "--as", "agent:drafter"}, {"checkpoint", "--new-key"}} {
		if out, code := runDialogue(t, dir, "", nil, args...); code != 0 {
			t.Fatal(out)
		}
	}
	out, code := runDialogue(t, dir, "1\n"+strings.Repeat("\n", 12)+"approve\ny\nquit\n", map[string]string{"TERM": "dumb"}, "--as", "user:mara")
	if code != 0 || !strings.Contains(out, "tool:user/get_word_counts is live in version 1") || strings.Contains(out, "not published") {
		t.Fatalf("exit status %d: %s", code, out)
	}
	log, err := exec.CommandContext(t.Context(), "git", "-C", kept, "log", "--all", "--oneline").Output()
	if err != nil || strings.Count(string(log), "Checkpoint of ") != 1 {
		t.Errorf("%v: %s", err, log)
	}
	if out, code := runDialogue(t, dir, "quit\n", nil); code != 0 || !strings.Contains(out, "The newest checkpoint is <1 min old.") {
		t.Errorf("exit status %d: %s", code, out)
	}
}
