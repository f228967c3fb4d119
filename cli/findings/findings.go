// Package findings writes findings in files in the formats that people, editors
// and CI read: text, SARIF 2.1.0 and GitHub workflow commands. Its output is safe
// to print: texts pass package visible.
package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/visible"
)

// Finding is one thing that was found in a file.
type Finding struct {
	Rule     string // id of the rule
	Name     string // of the rule, in a few words with hyphens
	Severity string // "block", "warn" or "info"
	File     string // as the caller named it; "" when it is about no file
	// Line and Column count from 1, columns in characters (code points); the
	// end is exclusive. 0 means not known.
	Line, Column, EndLine, EndColumn int
	// Subject is the subject of the finding: a tool as the file calls it, a
	// subject, or "" for the file as a whole. Untrusted.
	Subject string
	Tool    string // the tool as the file calls it, "" for none; untrusted
	Path    string // JSON path of the field in the file, "" for all of it
	// Field is Path as long as the subject keeps its place; "" for the same.
	Field      string
	Message    string
	Suggestion string // for the author of the text
	Importer   string // for whoever imports it and cannot change it, "" for a text that nobody imports
	Passage    string // the exact text that it concerns; untrusted
	Waivable   bool
	// Carried reports that an approved version, or CarriedFrom, has the passage already.
	Carried     bool
	CarriedFrom string
	// Server identifies the list of tools that the tool is in, "" for none. Fold makes
	// one finding of several in it: Tools are those that it is about, Also where else it
	// stands.
	Server string
	Tools  []string
	Also   []Place
}

// maxPassage limits how much of a passage is shown on a line, in characters.
const maxPassage = 160

// where names what a finding is about: [get_b: description: "Ignore all …"].
func (f Finding) where() string {
	var parts []string
	for _, s := range []string{f.Subject, f.Path} {
		if s != "" && s != f.File {
			parts = append(parts, s)
		}
	}
	if f.Passage != "" && f.Passage != f.Subject && !f.quoted() {
		passage := []rune(f.Passage)
		if len(passage) > maxPassage {
			passage = append(passage[:maxPassage-1], '…')
		}
		parts = append(parts, `"`+string(passage)+`"`)
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + visible.Line(strings.Join(parts, ": ")) + "]"
}

// Text writes a line for each finding: "file:line:column: severity rule
// (name): message [tool: path: passage]".
func Text(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		if f.File != "" {
			b.WriteString(visible.Line(f.File))
			if f.Line > 0 {
				fmt.Fprintf(&b, ":%d:%d", f.Line, max(f.Column, 1))
			}
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%s %s (%s): %s", f.Severity, f.Rule, f.Name, f.told())
		if remedies := f.remedies(); remedies != "" {
			b.WriteString(" " + remedies)
		}
		b.WriteString(f.where())
		b.WriteByte('\n')
	}
	return visible.Text(b.String())
}

// GitHub writes workflow commands, which GitHub shows as annotations
// (docs.github.com/actions/reference/workflow-commands-for-github-actions).
func GitHub(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		command := "notice"
		switch f.Severity {
		case "block":
			command = "error"
		case "warn":
			command = "warning"
		}
		var properties []string
		add := func(key, value string) { properties = append(properties, key+"="+property(value)) }
		if f.File != "" {
			add("file", f.File)
		}
		if f.Line > 0 {
			add("line", fmt.Sprint(f.Line))
			add("col", fmt.Sprint(max(f.Column, 1)))
		}
		if f.EndLine > 0 {
			add("endLine", fmt.Sprint(f.EndLine))
			if f.EndLine == f.Line && f.EndColumn > 0 { // GitHub knows columns within one line only
				add("endColumn", fmt.Sprint(f.EndColumn))
			}
		}
		add("title", f.Rule+" "+f.Name)
		fmt.Fprintf(&b, "::%s %s::%s\n", command, strings.Join(properties, ","), data(strings.TrimSpace(f.told()+" "+f.remedies())+f.where()))
	}
	return b.String()
}

// data escapes the message of a workflow command, property one of its
// properties.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(visible.Inert(visible.Text(s)))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(visible.Inert(visible.Line(s)))
}

// Sort orders findings by file, place and rule.
func Sort(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
}
