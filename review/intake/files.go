package intake

import (
	"regexp"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// NewFileReason returns the rationale for a new skill or instruction file. client is the program that reads it.
func NewFileReason(kind registry.Kind, path, client string) string {
	noun := "New instruction file at "
	if kind == registry.KindSkill {
		noun = "New skill at "
	}
	return noun + jsondoc.Printable(path) + " (read by " + client + ")."
}

// ChangedFileReason returns the rationale for a file that differs from its approved version.
func ChangedFileReason(path, changes string) string {
	return jsondoc.Printable(path) + changedOnDisk + changes + "."
}

// GoneFileReason returns the rationale for deactivating a file that no longer exists.
func GoneFileReason(path string) string {
	return jsondoc.Printable(path) + " no longer exists on disk."
}

const (
	changedOnDisk = " has changed on disk: "
	how           = "(?:new|missing|text|line ends|mode|link|bytes)"
)

// Patterns for the ends of rationales, which depend on the files on disk.
var (
	readBy  = regexp.MustCompile(`^ \(read by [^()\n]+\)\.$`)
	changes = regexp.MustCompile(`^(?:[^\n]+ \(` + how + `\)(?:, |\.$))+$|^(?:[^\n]+ \(` + how + `\), )+and \d+ more\.$`)
)

// generatedFile reports whether an import of files generated everything in a draft except its definition.
func generatedFile(d proposals.Draft, f registry.Folder) bool {
	if len(d.Examples)+len(d.TestCases) > 0 {
		return false
	}
	start, end := "", changes
	switch d.Type {
	case proposals.New:
		start, end = strings.TrimSuffix(NewFileReason(d.Subject.Kind, f.Path, ""), " (read by )."), readBy
	case proposals.Modify:
		start = jsondoc.Printable(f.Path) + changedOnDisk
	case proposals.Deactivate:
		return d.Rationale == GoneFileReason(f.Path)
	default:
		return false
	}
	rest, ok := strings.CutPrefix(d.Rationale, start)
	return ok && end.MatchString(rest)
}
