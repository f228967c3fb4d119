package tui_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// reportSkill returns a skill of ten files: texts, a program, a link, and an image.
func reportSkill() registry.Folder {
	return registry.Folder{ID: "report", Path: ".claude/skills/report", Files: map[string]registry.File{
		"SKILL.md": {Text: "---\nname: report\ndescription: Writes the weekly report. Use it when somebody asks for one.\nallowed-tools: Read\n---\n\n" +
			"# Weekly report\n\nRead `references/format.md` and run `scripts/collect.py`.\n"},
		"references/format.md": {Text: "# Format\n\nOne heading a team.\n"}, "references/tone.md": {Text: "Plain words.\n"},
		"references/teams.md": {Text: "Red\nGreen\nBlue\n"}, "FORMAT.md": {Link: "references/format.md"}, "LICENSE.txt": {Text: "MIT\n"},
		"scripts/collect.py": {Text: "print('tickets')\n", Executable: true}, "scripts/width.py": {Text: "WIDTH = 72\n"},
		"assets/template.md": {Text: "# {{team}}\n"}, "assets/logo.png": registry.NewFile(registry.KindSkill, "assets/logo.png", logo(3000), false),
	}}
}

// logo returns an image of n bytes.
func logo(n int) []byte { return append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, n-8)...) }

// logos returns the bytes of the skill's images.
func logos(sha256 string) ([]byte, error) {
	for _, n := range []int{3000, 3100} {
		if registry.HashBytes(logo(n)) == sha256 {
			return logo(n), nil
		}
	}
	return nil, nil
}

// changedReport returns the skill with every kind of change: a text, a mode, a link, an image, a name, an added file,
// and a removed file.
func changedReport() registry.Folder {
	f := reportSkill()
	f.Files = maps.Clone(f.Files)
	skill := f.Files["SKILL.md"]
	skill.Text = strings.Replace(skill.Text, "asks for one.", "asks for one or on Fridays.", 1)
	f.Files["SKILL.md"] = skill
	f.Files["scripts/width.py"] = registry.File{Text: "WIDTH = 72\n", Executable: true}
	f.Files["FORMAT.md"] = registry.File{Link: "references/tone.md"}
	f.Files["assets/logo.png"] = registry.NewFile(registry.KindSkill, "assets/logo.png", logo(3100), false)
	f.Files["references/groups.md"] = f.Files["references/teams.md"]
	delete(f.Files, "references/teams.md")
	delete(f.Files, "LICENSE.txt")
	f.Files["references/dates.md"] = registry.File{Text: "Fridays.\n"}
	return f
}

// proposeSkill proposes a folder as a skill. It is new if base is 0.
func proposeSkill(b *workbench, f registry.Folder, base int) proposals.Proposal {
	b.t.Helper()
	d := proposals.Draft{
		Type: proposals.New, Subject: registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: f.ID},
		Definition: registry.Definition{Skill: &f}, Rationale: "It stands there.", BaseVersion: &base,
	}
	if base > 0 {
		d.Type = proposals.Modify
	}
	made, err := b.desk.WithContents(logos).Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, true)
	if err != nil {
		b.t.Fatal(err)
	}
	return made[0]
}

// withSkill approves the skill and proposes a change of it.
func withSkill(b *workbench) {
	b.t.Helper()
	p := proposeSkill(b, reportSkill(), 0)
	if _, err := b.desk.Deciding.Approve(context.Background(), mara, []review.Choice{{ID: p.ID}}, ""); err != nil {
		b.t.Fatal(err)
	}
	proposeSkill(b, changedReport(), 1)
}

// TestPromptShowsWhatEntersTheContext shows all occasions of a skill with a changed description.
func TestPromptShowsWhatEntersTheContext(t *testing.T) {
	b := newSharedWorkbench(t, "skill", 110, 40, withSkill)
	b.press("enter").wants("Tokens in the context of an agent (o200k)", "at once     ", "when read   ")
	b.press("4").wants("▎at once", "name and description", "+ - report: Writes the weekly report. Use it when somebody asks for one or on Fridays.")
	b.press("]").wants("▎on use", "unchanged", "Read `references/format.md` and run")
	b.press("]").wants("references/dates.md", "+ Fridays.", "- FORMAT.md: link to references/format.md", "+ FORMAT.md: link to references/tone.md")
	b.press("]").wants("scripts/width.py")
	b.press("]").wants("assets/logo.png: 3100 bytes")
	b.press("p").wants("shown: new text")
	b.press("p").wants("shown: current text", "3000 bytes")
	if b.press("a"); strings.Contains(b.screen(), "no agent's prompt changes") {
		t.Error(b.screen())
	}
}

// TestDiffListsFiles opens files of a skill from the list above its diff.
func TestDiffListsFiles(t *testing.T) {
	b := newSharedWorkbench(t, "skill", 110, 24, withSkill)
	b.press("enter", "2").wants("7 files: 4 changed, 1 renamed, 1 new, 1 gone", "changed  SKILL.md  +1 −1", "gone     LICENSE.txt  −1",
		"changed  FORMAT.md  link to references/tone.md, was to references/format.md", "renamed  references/teams.md → references/groups.md",
		"new      references/dates.md  +1", "changed  scripts/width.py  becomes executable", "changed  assets/logo.png  binary, approved by hash: image/png, 3000 → 3100 bytes")
	b.press("i").wants("enter go to the file")
	b.press("j", "j", "enter")
	if top := strings.Split(b.screen(), "\n")[3]; !strings.Contains(top, "◆ SKILL.md  modified  +1 −1") {
		t.Errorf("the chosen file is not at the top:\n%s", b.screen())
	}
	b.press("i", "j", "enter").wants("◆ assets/logo.png (sha256)", "data, 3100 bytes, sha256 "+registry.HashBytes(logo(3100))[:12])
	b.press("g", "i", ";").wants("No line is selected; select one with j or k")
	b.press("esc", "1", "i").wants("only on the Diff tab")
}

// TestFilesAreNamed comments on a line of a skill's file, waives a finding in a file, and undoes the waiver. Messages
// contain the file name rather than its path in JSON.
func TestFilesAreNamed(t *testing.T) {
	b := newSharedWorkbench(t, "noted skill", 110, 40, func(b *workbench) {
		b.t.Helper()
		p := proposeSkill(b, reportSkill(), 0)
		at := jsondoc.Join("definition.files", "references/teams.md")
		_, err := b.desk.Assessing.Assess(context.Background(), proposals.Actor{Kind: proposals.Chief, Name: "ida"}, p.ID, review.Opinion{
			Recommendation: proposals.RecommendReject, Comment: "Not green.",
			Findings: []rules.Finding{
				{Rule: "X101", Severity: rules.Block, Path: at + ".text", Line: 2, Column: 1, EndLine: 2, EndColumn: 6, Message: "A colour.", Passage: "Green"},
				{Rule: "X102", Severity: rules.Warn, Path: at, Message: "Three teams."},
			},
		})
		if err != nil {
			b.t.Fatal(err)
		}
	})
	b.press("enter")
	b.wants("X101  references/teams.md 2:1", "■ 1 block")
	b.press("a")
	b.wants("X101")
	b.press("2", "i", "j", "j", "j", "j", "j", "j")
	b.wants("enter go to the file")
	b.press("enter", ";")
	b.wants("enter comment on the line")
	b.press("j", "j", "j", "enter").write("Which green?").press("ctrl+s")
	b.wants("references/teams.md, line 2 of revision 1")
	b.press("y")
	b.wants("Comment sent")
	b.press("3", "W")
	b.wants("X101 in references/teams.md")
	b.write("It is an example.").press("ctrl+s", "y")
	b.wants("Waived X101 in references/teams.md. U ends the waiver")
	b.press("5")
	b.wants("on references/teams.md, line 2 of revision 1", "□ waived X101 in references/teams.md")
	b.press("1")
	b.wants("▲ 1 warning")
	b.press("3", "U")
	b.wants("X101 in references/teams.md")
	b.write("It is none.").press("ctrl+s", "y")
	b.wants("■ block  X101  references/teams.md 2:1")
}

// TestFilesOpens goes from the page of files to the readable files of a skill.
func TestFilesOpens(t *testing.T) {
	b := newSharedWorkbench(t, "skill", 110, 40, withSkill)
	b.config.Files = func(context.Context) ([]instructions.Listed, error) {
		s := registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: "report"}
		return []instructions.Listed{{Subject: s, Folder: "/home/mara", Path: ".claude/skills/report", Version: 1, Drift: instructions.Changed, Proposal: "#2"}}, nil
	}
	b.restart()
	b.press("T", "T").wants("1 file or skill  1 not in the approved state", "! .claude/skills/report", "? #2 waits for you")
	b.press("enter").wants("Files › skill:user/report", "FORMAT.md  link to references/format.md", "binary, approved by hash: image/png, 3000 bytes")
	b.press("G").wants("scripts/collect.py  executable", "  print('tickets')")
	b.press("tab").wants("v1")
	b.press("esc", "u").wants("Queue", "skill:user/report")
	b.press("T").wants("Tools")
}

// twoSkills proposes two skills in one change set. They share a file, and the second contains data and a script.
func twoSkills(b *workbench) {
	b.t.Helper()
	shared := registry.File{Text: strings.Repeat("print('shared')\n", 80)}
	for id, files := range map[string]map[string]registry.File{
		"docx": {"SKILL.md": {Text: "---\nname: docx\ndescription: Writes letters.\n---\n\nRead it.\n"}, "scripts/pack.py": shared},
		"xlsx": {
			"SKILL.md": {Text: "---\nname: xlsx\ndescription: Writes tables.\n---\n\nRead it.\n"}, "scripts/pack.py": shared,
			"scripts/sum.py": {Text: strings.Repeat("print('sum')\n", 60)}, "data/rows.csv": {Text: strings.Repeat("a,b\n", 400)},
		},
	} {
		f := registry.Folder{ID: id, Path: "skills/" + id, Files: files}
		d := proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: id}, ChangeSet: "office",
			Definition: registry.Definition{Skill: &f}, Rationale: "A skill stands at skills/" + id + " (read by Claude Code).",
		}
		if _, err := b.desk.Drafting.Propose(context.Background(), mara, []proposals.Draft{d}, true); err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestReadOnce reads the set of two skills. The shared file is read once, and one key accepts data by hash (T41).
func TestReadOnce(t *testing.T) {
	b := newWorkbench(t, 120, 40, twoSkills)
	b.press("enter").wants("set office", "2 skills: 2 new", "◆ scripts/pack.py", "1 file  scripts/pack.py", "◆ by hash  1 data file  data/rows.csv")
	b.press("a").wants("! read 0/4 parts · 1 as in ", "1 data file by hash", "! unread: ", "A approve 4 unread")
	b.press("esc", "u")
	for range 8 {
		b.press("space")
	}
	b.wants("no unread lines")
	b.press("a").wants("read 4/4", "! unread: 1 data file", "h accept data by hash")
	b.press("y").wants("Unread: ")
	b.press("h", "y").wants("Live: ")
	for _, s := range b.readings() {
		if s.Unread != 0 || s.Known+len(s.ByHash) > 2 {
			t.Errorf("recorded: %+v", s)
		}
	}
}

// TestApproveUnread approves a new set unread, which requires that its findings and headings were on screen and that
// the number of unread parts is typed.
func TestApproveUnread(t *testing.T) {
	b := newWorkbench(t, 120, 40, twoSkills)
	b.press("enter", "a", "A").wants("Approve 2 proposals unread", "4y approve 4 unread parts")
	b.press("y").wants("Type 4, then y")
	b.press("4", "y").wants("Live: ")
	unread := 0
	for _, s := range b.readings() {
		unread += s.Unread
		if s.Source == "" {
			t.Errorf("no source: %+v", s)
		}
	}
	if unread != 4 {
		t.Errorf("%d parts are recorded as unread", unread)
	}
	c := newWorkbench(t, 120, 40, withSkill)
	c.press("enter", "a").wants("! unread: ")
	if strings.Contains(c.screen(), "A approve") {
		t.Errorf("a change can be approved unread:\n%s", c.screen())
	}
}

// readings returns the records of reading in the decisions.
func (b *workbench) readings() []proposals.Reading {
	b.t.Helper()
	page, err := b.desk.Reading.List(context.Background(), review.Query{State: proposals.Approved})
	if err != nil {
		b.t.Fatal(err)
	}
	var all []proposals.Reading
	for _, p := range page.Proposals {
		d, err := b.desk.Reading.Show(context.Background(), mara, p.ID)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, one := range d.Decisions {
			all = append(all, one.Reading)
		}
	}
	return all
}

// TestFilesEdit opens the files of the selected rows in the editor, a skill at its SKILL.md.
func TestFilesEdit(t *testing.T) {
	b := newSharedWorkbench(t, "skill", 110, 40, withSkill)
	dir := t.TempDir()
	skill, rules := filepath.Join(dir, "report", "SKILL.md"), filepath.Join(dir, "AGENTS.md")
	if err := os.Mkdir(filepath.Dir(skill), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{skill, rules} {
		if err := os.WriteFile(file, []byte("Be brief.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.config.Files = func(context.Context) ([]instructions.Listed, error) {
		s := registry.Subject{Kind: registry.KindSkill, Layer: registry.LayerUser, ID: "report"}
		return []instructions.Listed{
			{Subject: s, Folder: dir, Path: "report", Version: 1, Drift: instructions.Changed},
			{Subject: registry.Subject{Kind: registry.KindInstructions}, Folder: dir, Path: "AGENTS.md", Drift: instructions.New},
			{Subject: s, Folder: dir, Path: "gone", Version: 1, Drift: instructions.Missing},
		}, nil
	}
	b.restart()
	b.editor(`echo "Edited." >> "$2"`)
	b.press("T", "T", "e", "j", "e", "j", "e").wants("the file is not on disk")
	for _, file := range []string{skill, rules} {
		if text, err := os.ReadFile(file); err != nil || string(text) != "Be brief.\nEdited.\n" {
			t.Errorf("%s has %q: %v", file, text, err)
		}
	}
}
