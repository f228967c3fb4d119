// Package findings defines findings in files and writes them as text, as SARIF 2.1.0, and as GitHub workflow
// commands. The output is safe to print, because package visible sanitizes all texts.
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

// Finding is a problem that a rule found in a definition or in a file. The texts of a finding are untrusted.
type Finding struct {
	Handle   string `json:"handle,omitempty"`
	Rule     string `json:"rule"`
	Name     string `json:"-"`        // name of the rule, such as override-phrase
	Severity string `json:"severity"` // block, warn or info
	// Subject is the subject of the finding, or the name of a tool in the file. It is "" if the finding is about the
	// whole file.
	Subject string `json:"subject"`
	Tool    string `json:"tool,omitempty"` // name of the tool in the file
	// Path is the path of the field that the finding refers to.
	Path string `json:"path"`
	// Field is the path of the field relative to the subject. Unlike Path, it does not depend on the position of the
	// subject in the file. If Field is "", Path is used instead.
	Field string `json:"-"`
	File  string `json:"file,omitempty"`
	// Line is the line of the finding, starting at 1, or 0 if the line is unknown.
	Line int `json:"line"`
	// Column is the column in characters, starting at 1, or 0 if the column is unknown.
	Column  int `json:"column"`
	EndLine int `json:"end_line,omitempty"`
	// EndColumn is the column after the last character.
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
	// Suggestion is the remedy for the author of the text.
	Suggestion string `json:"suggestion"`
	// Importer is the remedy for a user who imports the tool and cannot change it.
	Importer string `json:"for_importer,omitempty"`
	// Passage is the exact text that the finding refers to.
	Passage  string `json:"passage,omitempty"`
	Waivable bool   `json:"waivable"`
	// Carried reports whether an approved version already contains the passage.
	Carried bool `json:"carried,omitempty"`
	// CarriedFrom is an approved version that contains the passage, in the form SUBJECT@VERSION.
	CarriedFrom string `json:"carried_from,omitempty"`
	// WaivedBy is the user who waived the finding.
	WaivedBy string `json:"waived_by,omitempty"`
	Waiver   string `json:"waiver,omitempty"`
	// Server identifies the list of tools that contains the tool, or is "" if the tool is not in a list. Fold merges
	// equal findings about several tools of the same list.
	Server string `json:"-"`
	// Tools is the list of all affected tools if the finding is about several tools.
	Tools []string `json:"tools,omitempty"`
	// Also is the list of other places that contain the same passage.
	Also []Place `json:"also,omitempty"`
}

// Place is the position of a finding that Fold merged into a finding about the same passage.
type Place struct {
	Tool      string `json:"tool"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// maxPassage is the maximum length of a quoted passage, in characters.
const maxPassage = 160

// where returns the subject, path, and passage of f in brackets, such as [get_b: description: "Ignore all …"].
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

// Text returns one line for each finding, in the form "file:line:column: severity rule (name): message remedies
// [tool: path: passage]".
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

// GitHub returns the findings as workflow commands, which GitHub displays as annotations
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
			if f.EndLine == f.Line && f.EndColumn > 0 { // GitHub accepts columns only if the start and the end are on the same line
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

// Fold merges equal findings about a passage that occurs in several tools of a list, for example in every description.
// Only the first finding remains. Its Tools field lists all affected tools, and its Also field lists the other places.
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

// message returns the message of the finding, followed by a list of the affected tools if the passage occurs in
// several tools.
func (f Finding) message() string {
	if len(f.Tools) == 0 {
		return f.Message
	}
	return f.Message + " The same text is in " + rules.InTools(f.Tools) + "."
}

// remedies returns the remedy for the author of the text, followed by the remedy for a user who imports the text.
func (f Finding) remedies() string {
	return strings.TrimSpace(f.Suggestion + " " + rules.Importing(f.Importer))
}
