package main

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The most methods that a type may have, promoted ones included, and the most files and
// lines of code that a package may have, tests, blank lines and comments apart. What is
// larger holds more than one idea, and nothing in it is safe from the rest.
const (
	mostMethods = 60
	mostFiles   = 20
	mostLines   = 3600
)

// tooLarge are the packages and types that exceed a limit until they are divided. None may
// be added, and none may grow.
var tooLarge = map[string]int{
	"gateway/builtin.moment methods": 62, // time.Time with a few of ours
}

// TestNothingIsTooLarge counts the files and lines of every package, and the methods of
// every type of ours as the compiler counts them.
func TestNothingIsTooLarge(t *testing.T) {
	exceeding := map[string]bool{}
	check := func(name, unit string, count, most int) {
		key := name + " " + unit
		if count > most {
			exceeding[key] = true
			most = max(most, tooLarge[key])
		}
		if count > most {
			t.Errorf("%s has %d %s; at most %d are allowed", name, count, unit, most)
		}
	}
	fset := token.NewFileSet()
	exports, packages := listed(t)
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for name, files := range packages {
		check(name, "files", len(files), mostFiles)
		lines := 0
		var parsed []*ast.File
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
					lines++
				}
			}
			f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		check(name, "lines", lines, mostLines)
		checked, err := (&types.Config{Importer: imports, IgnoreFuncBodies: true, DisableUnusedImportCheck: true}).Check(name, fset, parsed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range checked.Scope().Names() {
			if of, ok := checked.Scope().Lookup(declared).(*types.TypeName); ok && !of.IsAlias() {
				check(name+"."+declared, "methods", methodsOf(of.Type()), mostMethods)
			}
		}
	}
	for key := range tooLarge {
		if !exceeding[key] {
			t.Errorf("%s is small enough: take it out of tooLarge", key)
		}
	}
}

// methodsOf counts the methods of a type and of what it embeds.
func methodsOf(of types.Type) int {
	if !types.IsInterface(of) {
		of = types.NewPointer(of)
	}
	return types.NewMethodSet(of).Len()
}

// listed returns the files with what other packages export, by import path, and the files
// of our packages.
func listed(t *testing.T) (exports map[string]string, packages map[string][]string) {
	t.Helper()
	exports, packages = map[string]string{}, map[string][]string{}
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		of := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[of[0]] = of[1]
		if name, ours := strings.CutPrefix(of[0]+"/", "toolcrib/"); ours {
			for file := range strings.FieldsSeq(of[3]) {
				packages[strings.TrimSuffix(name, "/")] = append(packages[strings.TrimSuffix(name, "/")], filepath.Join(of[2], file))
			}
		}
	}
	if len(packages) < 100 {
		t.Fatalf("only %d packages are listed", len(packages))
	}
	return exports, packages
}
