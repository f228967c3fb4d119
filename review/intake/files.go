package intake

import (
	"regexp"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// NewFileReason is the rationale for a skill or a file of instructions that was never
// approved; client reads it.
func NewFileReason(kind registry.Kind, path, client string) string {
	noun := "A file of instructions"
	if kind == registry.KindSkill {
		noun = "A skill"
	}
	return noun + " stands at " + jsondoc.Printable(path) + " (read by " + client + ")."
}

// ChangedFileReason is the rationale for one that is not as it was approved.
func ChangedFileReason(path, changes string) string {
	return jsondoc.Printable(path) + changedOnDisk + changes + "."
}

// GoneFileReason is the rationale for taking out of use what is not there any more.
func GoneFileReason(path string) string { return jsondoc.Printable(path) + " is gone from the disk." }

const (
	changedOnDisk = " has changed on disk: "
	how           = "(?:new|missing|text|line ends|mode|link|bytes)"
)

// Ends of the rationales, whose words depend on what is on disk.
var (
	readBy  = regexp.MustCompile(`^ \(read by [^()\n]+\)\.$`)
	changes = regexp.MustCompile(`^(?:[^\n]+ \(` + how + `\)(?:, |\.$))+$|^(?:[^\n]+ \(` + how + `\), )+and \d+ more\.$`)
)

// generatedFile reports whether an import of files wrote everything beside the definition
// of a draft.
func generatedFile(d proposals.Draft, f registry.Folder) bool {
	if len(d.Examples)+len(d.TestCases) > 0 {
		return false
	}
	switch d.Type {
	case proposals.New:
		start := NewFileReason(d.Subject.Kind, f.Path, "")
		return ends(d.Rationale, start[:len(start)-len(" (read by ).")], readBy)
	case proposals.Modify:
		return ends(d.Rationale, jsondoc.Printable(f.Path)+changedOnDisk, changes)
	case proposals.Deactivate:
		return d.Rationale == GoneFileReason(f.Path)
	default: // an import makes no others
		return false
	}
}

// ends reports whether a text is start and something that end matches.
func ends(text, start string, end *regexp.Regexp) bool {
	rest, ok := strings.CutPrefix(text, start)
	return ok && end.MatchString(rest)
}
