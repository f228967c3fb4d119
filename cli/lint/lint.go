// Package lint implements the lint and rules commands, which run the rules on files and describe the rules. It also
// implements the review command with the --git flag, which runs the rules on the changes of a branch.
package lint

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/process"
	"toolcrib/cli/report"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Family returns the lint and rules commands.
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
	var format, failOn, server string
	cmd := &cobra.Command{
		Use:  "lint FILE… | DIR… | -",
		Args: command.AtLeastOneArg("files, folders, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, fail := cmd.Context(), rules.Severity(failOn)
			if err := report.CheckFormat(a, &format, "github"); err != nil {
				return err
			}
			if !slices.Contains([]rules.Severity{rules.Info, rules.Warn, rules.Block}, fail) {
				return process.Usagef("--fail-on is %q: use info, warn, or block", fail)
			}
			c, err := a.Settings()
			if err != nil {
				return err
			}
			set, err := c.RuleSet()
			if err != nil {
				return err
			}
			l := newLinter(set)
			p := a.Progress()
			l.tell = p.Tell
			defer p.End()
			files, err := lintFiles(a, args)
			if err != nil {
				return err
			}
			for _, file := range files {
				info, err := os.Stat(a.Path(file))
				exists := file != "-" && a.Remote == nil && err == nil
				var units []*unit
				var problems []findings.Finding
				if exists && isSkill(file) {
					u, err := skillUnit(a.Path(file), file)
					if err != nil {
						problems = append(problems, unreadable(file, noPlace(err.Error())))
					} else {
						units = append(units, u)
						for _, p := range u.change.Draft.Definition.Problems("skill") { // these problems would prevent the submission of a proposal
							problems = append(problems, unreadable(file, noPlace(p.String())))
						}
					}
				} else {
					data, err := a.ReadAll(ctx, file)
					if err == nil {
						units, problems, err = readUnits(file, server, data, exists && info.Mode()&0o111 != 0)
					}
					if err != nil {
						return err
					}
				}
				l.todo = append(l.todo, &task{file: file, found: problems})
				for _, u := range units {
					l.todo = append(l.todo, &task{unit: u, file: file})
				}
				if len(l.todo) >= manyTasks {
					if err := l.flush(ctx); err != nil {
						return err
					}
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
			doc.Counts["looked_at"], doc.Reach = int64(l.units), l.reach
			run := findings.Run{Command: "lint", Page: "docs/rules.md", Rules: sarifRules(), Found: l.found}
			return report.Print(a, format, passed, doc, run, func() string {
				var facts strings.Builder
				for i, line := range fact.Summary(lists.Map(l.reach, func(r report.Reached) fact.Fact { return r.Fact })) {
					if i == 0 {
						facts.WriteString("Reach\n")
					}
					facts.WriteString("  " + visible.Line(line) + "\n")
				}
				return facts.String() + findings.Text(l.found)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "print `FORMAT`: text, json, sarif or github")
	cmd.Flags().StringVar(&server, "server", "", "read the tools in the files as tools of the server `NAME`")
	cmd.Flags().StringVar(&failOn, "fail-on", string(rules.Warn), "fail on findings of at least `SEVERITY`: info, warn or block")
	return cmd
}

func sarifRules() []findings.Rule {
	return append([]findings.Rule{{
		ID: UnreadableRule, Name: unreadableName, Severity: string(rules.Block),
		Doc:        "The file is not valid in the format that its name and content suggest, so the rules could not check the whole file.",
		Suggestion: "Correct the file at the reported position. lint reads JSON, and Markdown with YAML front matter, and rejects unknown keys.",
	}}, findings.Reviewed()...)
}
