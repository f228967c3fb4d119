package rules

import (
	"context"
	"regexp"
	"strings"
	"sync"
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
func unrendered() Rule {
	return Rule{
		ID: "S152",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			if !c.isAction() {
				return nil, nil
			}
			var found []Finding
			for i := range c.scan() {
				s := &c.scan()[i]
				text := strings.TrimSpace(s.Value)
				if s.Path != "definition.description" || len(text) > 200 || !leftover().MatchString(text) {
					continue
				}
				found = append(found, s.findings([]passage{{start: 0, end: len(s.Value)}}, func(passage) string {
					return "The description is a place that something is put into later."
				})...)
			}
			return found, nil
		},
	}
}
