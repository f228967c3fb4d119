// This file finds retired names of tools.

package agents

import (
	"fmt"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

func checkRetiredMention(c *rules.Change) []rules.Finding {
	t := c.Draft.Definition.Tool
	switch {
	case c.Draft.Type == proposals.Deactivate:
		return nil // agents do not read a deactivated definition
	case c.Draft.Definition.Folder() != nil, t != nil && rules.Imported(t):
		return nil // agents that read a skill or an imported tool need not know the tools of the catalog
	}
	var found []rules.Finding
	for _, t := range c.Texts() {
		if t.Kind == rules.Prose && t.Visible {
			found = append(found, retiredIn(t)...)
		}
	}
	return found
}

// RetiredNames returns the retired names that text mentions, without duplicates.
func RetiredNames(text string) []string {
	return lists.Union(nil, lists.Map(retiredIn(rules.Text{Value: text}), func(f rules.Finding) string { return f.Passage }))
}

// retiredIn returns findings for the retired names in t. A retired name without "_" may also be an
// English word, so it is reported only in backquotes or before "(".
func retiredIn(t rules.Text) []rules.Finding {
	var found []rules.Passage
	for p := range idWords(t.Value) {
		// Test the form of the word before the lookup. The test rules out most words.
		word, next := t.Value[p.Start:p.End], byte(0)
		if p.End < len(t.Value) {
			next = t.Value[p.End]
		}
		if quoted := next == '`' && p.Start > 0 && t.Value[p.Start-1] == '`'; !quoted && next != '(' && strings.IndexByte(word, '_') < 0 {
			continue
		}
		if _, retired := shipped.Retired(word); retired {
			found = append(found, p)
		}
	}
	findings := t.Findings(found, func(p rules.Passage) string {
		message, _, _ := retirement(t.Value[p.Start:p.End])
		return message
	})
	for i, f := range findings {
		_, findings[i].Suggestion, _ = retirement(f.Passage)
	}
	return findings
}

// retirement returns the message and the advice for a retired name. It returns false if the name is
// not retired.
func retirement(name string) (message, advice string, retired bool) {
	successor, retired := shipped.Retired(name)
	if !retired {
		return "", "", false
	}
	if successor == "" {
		return name + " is a retired name without a successor.", "", true
	}
	return fmt.Sprintf("%s is a retired name; its successor is %s.", name, successor), fmt.Sprintf("Use %s.", successor), true
}
