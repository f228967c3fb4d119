package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review"
)

// neverAlone lists sentinels that are always wrapped together with another one, or that never reach the exit code.
var neverAlone = map[string]string{
	"review.ErrConsultant": "the assessment says that a reviewer failed",
	"store.ErrRefused":     "a lock of the database that the desk asks before",
}

// TestEveryRefusalHasACode checks that all sentinels of the desk, the proposals, and the store are mapped to exit
// codes, so that scripts can distinguish them.
func TestEveryRefusalHasACode(t *testing.T) {
	shortrun.OneGoroutine(t)
	table, err := os.ReadFile("exit.go")
	if err != nil {
		t.Fatal(err)
	}
	sentinel := regexp.MustCompile(`(?m)^(?:var |\t)(Err[A-Z]\w*)\s*= errors\.New`)
	for _, pkg := range []string{"review", "proposals", "store"} {
		files, err := filepath.Glob("../../" + pkg + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", pkg, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range sentinel.FindAllStringSubmatch(string(text), -1) {
				name := pkg + "." + m[1]
				if _, known := neverAlone[name]; known == strings.Contains(string(table), "{"+name+",") {
					t.Errorf("%s has no line in the table of outcomes, or one too many", name)
				}
			}
		}
	}
}

// TestUnusableTextIsAUsageError checks that invalid texts are reported as errors of the caller, not as failures.
func TestUnusableTextIsAUsageError(t *testing.T) {
	for _, err := range []error{review.ErrText, review.ErrOpinion} {
		if o := OutcomeOf(fmt.Errorf("note: %w", err)); o.exit != ExitUsage || o.Code == "failed" || !errors.Is(err, o.target) {
			t.Errorf("%v leaves as %+v", err, o)
		}
	}
}
