package ruleset

import (
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"toolcrib/registry/shipped"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/wording"
)

// TestVersionCoversEveryFile changes one byte of every embedded file of the rules, of
// each table, and of the sums of the code: each gives another version.
func TestVersionCoversEveryFile(t *testing.T) {
	seen := map[string]string{Version(): "the rules as they are"}
	expectNew := func(name, version string) {
		t.Helper()
		if other, ok := seen[version]; ok {
			t.Errorf("with another byte in %s the version is that of %s", name, other)
		}
		seen[version] = name
	}
	expectNew("code.sums", versionOf(codeSums+"x", wording.Tables(), rulebook.Files(), shipped.Files()))
	for i := range wording.Tables() {
		tables := slices.Clone(wording.Tables())
		tables[i] = changed(tables[i])
		expectNew("a table", versionOf(codeSums, tables, rulebook.Files(), shipped.Files()))
	}
	book, core := copied(t, rulebook.Files()), copied(t, shipped.Files())
	if len(book) < 20 || len(core) < 20 {
		t.Fatalf("there are %d files of rules and %d of the core", len(book), len(core))
	}
	for _, files := range []fstest.MapFS{book, core} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			was := files[name].Data
			files[name].Data = changed(was)
			expectNew(name, versionOf(codeSums, wording.Tables(), book, core))
			files[name].Data = was
		}
	}
	if again := versionOf(codeSums, wording.Tables(), book, core); again != Version() {
		t.Errorf("the same files have versions %s and %s", again, Version())
	}
}

// changed returns a copy of data with another byte in the middle.
func changed(data []byte) []byte {
	b := slices.Clone(data)
	b[len(b)/2] ^= 1
	return b
}

func copied(t *testing.T, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		versionOf(codeSums, wording.Tables(), rulebook.Files(), shipped.Files())
	}
}
