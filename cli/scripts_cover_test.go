package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/shortrun"
)

// TestScriptsCoverEveryCommand checks that every command and every exit status occurs in a script, so that new ones are
// tested.
func TestScriptsCoverEveryCommand(t *testing.T) {
	shortrun.OneGoroutine(t)
	names, err := filepath.Glob("../testdata/scripts/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		commands, _, _ := strings.Cut(string(text), "\n-- ")
		all.WriteString(commands + "\n")
	}
	for _, c := range newRoot(&command.App{Printer: &output.Printer{}}).Commands() {
		for _, how := range []string{"toolcrib", "exits [1-6] toolcrib"} {
			if !regexp.MustCompile(`(?m)^` + how + ` ` + regexp.QuoteMeta(c.Name()) + `\b`).MatchString(all.String()) {
				t.Errorf("no script has %q with the command %s", how, c.Name())
			}
		}
	}
	for _, status := range []string{"1", "2", "3", "4", "5", "6"} {
		if !strings.Contains(all.String(), "\nexits "+status+" toolcrib ") {
			t.Errorf("no script ends with exit status %s", status)
		}
	}
	if !strings.Contains(all.String(), "\ninterrupts toolcrib ") {
		t.Error("no script interrupts the program")
	}
}
