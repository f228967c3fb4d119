// Package report prints findings, for every command that finds something in files.
package report

import (
	"fmt"
	"io"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/review/reach/fact"
)

// Finding is a finding wherever one is printed.
type Finding struct {
	Handle   string `json:"handle,omitempty"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Subject  string `json:"subject"`
	Tool     string `json:"tool,omitempty"` // as the file calls it
	// The field that it is about.
	Path      string `json:"path"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
	// How its author can mend it.
	Suggestion string `json:"suggestion"`
	// What to do about it for whoever imports the tool and cannot change it.
	Importer string `json:"for_importer,omitempty"`
	// The text that it is about.
	Passage  string `json:"passage,omitempty"`
	Waivable bool   `json:"waivable"`
	// Carried reports that the passage is in the live version, which somebody approved.
	Carried bool `json:"carried,omitempty"`
	// CarriedFrom is the version that has it: a subject, "@", and a number.
	CarriedFrom string `json:"carried_from,omitempty"`
	// The user who accepted it.
	WaivedBy string `json:"waived_by,omitempty"`
	Waiver   string `json:"waiver,omitempty"`
	// Tools has the names of the tools that say the same, where one finding stands for
	// several, and Also where else it stands.
	Tools []string `json:"tools,omitempty"`
	Also  []Place  `json:"also,omitempty"`
}

// Reached is a fact of what a file can reach.
type Reached struct {
	File    string `json:"file"`
	Subject string `json:"subject"`
	fact.Fact
}

// Place is where else a finding stands.
type Place struct {
	Tool      string `json:"tool"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
}

// Sentence is a sentence in the document of lint --explain.
type Sentence struct {
	File      string   `json:"file"`
	Subject   string   `json:"subject"`
	Path      string   `json:"path"`
	Sentence  string   `json:"sentence"`
	Concepts  []string `json:"concepts"`
	Score     float64  `json:"score"`
	Threshold float64  `json:"threshold"`
	Warns     bool     `json:"warns_without_frame"`
	Frames    []Frame  `json:"frames"`
}

// Frame is a turn of phrase that was seen in a sentence.
type Frame struct {
	Rule     string   `json:"rule"`
	Name     string   `json:"name"`
	Passage  string   `json:"passage"`
	Seen     string   `json:"seen,omitempty"`
	Stance   []string `json:"stance,omitempty"`
	Severity string   `json:"severity"` // off when it is not a finding
	Why      string   `json:"why"`
}

// CheckFormat checks the form in which findings are to be printed; --json alone
// means that of JSON.
func CheckFormat(a *command.App, format *string) error {
	if a.Form.JSON && *format == "text" {
		*format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, *format) {
		return process.Usagef("there is no format %q; write text, json, sarif or github", *format)
	}
	return nil
}

// New counts and lists findings in files.
func New(ok bool, found []findings.Finding) Findings {
	doc := Findings{Head: output.NewHead("findings"), OK: ok, Findings: []Finding{}, Counts: map[string]int64{}}
	for _, f := range found {
		doc.Counts[f.Severity]++
		doc.Findings = append(doc.Findings, Finding{
			Rule: f.Rule, Severity: f.Severity, Subject: f.Subject, Tool: f.Tool, Path: f.Path, File: f.File,
			Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Message: f.Message, Suggestion: f.Suggestion, Importer: f.Importer, Passage: f.Passage, Waivable: f.Waivable, Carried: f.Carried, CarriedFrom: f.CarriedFrom,
			Tools: f.Tools, Also: output.Mapped(f.Also, func(p findings.Place) Place { return Place(p) }),
		})
	}
	return doc
}

// SARIFRun is a run of SARIF: the tool, its rules, and the place of the findings.
type SARIFRun struct {
	Tool  findings.Tool
	Rules []findings.Rule
	Found []findings.Finding
}

// Print writes findings in the requested format; text returns them for people.
func Print(a *command.App, format string, doc any, sarif SARIFRun, found []findings.Finding, text func() string) error {
	out, written := a.Env.Out, ""
	switch format {
	case "json":
		return a.PrintJSON(doc)
	case "sarif":
		log, err := findings.SARIF(sarif.Tool, sarif.Rules, sarif.Found)
		if err != nil {
			return err
		}
		written = string(log)
	case "github":
		out, written = a.Stdout, findings.GitHub(found)
	default:
		written = text()
	}
	_, err := io.WriteString(out, written)
	return err
}

// home is where the documentation is. The module has no public address yet; the
// domain is reserved for examples (RFC 2606), so it leads nowhere.
const home = "https://toolcrib.example/"

// SARIFTool describes toolcrib to scanners: a command, and the page that explains its rules.
func SARIFTool(command, page string) findings.Tool {
	return findings.Tool{Version: process.ProgramVersion(), Home: home + page, Command: command}
}

// Findings is the document of lint, check and verify.
type Findings struct {
	output.Head
	OK       bool             `json:"ok"`
	Findings []Finding        `json:"findings"`
	Counts   map[string]int64 `json:"counts,omitempty"`
	// Signatures counts decisions by their signatures, where signing has started.
	Signatures *Signatures `json:"signatures,omitempty"`
	// Reach has what the files can reach, in lint.
	Reach []Reached `json:"reach,omitempty"`
	// Sentences are there with lint --explain.
	Sentences []Sentence `json:"sentences,omitempty"`
	// Folders are those that check --files compared, and Unchecked the files in them that
	// clients read and that it did not compare.
	Folders   []Folder `json:"folders,omitempty"`
	Unchecked []string `json:"unchecked,omitempty"`
}

// Folder is a folder whose files were compared with a layer.
type Folder struct {
	Folder string `json:"folder"`
	Layer  string `json:"layer"`
}

// Signatures counts the decisions of users by their signatures.
type Signatures struct {
	Signed         int64 `json:"signed"`
	UnsignedBefore int64 `json:"unsigned_before_start"`
	Unsigned       int64 `json:"unsigned"`
	UnknownKey     int64 `json:"unknown_key"`
	RevokedKey     int64 `json:"revoked_key"`
	TooFew         int64 `json:"too_few_approvals,omitempty"`
	Invalid        int64 `json:"invalid"`
}

// Lines describes the counts, those that are 0 left out but for the first.
func (s *Signatures) Lines() []string {
	var lines []string
	for i, c := range []struct {
		n    int64
		what string
	}{
		{s.Signed, "signed decisions"},
		{s.UnsignedBefore, "unsigned decisions from before signing started"},
		{s.Unsigned, "unsigned decisions from after it started"},
		{s.UnknownKey, "decisions signed by an unknown key"},
		{s.RevokedKey, "decisions signed by a revoked key"},
		{s.TooFew, "versions that fewer owners signed than the policy asks for"},
		{s.Invalid, "decisions with an invalid signature"},
	} {
		if i == 0 || c.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return lines
}
