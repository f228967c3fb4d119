package instructions_test

import (
	"strings"
	"testing"

	"toolcrib/gateway/instructions"
	"toolcrib/prompt/tokens"
	"toolcrib/registry"
)

// TestLoads compares the moments for different paths and front matter with
// the documentation of clients.
func TestLoads(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"AGENTS.md", "a\n", "at once[a]"},
		{"docs/AGENTS.md", "a\n", "on matching(files below docs)[a]"},
		{".claude/CLAUDE.md", "a\n", "at once[a]"},
		{"web/.claude/CLAUDE.md", "a\n", "on matching(files below web)[a]"},
		{".claude/agents/x.md", "---\nname: critic\ndescription: Reads.\n---\nYou read.\n", "at once(name and description)[- critic: Reads.] on use[You read.]"},
		{".claude/commands/git/ship.md", "---\ndescription: Ship\n---\r\n\r\nPush.\n", "on use[Push.]"},
		{".claude/rules/api.md", "Be kind.\n", "at once[Be kind.]"},
		{".claude/rules/api.md", "---\npaths:\n  - src/**\n  - lib/**\n---\nBe kind.\n", "on matching(files like src/**, lib/**)[Be kind.]"},
		{".cursor/rules/go.mdc", "---\ndescription: Go\nglobs: **/*.go\nalwaysApply: false\n---\nShort.\n", "on matching(files like **/*.go)[Short.]"},
		{".cursor/rules/go.mdc", "---\ndescription: Go\nglobs: **/*.go\nalwaysApply: true\n---\nShort.\n", "at once[Short.]"},
		{".cursor/rules/go.mdc", "---\ndescription: When Go: is written\nglobs:\nalwaysApply: false\n---\nShort.\n", "at once(description)[When Go: is written] on use(when the agent requests the file)[Short.]"},
		{".cursor/rules/go.mdc", "---\nalwaysApply: false\n---\nShort.\n", "on use(when the user names the file)[Short.]"},
		{".cursor/rules/go.mdc", "Short.\n", "on use(when the file is attached)[Short.]"},
		{".github/instructions/ts.instructions.md", "---\napplyTo: '**/*.ts,**/*.tsx'\n---\nNo any.\n", "on matching(files like **/*.ts,**/*.tsx)[No any.]"},
		{".github/instructions/ts.instructions.md", "---\napplyTo: '**'\n---\nNo any.\n", "at once[No any.]"},
		{".github/instructions/ts.instructions.md", "No any.\n", "on use(when the file is attached)[No any.]"},
		{".github/copilot-instructions.md", "a\n", "at once[a]"},
		{".windsurf/rules/a.md", "---\ntrigger: model_decision\ndescription: Tone\n---\nPlain.\n", "at once(description)[Tone] on use(when the agent requests the file)[Plain.]"},
		{".windsurf/rules/a.md", "---\ntrigger: manual\n---\nPlain.\n", "on use(when the user names the file)[Plain.]"},
		{".clinerules/a.md", "Plain.\n", "at once[Plain.]"},
	} {
		name := c.path[strings.LastIndexByte(c.path, '/')+1:]
		got := formatLoads(instructions.Loads(registry.KindInstructions, registry.Folder{Path: c.path, Files: map[string]registry.File{name: {Text: c.text}}}))
		if got != c.want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.path, c.text, got, c.want)
		}
	}
}

func formatLoads(loads []instructions.Load) string {
	var parts []string
	for _, l := range loads {
		s := string(l.Occasion)
		if l.Note != "" {
			s += "(" + l.Note + ")"
		}
		parts = append(parts, s+"["+strings.TrimSpace(l.Text)+"]")
	}
	return strings.Join(parts, " ")
}

func skillOf(files map[string]registry.File) registry.Definition {
	return registry.Definition{Skill: &registry.Folder{ID: "x", Path: ".claude/skills/x", Files: files}}
}

// TestCosts changes each kind of file of a skill.
func TestCosts(t *testing.T) {
	before := skillOf(map[string]registry.File{
		"SKILL.md": {Text: "---\nname: x\ndescription: Reads.\n---\nRead it.\n"}, "more.md": {Text: "More.\n"}, "gone.md": {Text: "Gone.\n"},
		"run.py": {Text: "print(1)\n"}, "logo.png": {Size: 9, SHA256: strings.Repeat("a", 64)},
	})
	after := skillOf(map[string]registry.File{
		"SKILL.md": {Text: "---\nname: x\ndescription: Reads and writes.\n---\nRead it.\n"}, "more.md": {Text: "More and more.\n"},
		"run.py": {Text: "print(2)\n"}, "logo.png": {Size: 9, SHA256: strings.Repeat("b", 64)}, "link.md": {Link: "more.md"},
	})
	var got []string
	changes := instructions.CompareLoads(before, after)
	for _, c := range changes {
		how := "changed"
		switch {
		case c.Same:
			how = "same"
		case c.Now == nil:
			how = "new"
		case c.After == nil:
			how = "gone"
		}
		got = append(got, string(c.Load().Occasion)+" "+c.Load().File+" "+how)
	}
	want := "at once SKILL.md changed,on use SKILL.md same,when read gone.md gone,when read link.md new,when read more.md changed,output only run.py changed,not text logo.png changed"
	if s := strings.Join(got, ","); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	costs, err := instructions.Costs(tokens.NewCounter(), changes)
	if err != nil || len(costs) != 5 {
		t.Fatalf("%d costs, %v", len(costs), err)
	}
	if once := costs[0]; once.Now.Chars != len("- x: Reads.") || once.After.Chars != len("- x: Reads and writes.") || once.After.O200k <= once.Now.O200k {
		t.Errorf("at once: %+v", once)
	}
	if printed := costs[3]; printed.Now.O200k != 0 || printed.After.O200k != 0 {
		t.Errorf("a program has the cost %+v", printed)
	}
	if gone := instructions.CompareLoads(before, before.WithStatus(registry.Deactivated)); gone[0].After != nil || gone[0].Now == nil {
		t.Errorf("deactivated: %+v", gone[0])
	}
	hidden := skillOf(map[string]registry.File{"SKILL.md": {Text: "---\nname: x\ndescription: Reads.\ndisable-model-invocation: true\n---\nRead it.\n"}})
	if s := formatLoads(instructions.Loads(registry.KindSkill, *hidden.Skill)); s != "on use(by the user alone)[Read it.]" {
		t.Errorf("a skill that only the user invokes: %s", s)
	}
}
