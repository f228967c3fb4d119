// Package lint implements the commands that run the rules on files and describe the rules.
package lint

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/report"
	"toolcrib/internal/visible"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// Family returns the commands that deal with rules.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newLint},
			{Group: command.GroupOther, New: newRules},
		},
		Documents: map[string]any{
			"branch.review": DocBranch{},
			"findings":      report.Findings{},
			"rule.list":     docRuleList{},
		},
	}
}

func newLint(a *command.App) *cobra.Command {
	var format, fail, server string
	var explain bool
	cmd := &cobra.Command{
		Use:  "lint FILE… | DIR… | -",
		Args: command.AtLeastOneArg("files, folders, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLint(cmd.Context(), a, args, format, server, rules.Severity(fail), explain)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "print `FORMAT`: text, json, sarif or github")
	cmd.Flags().BoolVar(&explain, "explain", false, "explain for each sentence why there is or is not a finding")
	cmd.Flags().StringVar(&server, "server", "", "the files list the tools of the server `NAME`")
	cmd.Flags().StringVar(&fail, "fail-on", string(rules.Warn), "fail on findings of at least `SEVERITY`: info, warn or block")
	return cmd
}

func runLint(ctx context.Context, a *command.App, files []string, format, server string, fail rules.Severity, explain bool) error {
	if err := report.CheckFormat(a, &format, "github"); err != nil {
		return err
	}
	if !slices.Contains([]rules.Severity{rules.Info, rules.Warn, rules.Block}, fail) {
		return process.Usagef("--fail-on is %q: use info, warn, or block", fail)
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
		info, err := os.Stat(a.Path(file))
		exists := file != "-" && a.Remote == nil && err == nil
		if exists && isSkill(file) {
			err = l.skill(ctx, a, file)
		} else {
			var data []byte
			if data, err = a.ReadAll(ctx, file); err == nil {
				err = l.file(ctx, file, data, exists && info.Mode()&0o111 != 0)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	p.End()
	findings.Sort(l.found)
	l.found = findings.Fold(l.found)
	passed := !slices.ContainsFunc(l.found, func(f findings.Finding) bool { return rules.Severity(f.Severity).Rank() >= fail.Rank() })
	doc := report.New(passed, l.found)
	doc.Counts["looked_at"], doc.Sentences, doc.Reach = int64(l.units), l.explained, l.reach
	run := findings.Run{Command: "lint", Page: "docs/rules.md", Rules: sarifRules(), Found: l.found}
	return report.Print(a, format, passed, doc, run, func() string {
		var facts strings.Builder
		for i, line := range fact.Summary(output.Map(l.reach, func(r report.Reached) fact.Fact { return r.Fact })) {
			if i == 0 {
				facts.WriteString("Reach\n")
			}
			facts.WriteString("  " + visible.Line(line) + "\n")
		}
		return facts.String() + explainedText(l.explained) + findings.Text(l.found)
	})
}

func sarifRules() []findings.Rule {
	return append([]findings.Rule{{
		ID: UnreadableRule, Name: unreadableName, Severity: string(rules.Block),
		Doc:        "The file is not valid in its apparent format, so the rules could not read all of it.",
		Suggestion: "Correct the file at the place of the finding; lint reads strict JSON, YAML, and Markdown without unknown keys.",
	}}, findings.Reviewed()...)
}

// explain returns the roles that the rules recognized in each sentence of a unit.
func (u *unit) explain(file string) []report.Sentence {
	return output.Map(wording.Of(&u.change).Explain(), func(x wording.Explanation) report.Sentence {
		x.Concepts, x.Frames = append([]string{}, x.Concepts...), append([]wording.ExplainedFrame{}, x.Frames...)
		return report.Sentence{File: file, Subject: u.subject, Explanation: x}
	})
}

// verdict compares the score of a sentence with the threshold of S139.
func verdict(x report.Sentence) string {
	switch {
	case x.Warns:
		return "S139 warns: at least"
	case x.Score < x.Threshold:
		return "below"
	case slices.ContainsFunc(x.Frames, func(f wording.ExplainedFrame) bool { return f.Severity.Rank() >= rules.Warn.Rank() }):
		return "a frame warns, so S139 does not: at least"
	}
	return "no warning, because the sentence is too short or only quotes or denies something: at least"
}

// explainedText writes the concepts and frames of each sentence.
func explainedText(list []report.Sentence) string {
	var b strings.Builder
	for i, x := range list {
		if i == 0 || x.File != list[i-1].File || x.Subject != list[i-1].Subject || x.Path != list[i-1].Path {
			fmt.Fprintf(&b, "%s: %s: %s\n", visible.Line(x.File), visible.Line(x.Subject), visible.Line(x.Path))
		}
		fmt.Fprintf(&b, "  \"%s\"\n", visible.Line(x.Sentence))
		fmt.Fprintf(&b, "    score %.2f, %s %.2f\n", x.Score, verdict(x), x.Threshold)
		if len(x.Concepts) > 0 {
			fmt.Fprintf(&b, "    concepts: %s\n", strings.Join(x.Concepts, ", "))
		}
		for _, f := range x.Frames {
			outcome := string(f.Severity)
			if f.Severity == rules.Off {
				outcome = "no finding"
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
