package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write review/rules/ruleset/code.sums and testdata/manifest again")

// deciding are the folders whose code decides what the rules find.
var deciding = []string{"review/rules", "review/overlap", "review/harness", "registry/schemaguard"}

// sumsFile has a sum for each of these folders and those below. The binary embeds it,
// as part of the version of its rules.
const sumsFile = "review/rules/ruleset/code.sums"

// TestCodeOfRules compares the sums of the rules' code with the code. An assessment
// made by other code must not carry an approval, so whoever changes the code writes
// the sums again.
func TestCodeOfRules(t *testing.T) {
	want := sumsOfRules(t)
	if *update {
		if err := os.WriteFile(sumsFile, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(sumsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the code of the rules changed and %s did not; run: go test . -run TestCodeOfRules -update", sumsFile)
	}
}

// sumsOfRules returns what sumsFile has to be. Empty lines between the sums keep
// changes of two folders from conflicting.
func sumsOfRules(t *testing.T) []byte {
	t.Helper()
	byFolder := map[string][]string{}
	for _, root := range deciding {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			folder := filepath.ToSlash(filepath.Dir(path))
			if err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") && folder != "review/rules/rulestest" {
				byFolder[folder] = append(byFolder[folder], path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for folder, files := range byFolder {
		h := sha256.New()
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%s %d\n%s", filepath.Base(file), len(code), code)
		}
		lines = append(lines, fmt.Sprintf("%s %x", folder, h.Sum(nil)[:12]))
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "\n\n") + "\n")
}
