package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityNotesNameTests checks that every test that docs/security.md
// leans on is there.
func TestSecurityNotesNameTests(t *testing.T) {
	notes, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(notes), -1)
	if len(named) == 0 {
		t.Fatal("docs/security.md names no test")
	}
	there := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`).FindAllStringSubmatch(string(code), -1) {
			there[found[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("docs/security.md leans on %s, which is not there", name[1])
		}
	}
}
