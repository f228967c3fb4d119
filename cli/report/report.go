// Package report prints findings for the commands that check files.
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

// Reached is a fact about the reach of a file.
type Reached struct {
	File    string `json:"file"`
	Subject string `json:"subject"`
	fact.Fact
}

// CheckFormat validates the value of --format. --json implies json.
func CheckFormat(a *command.App, format *string, formats ...string) error {
	if a.Form.JSON && *format == "text" {
		*format = "json"
	}
	if formats = append([]string{"text", "json", "sarif"}, formats...); !slices.Contains(formats, *format) {
		return process.Usagef("unknown format %q: use %s", *format, strings.Join(formats, ", "))
	}
	return nil
}

// New returns the document for findings.
func New(ok bool, found []findings.Finding) Findings {
	doc := Findings{Head: output.NewHead("findings"), OK: ok, Findings: append([]findings.Finding{}, found...), Counts: map[string]int64{}}
	for _, f := range found {
		doc.Counts[f.Severity]++
	}
	return doc
}

// Print prints findings in the requested format and returns an error if the run failed. text returns them for people.
func Print(a *command.App, format string, ok bool, doc any, run findings.Run, text func() string) error {
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
		_, err = io.WriteString(a.Env.Out, text())
	}
	return cmp.Or(err, process.CheckFindings(ok))
}

// Findings is the document of lint, check, and verify.
type Findings struct {
	output.Head
	OK       bool               `json:"ok"`
	Findings []findings.Finding `json:"findings"`
	Counts   map[string]int64   `json:"counts,omitempty"`
	// Signatures counts decisions by their signatures, if signing has started.
	Signatures *proof.Report `json:"signatures,omitempty"`
	// Reach lists the facts about the reach of the files, for lint.
	Reach []Reached `json:"reach,omitempty"`
	// Folders are the folders that check --files compared, and Unchecked the files in them
	// that clients read but check did not compare.
	Folders   []Folder `json:"folders,omitempty"`
	Unchecked []string `json:"unchecked,omitempty"`
}

// Folder is a folder whose files were compared with a layer.
type Folder struct {
	Folder string `json:"folder"`
	Layer  string `json:"layer"`
}
