// This file converts rules for two kinds of documents: the output of the rules command, and SARIF.

package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// Rule describes a rule.
type Rule struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Severity   string `json:"severity"`
	Waivable   bool   `json:"waivable"`
	Locked     bool   `json:"locked"`
	Doc        string `json:"doc"` // Markdown
	Suggestion string `json:"suggestion,omitempty"`
	Importer   string `json:"for_importer,omitempty"` // remedy for a user who imports the tool
	Bad        string `json:"bad"`
	Good       string `json:"good"`
}

// Reviewed returns the rules that the Chief of Staff applies in reviews.
func Reviewed() []Rule {
	return lists.Map(ruleset.All(), func(r rules.Rule) Rule {
		return Rule{r.ID, r.Name, string(r.Severity), r.Waivable, r.Locked, r.Doc, r.Suggestion, r.Importer, r.Bad, r.Good}
	})
}

// Conformance returns the rules of the command check --code.
func Conformance() []Rule {
	return lists.Map(conform.Rules(), func(r conform.Rule) Rule {
		return Rule{ID: r.ID, Name: r.Name, Severity: r.Severity, Doc: r.Doc, Suggestion: r.Suggestion}
	})
}

type sarifRule struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Short      sarifText      `json:"shortDescription"`
	Full       sarifText      `json:"fullDescription"`
	Help       sarifText      `json:"help"`
	HelpURI    string         `json:"helpUri"`
	Default    sarifDefault   `json:"defaultConfiguration"`
	Properties ruleProperties `json:"properties"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

// ruleProperties contains the properties of a rule that GitHub code scanning uses to sort and filter alerts.
type ruleProperties struct {
	Precision string   `json:"precision"`
	Problem   string   `json:"problem.severity"`
	Security  string   `json:"security-severity,omitempty"`
	Tags      []string `json:"tags"`
}

func (r Rule) sarif(home string) sarifRule {
	doc := cmp.Or(r.Doc, r.Name+".")
	var name strings.Builder // converts "override-phrase" to "OverridePhrase"
	for _, word := range strings.FieldsFunc(r.Name, func(r rune) bool { return r == '-' || r == ' ' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	summary := strings.TrimRight(registry.FirstSentence(plain(doc)), ".:;,") + "."
	return sarifRule{
		ID: r.ID, Name: name.String(), Short: sarifText{Text: strings.ToUpper(summary[:1]) + summary[1:]}, Full: sarifText{Text: plain(doc), Markdown: doc},
		Help: sarifText{Text: plain(r.help(false)), Markdown: r.help(true)}, HelpURI: home + "#" + strings.ToLower(r.ID),
		Default: sarifDefault{levels[r.Severity]}, Properties: r.properties(),
	}
}

// help returns an explanation of the rule, its remedies, and the conditions for waiving a finding. If markdown is
// true, the explanation includes a table of examples.
func (r Rule) help(markdown bool) string {
	parts := []string{cmp.Or(r.Doc, r.Name+"."), r.Suggestion, rules.Importing(r.Importer)}
	if markdown && r.Bad != "" && r.Good != "" {
		parts = append(parts, fmt.Sprintf("| found | not found |\n| --- | --- |\n| %s | %s |", cell(r.Bad), cell(r.Good)))
	}
	switch {
	case strings.HasPrefix(r.ID, "K"):
		parts = append(parts, "The documentation of `toolcrib check` lists all rules of this kind.")
	case r.Waivable:
		parts = append(parts, "The user can waive a finding with a reason. `toolcrib rules "+r.ID+"` explains the rule.")
	default:
		parts = append(parts, "A finding of this rule can only be waived if the finding is about an imported definition. `toolcrib rules "+r.ID+"` explains the rule.")
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// cell escapes s for use in a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}

// family contains the SARIF properties that are the same for all rules of a family. The first letter of a rule's id is
// its family.
type family struct {
	tag                 string
	security, heuristic bool
}

// families contains the families of rules by their letters.
var families = map[byte]family{
	'S': {"tool-poisoning", true, true}, 'P': {"call-protocol", true, true}, 'R': {"registry", true, false}, 'L': {"core-lock", true, false},
	'K': {"conformance", true, false}, 'O': {"overlap", false, true}, 'N': {"naming", false, false}, 'D': {"schema", false, false},
	'A': {"agent", false, false}, 'B': {"budget", false, false},
}

func (r Rule) properties() ruleProperties {
	f := families[r.ID[0]]
	p := ruleProperties{Precision: "very-high", Tags: []string{"ai-agents", cmp.Or(f.tag, "template")}}
	by := func(block, warn, other string) string {
		return cmp.Or(map[string]string{"block": block, "warn": warn}[r.Severity], other)
	}
	p.Problem = by("error", "warning", "recommendation")
	if f.heuristic {
		p.Precision = by("high", "medium", "low")
	}
	if f.security {
		p.Security = by("8.0", "5.0", "2.0")
		p.Tags = append(p.Tags, "security")
	}
	return p
}

// plain removes the Markdown markers of code and bold text from s.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }
