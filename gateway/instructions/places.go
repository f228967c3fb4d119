package instructions

import (
	"path"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Scope says below which folder files are looked for.
type Scope int

// The scopes.
const (
	Project Scope = iota // a project's folder, and every folder in it
	User                 // the home of the user: only where clients look
)

// place is where a client looks for files that its agent reads: a pattern of path
// elements in which "*" stands for a part of one, and "**" for any number of them. Skills
// may lie in folders below the one for them: several clients look for them in all.
type place struct {
	client  string
	kind    registry.Kind
	pattern string
}

const (
	skill = registry.KindSkill
	file  = registry.KindInstructions
)

// shared are the places that are the same in a project and in the user's home.
var shared = []place{
	{"Claude Code", skill, ".claude/skills/**"},
	{"Claude Code", file, ".claude/agents/**/*.md"},
	{"Claude Code", file, ".claude/commands/**/*.md"},
	{"Claude Code", file, ".claude/rules/**/*.md"},
	{"Claude Code", file, ".claude/output-styles/**/*.md"},
	{"Claude Code", file, ".claude/CLAUDE.md"},
	{"Codex", skill, ".agents/skills/**"},
	{"Codex", skill, ".codex/skills/**"},
	{"Codex", file, ".codex/AGENTS.md"},
	{"Codex", file, ".codex/AGENTS.override.md"},
	{"Codex", file, ".codex/prompts/*.md"},
	{"Cursor", skill, ".cursor/skills/**"},
	{"Cursor", file, ".cursor/rules/**/*.mdc"},
	{"Cursor", file, ".cursor/rules/**/*.md"},
	{"Cursor", file, ".cursor/commands/**/*.md"},
	{"Cursor", file, ".cursor/agents/**/*.md"},
	{"Gemini CLI", skill, ".gemini/skills/**"},
	{"Gemini CLI", file, ".gemini/GEMINI.md"},
	{"Gemini CLI", file, ".gemini/commands/**/*.toml"},
	{"Roo Code", file, ".roo/rules/**/*.md"},
	{"Roo Code", file, ".roo/rules-*/**/*.md"},
	{"Roo Code", file, ".roo/commands/*.md"},
	{"Roo Code", skill, ".roo/skills/**"},
	{"Continue", file, ".continue/rules/**/*.md"},
	{"Continue", file, ".continue/prompts/**/*.md"},
}

// inProjects are further places, below any folder of a project.
var inProjects = []place{
	{"Codex, Cursor, Copilot and others", file, "AGENTS.md"},
	{"Codex", file, "AGENTS.override.md"},
	{"Claude Code", file, "CLAUDE.md"},
	{"Claude Code", file, "CLAUDE.local.md"},
	{"Gemini CLI", file, "GEMINI.md"},
	{"Copilot", file, ".github/copilot-instructions.md"},
	{"Copilot", file, ".github/instructions/**/*.instructions.md"},
	{"Copilot", file, ".github/prompts/**/*.prompt.md"},
	{"Copilot", file, ".github/agents/**/*.md"},
	{"Copilot", file, ".github/chatmodes/**/*.chatmode.md"},
	{"Copilot", skill, ".github/skills/**"},
	{"Cursor", file, ".cursorrules"},
	{"Windsurf", file, ".windsurf/rules/**/*.md"},
	{"Windsurf", file, ".windsurf/workflows/**/*.md"},
	{"Windsurf", skill, ".windsurf/skills/**"},
	{"Windsurf", file, ".windsurfrules"},
	{"Cline", file, ".clinerules"},
	{"Cline", file, ".clinerules/**/*.md"},
	{"Cline", skill, ".cline/skills/**"},
	{"Roo Code", file, ".roorules"},
	{"opencode", file, ".opencode/agent/**/*.md"},
	{"opencode", file, ".opencode/agents/**/*.md"},
	{"opencode", file, ".opencode/command/**/*.md"},
	{"opencode", file, ".opencode/commands/**/*.md"},
	{"opencode", skill, ".opencode/skill/**"},
	{"opencode", skill, ".opencode/skills/**"},
	{"Zed", file, ".rules"},
}

// atHome are further places in the home of the user.
var atHome = []place{
	{"Claude Code", file, "CLAUDE.md"}, // it reads those above a project, too
	{"Claude Code", file, "CLAUDE.local.md"},
	{"Windsurf", file, ".codeium/windsurf/memories/global_rules.md"},
	{"Windsurf", skill, ".codeium/windsurf/skills/**"},
	{"Cline", file, "Documents/Cline/Rules/**/*.md"},
	{"Cline", file, "Documents/Cline/Workflows/**/*.md"},
	{"Cline", skill, ".cline/skills/**"},
	{"Copilot", skill, ".copilot/skills/**"},
	{"opencode", file, ".config/opencode/AGENTS.md"},
	{"opencode", file, ".config/opencode/agent/**/*.md"},
	{"opencode", file, ".config/opencode/agents/**/*.md"},
	{"opencode", file, ".config/opencode/command/**/*.md"},
	{"opencode", file, ".config/opencode/commands/**/*.md"},
	{"opencode", skill, ".config/opencode/skill/**"},
	{"opencode", skill, ".config/opencode/skills/**"},
	{"Zed", file, ".config/zed/AGENTS.md"},
}

func (s Scope) places() []place {
	if s == User {
		return slices.Concat(shared, atHome)
	}
	return slices.Concat(shared, inProjects)
}

// starts returns the folders below which a scope is searched.
func (s Scope) starts() []string {
	if s == Project {
		return []string{"."}
	}
	var starts []string
	for _, p := range s.places() {
		fixed := "."
		for element := range strings.SplitSeq(path.Dir(p.pattern), "/") {
			if strings.Contains(element, "*") {
				break
			}
			fixed = path.Join(fixed, element)
		}
		starts = append(starts, fixed)
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// pattern is a place with its pattern as elements.
type pattern struct {
	place
	elements []string
}

func (s Scope) patterns() []pattern {
	var list []pattern
	for _, p := range s.places() {
		list = append(list, pattern{p, strings.Split(p.pattern, "/")})
	}
	return list
}

// match returns the place that the file or folder at p is of, false for none. Where
// anywhere is set, a pattern may begin in any folder.
func match(patterns []pattern, p string, isDir, anywhere bool) (place, bool) {
	var elements []string
	last := path.Base(p)
	for _, of := range patterns {
		if isDir != (of.kind == skill) {
			continue
		}
		if ok, err := path.Match(of.elements[len(of.elements)-1], last); !ok || err != nil {
			continue
		}
		if elements == nil {
			elements = strings.Split(p, "/")
		}
		from, end := 0, 1
		if anywhere {
			end = len(elements)
		}
		for ; from < end; from++ {
			if fits(of.elements, elements[from:]) {
				return of.place, true
			}
		}
	}
	return place{}, false
}

// leads reports whether a place can lie below the folder at p. Where anywhere is set, a
// pattern may begin in any folder.
func leads(patterns []pattern, p string, anywhere bool) bool {
	elements := strings.Split(p, "/")
	for from := range elements {
		if slices.ContainsFunc(patterns, func(of pattern) bool { return begins(of.elements, elements[from:]) }) {
			return true
		}
		if !anywhere {
			break
		}
	}
	return false
}

// begins reports whether elements are those of a folder on the way to a pattern.
func begins(pattern, elements []string) bool {
	for i, element := range elements {
		if i < len(pattern) && pattern[i] == "**" {
			return true
		}
		if i+1 >= len(pattern) {
			return false
		}
		if ok, err := path.Match(pattern[i], element); err != nil || !ok {
			return false
		}
	}
	return true
}

// fits reports whether a path is of a pattern, both as elements.
func fits(pattern, elements []string) bool {
	switch {
	case len(pattern) == 0:
		return len(elements) == 0
	case pattern[0] == "**":
		for skip := 0; skip <= len(elements); skip++ {
			if fits(pattern[1:], elements[skip:]) {
				return true
			}
		}
		return false
	case len(elements) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], elements[0])
	return err == nil && ok && fits(pattern[1:], elements[1:])
}
