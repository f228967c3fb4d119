package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLanguage keeps out of the repository phrases that the house style replaces:
// cannot in two words, names coined where the field has a term, and comments that
// use a clause with "what" in place of a noun.
func TestLanguage(t *testing.T) {
	apart := regexp.MustCompile(`\b[Cc]an\s+(//\s+)?not\b`)
	coined := regexp.MustCompile(`(?m)^\s*(?:func (?:\([^)]*\) )?|type |var |const )?` +
		`(settle|course|companions|accompany|foresee|company|shelf|furnish|portray|patience|strangers|contradictions|sight|glance|remembering|rhythm|Looker|Talker|securityThings)` +
		`(?:\[[^\]]*\])?(?:\(| :=| = |\s+(?:struct|interface|func)\b)`)
	vague := regexp.MustCompile(`(?m)//.*\b(is|says|tells)(?: |\n\s*// )what\b`)
	files := trackedFiles(t)
	if len(files) < 500 {
		t.Fatalf("only %d files are tracked", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // removed, a link to a folder, or not text
		}
		for _, at := range apart.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: write cannot as one word", file, 1+bytes.Count(text[:at[0]], []byte("\n")))
		}
		if filepath.Ext(file) != ".go" {
			continue
		}
		for _, at := range vague.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: name the thing instead of \"%s\"", file, 1+bytes.Count(text[:at[1]], []byte("\n")), text[at[0]:at[1]])
		}
		for _, at := range coined.FindAllSubmatchIndex(text, -1) {
			t.Errorf("%s:%d: %s is a coined name; use the field's term", file, 1+bytes.Count(text[:at[2]], []byte("\n")), text[at[2]:at[3]])
		}
	}
	for _, wrong := range []string{"// sum is " + "what is left", "// rule says\n\t// " + "what it finds"} {
		if !vague.MatchString(wrong) {
			t.Errorf("%q is let through", wrong)
		}
	}
	for _, wrong := range []string{"it can " + "not be", "it can\n\t// not be"} {
		if !apart.MatchString(wrong) {
			t.Errorf("%q is let through", wrong)
		}
	}
	for _, wrong := range []string{"func foresee(x int) {", "\tshelf := 1", "type Looker interface {", "func (s *Store) settle() {"} {
		if !coined.MatchString(wrong) {
			t.Errorf("%q is let through", wrong)
		}
	}
}

// trackedFiles lists the files under version control; it skips the test in an
// archive without history. A child process lists them, so the go command would
// serve an old result after a file was added: reading each folder prevents it.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("git does not list the files: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	read := map[string]bool{}
	for _, file := range files {
		dir := filepath.Dir(file)
		if read[dir] {
			continue
		}
		read[dir] = true
		if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return files
}
