package findings

import (
	"cmp"
	"fmt"
	"strings"

	"toolcrib/registry"
	"toolcrib/review/rules"
)

// Rule is a rule in SARIF.
type Rule struct {
	ID, Name, Severity string
	Doc                string // what it finds and why that matters; Markdown
	Help               string // what its author can do about a finding
	Importer           string // what somebody can do who imports a text with one
	Waivable           bool
	Bad, Good          string // an example that it finds something in, and one that passes
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

// ruleProperties are the properties that GitHub's code scanning sorts and filters by.
type ruleProperties struct {
	Precision string   `json:"precision"`
	Problem   string   `json:"problem.severity"`
	Security  string   `json:"security-severity,omitempty"`
	Tags      []string `json:"tags"`
}

func (r Rule) sarif(home string) sarifRule {
	doc := cmp.Or(r.Doc, r.Name+".")
	return sarifRule{
		ID: r.ID, Name: pascal(r.Name), Short: sarifText{Text: summary(doc)}, Full: sarifText{Text: plain(doc), Markdown: doc},
		Help: sarifText{Text: plain(r.help(false)), Markdown: r.help(true)}, HelpURI: home + "#" + strings.ToLower(r.ID),
		Default: sarifDefault{levels[r.Severity]}, Properties: r.properties(),
	}
}

// help returns what a finding means and what to do about it.
func (r Rule) help(markdown bool) string {
	parts := []string{cmp.Or(r.Doc, r.Name+"."), r.Help, rules.Importing(r.Importer)}
	if markdown && r.Bad != "" && r.Good != "" {
		parts = append(parts, fmt.Sprintf("| found | not found |\n| --- | --- |\n| %s | %s |", cell(r.Bad), cell(r.Good)))
	}
	switch {
	case strings.HasPrefix(r.ID, "K"):
		parts = append(parts, "The documentation of `toolcrib check` has all rules of this kind.")
	case r.Waivable:
		parts = append(parts, "The user can waive a finding with a reason. `toolcrib rules "+r.ID+"` explains the rule.")
	default:
		parts = append(parts, "A finding of this rule cannot be waived unless it is about an imported definition. `toolcrib rules "+r.ID+"` explains the rule.")
	}
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n\n")
}

// cell writes an example for a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}

// families are the tags of rules by the first letter of their ids, and whether
// their findings are about security.
func family(id string) (tag string, security, heuristic bool) {
	switch id[:1] {
	case "S":
		return "tool-poisoning", true, true
	case "P":
		return "call-protocol", true, true
	case "R":
		return "registry", true, false
	case "L":
		return "core-lock", true, false
	case "K":
		return "conformance", true, false
	case "O":
		return "overlap", false, true
	case "N":
		return "naming", false, false
	case "D":
		return "schema", false, false
	case "A":
		return "agent", false, false
	case "B":
		return "budget", false, false
	}
	return "template", false, false
}

func (r Rule) properties() ruleProperties {
	tag, security, heuristic := family(r.ID)
	p := ruleProperties{Precision: "very-high", Tags: []string{"ai-agents", tag}}
	p.Problem = map[string]string{"block": "error", "warn": "warning"}[r.Severity]
	p.Problem = cmp.Or(p.Problem, "recommendation")
	if heuristic {
		p.Precision = map[string]string{"block": "high", "warn": "medium"}[r.Severity]
		p.Precision = cmp.Or(p.Precision, "low")
	}
	if security {
		p.Security = map[string]string{"block": "8.0", "warn": "5.0"}[r.Severity]
		p.Security = cmp.Or(p.Security, "2.0")
		p.Tags = append(p.Tags, "security")
	}
	return p
}

// summary returns the first sentence of a text, without Markdown and with a stop.
func summary(s string) string {
	s = strings.TrimRight(registry.FirstSentence(plain(s)), ".:;,") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// plain takes the signs of Markdown out of a text that uses few.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }

// pascal writes the name of a rule as SARIF asks for it: "override-phrase"
// becomes "OverridePhrase".
func pascal(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == ' ' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
