// Package report prints the findings of the commands that check files and the database.
package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/review/proof"
	"toolcrib/review/reach/fact"
)

// Reached is a fact about the data and programs that a file can access, run, or change.
type Reached struct {
	File    string `json:"file"`
	Subject string `json:"subject"`
	fact.Fact
}

// CheckFormat returns a usage error if *format is not text, json, sarif, or an element of formats. If the user passed
// --json, CheckFormat replaces the format text with json.
func CheckFormat(a *command.App, format *string, formats ...string) error {
	if a.Form.JSON && *format == "text" {
		*format = "json"
	}
	if formats = append([]string{"text", "json", "sarif"}, formats...); !slices.Contains(formats, *format) {
		return process.Usagef("unknown format %q: use %s", *format, strings.Join(formats, ", "))
	}
	return nil
}

// New returns a document with the findings in list. ok reports whether the check succeeded.
func New(ok bool, list []findings.Finding) Findings {
	doc := Findings{Head: output.NewHead("findings"), OK: ok, Findings: append([]findings.Finding{}, list...), Counts: map[string]int64{}}
	for _, f := range list {
		doc.Counts[f.Severity]++
	}
	return doc
}

// Print prints findings in the given format: doc for json, the findings of run for sarif and github, and the result of
// formatText for text. If ok is false, Print returns ErrFindings.
func Print(a *command.App, format string, ok bool, doc any, run findings.Run, formatText func() string) error {
	var err error
	switch format {
	case "json":
		err = a.PrintJSON(doc)
	case "sarif":
		var log []byte
		if log, err = findings.SARIF(run, process.ProgramVersion()); err == nil {
			_, err = a.Env.Out.Write(log)
		}
	case "github":
		_, err = io.WriteString(a.Stdout, findings.GitHub(run.Found))
	default:
		text := formatText()
		if _, err = io.WriteString(a.Env.Out, text); text == "" {
			a.Tell("No findings.")
		}
	}
	return cmp.Or(err, process.CheckFindings(ok))
}

// Findings is the document that the lint, check, and verify commands print.
type Findings struct {
	output.Head
	OK       bool               `json:"ok"`
	Findings []findings.Finding `json:"findings"`
	Counts   map[string]int64   `json:"counts,omitempty"`
	// Signatures counts the decisions by the state of their signatures. It is present if signing has started.
	Signatures *proof.Report `json:"signatures,omitempty"`
	// Reach lists the data and programs that the files can access, run, or change. Only the lint command sets it.
	Reach []Reached `json:"reach,omitempty"`
	// Folders lists the folders that check --files compared. Unchecked lists the files in these folders that clients
	// read but check did not compare.
	Folders   []Folder `json:"folders,omitempty"`
	Unchecked []string `json:"unchecked,omitempty"`
}

// Folder is a folder that was compared with a layer of the registry.
type Folder struct {
	Folder string `json:"folder"`
	Layer  string `json:"layer"`
}
