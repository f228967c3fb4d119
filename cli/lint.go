package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/internal/visible"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/rules/wording"
)

func newLint(a *command.App) *cobra.Command {
	var format, fail, server string
	var explain bool
	cmd := &cobra.Command{
		Use:   "lint FILE… | DIR… | -",
		Short: "Run the rules over files, without a database",
		Long: `Run the rules over files, for an editor, a pre-commit hook, or CI: proposals in
JSON, NDJSON, or Markdown, MCP tools/list answers, OpenAI and Anthropic tool
arrays, v0 prompt files, toolcrib exports, and texts for agents (.md, .mdc, .txt):
prompts, skills, slash commands, AGENTS.md, CLAUDE.md. Each text of their front
matter is read apart from the body. Of a folder, lint reads every skill with the
Markdown beside it, and the commands, agents, rules and instructions. lint does
not read the database: it compares names with the shipped tools, and the tools of
the files with each other.

Tools are read as import reads them. Core and retired ids do not bind the tools
of an MCP server; --server NAME marks an OpenAI or Anthropic array as such.

With --explain, print for each sentence that the rules judge by its wording: the
concepts and phrases found, whether the text states them or only mentions them,
the score of the learned table, and why there is or is not a finding. Attach this to
a report of a false alarm.

Exit status 6: a finding has the severity of --fail-on or a worse one.`,
		Example: `  toolcrib lint proposals/*.md
  toolcrib lint github.json --server github
  toolcrib lint .claude .cursor/rules AGENTS.md
  toolcrib lint --explain pacer.md
  toolcrib lint --format sarif pacer.md > toolcrib.sarif
  generate | toolcrib lint --fail-on block -`,
		Args: command.Some("files, folders, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLint(cmd.Context(), a, args, format, server, rules.Severity(fail), explain)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "print `FORMAT`: text, json, sarif or github")
	cmd.Flags().BoolVar(&explain, "explain", false, "explain for each sentence why the rules did or did not fire")
	cmd.Flags().StringVar(&server, "server", "", "the files list the tools of the server `NAME`")
	cmd.Flags().StringVar(&fail, "fail-on", string(rules.Warn), "fail on findings of at least `SEVERITY`: info, warn or block")
	return cmd
}

func runLint(ctx context.Context, a *command.App, files []string, format, server string, fail rules.Severity, explain bool) error {
	if err := findingsFormat(a, &format); err != nil {
		return err
	}
	if !slices.Contains([]rules.Severity{rules.Info, rules.Warn, rules.Block}, fail) {
		return process.Usagef("--fail-on is %q; write info, warn or block", fail)
	}
	if explain && format != "text" && format != "json" {
		return process.Usagef("--explain prints text or json, not %s", format)
	}
	c, err := a.Settings()
	if err != nil {
		return err
	}
	set, err := c.RuleSet()
	if err != nil {
		return err
	}
	l := newLinter(set, server)
	l.explain = explain
	p := a.Progress()
	l.tell = p.Tell
	defer p.End()
	if files, err = lintFiles(a, files); err != nil {
		return err
	}
	for _, file := range files {
		data, err := a.ReadAll(ctx, file)
		if err != nil {
			return err
		}
		if err := l.file(ctx, file, data); err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	p.End()
	findings.Sort(l.found)
	l.found = findings.Fold(l.found)
	l.passed = !slices.ContainsFunc(l.found, func(f findings.Finding) bool { return rules.Severity(f.Severity).Rank() >= fail.Rank() })
	sarif := sarifRun{sarifTool("lint", "docs/rules.md"), sarifRules(), l.found}
	err = printFindings(a, format, newDocLint(l), sarif, l.found, func() string {
		return explainedText(l.explained) + findings.Text(l.found)
	})
	if err != nil {
		return err
	}
	return process.FindingsUnless(l.passed)
}

func sarifRules() []findings.Rule {
	list := []findings.Rule{{
		ID: unreadableRule, Name: unreadableName, Severity: string(rules.Block),
		Doc:  "The file is not valid in its apparent format, so no rule was run.",
		Help: "Correct the file at the place of the finding; strict JSON, YAML and Markdown are read, with no unknown keys.",
	}}
	return append(list, output.Mapped(ruleset.All(), func(r rules.Rule) findings.Rule {
		return findings.Rule{
			ID: r.ID, Name: r.Name, Severity: string(r.Severity), Doc: r.Doc, Help: r.Suggestion, Importer: r.Importer, Waivable: r.Waivable, Bad: r.Bad, Good: r.Good,
		}
	})...)
}

func newDocLint(l *linter) docFindings {
	doc := newDocFindings(l.passed, l.found)
	doc.Counts["looked_at"], doc.Sentences = int64(l.units), docSentences(l.explained)
	return doc
}

// explained describes how the rules judged one sentence of a file.
type explained struct {
	file, subject string
	wording.Explanation
}

// docSentence is a sentence in the document of lint --explain.
type docSentence struct {
	File      string     `json:"file"`
	Subject   string     `json:"subject"`
	Path      string     `json:"path"`
	Sentence  string     `json:"sentence"`
	Concepts  []string   `json:"concepts"`
	Score     float64    `json:"score"`
	Threshold float64    `json:"threshold"`
	Warns     bool       `json:"warns_without_frame"`
	Frames    []docFrame `json:"frames"`
}

// docFrame is a turn of phrase that was seen in a sentence.
type docFrame struct {
	Rule     string   `json:"rule"`
	Name     string   `json:"name"`
	Passage  string   `json:"passage"`
	Seen     string   `json:"seen,omitempty"`
	Stance   []string `json:"stance,omitempty"`
	Severity string   `json:"severity"` // off when it is not a finding
	Why      string   `json:"why"`
}

func docSentences(list []explained) []docSentence {
	return output.Mapped(list, func(x explained) docSentence {
		return docSentence{
			File: x.file, Subject: x.subject, Path: x.Path, Sentence: x.Sentence, Concepts: append([]string{}, x.Concepts...),
			Score: x.Score, Threshold: x.Threshold, Warns: x.Warns,
			Frames: output.Mapped(x.Frames, func(f wording.ExplainedFrame) docFrame {
				return docFrame{Rule: f.Rule, Name: f.Name, Passage: f.Passage, Seen: f.Seen, Stance: f.Stance, Severity: string(f.Severity), Why: f.Why}
			}),
		}
	})
}

// verdict compares the score of a sentence with the threshold of S139.
func verdict(x wording.Explanation) string {
	switch {
	case x.Warns:
		return "S139 warns: at least"
	case x.Score < x.Threshold:
		return "below"
	case slices.ContainsFunc(x.Frames, func(f wording.ExplainedFrame) bool { return f.Severity.Rank() >= rules.Warn.Rank() }):
		return "a frame warns, so S139 does not: at least"
	}
	return "no warning, as it says too little, or only what its frames quote or deny: at least"
}

// explainedText writes the concepts and frames of each sentence.
func explainedText(list []explained) string {
	var b strings.Builder
	for i, x := range list {
		if i == 0 || x.file != list[i-1].file || x.subject != list[i-1].subject || x.Path != list[i-1].Path {
			fmt.Fprintf(&b, "%s: %s: %s\n", visible.Line(x.file), visible.Line(x.subject), visible.Line(x.Path))
		}
		fmt.Fprintf(&b, "  \"%s\"\n", visible.Line(x.Sentence))
		fmt.Fprintf(&b, "    score %.2f, %s %.2f\n", x.Score, verdict(x.Explanation), x.Threshold)
		if len(x.Concepts) > 0 {
			fmt.Fprintf(&b, "    concepts: %s\n", strings.Join(x.Concepts, ", "))
		}
		for _, f := range x.Frames {
			outcome := "no finding"
			if f.Severity != rules.Off {
				outcome = string(f.Severity)
			}
			fmt.Fprintf(&b, "    %s (%s): %s: \"%s\"\n", f.Rule, f.Name, outcome, visible.Line(f.Passage))
			if f.Seen != "" {
				fmt.Fprintf(&b, "      seen: %s\n", visible.Line(f.Seen))
			}
			fmt.Fprintf(&b, "      why:  %s\n", f.Why)
		}
	}
	if len(list) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// findingsFormat checks the form in which findings are to be printed; --json alone
// means that of JSON.
func findingsFormat(a *command.App, format *string) error {
	if a.Form.JSON && *format == "text" {
		*format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, *format) {
		return process.Usagef("there is no format %q; write text, json, sarif or github", *format)
	}
	return nil
}

// newDocFindings counts and lists findings in files.
func newDocFindings(ok bool, found []findings.Finding) docFindings {
	doc := docFindings{Head: output.NewHead("findings"), OK: ok, Findings: []docFinding{}, Counts: map[string]int64{}}
	for _, f := range found {
		doc.Counts[f.Severity]++
		doc.Findings = append(doc.Findings, docFinding{
			Rule: f.Rule, Severity: f.Severity, Subject: f.Subject, Tool: f.Tool, Path: f.Path, File: f.File,
			Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Message: f.Message, Suggestion: f.Suggestion, Importer: f.Importer, Passage: f.Passage, Waivable: f.Waivable,
			Tools: f.Tools, Also: output.Mapped(f.Also, func(p findings.Place) docPlace { return docPlace(p) }),
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
func printFindings(a *command.App, format string, doc any, sarif sarifRun, found []findings.Finding, text func() string) error {
	out, written := a.Env.Out, ""
	switch format {
	case "json":
		return a.PrintJSON(doc)
	case "sarif":
		log, err := findings.SARIF(sarif.tool, sarif.rules, sarif.found)
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

func sarifTool(command, page string) findings.Tool {
	return findings.Tool{Version: process.ProgramVersion(), Home: home + page, Command: command}
}
