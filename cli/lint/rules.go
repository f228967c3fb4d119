// This file implements the rules command, which describes the rules.

package lint

import (
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/internal/lists"
	"toolcrib/review/rules"
)

type docRuleList struct {
	output.Head
	Rules []findings.Rule `json:"rules"`
}

func newRules(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "rules [ID]",
		Args: command.ArgsBetween(0, 1, "at most one argument, the id of a rule"),
		RunE: func(_ *cobra.Command, args []string) error {
			doc := docRuleList{Head: output.NewHead("rule.list"), Rules: []findings.Rule{}}
			for _, r := range append(findings.Reviewed(), findings.Conformance()...) {
				// The argument is the id, the name, or the number of a rule, in upper or lower case. A number can
				// denote several rules, one in each family.
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
				for _, r := range doc.Rules {
					p.Gap()
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
						p.Text("", remedy)
					}
				}
			})
		},
	}
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
