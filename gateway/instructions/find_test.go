package instructions

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/places"
	"toolcrib/review/intake"
)

const skillText = "---\nname: pdf\ndescription: Read PDF files.\n---\n\nRun scripts/read.py.\n"

// lay writes files below a new folder. Files with names that end in "*" are
// executable.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if plain, executable := strings.CutSuffix(name, "*"); executable {
			name, mode = plain, 0o755
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, []byte(text), mode))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// find returns the result of Search as "kind path".
func find(t *testing.T, dir string, scope places.Scope) (found []Found, names []string) {
	t.Helper()
	tree, err := Search(dir, scope)
	must(t, err)
	for _, f := range tree.Found {
		names = append(names, string(f.Kind)+" "+f.Path)
	}
	return tree.Found, names
}

func TestFindInProject(t *testing.T) {
	want := []string{
		"instructions .claude/agents/team/reviewer.md",
		"instructions .claude/commands/fix.md",
		"skill .claude/skills/pdf",
		"instructions .clinerules/style.md",
		"instructions .cursor/rules/go.mdc",
		"instructions .github/copilot-instructions.md",
		"instructions .github/instructions/go.instructions.md",
		"instructions .github/prompts/fix.prompt.md",
		"instructions .rules",
		"instructions .windsurf/rules/a.md",
		"instructions AGENTS.md",
		"instructions CLAUDE.local.md",
		"instructions node_modules/x/AGENTS.md",
		"skill sub/.agents/skills/deep",
		"instructions sub/AGENTS.md",
	}
	files := map[string]string{
		".claude/skills/pdf/scripts/read.py*": "print(1)\n", ".claude/skills/pdf/AGENTS.md": "of the skill\n",
		".claude/skills/empty/README.md": "no skill\n", "README.md": "hello\n", "docs/guide.md": "x\n",
		".git/AGENTS.md": "x\n", ".claude/settings.json": "{}",
	}
	for _, name := range want {
		kind, p, _ := strings.Cut(name, " ")
		if kind == "skill" {
			p += "/SKILL.md"
		}
		files[p] = skillText
	}
	found, got := find(t, lay(t, files), places.Project)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, f := range found {
		d := Definition(f.Kind, NewID(f.Kind, f.Path, func(string) bool { return false }), f.Folder)
		if ps := d.Problems("definition"); f.Err != nil || len(ps) > 0 {
			t.Errorf("%s: %v, problems %v", f.Path, f.Err, ps)
		}
	}
	pdf := found[slices.IndexFunc(found, func(f Found) bool { return f.Path == ".claude/skills/pdf" })].Folder
	wantFiles := map[string]registry.File{
		"SKILL.md": {Text: skillText}, "scripts/read.py": {Text: "print(1)\n", Executable: true}, "AGENTS.md": {Text: "of the skill\n"},
	}
	if !equal(pdf.Files, wantFiles) {
		t.Errorf("the skill's files are %v", pdf.Files)
	}
}

func equal(a, b map[string]registry.File) bool {
	return len(Files(registry.Folder{Files: a}, registry.Folder{Files: b})) == 0
}

func TestFindAtHome(t *testing.T) {
	dir := lay(t, map[string]string{
		".claude/CLAUDE.md": "a\n", ".codex/AGENTS.md": "b\n", ".agents/skills/pdf/SKILL.md": skillText,
		".config/opencode/AGENTS.md": "c\n", "work/AGENTS.md": "a project's\n", "AGENTS.md": "of a session in the home\n",
		"Documents/Cline/Rules/a.md": "d\n", "CLAUDE.md": "of every project\n", "work/.claude/skills/x/SKILL.md": skillText,
		".codex/skills/.system/new/SKILL.md": skillText, ".gemini/commands/git/ship.toml": "prompt = 'Ship it.'\n",
	})
	_, got := find(t, dir, places.User)
	want := []string{
		"skill .agents/skills/pdf", "instructions .claude/CLAUDE.md", "instructions .codex/AGENTS.md", "skill .codex/skills/.system/new",
		"instructions .config/opencode/AGENTS.md", "instructions .gemini/commands/git/ship.toml", "instructions AGENTS.md", "instructions CLAUDE.md", "instructions Documents/Cline/Rules/a.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNothingHides checks that files that clients read are found in any place, or
// reported if they cannot be read.
func TestNothingHides(t *testing.T) {
	outside := lay(t, map[string]string{"SKILL.md": skillText})
	deep := ".claude/commands/" + strings.Repeat("d/", maxSearch-1) + "x.md"
	for name, tc := range map[string]struct {
		file string // file to write
		link string // or target of a link at this path
		want string // expected result
		err  string
	}{
		"a skill in the folder for skills":  {file: ".agents/skills/SKILL.md", want: ".agents/skills"},
		"a skill in a folder of skills":     {file: ".agents/skills/a/b/SKILL.md", want: ".agents/skills/a/b"},
		"a skill in a folder with a dot":    {file: ".claude/skills/.a/SKILL.md", want: ".claude/skills/.a"},
		"a skill named after a cache":       {file: ".claude/skills/__pycache__/SKILL.md", want: ".claude/skills/__pycache__"},
		"a command below modules":           {file: ".claude/commands/node_modules/a.md", want: ".claude/commands/node_modules/a.md"},
		"a skill whose text stands outside": {file: ".claude/skills/a/x.md", link: ".claude/skills/a/SKILL.md", want: ".claude/skills/a"},
		"a command far down":                {file: deep, want: path.Dir(deep), err: "levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, map[string]string{tc.file: skillText})
			if tc.link != "" {
				must(t, os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, tc.link)))
			}
			found, names := find(t, dir, places.Project)
			if len(found) != 1 || found[0].Path != tc.want {
				t.Fatalf("found %q, want %q", names, tc.want)
			}
			if err := found[0].Err; (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("the error is %v, want %q", err, tc.err)
			}
			if d := Compare(found, nil); len(d) != 1 {
				t.Errorf("the differences are %v", d)
			}
		})
	}
}

// TestCaseFolds checks that on a case-insensitive file system, claude.md is found
// for CLAUDE.md. Two names of the same file simulate such a system.
func TestCaseFolds(t *testing.T) {
	files := map[string]string{"aa": "", "claude.md": "x\n", ".Claude/skills/pdf/SKILL.md": skillText}
	dir := lay(t, files)
	if _, got := find(t, dir, places.Project); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	for name := range files { // either name
		if !strings.Contains(name, "/") {
			must(t, os.Link(filepath.Join(dir, name), filepath.Join(dir, strings.ToUpper(name))))
		}
	}
	if _, got := find(t, dir, places.Project); !slices.Contains(got, "instructions claude.md") || !slices.Contains(got, "skill .Claude/skills/pdf") {
		t.Errorf("found %q", got)
	}
}

// TestApprovedElsewhere checks that approved files are compared outside of the
// places of clients too, and that a skill there is reported.
func TestApprovedElsewhere(t *testing.T) {
	dir := lay(t, map[string]string{"skills/pdf/SKILL.md": skillText, "style.md": "Plain words.\n"})
	tree, err := Search(dir, places.Project)
	must(t, err)
	if len(tree.Found) > 0 || !slices.Equal(tree.Unread, []string{"skills/pdf"}) {
		t.Fatalf("found %+v", tree)
	}
	approved := []Approved{
		{Subject: registry.Subject{Kind: registry.KindSkill, ID: "pdf"}, Path: "skills/pdf", Active: true},
		{Subject: registry.Subject{Kind: registry.KindInstructions, ID: "style"}, Path: "style.md", Active: true},
		{Subject: registry.Subject{Kind: registry.KindInstructions, ID: "gone"}, Path: "gone.md", Active: true},
	}
	for i, kind := range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
		folder, err := Read(dir, kind, approved[i].Path)
		must(t, err)
		approved[i].Hash = Definition(kind, approved[i].Subject.ID, folder).Hash()
	}
	compare := func() (got []string) {
		tree, err := Search(dir, places.Project)
		must(t, err)
		tree, err = tree.With(approved)
		must(t, err)
		for _, d := range Compare(tree.Found, approved) {
			got = append(got, d.Path+" "+string(d.Change))
		}
		return got
	}
	if got := compare(); !slices.Equal(got, []string{"gone.md missing"}) {
		t.Errorf("the differences are %q", got)
	}
	must(t, os.WriteFile(filepath.Join(dir, "skills/pdf/more.md"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "style.md"), nil, 0o600))
	if got := compare(); !slices.Equal(got, []string{"gone.md missing", "skills/pdf changed", "style.md changed"}) {
		t.Errorf("the differences are %q", got)
	}
}

// TestHostileTrees checks that each hostile tree is refused by name and does not
// affect others.
func TestHostileTrees(t *testing.T) {
	const top = ".claude/skills/pdf"
	at := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(top), name) }
	for name, tc := range map[string]struct {
		spoil func(dir string) error
		want  string
	}{
		"pipe":   {func(dir string) error { return syscall.Mkfifo(at(dir, "p"), 0o644) }, "is a pipe"},
		"setuid": {func(dir string) error { return os.Chmod(at(dir, "SKILL.md"), 0o755|os.ModeSetuid) }, "setuid"},
		"count": {func(dir string) (err error) {
			for i := range registry.MaxFiles {
				err = errors.Join(err, os.WriteFile(at(dir, fmt.Sprint(i)), nil, 0o644))
			}
			return err
		}, "more than 500 files"},
		"gigabyte": {func(dir string) error {
			return errors.Join(os.WriteFile(at(dir, "big"), nil, 0o644), os.Truncate(at(dir, "big"), 1<<30))
		}, "20971520 bytes"},
		"hidden behind folders": {func(dir string) (err error) {
			for i := range maxFolder + 1 {
				err = errors.Join(err, os.Mkdir(at(dir, fmt.Sprint(i)), 0o755))
			}
			return err
		}, "more than 1000 files and folders"},
		"not UTF-8 name": {func(dir string) error { return os.WriteFile(at(dir, "a\xff"), nil, 0o644) }, "UTF-8"},
		"deep":           {func(dir string) error { return os.MkdirAll(at(dir, strings.Repeat("d/", maxDepth+2)), 0o755) }, "levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, map[string]string{top + "/SKILL.md": skillText, "AGENTS.md": "fine\n"})
			must(t, tc.spoil(dir))
			found, _ := find(t, dir, places.Project)
			if len(found) != 2 || found[1].Err != nil {
				t.Fatalf("found %+v", found)
			}
			if err := found[0].Err; !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v; want %q", err, tc.want)
			}
		})
	}
}

// TestLinks checks that a link is kept as such, with the text of its target if no
// other definition covers that. Links out of the folder are problems, or refused.
func TestLinks(t *testing.T) {
	outside := lay(t, map[string]string{"evil/SKILL.md": skillText, "evil.md": "evil\n"})
	dir := lay(t, map[string]string{
		"AGENTS.md": "the rules\n", ".agents/skills/pdf/SKILL.md": skillText, ".claude/skills/own/SKILL.md": skillText,
	})
	for link, target := range map[string]string{
		"CLAUDE.md":                      "AGENTS.md",
		"GEMINI.md":                      filepath.Join(outside, "evil.md"),
		".claude/skills/pdf":             "../../.agents/skills/pdf",
		".claude/skills/evil":            filepath.Join(outside, "evil"),
		".claude/skills/own/latest.md":   "SKILL.md",
		".agents/skills/pdf/../pdf/p.md": "../../../../etc/passwd",
		"loop":                           ".",
	} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	found, _ := find(t, dir, places.Project)
	by := map[string]Found{}
	for _, f := range found {
		by[f.Path] = f
	}
	if f := by["CLAUDE.md"].Folder.Files["CLAUDE.md"]; f != (registry.File{Link: "AGENTS.md", Text: "the rules\n"}) {
		t.Errorf("CLAUDE.md is %+v", f)
	}
	if f := by[".claude/skills/own"].Folder.Files["latest.md"]; f != (registry.File{Link: "SKILL.md"}) {
		t.Errorf("latest.md is %+v", f)
	}
	if f := by[".claude/skills/pdf"]; f.Err != nil || f.Folder.Files["SKILL.md"].Text != skillText {
		t.Errorf("the linked skill is %+v", f)
	}
	for _, p := range []string{"GEMINI.md", ".claude/skills/evil"} {
		if f := by[p]; !errors.Is(f.Err, ErrFile) {
			t.Errorf("%s is %+v", p, f)
		}
	}
	pdf := by[".agents/skills/pdf"]
	steps, err := Plan(Compare([]Found{pdf}, nil), Origin{Layer: registry.LayerUser, Live: nothingLive, Taken: func(registry.Kind, string, string) bool { return false }})
	must(t, err)
	if s := steps[0]; s.Draft != nil || !s.Refused || !strings.Contains(s.Reason, `skill.files["p.md"]: is a link to a target outside of the folder`) {
		t.Errorf("the step is %+v", s)
	}
	must(t, os.Symlink(outside, filepath.Join(dir, ".gemini")))
	must(t, os.Symlink(outside, filepath.Join(dir, "docs")))
	all, _ := find(t, dir, places.Project)
	for p, want := range map[string]int{".gemini": 1, "docs": 0} {
		n := 0
		for _, f := range all {
			if f.Path == p && errors.Is(f.Err, ErrFile) && strings.Contains(f.Err.Error(), "the target of the link is missing or outside of the folder") {
				n++
			}
		}
		if n != want {
			t.Errorf("%s is named %d times", p, n)
		}
	}
	for p := range by {
		if strings.HasPrefix(p, "loop") {
			t.Errorf("found %s through a link", p)
		}
	}
}

// TestNamesBreakNoLine checks that the name of a file cannot write a line of its
// own into output, and that such files are not proposed.
func TestNamesBreakNoLine(t *testing.T) {
	dir := lay(t, map[string]string{".claude/commands/a\nApproved by security.md": "x\n"})
	found, _ := find(t, dir, places.Project)
	steps, err := Plan(Compare(found, nil), Origin{Layer: registry.LayerUser, Live: nothingLive, Taken: func(registry.Kind, string, string) bool { return false }})
	must(t, err)
	if len(steps) != 1 || steps[0].Draft != nil || !strings.Contains(steps[0].Reason, "control characters") || strings.Contains(steps[0].Reason, "\n") {
		t.Errorf("the steps are %+v", steps)
	}
}

// TestPlansAreGenerated checks that generated rationales are distinguished from
// those of people.
func TestPlansAreGenerated(t *testing.T) {
	folder := func(names ...string) registry.Folder {
		f := registry.Folder{Path: "skills/pdf", Files: map[string]registry.File{}}
		for i, name := range names {
			f.Files[name] = registry.File{Text: "---\nname: pdf\ndescription: Fill in forms.\n---\n" + strings.Repeat("Fill it in.\n", i+1)}
		}
		return f
	}
	approved := folder("SKILL.md", "a (new).md")
	many := []string{"a.md", "SKILL.md", "é (x), b.md"}
	for i := range 12 {
		many = append(many, fmt.Sprint("more", i, ".md"))
	}
	subject := registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: "pdf"}
	origin := Origin{
		Layer: registry.LayerUser, Taken: func(registry.Kind, string, string) bool { return false },
		Live: func(registry.Subject) (registry.Live, error) {
			return registry.Live{Subject: subject, Version: 1, Definition: Definition(registry.KindSkill, "pdf", approved)}, nil
		},
	}
	for _, now := range []registry.Folder{approved, folder("SKILL.md"), folder("a (new).md", "SKILL.md"), folder(many...)} {
		for _, d := range []Difference{
			{Kind: registry.KindSkill, Path: now.Path, Change: New, Found: &Found{Kind: registry.KindSkill, Path: now.Path, Client: "Claude Code, Codex", Folder: now}},
			{Subject: subject, Kind: registry.KindSkill, Path: now.Path, Change: Changed, Found: &Found{Kind: registry.KindSkill, Path: now.Path, Folder: now}},
			{Subject: subject, Kind: registry.KindSkill, Path: now.Path, Change: Missing},
		} {
			if d.Change == Changed && len(Files(approved, now)) == 0 {
				continue
			}
			steps, err := Plan([]Difference{d}, origin)
			if err != nil || steps[0].Draft == nil {
				t.Fatalf("%s: %v, %v", d.Change, steps, err)
			}
			draft := *steps[0].Draft
			if d.Change == Missing { // completed by the review
				draft.Definition = Definition(registry.KindSkill, "pdf", approved)
			}
			if !intake.Generated(draft, nil) {
				t.Errorf("%s: %q is not recognized as generated", d.Change, draft.Rationale)
			}
			mine := draft
			mine.Rationale += " I want it."
			if intake.Generated(mine, nil) {
				t.Errorf("%s: %q is recognized as generated", d.Change, mine.Rationale)
			}
			mine = draft
			mine.Examples = []string{"Fill in a form."}
			if intake.Generated(mine, nil) {
				t.Errorf("%s: a draft with an example is recognized as generated", d.Change)
			}
		}
	}
}

// nothingLive is a registry without definitions.
func nothingLive(registry.Subject) (registry.Live, error) {
	return registry.Live{}, proposals.ErrNotFound
}
