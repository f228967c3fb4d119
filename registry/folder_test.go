package registry

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

func skillOf(files map[string]File) Definition {
	all := map[string]File{SkillFile: {Text: "---\nname: pdf\n---\n"}}
	for name, f := range files {
		all[name] = f
	}
	return Definition{Skill: &Folder{ID: "pdf", Path: ".claude/skills/pdf", Files: all}}
}

// TestFolderProblems has folders with one problem each.
func TestFolderProblems(t *testing.T) {
	many := map[string]File{}
	for i := range MaxFiles {
		many[fmt.Sprint(i)] = File{}
	}
	huge := map[string]File{}
	for i := range 21 {
		huge[fmt.Sprint(i)] = File{Text: strings.Repeat("x", MaxFileText)}
	}
	hash := strings.Repeat("a", 64)
	instructions := func(p string, files map[string]File) Definition {
		return Definition{Instructions: &Folder{ID: "agents", Path: p, Files: files}}
	}
	for name, tc := range map[string]struct {
		d    Definition
		want string // "" for a good one
	}{
		"skill":              {skillOf(map[string]File{"a/b.md": {Text: "x"}, "logo.png": {Type: "image/png", Size: 3, SHA256: hash}, "l": {Link: "a/b.md"}, "run": {Text: "x", Executable: true}}), ""},
		"instructions":       {instructions("docs/AGENTS.md", map[string]File{"AGENTS.md": {Text: "x"}}), ""},
		"linked":             {instructions("docs/CLAUDE.md", map[string]File{"CLAUDE.md": {Text: "x", Link: "../AGENTS.md"}}), ""},
		"link out":           {instructions("docs/CLAUDE.md", map[string]File{"CLAUDE.md": {Text: "x", Link: "../../AGENTS.md"}}), "files[\"CLAUDE.md\"]: is a link to a target outside"},
		"no SKILL.md":        {Definition{Skill: &Folder{ID: "a", Path: "a", Files: map[string]File{"x": {}}}}, "files: has no SKILL.md"},
		"another file":       {instructions("AGENTS.md", map[string]File{"CLAUDE.md": {}}), "expected only the file \"AGENTS.md\""},
		"two files":          {instructions("AGENTS.md", map[string]File{"CLAUDE.md": {}, "AGENTS.md": {}}), "expected only the file"},
		"no path":            {instructions("", map[string]File{"AGENTS.md": {}}), "path: is missing"},
		"absolute path":      {instructions("/etc/AGENTS.md", map[string]File{"AGENTS.md": {}}), "clean relative path"},
		"absolute file":      {skillOf(map[string]File{"/etc/x": {}}), "clean relative path"},
		"a hook of git":      {skillOf(map[string]File{"a/.GIT/hooks/pre-commit": {Text: "x", Executable: true}}), "must not be in .git"},
		"climbing path":      {skillOf(map[string]File{"../x": {}}), "clean relative path"},
		"backslash":          {skillOf(map[string]File{`a\b`: {}}), "backslash"},
		"control":            {skillOf(map[string]File{"a\nb": {}}), "control characters"},
		"letter case":        {skillOf(map[string]File{"A.md": {}, "a.md": {}}), "in letter case or"},
		"below a file":       {skillOf(map[string]File{"a": {}, "a/b": {}}), "which is a file"},
		"absolute link":      {skillOf(map[string]File{"l": {Link: "/etc/passwd"}}), "outside of the folder"},
		"link up again":      {skillOf(map[string]File{"a/d": {Link: "../e"}, "l": {Link: "a/d/../../x"}}), "after a folder name"},
		"link into git":      {skillOf(map[string]File{"l": {Link: ".git/x"}}), "into .git"},
		"link to a folder":   {skillOf(map[string]File{"a/l": {Link: "../b/c"}, "b/c/d": {Text: "x"}}), ""},
		"accents":            {skillOf(map[string]File{"\u00e9.md": {}, "e\u0301.md": {}}), "many systems treat them as one"},
		"accents and case":   {skillOf(map[string]File{"\u00c9.md": {}, "e\u0301.md": {}}), "many systems treat them as one"},
		"long s":             {skillOf(map[string]File{"\u017fKILL.md": {}}), "many systems treat them as one"},
		"climbing link":      {skillOf(map[string]File{"a/l": {Link: "../../x"}}), "outside of the folder"},
		"link and text":      {skillOf(map[string]File{"l": {Link: "SKILL.md", Text: "x"}}), "must not have text"},
		"text and hash":      {skillOf(map[string]File{"l": {Size: 1, SHA256: hash, Text: "x"}}), "expected either text, or a link"},
		"hash of a text":     {skillOf(map[string]File{"notes.md": {Type: "image/png", Size: 3, SHA256: hash}}), "is read as text"},
		"hash of rules":      {instructions("AGENTS.md", map[string]File{"AGENTS.md": {Type: "image/png", Size: 3, SHA256: hash}}), "is read as text"},
		"hash without type":  {skillOf(map[string]File{"logo.png": {Size: 3, SHA256: hash}}), "as earlier versions of toolcrib allowed"},
		"a huge text":        {skillOf(map[string]File{"data": {Type: "text/plain", Size: 3 << 20, SHA256: hash}}), "is a text of 3145728 bytes"},
		"a text in bytes":    {skillOf(map[string]File{"a.md": {Text: "caf⟨E9⟩\n", Encoding: "bytes"}}), ""},
		"an idle encoding":   {skillOf(map[string]File{"a.md": {Text: "cafe\n", Encoding: "bytes"}}), "has text that does not match its encoding"},
		"a false encoding":   {skillOf(map[string]File{"a.md": {Text: "敓摮縠⼮獳⽨摩牟慳", Encoding: "utf-16le"}}), "has text that does not match its encoding"},
		"no such encoding":   {skillOf(map[string]File{"a.md": {Text: "a", Encoding: "koi8-r"}}), "has text that does not match its encoding"},
		"an escape too many": {skillOf(map[string]File{"a.md": {Text: "⟨E9⟩⟨61⟩bcdefgh", Encoding: "bytes"}}), "has text that does not match its encoding"},
		"unreadable":         {skillOf(map[string]File{"a.md": {Text: "⟨CF⟩⟨F0⟩⟨E8⟩⟨E2⟩⟨E5⟩⟨F2⟩\n", Encoding: "bytes"}}), "save the file as UTF-8"},
		"short hash":         {skillOf(map[string]File{"l": {Size: 1, SHA256: "ab"}}), "64 lower-case hex digits"},
		"large text":         {skillOf(map[string]File{"l": {Text: strings.Repeat("x", MaxFileText+1)}}), "must not exceed 1048576"},
		"too many":           {skillOf(many), "got 501"},
		"too much":           {skillOf(huge), "got 22020114"},
		"a link that runs":   {skillOf(map[string]File{"l": {Link: "SKILL.md", Executable: true}}), "cannot be executable"},
		"an id that is none": {Definition{Skill: &Folder{ID: "Not An Id", Path: "a", Files: map[string]File{SkillFile: {}}}}, "id: expected"},
	} {
		problems := tc.d.Problems("$")
		if tc.want == "" {
			if len(problems) > 0 {
				t.Errorf("%s: %v", name, problems)
			}
			continue
		}
		if len(problems) == 0 || !strings.Contains(problems.Err().Error(), tc.want) {
			t.Errorf("%s: %v; want %q", name, problems, tc.want)
		}
	}
}

// TestFolderComesBack decodes the canonical form of a folder.
func TestFolderComesBack(t *testing.T) {
	d := skillOf(map[string]File{"empty": {}, "bom.md": {Text: "\ufeffa\r\nb\r"}, "l": {Link: "SKILL.md"}, "run": {Text: "x", Executable: true}})
	back, err := DecodeDefinition(KindSkill, d.Canonical())
	if err != nil || back.Hash() != d.Hash() || back.Skill.Files["bom.md"] != d.Skill.Files["bom.md"] || !back.Skill.has("empty") {
		t.Errorf("%+v was decoded as %+v: %v", d.Skill, back.Skill, err)
	}
	off := d.WithStatus(Deactivated)
	if off.Status() != Deactivated || off.Kind() != KindSkill || d.Status() != Active || off.WithStatus(Active).Hash() != d.Hash() {
		t.Error("cannot deactivate and reactivate a skill")
	}
	if s, err := ParseSubject("instructions:project/novel/agents"); err != nil || s.Kind != KindInstructions {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestFolderIsCanonical compares the fast path of Node with encoding/json.
func TestFolderIsCanonical(t *testing.T) {
	for name, d := range map[string]Definition{
		"all":     skillOf(map[string]File{"empty": {}, "bom \U0001f600.md": {Text: "\ufeffa\r\nb\u2028<&\x01"}, "\ufb33": {Link: "SKILL.md"}, "run": {Text: "x", Executable: true}, "logo": {Size: 1 << 60, SHA256: "ab"}}),
		"off":     skillOf(nil).WithStatus(Deactivated),
		"active":  {Skill: &Folder{ID: "a", Status: Active, Files: map[string]File{}}},
		"one":     {Instructions: &Folder{ID: "agents", Path: "AGENTS.md", Files: map[string]File{"AGENTS.md": {Text: "x"}}}},
		"invalid": skillOf(map[string]File{"bad\xff": {}, "b": {Text: "\xff\xfe"}}),
	} {
		want, err := jsondoc.Marshal(d.Content())
		if got := d.Canonical(); err != nil || string(got) != string(want) {
			t.Errorf("%s: %s, want %s (%v)", name, got, want, err)
		}
	}
}
