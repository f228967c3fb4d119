package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/cli/findings"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

func newLint(a *app) *cobra.Command {
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
		Args: some("files, folders, or - for standard input"),
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

func runLint(ctx context.Context, a *app, files []string, format, server string, fail rules.Severity, explain bool) error {
	if err := a.findingsFormat(&format); err != nil {
		return err
	}
	if !slices.Contains([]rules.Severity{rules.Info, rules.Warn, rules.Block}, fail) {
		return usagef("--fail-on is %q; write info, warn or block", fail)
	}
	if explain && format != "text" && format != "json" {
		return usagef("--explain prints text or json, not %s", format)
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	set, err := c.ruleSet()
	if err != nil {
		return err
	}
	l := newLinter(set, server)
	l.explain = explain
	p := a.progress()
	l.tell = p.tell
	defer p.end()
	if files, err = a.lintFiles(files); err != nil {
		return err
	}
	for _, file := range files {
		data, err := a.readAll(ctx, file)
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
	p.end()
	findings.Sort(l.found)
	l.found = findings.Fold(l.found)
	l.passed = !slices.ContainsFunc(l.found, func(f findings.Finding) bool { return rules.Severity(f.Severity).Rank() >= fail.Rank() })
	sarif := sarifRun{sarifTool("lint", "docs/rules.md"), sarifRules(), l.found}
	err = a.printFindings(format, newDocLint(l), sarif, l.found, func() string {
		return explainedText(l.explained) + findings.Text(l.found)
	})
	if err != nil {
		return err
	}
	return findingsUnless(l.passed)
}

func sarifRules() []findings.Rule {
	list := []findings.Rule{{
		ID: unreadableRule, Name: unreadableName, Severity: string(rules.Block),
		Doc:  "The file is not valid in its apparent format, so no rule was run.",
		Help: "Correct the file at the place of the finding; strict JSON, YAML and Markdown are read, with no unknown keys.",
	}}
	return append(list, mapped(ruleset.All(), func(r rules.Rule) findings.Rule {
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
