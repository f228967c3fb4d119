// Package places lists the places where clients of coding agents search for skills and
// instruction files. Each place has a source that documents it.
package places

import (
	"path"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// Scope is a kind of folder. It selects the places that apply in such a folder.
type Scope int

// The scopes.
const (
	Project Scope = iota // a project's folder; its places also apply in every subfolder
	User                 // the user's home; subfolders are not searched
	Above                // a folder above a project; subfolders are not searched
	Plugin               // the folder of a Claude Code plugin; subfolders are not searched
)

// Place is a location of files that an agent reads. The client of the agent searches for these
// files. Pattern is a path in which "*" matches a part of an element and "**" matches any
// number of elements. Patterns for skills end in "**", because several clients also search the
// subfolders of their skills folder.
type Place struct {
	Client  string
	Kind    registry.Kind // "" for files that are listed but not checked
	Pattern string
	Source  string // URL of documentation or code that mentions the place
}

const (
	skill     = registry.KindSkill
	file      = registry.KindInstructions
	unchecked = registry.Kind("")
)

// Sources of the places.
const (
	claudeMemory     = "https://code.claude.com/docs/en/memory"
	claudeSettings   = "https://code.claude.com/docs/en/settings"
	claudeSkills     = "https://code.claude.com/docs/en/skills"
	claudeAgents     = "https://code.claude.com/docs/en/sub-agents"
	claudeStyles     = "https://code.claude.com/docs/en/output-styles"
	claudePlugins    = "https://code.claude.com/docs/en/plugins-reference"
	codexAgents      = "https://developers.openai.com/codex/guides/agents-md"
	codexSkills      = "https://developers.openai.com/codex/skills"
	codexPrompts     = "https://developers.openai.com/codex/custom-prompts"
	codexSubagents   = "https://developers.openai.com/codex/subagents"
	codexConfig      = "https://developers.openai.com/codex/config-reference"
	codexRules       = "https://developers.openai.com/codex/rules"
	codexHooks       = "https://developers.openai.com/codex/hooks"
	cursorRules      = "https://cursor.com/docs/context/rules"
	cursorCommands   = "https://cursor.com/docs/context/commands"
	cursorSkills     = "https://cursor.com/docs/context/skills"
	cursorAgents     = "https://cursor.com/docs/context/subagents"
	cursorHooks      = "https://cursor.com/docs/hooks"
	copilotVSCode    = "https://code.visualstudio.com/docs/copilot/customization/custom-instructions"
	copilotPrompts   = "https://code.visualstudio.com/docs/copilot/customization/prompt-files"
	copilotAgents    = "https://code.visualstudio.com/docs/copilot/customization/custom-agents"
	copilotSkills    = "https://docs.github.com/en/copilot/concepts/agents/about-agent-skills"
	copilotCLI       = "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions"
	geminiMemory     = "https://geminicli.com/docs/cli/gemini-md"
	geminiCommands   = "https://geminicli.com/docs/cli/custom-commands"
	geminiSkills     = "https://geminicli.com/docs/cli/skills"
	geminiAgents     = "https://geminicli.com/docs/core/subagents"
	geminiExtensions = "https://geminicli.com/docs/extensions/reference"
	geminiSystem     = "https://geminicli.com/docs/cli/system-prompt"
	geminiSettings   = "https://geminicli.com/docs/reference/configuration"
	windsurfRules    = "https://docs.windsurf.com/windsurf/cascade/memories"
	windsurfFlows    = "https://docs.windsurf.com/windsurf/cascade/workflows"
	windsurfSkills   = "https://docs.windsurf.com/windsurf/cascade/skills"
	windsurfHooks    = "https://docs.windsurf.com/windsurf/cascade/hooks"
	clineRules       = "https://docs.cline.bot/customization/cline-rules"
	clineFlows       = "https://docs.cline.bot/customization/workflows"
	clineSkills      = "https://docs.cline.bot/customization/skills"
	clineHooks       = "https://docs.cline.bot/customization/hooks"
	rooRules         = "https://docs.roocode.com/features/custom-instructions"
	rooModes         = "https://docs.roocode.com/features/custom-modes"
	rooCommands      = "https://docs.roocode.com/features/slash-commands"
	rooSkills        = "https://docs.roocode.com/features/skills"
	rooSystem        = "https://docs.roocode.com/advanced-usage/footgun-prompting"
	continueRules    = "https://docs.continue.dev/customize/deep-dives/rules"
	continueFlows    = "https://docs.continue.dev/customize/deep-dives/prompts"
	continueConfig   = "https://docs.continue.dev/reference"
	opencodeRules    = "https://opencode.ai/docs/rules"
	opencodeAgents   = "https://opencode.ai/docs/agents"
	opencodeFlows    = "https://opencode.ai/docs/commands"
	opencodeModes    = "https://opencode.ai/docs/modes"
	opencodeSkills   = "https://opencode.ai/docs/skills"
	opencodeConfig   = "https://opencode.ai/docs/config"
	opencodeFiles    = "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/instruction.ts"
	zedRules         = "https://zed.dev/docs/ai/instructions"
	zedSettings      = "https://zed.dev/docs/ai/agent-settings"
)

// shared lists the places that clients search both in projects and in the user's home.
var shared = []Place{
	{"Claude Code", skill, ".claude/skills/**", claudeSkills},
	{"Claude Code", file, ".claude/agents/**/*.md", claudeAgents},
	{"Claude Code", file, ".claude/commands/**/*.md", claudeSkills},
	{"Claude Code", file, ".claude/rules/**/*.md", claudeMemory},
	{"Claude Code", file, ".claude/output-styles/**/*.md", claudeStyles},
	{"Claude Code", file, ".claude/CLAUDE.md", claudeMemory},
	{"Claude Code", file, "CLAUDE.md", claudeMemory},
	{"Claude Code", file, "CLAUDE.local.md", claudeMemory},
	{"Claude Code", unchecked, ".claude/agent-memory/*/*.md", claudeAgents},
	{"Claude Code", unchecked, ".claude/agent-memory-local/*/*.md", claudeAgents},
	{"Codex, Cursor, Copilot and others", file, "AGENTS.md", codexAgents},
	{"Codex", file, "AGENTS.override.md", codexAgents},
	{"Codex", skill, ".agents/skills/**", codexSkills},
	{"Codex", skill, ".codex/skills/**", codexSkills},
	{"Codex", file, ".codex/AGENTS.md", codexAgents},
	{"Codex", file, ".codex/AGENTS.override.md", codexAgents},
	{"Codex", file, ".codex/prompts/*.md", codexPrompts},
	{"Codex", file, ".codex/agents/*.toml", codexSubagents},
	{"Codex", unchecked, ".codex/rules/*.rules", codexRules},
	{"Codex", unchecked, ".codex/config.toml", codexConfig},
	{"Codex", unchecked, ".codex/hooks.json", codexHooks},
	{"Cline", file, ".agents/AGENTS.md", clineRules},
	{"Cursor", skill, ".cursor/skills/**", cursorSkills},
	{"Cursor", file, ".cursor/rules/**/*.mdc", cursorRules},
	{"Cursor", file, ".cursor/rules/**/*.md", cursorRules},
	{"Cursor", file, ".cursor/commands/**/*.md", cursorCommands},
	{"Cursor", file, ".cursor/agents/**/*.md", cursorAgents},
	{"Cursor", file, ".cursorrules", cursorRules},
	{"Cursor", unchecked, ".cursor/hooks.json", cursorHooks},
	{"Copilot", file, ".github/copilot-instructions.md", copilotVSCode},
	{"Copilot", file, ".github/instructions/**/*.instructions.md", copilotVSCode},
	{"Copilot", file, ".github/prompts/**/*.prompt.md", copilotPrompts},
	{"Copilot", file, ".github/agents/**/*.md", copilotAgents},
	{"Copilot", file, ".github/chatmodes/**/*.chatmode.md", copilotAgents},
	{"Copilot", skill, ".github/skills/**", copilotSkills},
	{"Copilot", unchecked, ".vscode/settings.json", copilotVSCode},
	{"Gemini CLI", skill, ".gemini/skills/**", geminiSkills},
	{"Gemini CLI", file, ".gemini/GEMINI.md", geminiMemory},
	{"Gemini CLI", file, "GEMINI.md", geminiMemory},
	{"Gemini CLI", file, ".gemini/commands/**/*.toml", geminiCommands},
	{"Gemini CLI", file, ".gemini/agents/*.md", geminiAgents},
	{"Gemini CLI", file, ".gemini/system.md", geminiSystem},
	{"Gemini CLI", unchecked, ".gemini/settings.json", geminiSettings},
	{"Windsurf", file, ".windsurf/rules/**/*.md", windsurfRules},
	{"Windsurf", file, ".windsurf/workflows/**/*.md", windsurfFlows},
	{"Windsurf", skill, ".windsurf/skills/**", windsurfSkills},
	{"Windsurf", file, ".windsurfrules", windsurfRules},
	{"Windsurf", unchecked, ".windsurf/hooks.json", windsurfHooks},
	{"Cline", file, ".clinerules", clineRules},
	{"Cline", file, ".clinerules/**/*.md", clineRules},
	{"Cline", file, ".clinerules/**/*.txt", clineRules},
	{"Cline", file, ".cline/rules/**/*.md", clineRules},
	{"Cline", file, ".cline/rules/**/*.txt", clineRules},
	{"Cline", file, ".cline/workflows/**/*.md", clineFlows},
	{"Cline", skill, ".cline/skills/**", clineSkills},
	{"Cline", unchecked, ".clinerules/hooks/*", clineHooks},
	{"Roo Code", file, ".roo/rules/**/*", rooRules},
	{"Roo Code", file, ".roo/rules-*/**/*", rooRules},
	{"Roo Code", file, ".roo/commands/*.md", rooCommands},
	{"Roo Code", file, ".roo/system-prompt-*", rooSystem},
	{"Roo Code", skill, ".roo/skills/**", rooSkills},
	{"Roo Code", skill, ".roo/skills-*/**", rooSkills},
	{"Roo Code", file, ".roorules", rooRules},
	{"Roo Code", file, ".roorules-*", rooRules},
	{"Roo Code", file, ".clinerules-*", rooRules},
	{"Roo Code", file, ".roomodes", rooModes},
	{"Roo Code", file, "AGENTS.local.md", rooRules},
	{"Continue", file, ".continue/rules/**/*.md", continueRules},
	{"Continue", file, ".continue/prompts/**/*.md", continueFlows},
	{"Continue", file, ".continuerules", continueRules},
	{"Continue", unchecked, ".continue/config.yaml", continueConfig},
	{"opencode", file, ".opencode/agent/**/*.md", opencodeAgents},
	{"opencode", file, ".opencode/agents/**/*.md", opencodeAgents},
	{"opencode", file, ".opencode/command/**/*.md", opencodeFlows},
	{"opencode", file, ".opencode/commands/**/*.md", opencodeFlows},
	{"opencode", file, ".opencode/mode/**/*.md", opencodeModes},
	{"opencode", file, ".opencode/modes/**/*.md", opencodeModes},
	{"opencode", skill, ".opencode/skill/**", opencodeSkills},
	{"opencode", skill, ".opencode/skills/**", opencodeSkills},
	{"opencode", file, ".opencode/skills/*.md", opencodeSkills},
	{"opencode", file, ".claude/skills/*.md", opencodeSkills},
	{"opencode", file, ".agents/skills/*.md", opencodeSkills},
	{"opencode", unchecked, "opencode.json", opencodeConfig},
	{"opencode", unchecked, "opencode.jsonc", opencodeConfig},
	{"Zed", file, ".rules", zedRules},
	{"Zed, Roo Code", file, "AGENT.md", zedRules},
	{"Zed", unchecked, ".zed/settings.json", zedSettings},
}

// inProjects lists the other places that clients search in any folder of a project. It includes
// the settings of Claude Code because they can disable a hook.
var inProjects = []Place{
	{"Claude Code", file, ".claude/settings.json", claudeSettings},
	{"Claude Code", file, ".claude/settings.local.json", claudeSettings},
	{"opencode", file, "CONTEXT.md", opencodeFiles},
}

// atHome lists the other places that clients search in the user's home.
var atHome = []Place{
	{"Claude Code", unchecked, ".claude/projects/*/memory/*.md", claudeMemory},
	{"Gemini CLI", skill, ".gemini/extensions/*/skills/**", geminiExtensions},
	{"Gemini CLI", file, ".gemini/extensions/*/GEMINI.md", geminiExtensions},
	{"Gemini CLI", file, ".gemini/extensions/*/commands/**/*.toml", geminiExtensions},
	{"Gemini CLI", file, ".gemini/extensions/*/agents/*.md", geminiExtensions},
	{"Gemini CLI", unchecked, ".gemini/extensions/*/hooks/hooks.json", geminiExtensions},
	{"Gemini CLI", unchecked, ".gemini/extensions/*/gemini-extension.json", geminiExtensions},
	{"Windsurf", file, ".codeium/windsurf/memories/global_rules.md", windsurfRules},
	{"Windsurf", file, ".codeium/windsurf/global_workflows/*.md", windsurfFlows},
	{"Windsurf", skill, ".codeium/windsurf/skills/**", windsurfSkills},
	{"Cline", file, "Documents/Cline/Rules/**/*.md", clineRules},
	{"Cline", file, "Documents/Cline/Rules/**/*.txt", clineRules},
	{"Cline", file, "Cline/Rules/**/*.md", clineRules},
	{"Cline", file, "Documents/Cline/Workflows/**/*.md", clineFlows},
	{"Cline", unchecked, "Documents/Cline/Hooks/*", clineHooks},
	{"Copilot", skill, ".copilot/skills/**", copilotSkills},
	{"Copilot", file, ".copilot/agents/*.md", copilotCLI},
	{"Copilot", file, ".copilot/copilot-instructions.md", copilotCLI},
	{"Copilot", file, ".copilot/instructions/**/*.instructions.md", copilotCLI},
	{"Copilot", file, ".config/Code/User/prompts/*.md", copilotPrompts},
	{"Copilot", file, "Library/Application Support/Code/User/prompts/*.md", copilotPrompts},
	{"opencode", file, ".config/opencode/AGENTS.md", opencodeRules},
	{"opencode", file, ".config/opencode/agent/**/*.md", opencodeAgents},
	{"opencode", file, ".config/opencode/agents/**/*.md", opencodeAgents},
	{"opencode", file, ".config/opencode/command/**/*.md", opencodeFlows},
	{"opencode", file, ".config/opencode/commands/**/*.md", opencodeFlows},
	{"opencode", file, ".config/opencode/mode/**/*.md", opencodeModes},
	{"opencode", file, ".config/opencode/modes/**/*.md", opencodeModes},
	{"opencode", skill, ".config/opencode/skill/**", opencodeSkills},
	{"opencode", skill, ".config/opencode/skills/**", opencodeSkills},
	{"opencode", file, ".config/opencode/skills/*.md", opencodeSkills},
	{"opencode", unchecked, ".config/opencode/opencode.json", opencodeConfig},
	{"opencode", unchecked, ".config/opencode/opencode.jsonc", opencodeConfig},
	{"Zed", file, ".config/zed/AGENTS.md", zedRules},
	{"Zed", unchecked, ".config/zed/settings.json", zedSettings},
}

// inPlugin lists the places in the folder of a Claude Code plugin.
var inPlugin = []Place{
	{"Claude Code", skill, "skills/**", claudePlugins},
	{"Claude Code", file, "commands/**/*.md", claudePlugins},
	{"Claude Code", file, "agents/**/*.md", claudePlugins},
	{"Claude Code", file, "output-styles/**/*.md", claudePlugins},
	{"Claude Code", unchecked, "hooks/hooks.json", claudePlugins},
	{"Claude Code", unchecked, ".claude-plugin/plugin.json", claudePlugins},
}

// Places returns the places that apply in scope s.
func (s Scope) Places() []Place {
	switch s {
	case Plugin:
		return inPlugin
	case User:
		return slices.Concat(shared, atHome, lists.Map(inPlugin, func(p Place) Place {
			p.Pattern = ".claude/plugins/cache/*/*/*/" + p.Pattern
			return p
		}))
	default:
		return slices.Concat(shared, inProjects)
	}
}

// Checked reports whether the files of p are compared with approved versions. The files of
// other places are only listed.
func (p Place) Checked() bool { return p.Kind != unchecked }

// alsoReads maps the id of a client to patterns of other clients' places. The client also
// searches these places, or its agent often reads them unprompted.
var alsoReads = map[string][]string{
	"claude-code": {"AGENTS.md"},
	"cursor":      {".claude/skills/**", ".codex/skills/**", ".agents/skills/**", ".claude/agents/**/*.md", ".codex/agents/*.toml", "CLAUDE.md"}, // cursorSkills, cursorAgents, cursorRules
}

// ReadBy reports whether the client with the given id reads the files of p. It returns true for
// unknown clients.
func (p Place) ReadBy(client string) bool {
	name := map[string]string{"claude-code": "Claude Code", "codex": "Codex", "cursor": "Cursor"}[client]
	return name == "" || strings.Contains(p.Client, name) || slices.Contains(alsoReads[client], p.Pattern)
}

// Settings reports whether the files of p are settings of a client. Settings can run commands
// and disable the client's hooks.
func (p Place) Settings() bool { return p.Source == claudeSettings }

// Pattern is a Place with its pattern split into elements.
type Pattern struct {
	Place
	elements []string
}

// Patterns returns the places that apply in scope s. If folds is true, the patterns are in
// lower case, for file systems that ignore case.
func (s Scope) Patterns(folds bool) []Pattern {
	var list []Pattern
	for _, p := range s.Places() {
		written := p.Pattern
		if folds {
			written = strings.ToLower(written)
		}
		list = append(list, Pattern{p, strings.Split(written, "/")})
	}
	return list
}

// folded contains the places of three scopes in lower case. It includes Plugin because the
// layer of a project can also contain the files of a plugin.
var folded = []struct {
	scope    Scope
	patterns func() []Pattern
}{
	{Project, sync.OnceValue(func() []Pattern { return Project.Patterns(true) })},
	{User, sync.OnceValue(func() []Pattern { return User.Patterns(true) })},
	{Plugin, sync.OnceValue(func() []Pattern { return Plugin.Patterns(true) })},
}

// Find returns the place that contains p, the path of a skill or of instructions in the given
// layer. It returns false if no client searches there. Find ignores case, as some file systems
// do.
func Find(kind registry.Kind, layer registry.Layer, p string) (Place, bool) {
	for _, f := range folded {
		if (f.scope == User) != (layer == registry.LayerUser) && layer != registry.LayerGlobal {
			continue
		}
		if place, ok := Match(f.patterns(), strings.ToLower(p), kind == skill, f.scope == Project); ok && place.Kind == kind {
			return place, true
		}
	}
	return Place{}, false
}

// ends reports whether a path that ends in the element name can match the pattern. It is faster
// than path.Match, which matters because every file of a folder is compared with every pattern.
func (of Pattern) ends(name string) bool {
	last := of.elements[len(of.elements)-1]
	star := strings.LastIndexByte(last, '*')
	switch star {
	case -1:
		return name == last
	case 0:
		return strings.HasSuffix(name, last[1:])
	}
	ok, err := path.Match(last, name)
	return err == nil && ok
}

// Match returns the first place that matches p, the path of a file or folder, or false. If
// anywhere is true, a pattern can start in any parent folder of p.
func Match(patterns []Pattern, p string, isDir, anywhere bool) (Place, bool) {
	var elements []string
	last := path.Base(p)
	for _, of := range patterns {
		if of.Kind != unchecked && isDir != (of.Kind == skill) || !of.ends(last) {
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
			if matches(of.elements, elements[from:]) {
				return of.Place, true
			}
		}
	}
	return Place{}, false
}

// Leads reports whether the folder at p can contain a place. If anywhere is true, a pattern can
// start in any parent folder of p.
func Leads(patterns []Pattern, p string, anywhere bool) bool {
	elements := strings.Split(p, "/")
	for from := range elements {
		if slices.ContainsFunc(patterns, func(of Pattern) bool { return canContain(of.elements, elements[from:]) }) {
			return true
		}
		if !anywhere {
			break
		}
	}
	return false
}

// canContain reports whether the folder with the given path elements can contain a match of
// pattern.
func canContain(pattern, elements []string) bool {
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

// matches reports whether the path with the given elements matches pattern.
func matches(pattern, elements []string) bool {
	switch {
	case len(pattern) == 0:
		return len(elements) == 0
	case pattern[0] == "**":
		for skip := 0; skip <= len(elements); skip++ {
			if matches(pattern[1:], elements[skip:]) {
				return true
			}
		}
		return false
	case len(elements) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], elements[0])
	return err == nil && ok && matches(pattern[1:], elements[1:])
}
