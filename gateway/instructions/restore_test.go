package instructions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/places"
)

// approve returns everything found as Approved.
func approve(found []Found) (approved []Approved, folders map[string]registry.Folder) {
	folders = map[string]registry.Folder{}
	for _, f := range found {
		id := NewID(f.Kind, f.Path, func(id string) bool {
			return slices.ContainsFunc(approved, func(a Approved) bool { return a.Subject.ID == id })
		})
		approved = append(approved, Approved{
			Subject: registry.Subject{Kind: f.Kind, Layer: registry.LayerUser, ID: id},
			Path:    f.Path, Hash: Definition(f.Kind, id, f.Folder).Hash(), Active: true,
		})
		folders[f.Path] = f.Folder
	}
	return approved, folders
}

// TestEveryChangeIsNamed checks that changes of approved files are reported and
// that restoring undoes them.
func TestEveryChangeIsNamed(t *testing.T) {
	const top = ".claude/skills/pdf/"
	files := map[string]string{
		top + "SKILL.md": skillText, top + "scripts/read.py*": "print(1)\n", top + "notes.md": "one\ntwo\n",
		"AGENTS.md": "the rules\n",
	}
	for name, tc := range map[string]struct {
		spoil func(at func(string) string) error
		want  []string // changes of the skill
	}{
		"text": {func(at func(string) string) error { return os.WriteFile(at("SKILL.md"), []byte("x"), 0o644) }, []string{"SKILL.md changed text"}},
		"line ends": {func(at func(string) string) error {
			return os.WriteFile(at("notes.md"), []byte("one\r\ntwo\r\n"), 0o644)
		}, []string{"notes.md changed line ends"}},
		"mode":        {func(at func(string) string) error { return os.Chmod(at("notes.md"), 0o755) }, []string{"notes.md changed mode"}},
		"added":       {func(at func(string) string) error { return os.WriteFile(at("more.md"), nil, 0o644) }, []string{"more.md new "}},
		"removed":     {func(at func(string) string) error { return os.Remove(at("notes.md")) }, []string{"notes.md missing "}},
		"letter case": {func(at func(string) string) error { return os.Rename(at("notes.md"), at("Notes.md")) }, []string{"Notes.md new ", "notes.md missing "}},
		"link swapped in": {func(at func(string) string) error {
			return errors.Join(os.Remove(at("notes.md")), os.Symlink("SKILL.md", at("notes.md")))
		}, []string{"notes.md changed link"}},
		"not UTF-8": {func(at func(string) string) error { return os.WriteFile(at("notes.md"), []byte{0, 1}, 0o644) }, []string{"notes.md changed text"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, files)
			found, _ := find(t, dir, places.Project)
			approved, folders := approve(found)
			if d := Compare(found, approved); len(d) != 0 {
				t.Fatalf("unchanged files differ: %v", d)
			}
			must(t, tc.spoil(func(name string) string { return filepath.Join(dir, filepath.FromSlash(top+name)) }))
			found, _ = find(t, dir, places.Project)
			differences := Compare(found, approved)
			if len(differences) != 1 || differences[0].Change != Changed {
				t.Fatalf("the differences are %+v", differences)
			}
			want := folders[differences[0].Path]
			var got, write, remove []string
			for _, c := range Files(want, differences[0].Found.Folder) {
				got = append(got, fmt.Sprintf("%s %s %s", c.Path, c.Change, c.What))
				if c.Change == New {
					remove = append(remove, c.Path)
				} else {
					write = append(write, c.Path)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			must(t, Remove(dir, want, remove))
			must(t, Restore(dir, registry.KindSkill, want, write, nothing))
			found, _ = find(t, dir, places.Project)
			if d := Compare(found, approved); len(d) != 0 {
				t.Errorf("after restoring they differ: %+v", d)
			}
		})
	}
}

// TestRestoreStaysInside checks that links cannot redirect restored files.
func TestRestoreStaysInside(t *testing.T) {
	outside := lay(t, map[string]string{"SKILL.md": "theirs\n"})
	f := registry.Folder{Path: ".claude/skills/pdf", Files: map[string]registry.File{"SKILL.md": {Text: skillText}}}
	for name, link := range map[string]func(dir string) error{
		"folder out":    func(dir string) error { return os.Symlink(outside, filepath.Join(dir, ".claude/skills/pdf")) },
		"folder inside": func(dir string) error { return os.Symlink("..", filepath.Join(dir, ".claude/skills/pdf")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, map[string]string{".claude/skills/x": ""})
			must(t, link(dir))
			if err := Restore(dir, registry.KindSkill, f, []string{"SKILL.md"}, nothing); err == nil {
				t.Error("wrote through a link")
			}
		})
	}
	dir := lay(t, map[string]string{".claude/skills/pdf/x": ""})
	must(t, os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, ".claude/skills/pdf/SKILL.md")))
	must(t, Restore(dir, registry.KindSkill, f, []string{"SKILL.md"}, nothing))
	theirs, err := os.ReadFile(filepath.Join(outside, "SKILL.md"))
	must(t, err)
	if string(theirs) != "theirs\n" {
		t.Errorf("the file outside reads %q", theirs)
	}
	f.Files["logo.png"] = registry.File{Size: 1, SHA256: registry.HashBytes([]byte("x"))}
	if err := Restore(dir, registry.KindSkill, f, []string{"logo.png"}, nothing); !errors.Is(err, ErrNotKept) {
		t.Errorf("the error is %v", err)
	}
}

func nothing(string) ([]byte, bool, error) { return nil, false, nil }

// TestBytesSurvive checks that files are restored byte for byte.
func TestBytesSurvive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "\x00", "\xe9", "\xff\xfe", "⟨E9⟩", "⟨", "\xed\xa0\x80", "\xf0\x9f", "\r\n", "\n", "\r", "\t", "\ufeff", "\u202e", "é", "\x01", "\x7f", "\u2028", `\`, `"`, "<b>", "---\n", " ", "😀", "```\n"}
	files := map[string]string{}
	for i := range 300 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		files[fmt.Sprintf(".claude/commands/c%03d.md", i)] = b.String()
	}
	dir, other := lay(t, files), t.TempDir()
	found, _ := find(t, dir, places.Project)
	if len(found) != len(files) {
		t.Fatalf("found %d of %d", len(found), len(files))
	}
	for _, f := range found {
		d, err := registry.DecodeDefinition(f.Kind, Definition(f.Kind, "x", f.Folder).Canonical())
		must(t, err)
		must(t, Restore(other, f.Kind, *d.Instructions, d.Instructions.Paths(), nothing))
		got, err := os.ReadFile(filepath.Join(other, filepath.FromSlash(f.Path)))
		must(t, err)
		if string(got) != files[f.Path] {
			t.Errorf("%s reads %q, want %q", f.Path, got, files[f.Path])
		}
	}
}
