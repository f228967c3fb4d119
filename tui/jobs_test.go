package tui_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/tui"
)

// working opens a workbench with a verify job and an import job.
func working(t *testing.T, verify tui.Job, take func(ctx context.Context, file string, tell tui.Tell) ([]string, error)) *bench {
	t.Helper()
	b := newBench(t, 100, 30, demo("name_bank.json"))
	b.config.Verify, b.config.Import = verify, take
	b.restart()
	return b
}

func TestVerify(t *testing.T) {
	var b *bench
	b = working(t, func(_ context.Context, tell tui.Tell) ([]string, error) {
		for n := range int64(3) {
			tell(n*100, 300, "Recomputing the seals of events") // works without a listener
		}
		b.wants("Verify", "esc cancels it.")
		b.press("q") // does not answer the dialog
		return []string{"Every chain is whole."}, nil
	}, nil)
	b.press("V")
	b.wants("Every chain is whole.")
	b.press("esc", "I")
	b.wants("I: import is not available here")
	if b.quit || b.m.Writes() != 0 {
		t.Errorf("quit %v, %d at work", b.quit, b.m.Writes())
	}
}

// TestLeavingCancels presses esc during a job.
func TestLeavingCancels(t *testing.T) {
	var b *bench
	b = working(t, func(ctx context.Context, _ tui.Tell) ([]string, error) {
		b.press("V") // has no effect in the dialog
		b.press("esc")
		b.press("V")
		b.wants("V: Verify is still running")
		return nil, ctx.Err()
	}, nil)
	b.press("V")
	b.wants("Verify: canceled before it finished")
}

// TestQuittingWaitsForAJob quits during a job. The job is canceled, and the program ends when it has returned.
func TestQuittingWaitsForAJob(t *testing.T) {
	var b *bench
	b = working(t, func(ctx context.Context, _ tui.Tell) ([]string, error) {
		b.press("esc", "q")
		if b.quit {
			t.Error("the program ended over a job")
		}
		return nil, ctx.Err()
	}, nil)
	b.press("V")
	if !b.quit {
		t.Error("the program does not end")
	}
}

func TestImport(t *testing.T) {
	b := working(t, nil, func(_ context.Context, file string, tell tui.Tell) ([]string, error) {
		tell(0, 0, "Reading "+file)
		if !strings.HasSuffix(file, ".json") {
			return nil, errors.New("it is in no form that is known\x1b[2J")
		}
		return []string{"2 definitions", "#2 new tool:user/x"}, nil
	})
	b.press("I").write("/tmp/x.json").press("enter")
	b.wants("Import /tmp/x.json", "#2 new tool:user/x")
	b.press("esc", "I").write("x.txt").press("enter")
	b.wants("✗ it is in no form that is known⟨U+001B⟩[2J")
}

// TestImportCompletesPaths completes the beginning of a file name (T21).
func TestImportCompletesPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tools-a.json", "tools-b.json", "other\x1b.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	var read string
	b := working(t, nil, func(_ context.Context, file string, _ tui.Tell) ([]string, error) {
		read = file
		return nil, nil
	})
	b.press("I").write(dir+"/").press("tab").wants("more/", "other⟨U+001B⟩.json", "tools-a.json")
	b.write("t").press("tab")
	b.write("b").press("tab", "enter")
	if want := filepath.Join(dir, "tools-b.json"); read != want {
		t.Errorf("read %q, not %q", read, want)
	}
	b.press("esc", "I").write(dir + "/none/").press("tab").wants("no such file")
}
