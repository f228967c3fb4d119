// This file finds the files that agents read, and converts them to units.

package lint

import (
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// instructionName reports whether agents read a file called base in any folder, such as skill.md or agents.md. base
// must be in lower case.
func instructionName(base string) bool {
	return slices.Contains([]string{
		"skill.md", "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md",
		".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints",
	}, base) || slices.ContainsFunc([]string{".mdc", ".prompt.md", ".instructions.md", ".chatmode.md", ".agent.md"}, func(end string) bool { return strings.HasSuffix(base, end) })
}

var (
	// instructionFolders lists folders of Markdown files for agents.
	instructionFolders = []string{"commands", "agents", "skills", "rules", "prompts", "instructions", ".clinerules", "workflows", "steering"}
	// skippedFolders lists folders that usually contain files of other projects.
	skippedFolders = []string{".git", ".hg", "node_modules", "vendor", ".venv", "__pycache__"}
	// legalNames lists words in the names of text files that contain only legal terms or lists of packages.
	legalNames = []string{"license", "licence", "notice", "copying", "requirements"}
	// aboutFiles lists files that describe a folder to people.
	aboutFiles = []string{"readme.md", "changelog.md", "license.md", "contributing.md", "security.md", "code_of_conduct.md"}
	scripts    = []string{".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua"}
)

// instructs reports whether agents read the file at path. inSkill reports whether the file is in the folder of a
// SKILL.md. Agents also read the other files in that folder, because the SKILL.md can refer to them.
func instructs(path string, inSkill bool) bool {
	base := strings.ToLower(filepath.Base(path))
	note := filepath.Ext(base) == ".txt" && !slices.ContainsFunc(legalNames, func(name string) bool { return strings.Contains(base, name) })
	switch {
	case instructionName(base), inSkill && (isScript(base) || note):
		return true
	case !strings.HasSuffix(base, ".md"):
		return false
	}
	return inSkill || !slices.Contains(aboutFiles, base) && inInstructions(path)
}

// inInstructions reports whether path is in a folder for texts that agents read.
func inInstructions(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(path)), "/"), func(name string) bool { return slices.Contains(instructionFolders, name) })
}

// isScript reports whether a file with the name base is a script. base must be in lower case.
func isScript(base string) bool { return slices.Contains(scripts, filepath.Ext(base)) }

// lintFiles returns the files to check. For a folder in names, these are the files in it that agents read. lintFiles
// does not follow links. A skill is represented by its SKILL.md, and its other files are not in the result.
func lintFiles(a *command.App, names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		info, err := os.Stat(a.Path(name))
		if name == "-" || a.Remote != nil || err != nil || !info.IsDir() {
			list = append(list, name) // the caller reports an error if it cannot read name
			continue
		}
		found, err := instructionFiles(a.Path(name))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if len(found) == 0 {
			a.Note("toolcrib: nothing to check in %s: it contains no skill, command, rule, or instruction file.", name)
		}
		for _, file := range found {
			list = append(list, filepath.Join(name, file))
		}
	}
	skills := map[string]bool{}
	for _, name := range list {
		if isSkill(name) {
			skills[filepath.Dir(name)] = true
		}
	}
	return slices.DeleteFunc(list, func(name string) bool {
		for dir := range folders(name) {
			if skills[dir] && filepath.Join(dir, registry.SkillFile) != filepath.Clean(name) {
				return true
			}
		}
		return false
	}), nil
}

// folders yields the folder of the file called name, and then its parent folders, from the inside out.
func folders(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		dir := filepath.Dir(name)
		for yield(dir) && filepath.Base(dir) != ".." && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
		}
	}
}

// instructionFiles returns the files below root that agents read. Their paths are relative to root.
func instructionFiles(root string) ([]string, error) {
	var files []string
	skills := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skippedFolders, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(root, path)
		files = append(files, rel)
		if strings.EqualFold(d.Name(), "skill.md") {
			skills[filepath.Dir(rel)] = true
		}
		return err
	})
	whole, absErr := filepath.Abs(root)
	return slices.DeleteFunc(files, func(file string) bool {
		inSkill := false
		for dir := range folders(file) {
			inSkill = inSkill || skills[dir]
		}
		named := file // including the name of the root, which may be "commands"
		if absErr == nil {
			named = filepath.Join(filepath.Base(whole), file)
		}
		return !instructs(named, inSkill)
	}), err
}

// proposalKey matches a line in the front matter of a proposal or definition. Front matter of other files does not
// contain such lines.
var proposalKey = regexp.MustCompile(`(?m)^(?:subject:\s*["']?(?:tool|agent|list|skill|instructions):|type:\s*["']?(?:new|modify|deactivate|reactivate|restore)\b|baseVersion:|kind:\s*["']?(?:prompt|action)\b)`)

// fileUnit returns a unit for a file that agents read. Like a review, it treats the file as an instruction file.
func fileUnit(name string, data []byte, executable bool) *unit {
	base := filepath.Base(name)
	f := registry.Folder{Path: base, Files: map[string]registry.File{base: registry.NewFile(registry.KindInstructions, base, data, executable)}}
	return folderUnit(registry.KindInstructions, name, f)
}

// skillUnit reads a skill in the same way as an import, and returns a unit for the skill. file is the path of the
// SKILL.md, and name is its path for display.
func skillUnit(file, name string) (*unit, error) {
	dir := filepath.Dir(file)
	f, err := instructions.Read(filepath.Dir(dir), registry.KindSkill, filepath.Base(dir))
	return folderUnit(registry.KindSkill, name, f), err
}

func folderUnit(kind registry.Kind, name string, f registry.Folder) *unit {
	id := instructions.NewID(kind, f.Path, func(string) bool { return false })
	return &unit{
		change: rules.Change{Isolated: true, Draft: proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: kind, Layer: registry.LayerUser, ID: id}, Definition: instructions.Definition(kind, id, f),
		}},
		families: fileFamilies, subject: name, lintPlace: lintPlace{folder: &f},
	}
}
