package release_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestRename moves the module of a copy and looks for imports of the old path.
func TestRename(t *testing.T) {
	shortrun.NeedsLong(t)
	if testing.Short() {
		t.Skip("it starts the go command several times")
	}
	dir := t.TempDir()
	t.Chdir("../..")
	list, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("no checkout: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if _, err := os.ReadDir(filepath.Dir(name)); err != nil { // or a file that is added would not void a cached result
			continue // the folder is deleted, and not committed yet
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it is deleted, and not committed yet
		}
		to := filepath.Join(dir, name)
		info, err := os.Stat(name)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, info.Mode().Perm())); err != nil {
			t.Fatal(err)
		}
	}
	const path = "github.com/example/toolcrib"
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "tools", "release", "rename"), path)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd = exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}{{"\n"}}{{join .TestImports "\n"}}{{"\n"}}{{join .XTestImports "\n"}}`, "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), path+"/cli\n") {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if line == "toolcrib" || strings.HasPrefix(line, "toolcrib/") {
			t.Errorf("%s is imported still", line)
		}
	}
	build, err := os.ReadFile(filepath.Join(dir, "tools", "release", "build"))
	if err != nil || !strings.Contains(string(build), "-X "+path+"/cli/process.release=") {
		t.Errorf("the linker sets no version: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "tools", "release", "rename"), "no-host").CombinedOutput(); err == nil {
		t.Errorf("a path without a host is taken: %s", out)
	}
}
