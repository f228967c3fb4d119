package form

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// leftover is program code or a place holder that makes up a whole text: a
// piece of a concatenation, or one place of a template.
var leftover = sync.OnceValue(func() *regexp.Regexp {
	const (
		quote    = "[\"'`]"
		added    = quote + `? ?\+ ?[A-Za-z_][\w.]{0,60}(?:\(\))? ?\+? ?` + quote + `?`
		appended = quote + ` ?\+ ?[A-Za-z_][\w.\[\]]{0,60}`
		place    = `\$\{[^{}\n]{1,80}\}|\{\{[^{}\n]{1,80}\}\}|%[sv]|\$\([^()\n]{1,80}\)`
	)
	return regexp.MustCompile(`^(?:` + added + `|` + appended + `|` + place + `)$`)
})

// unrendered is the rule about descriptions that are put in at run time.
func unrendered() rules.Rule {
	return rules.Rule{
		ID: "S152",
		Check: func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
			c := wording.Of(change)
			if !c.IsAction() {
				return nil, nil
			}
			var found []rules.Finding
			for i := range c.Scan() {
				s := &c.Scan()[i]
				text := strings.TrimSpace(s.Value)
				if s.Path != "definition.description" || len(text) > 200 || !leftover().MatchString(text) {
					continue
				}
				found = append(found, s.Findings([]rules.Passage{{Start: 0, End: len(s.Value)}}, func(rules.Passage) string {
					return rules.Quoting("The description is a placeholder, so what agents are told is put in later", text)
				})...)
			}
			return found, nil
		},
	}
}
