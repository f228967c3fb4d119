package review

import (
	"path"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// Part is a file that a proposal adds or changes, as it has to be read.
type Part struct {
	Name string // of the file
	Path string // of its field in the definition
	// As names the subject with the same bytes that was approved, or that is read in the
	// same change set; "" for none. Such a file is not read again.
	As string
	// Data reports that the file is generated or holds data: it is accepted by its hash.
	Data bool
}

// New reports whether somebody has to read the part.
func (p Part) New() bool { return p.As == "" && !p.Data }

// Parts returns the files in which after differs from before, which may be nil. known
// finds the subject that has the bytes of a file already. A data file with a finding that
// warns or blocks has to be read like code.
func Parts(before *registry.Folder, after registry.Folder, standing []Standing, known func(registry.File) string) []Part {
	var parts []Part
	for _, name := range after.Paths() {
		file := after.Files[name]
		if before != nil && before.Files[name] == file {
			continue
		}
		p := Part{Name: name, As: known(file)}
		p.Path, _ = after.Field(name)
		p.Data = p.As == "" && isData(name, file) && !slices.ContainsFunc(standing, func(s Standing) bool {
			at, ok := strings.CutPrefix(s.Path, "definition.")
			return ok && at == p.Path && s.Severity != rules.Info && s.Waiver == nil
		})
		parts = append(parts, p)
	}
	return parts
}

// dataFiles are the ends of the names of files that no agent reads as instructions and no
// program runs, and locked are files that package managers generate.
var (
	dataFiles = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xsd", ".dtd", ".rng"}
	locked    = []string{"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "go.sum", "gemfile.lock", "composer.lock"}
	// configured are files of JSON that make a program run something.
	configured = []string{"package.json", "settings.json", "settings.local.json", "hooks.json", "mcp.json", ".mcp.json", "plugin.json", "tsconfig.json", "tasks.json", "launch.json"}
)

// isData reports whether a file is accepted by its hash: a binary, or a text file with data. Executable files, and
// settings that run programs, must be read.
func isData(name string, f registry.File) bool {
	base := strings.ToLower(path.Base(name))
	switch {
	case f.Executable, f.Link != "", slices.Contains(configured, base):
		return false
	}
	return f.Binary() || slices.Contains(locked, base) || slices.Contains(dataFiles, path.Ext(base))
}

// MayBeUnread reports whether a proposal can be approved without having been read completely: it must be new and
// imported.
func MayBeUnread(p proposals.Proposal, d registry.Definition) bool {
	return p.Type == proposals.New && p.BaseVersion == 0 && (d.Folder() != nil || d.Tool != nil && d.Tool.Source != nil)
}
