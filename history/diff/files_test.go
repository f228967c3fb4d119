package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/registry"
)

func tree(files map[string]registry.File) registry.Definition {
	return registry.Definition{Skill: &registry.Folder{ID: "x", Path: "x", Files: files}}
}

func TestFilesOfASkill(t *testing.T) {
	before := tree(map[string]registry.File{
		"SKILL.md": {Text: "a\nb\n"}, "same.md": {Text: "same\n"}, "old/name.md": {Text: "kept\n"}, "gone.md": {Text: "1\n2"},
		"mode.sh": {Text: "x\n"}, "quiet.sh": {Text: "x\n", Executable: true}, "link": {Link: "a"}, "file": {Text: "x\n"}, "alias": {Link: "SKILL.md"},
		"bin": {Size: 3, SHA256: strings.Repeat("a", 64)}, "grown.md": {Text: "x\n"}, "empty": {},
	})
	after := tree(map[string]registry.File{
		"SKILL.md": {Text: "a\nc\nd\n"}, "same.md": {Text: "same\n"}, "new/name.md": {Text: "kept\n", Executable: true}, "came.md": {Text: "1\n", Executable: true},
		"mode.sh": {Text: "x\n", Executable: true}, "quiet.sh": {Text: "x\n"}, "link": {Link: "b"}, "file": {Link: "b"}, "alias": {Text: "x\n"},
		"bin": {Size: 4, SHA256: strings.Repeat("b", 64)}, "grown.md": {Size: 5, SHA256: strings.Repeat("c", 64)}, "none": {}, "logo.png": {Size: 6, SHA256: strings.Repeat("d", 64)},
	})
	var got []string
	var words []string
	for _, f := range diff.Files(before, after) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s +%d -%d %s", f.Word(), f.Name(), f.Added, f.Removed, strings.Join(f.Notes, ", "))))
		words = append(words, f.Word())
	}
	want := []string{
		"changed SKILL.md +2 -1", "changed alias +1 -0 was a link to SKILL.md", "changed bin +0 -0 binary, approved by hash: unknown type, 3 → 4 bytes, SHA-256 aaaaaaaaaaaa → bbbbbbbbbbbb",
		"new came.md +1 -0 executable", "gone empty +0 -0", "changed file +0 -1 becomes a link to b", "gone gone.md +0 -2",
		"changed grown.md +0 -1 binary, approved by hash: unknown type, 5 bytes, SHA-256 cccccccccccc", "changed link +0 -0 link to b, was to a", "new logo.png +0 -0 binary, approved by hash: unknown type, 6 bytes, SHA-256 dddddddddddd",
		"changed mode.sh +0 -0 becomes executable", "renamed old/name.md → new/name.md +0 -0 becomes executable", "new none +0 -0", "changed quiet.sh +0 -0 no longer executable",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if s := diff.CountFiles(words); s != "14 files: 8 changed, 1 renamed, 3 new, 2 gone" {
		t.Error(s)
	}
	// Every changed file has a field in the diff.
	fields := map[string]bool{}
	for _, f := range diff.Definitions(before, after) {
		fields[f.Path] = true
	}
	for _, f := range diff.Files(before, after) {
		found := false
		for _, path := range f.Fields() {
			found = found || fields[path]
		}
		if !found {
			t.Errorf("%s has no field in the diff", f.Path)
		}
	}
	if diff.Files(registry.Definition{}, registry.Definition{Tool: &registry.Tool{ID: "x"}}) != nil {
		t.Error("Files returned files of a tool")
	}
}

func TestFieldsOfFilesAreNamed(t *testing.T) {
	for path, want := range map[string]string{
		`files["SKILL.md"].text`: "SKILL.md", `files["a\"].b.md"].text`: `a"].b.md`, `files["a b"].executable`: "a b (executable)", `files.LICENSE.text`: "LICENSE",
		`files.LICENSE`: "LICENSE", `files["x\u202ey"].link`: "x\u202ey (link)", "files": "files", "prompt": "prompt", `files["x`: `files["x`,
	} {
		if got := diff.Label(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
