package files

import (
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// TestSkipped checks the reasons why clients do not read a file (C60, C61).
func TestSkipped(t *testing.T) {
	const front = "---\nname: opening-hours\ndescription: Show the opening hours.\n---\n"
	for name, test := range map[string]struct{ file, text, want string }{
		"a skill":        {"SKILL.md", front, ""},
		"no front":       {"SKILL.md", "# Hours\n", "no front matter"},
		"an open front":  {"SKILL.md", "---\nname: x\n", ""}, // F108
		"a mark":         {"SKILL.md", "\ufeff" + front, "byte order mark"},
		"CRLF":           {"SKILL.md", strings.ReplaceAll(front, "\n", "\r\n"), "CRLF"},
		"no name":        {"SKILL.md", strings.Replace(front, "name:", "title:", 1), "has no name"},
		"capitals":       {"SKILL.md", strings.Replace(front, "opening", "Opening", 1), `"Opening-hours"`},
		"blanks":         {"SKILL.md", strings.Replace(front, "-hours", " hours", 1), `"opening hours"`},
		"another name":   {"SKILL.md", strings.Replace(front, "opening-", "", 1), "differs from its folder"},
		"no description": {"SKILL.md", strings.Replace(front, "description", "about", 1), "no description"},
		"long":           {"AGENTS.md", strings.Repeat("Use tabs.\n", 4000), "first 32768 bytes"},
		"short":          {"AGENTS.md", "Use tabs.\n", ""},
	} {
		file := registry.NewFile(registry.KindSkill, test.file, []byte(test.text), false)
		c := &rules.Change{Draft: proposals.Draft{Definition: registry.Definition{Skill: &registry.Folder{Path: ".claude/skills/opening-hours", Files: map[string]registry.File{test.file: file}}}}}
		found, err := rules.Of("F112", skippedByClients).Check(t.Context(), c)
		ok := err == nil && (test.want == "" && len(found) == 0 || len(found) == 1 && test.want != "" && strings.Contains(found[0].Message, test.want))
		if !ok {
			t.Errorf("%s has the findings %+v, %v; want %q", name, found, err, test.want)
		}
	}
}
