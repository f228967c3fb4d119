package cli

import (
	"io"
	"slices"

	"toolcrib/cli/findings"
)

// findingsFormat checks the form in which findings are to be printed; --json alone
// means that of JSON.
func (a *app) findingsFormat(format *string) error {
	if a.flags.json && *format == "text" {
		*format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, *format) {
		return usagef("there is no format %q; write text, json, sarif or github", *format)
	}
	return nil
}

// newDocFindings counts and lists findings in files.
func newDocFindings(ok bool, found []findings.Finding) docFindings {
	doc := docFindings{docHead: head("findings"), OK: ok, Findings: []docFinding{}, Counts: map[string]int64{}}
	for _, f := range found {
		doc.Counts[f.Severity]++
		doc.Findings = append(doc.Findings, docFinding{
			Rule: f.Rule, Severity: f.Severity, Subject: f.Subject, Tool: f.Tool, Path: f.Path, File: f.File,
			Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Message: f.Message, Suggestion: f.Suggestion, Importer: f.Importer, Passage: f.Passage, Waivable: f.Waivable,
			Tools: f.Tools, Also: mapped(f.Also, func(p findings.Place) docPlace { return docPlace(p) }),
		})
	}
	return doc
}

// sarifRun is a run of SARIF: the tool, its rules, and the place of the findings.
type sarifRun struct {
	tool  findings.Tool
	rules []findings.Rule
	found []findings.Finding
}

// printFindings writes findings in the requested format; text returns them for people.
func (a *app) printFindings(format string, doc any, sarif sarifRun, found []findings.Finding, text func() string) error {
	out, written := a.env.Out, ""
	switch format {
	case "json":
		return a.printJSON(doc)
	case "sarif":
		log, err := findings.SARIF(sarif.tool, sarif.rules, sarif.found)
		if err != nil {
			return err
		}
		written = string(log)
	case "github":
		out, written = a.stdout, findings.GitHub(found)
	default:
		written = text()
	}
	_, err := io.WriteString(out, written)
	return err
}

// home is where the documentation is. The module has no public address yet; the
// domain is reserved for examples (RFC 2606), so it leads nowhere.
const home = "https://toolcrib.example/"

func sarifTool(command, page string) findings.Tool {
	return findings.Tool{Version: programVersion(), Home: home + page, Command: command}
}
