package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/generated"
)

// TestPromisesNameTests checks that every test that docs/promises.md
// leans on is there, in the package that it names.
func TestPromisesNameTests(t *testing.T) {
	notes, err := os.ReadFile(filepath.Join("docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := testsByPackage(t)
	leansOn := regexp.MustCompile("`([^` ]*)(Test[A-Z][A-Za-z0-9]*)`").FindAllStringSubmatch(string(notes), -1)
	if len(leansOn) == 0 {
		t.Fatal("docs/promises.md names no test")
	}
	for _, named := range leansOn {
		if pkg, test := named[1], named[2]; !there[pkg+test] {
			t.Errorf("docs/promises.md leans on %q, which is not there; write package.%s", pkg+test, test)
		}
	}
}

// TestLinksResolve follows every link between the documents of the repository: its
// file exists and, if it names a place in a Markdown file, so does the heading.
func TestLinksResolve(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	followed, known := 0, map[string]map[string]bool{} // the places in each file
	for _, page := range append(pages, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			followed++
			path, place, _ := strings.Cut(found[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
				continue
			}
			if place != "" && known[target] == nil {
				linked, err := os.ReadFile(target)
				if err != nil {
					t.Fatal(err)
				}
				known[target] = places(string(linked))
			}
			if place != "" && !known[target][place] {
				t.Errorf("%s links to %s, which has no such heading", page, found[1])
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links were found", followed)
	}
}

// places returns the fragments by which a link can name a place in a Markdown text:
// the headings, written as GitHub writes them, and explicit anchors.
func places(text string) map[string]bool {
	found := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(plain, " ", "-")] = true
	}
	for _, anchor := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
		found[anchor[1]] = true
	}
	return found
}

// testsByPackage returns every test as "folder.TestName".
func testsByPackage(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
		for _, found := range declared.FindAllStringSubmatch(string(code), -1) {
			there[folder+"."+found[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// TestArchitectureNamesEveryFolder checks that docs/ARCHITECTURE.md describes each top
// folder with code.
func TestArchitectureNamesEveryFolder(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for folder := range arrows {
		top, _, nested := strings.Cut(folder, "/")
		if folder == "." || folder == "testdata" || folder == "examples" || nested {
			continue
		}
		if !strings.Contains(string(text), "| `"+top+"/` |") {
			t.Errorf("docs/ARCHITECTURE.md has no row for %s/", top)
		}
	}
}

// TestPackagesPage keeps docs/packages.md, which lists each package with the first
// sentence of its package comment.
func TestPackagesPage(t *testing.T) {
	files := map[string][]*ast.File{} // by folder
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		folder := filepath.ToSlash(filepath.Dir(path))
		files[folder] = append(files[folder], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(files, ".") // main.go
	page := []byte(`# Packages

This page lists the packages of toolcrib with the first sentence of their documentation. ` + "`go doc ./PACKAGE`" + ` prints
the whole documentation of a package. [ARCHITECTURE.md](ARCHITECTURE.md) describes how the packages depend on each other.

| package | purpose |
|---|---|
`)
	for _, folder := range slices.Sorted(maps.Keys(files)) {
		synopsis := ""
		for _, file := range files[folder] {
			synopsis += new(doc.Package).Synopsis(file.Doc.Text())
		}
		if synopsis == "" {
			t.Errorf("%s: the package has no comment", folder)
		}
		synopsis = regexp.MustCompile(`^(Package|Command) \S+ `).ReplaceAllString(synopsis, "")
		page = fmt.Appendf(page, "| `%s` | %s |\n", folder, strings.ReplaceAll(synopsis, "|", `\|`))
	}
	generated.Check(t, filepath.Join("docs", "packages.md"), page)
}
