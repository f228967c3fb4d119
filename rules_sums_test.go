package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/generated"
)

// deciding are the folders whose code and data decide what the rules find.
var deciding = []string{"review/rules", "review/reach", "review/overlap", "review/harness", "registry/schemaguard", "registry/shipped"}

// sumsFile has a sum for each of these folders and those below. The binary embeds it,
// as the version of its rules.
const sumsFile = "review/rules/ruleset/code.sums"

// TestSumsOfRules compares the sums of the rules with their files. An assessment made by
// other rules must not carry an approval, so whoever changes them writes the sums
// again. (S15)
func TestSumsOfRules(t *testing.T) {
	generated.Check(t, sumsFile, sumsOfRules(t, os.DirFS(".")))
}

// TestSumsCoverTheData changes a byte of a rule, a table, a core tool and a Go file: each
// has to change the sums.
func TestSumsCoverTheData(t *testing.T) {
	before := sumsOfRules(t, os.DirFS("."))
	for _, name := range []string{
		"review/rules/rulebook/grammar.toml", "review/rules/rulebook/rules/protocol.toml", "review/rules/wording/learned_tools.bin",
		"registry/shipped/data/names.json", "review/overlap/compare.go",
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if bytes.Equal(before, sumsOfRules(t, changed{os.DirFS("."), name, data})) {
			t.Errorf("another byte in %s changes no sum", name)
		}
	}
}

// changed is a file system with other data in one file.
type changed struct {
	fs.FS
	name string
	data []byte
}

func (c changed) ReadFile(name string) ([]byte, error) {
	if name == c.name {
		return c.data, nil
	}
	return fs.ReadFile(c.FS, name)
}

// sumsOfRules returns what sumsFile has to be. Empty lines between the sums keep
// changes of two folders from conflicting.
func sumsOfRules(t *testing.T, fsys fs.FS) []byte {
	t.Helper()
	byFolder := map[string][]string{}
	for _, root := range deciding {
		err := fs.WalkDir(fsys, root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || name == "review/rules/rulestest"):
				return fs.SkipDir
			case !entry.IsDir() && !strings.HasSuffix(name, "_test.go") && name != sumsFile:
				byFolder[path.Dir(name)] = append(byFolder[path.Dir(name)], name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for folder, files := range byFolder {
		h := sha256.New()
		for _, name := range files {
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%s %d\n%s", path.Base(name), len(data), data)
		}
		lines = append(lines, fmt.Sprintf("%s %x", folder, h.Sum(nil)[:12]))
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "\n\n") + "\n")
}
