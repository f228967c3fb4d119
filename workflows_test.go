package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestActionsArePinned checks that every action that a workflow of this
// repository or of the documentation uses is named by the hash of a commit, with
// its version beside it: a tag can be moved to other code (S7).
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(".github", "workflows", "*.yml"))
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	seen := 0
	for _, file := range append(files, filepath.Join("docs", "ci.md"), "action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range uses.FindAllStringSubmatch(string(text), -1) {
			seen++
			if !pinned.MatchString(found[1]) {
				t.Errorf("%s uses %q; write owner/action@<commit> # v1.2.3", file, found[1])
			}
		}
	}
	if seen == 0 {
		t.Fatal("no workflow uses an action: the pattern of this test is wrong")
	}
}

// TestOnlyPublishingMayWrite checks that the job that may write to the repository
// runs nothing of the repository: it has no checkout and no setup of Go (S7).
func TestOnlyPublishingMayWrite(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(".github", "workflows", "release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	before, publish, found := strings.Cut(string(text), "\n  publish:\n")
	if !found {
		t.Fatal("release.yml has no job publish")
	}
	if strings.Contains(before, "contents: write") {
		t.Error("a job other than publish may write to the repository")
	}
	for _, word := range []string{"checkout", "setup-go", "go run", ".ci/run", "tools/release/build"} {
		if strings.Contains(publish, word) {
			t.Errorf("the job publish runs %s", word)
		}
	}
}

// TestImageHasNoRights checks that the image has no shell and runs as nobody.
func TestImageHasNoRights(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := strings.Split(string(text), "\nFROM ")
	last := stages[len(stages)-1]
	if len(stages) < 3 || !strings.HasPrefix(last, "gcr.io/distroless/static-") || !strings.Contains(last, "\nUSER 65532:65532\n") || strings.Contains(last, "\nRUN ") {
		t.Errorf("the last stage is %s", last)
	}
}
