package review

import (
	"path"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// Part is a file that a proposal adds or changes.
type Part struct {
	Name string // of the file
	Path string // of its field in the definition
	// As names the subject that contains the same bytes and was approved, or is read in the same change set, or is "".
	// Such a file need not be read again.
	As string
	// Data indicates that the file is generated or contains data. It is accepted by its hash.
	Data bool
}

// New reports whether a user must read the part.
func (p Part) New() bool { return p.As == "" && !p.Data }

// Parts returns the files that differ between before, which may be nil, and after. known returns the subject that
// already contains the same bytes, or "". A data file with a finding of the severity warn or block must be read like
// code.
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

// dataFiles lists suffixes of files that agents do not read as instructions and programs do not execute. locked lists
// files that package managers generate.
var (
	dataFiles = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xsd", ".dtd", ".rng"}
	locked    = []string{"package-lock.json", "yarn.lock", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "go.sum", "gemfile.lock", "composer.lock"}
	// configured lists JSON files that can make programs execute something.
	configured = []string{"package.json", "settings.json", "settings.local.json", "hooks.json", "mcp.json", ".mcp.json", "plugin.json", "tsconfig.json", "tasks.json", "launch.json"}
)

// isData reports whether a file is accepted by its hash: a binary, or a text file with data. Executable files, and
// settings that make programs execute something, must be read.
func isData(name string, f registry.File) bool {
	base := strings.ToLower(path.Base(name))
	switch {
	case f.Executable, f.Link != "", slices.Contains(configured, base):
		return false
	}
	return f.Binary() || slices.Contains(locked, base) || slices.Contains(dataFiles, path.Ext(base))
}

// MayBeUnread reports whether a proposal can be approved without reading it completely. It must be new and imported.
func MayBeUnread(p proposals.Proposal, d registry.Definition) bool {
	return p.Type == proposals.New && p.BaseVersion == 0 && (d.Folder() != nil || d.Tool != nil && d.Tool.Source != nil)
}
