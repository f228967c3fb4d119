package lint

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/internal/lists"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

type docRuleList struct {
	output.Head
	Rules []findings.Rule `json:"rules"`
}

func newRules(a *command.App) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:  "rules [ID]",
		Args: command.ArgsBetween(0, 1, "at most the id of a rule"),
		RunE: func(_ *cobra.Command, args []string) error {
			if markdown {
				_, err := io.WriteString(a.Env.Out, RulesMarkdown()+"\n")
				return err
			}
			doc := docRuleList{Head: output.NewHead("rule.list"), Rules: []findings.Rule{}}
			for _, r := range append(findings.Reviewed(), findings.Conformance()...) {
				// A rule is matched by its id or name, ignoring case, or by its number, which rules of several families
				// can share.
				if len(args) == 0 || strings.EqualFold(r.ID, args[0]) || strings.EqualFold(r.Name, args[0]) || r.ID[1:] == args[0] {
					doc.Rules = append(doc.Rules, r)
				}
			}
			if len(doc.Rules) == 0 {
				return command.NotFoundf("rule %s", args[0])
			}
			return a.Print(doc, func(p *output.Page) {
				if len(args) == 0 {
					p.List([]string{"RULE", "SEVERITY", "", "NAME"}, lists.Map(doc.Rules, func(r findings.Rule) []string {
						return []string{r.ID, r.Severity, waivableWord(r), r.Name}
					}))
					return
				}
				for i, r := range doc.Rules {
					if i > 0 {
						p.Blank()
					}
					writeRule(p, r)
				}
			})
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the catalog as in docs/rules.md")
	return cmd
}

func waivableWord(r findings.Rule) string {
	switch {
	case r.Locked:
		return "always on"
	case r.Waivable:
		return "waivable"
	}
	return ""
}

func writeRule(p *output.Page, r findings.Rule) {
	p.Linef("%s %s: %s %s", r.ID, r.Name, r.Severity, waivableWord(r))
	p.Blank()
	p.Text("", r.Doc)
	p.Blank()
	if r.Bad != "" || r.Good != "" {
		p.Linef("Bad:  %s", r.Bad)
		p.Linef("Good: %s", r.Good)
		p.Blank()
	}
	for _, remedy := range []string{r.Suggestion, rules.Importing(r.Importer)} {
		if remedy != "" {
			p.Text("", remedy)
		}
	}
}

// families lists the letter of each rule family, its title, and the question that it answers.
var families = []struct{ letter, title, about string }{
	{"T", "Template", "Is the proposal complete?"},
	{"N", "Names", "Is the name descriptive, consistent with other names, and unused?"},
	{"L", "Lock", "Does the change affect a core tool?"},
	{"S", "Security", "Could the text turn an agent against its user?"},
	{"P", "Protocol", "Does the text violate the call protocol, or the requirement of evidence?"},
	{"O", "Overlap", "Does the tool duplicate another tool?"},
	{"D", "Data", "Are the schemas valid, and do they follow the conventions?"},
	{"R", "Registry", "Does the change loosen earlier decisions?"},
	{"A", "Agent", "Do the soul and the template of an agent follow their conventions?"},
	{"B", "Budget", "How does the change affect the cost of every prompt?"},
	{"F", "Files", "Which programs, permissions, and hidden parts do skills and instruction files contain?"},
}

// RulesMarkdown returns the rule catalog in the format of docs/rules.md: an index, and a
// section for each rule with its id in lower case as the anchor.
func RulesMarkdown() string {
	var index, sections strings.Builder
	index.WriteString("## Rules\n\n| family | rules |\n|---|---|\n")
	all := ruleset.All()
	for _, f := range families {
		var links []string
		for _, r := range all {
			if r.Family() != f.letter {
				continue
			}
			if len(links) == 0 {
				fmt.Fprintf(&sections, "## %s: %s\n\n%s\n\n", f.letter, f.title, f.about)
			}
			links = append(links, fmt.Sprintf("[%s %s](#%s)", r.ID, r.Name, anchor(r)))
			writeRuleMarkdown(&sections, r)
		}
		if len(links) > 0 {
			fmt.Fprintf(&index, "| **%s** %s | %s |\n", f.letter, f.title, strings.Join(links, ", "))
		}
	}
	return index.String() + "\n" + strings.TrimSuffix(sections.String(), "\n")
}

// anchor returns the HTML anchor of a rule's section.
func anchor(r rules.Rule) string { return strings.ToLower(r.ID) }

func writeRuleMarkdown(b *strings.Builder, r rules.Rule) {
	nature := "; cannot be waived"
	switch {
	case r.Locked:
		nature = "; always on"
	case r.Waivable:
		nature = ""
	}
	fmt.Fprintf(b, "<a id=%q></a>\n\n### %s %s: %s%s\n\n%s\n\n", anchor(r), r.ID, r.Name, r.Severity, nature, r.Doc)
	fmt.Fprintf(b, "* Bad: %s\n* Good: %s\n", oneLine(r.Bad), oneLine(r.Good))
	if r.Suggestion != "" {
		fmt.Fprintf(b, "* Fix: %s\n", oneLine(r.Suggestion))
	}
	if r.Importer != "" {
		fmt.Fprintf(b, "* %s\n", oneLine(rules.Importing(r.Importer)))
	}
	b.WriteByte('\n')
}

// oneLine joins the lines of an example and shows its hidden characters.
func oneLine(s string) string { return output.Safe(strings.ReplaceAll(s, "\n", " ")) }
