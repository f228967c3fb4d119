// Package findings defines findings in files and writes them in the formats for users, editors, and CI: text, JSON,
// SARIF 2.1.0, and GitHub workflow commands. The output is safe to print, because texts are sanitized by package
// visible.
package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// Finding is a finding of a rule. Texts in it are untrusted.
type Finding struct {
	Handle   string `json:"handle,omitempty"`
	Rule     string `json:"rule"`
	Name     string `json:"-"`        // of the rule, in a few words with hyphens
	Severity string `json:"severity"` // block, warn or info
	// The subject, the name of the tool in the file, or "" for the whole file.
	Subject string `json:"subject"`
	Tool    string `json:"tool,omitempty"` // name of the tool in the file
	// Field that the finding refers to.
	Path string `json:"path"`
	// Field is Path as long as the subject keeps its place, or "" for the same.
	Field string `json:"-"`
	File  string `json:"file,omitempty"`
	// From 1; 0 if unknown.
	Line int `json:"line"`
	// From 1, in characters; 0 if unknown.
	Column  int `json:"column"`
	EndLine int `json:"end_line,omitempty"`
	// The column after the last character.
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
	// Remedy for the author of the text.
	Suggestion string `json:"suggestion"`
	// Remedy for a user who imports the tool and cannot change it.
	Importer string `json:"for_importer,omitempty"`
	// Text that the finding refers to, quoted exactly.
	Passage  string `json:"passage,omitempty"`
	Waivable bool   `json:"waivable"`
	// Whether an approved version has the passage already.
	Carried bool `json:"carried,omitempty"`
	// An approved version that has it, as SUBJECT@VERSION.
	CarriedFrom string `json:"carried_from,omitempty"`
	// The user who accepted it.
	WaivedBy string `json:"waived_by,omitempty"`
	Waiver   string `json:"waiver,omitempty"`
	// Server identifies the list of tools that the tool is in, or is "" for none. Fold
	// replaces equal findings about several tools of a list by one.
	Server string `json:"-"`
	// Names of the tools, if the finding applies to several.
	Tools []string `json:"tools,omitempty"`
	// Other places with the same text.
	Also []Place `json:"also,omitempty"`
}

// Place is another place of a finding.
type Place struct {
	Tool      string `json:"tool"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// maxPassage limits the length of a passage on a line, in characters.
const maxPassage = 160

// where describes the location of a finding, such as [get_b: description: "Ignore all …"].
func (f Finding) where() string {
	parts := lists.Filter([]string{f.Subject, jsondoc.ShortPath(f.Path)}, func(s string) bool { return s != "" && s != f.File })
	if f.Passage != "" && f.Passage != f.Subject && !(rules.Finding{Message: f.Message, Passage: f.Passage}).HasQuote() {
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

// Text returns one line per finding: "file:line:column: severity rule (name): message [tool: path: passage]".
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
		fmt.Fprintf(&b, "%s %s (%s): %s", f.Severity, f.Rule, f.Name, f.message())
		if remedies := f.remedies(); remedies != "" {
			b.WriteString(" " + remedies)
		}
		b.WriteString(f.where())
		b.WriteByte('\n')
	}
	return visible.Text(b.String())
}

// GitHub returns workflow commands, which GitHub displays as annotations
// (docs.github.com/actions/reference/workflow-commands-for-github-actions).
func GitHub(found []Finding) string {
	var b strings.Builder
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range found {
		command := cmp.Or(map[string]string{"block": "error", "warn": "warning"}[f.Severity], "notice")
		var properties []string
		add := func(key, value string) {
			properties = append(properties, key+"="+property.Replace(visible.Inert(visible.Line(value))))
		}
		if f.File != "" {
			add("file", f.File)
		}
		if f.Line > 0 {
			add("line", fmt.Sprint(f.Line))
			add("col", fmt.Sprint(max(f.Column, 1)))
		}
		if f.EndLine > 0 {
			add("endLine", fmt.Sprint(f.EndLine))
			if f.EndLine == f.Line && f.EndColumn > 0 { // GitHub supports columns only within one line
				add("endColumn", fmt.Sprint(f.EndColumn))
			}
		}
		add("title", f.Rule+" "+f.Name)
		message := strings.TrimSpace(f.message()+" "+f.remedies()) + f.where()
		fmt.Fprintf(&b, "::%s %s::%s\n", command, strings.Join(properties, ","), escape.Replace(visible.Inert(visible.Text(message))))
	}
	return b.String()
}

// Sort sorts findings by file, position, and rule.
func Sort(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
}

// Fold merges findings of the same text in several tools of a list, such as a sentence that its author repeats in all
// descriptions, into the first finding, with the names of all tools and the other locations.
func Fold(found []Finding) []Finding {
	type stock struct{ server, file, rule, severity, passage string }
	keyOf := func(f *Finding) stock { return stock{f.Server, f.File, f.Rule, f.Severity, f.Passage} }
	tools := map[stock][]string{}
	for i := range found {
		f := &found[i]
		if key := keyOf(f); f.Server != "" && f.Passage != "" && !slices.Contains(tools[key], f.Tool) {
			tools[key] = append(tools[key], f.Tool)
		}
	}
	first := map[stock]int{}
	var list []Finding
	for i := range found {
		f := found[i]
		key := keyOf(&f)
		if len(tools[key]) < 2 {
			list = append(list, f)
			continue
		}
		at, known := first[key]
		if !known {
			first[key] = len(list)
			f.Tools = tools[key]
			list = append(list, f)
			continue
		}
		list[at].Also = append(list[at].Also, Place{f.Tool, f.Path, f.Line, f.Column, f.EndLine, f.EndColumn})
	}
	return list
}

// message returns the message, followed by the affected tools if there are several.
func (f Finding) message() string {
	if len(f.Tools) == 0 {
		return f.Message
	}
	return f.Message + " The same text is in " + rules.InTools(f.Tools) + "."
}

// remedies returns the remedies for the author of the text and for a user who imports it.
func (f Finding) remedies() string {
	return strings.TrimSpace(f.Suggestion + " " + rules.Importing(f.Importer))
}
