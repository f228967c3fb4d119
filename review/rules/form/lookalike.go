package form

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules/scan/hidden"

	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// minStacked is how many marks on letters that do not take them are no slip.
const minStacked = 3

// lookalikes is the rule about words with characters that imitate others.
func lookalikes() rules.Rule {
	return rules.Rule{
		ID: "S112",
		Check: wording.EachText(func(s *wording.Scanned) []rules.Finding {
			var spans []rules.Passage
			stacked := map[int]bool{}
			if !s.Plain {
				for _, w := range hidden.FindMixed(s.Value) {
					spans = append(spans, rules.Passage{Start: w[0], End: w[1]})
				}
			}
			for _, h := range s.Hidden {
				if h.Kind == hidden.Stacked && h.Count >= minStacked {
					spans = append(spans, rules.Passage{Start: h.Start, End: h.End})
					stacked[h.Start] = true
				}
			}
			return s.Findings(spans, func(p rules.Passage) string {
				if stacked[p.Start] {
					return "Combining marks are piled on letters that do not take them."
				}
				return fmt.Sprintf("A word mixes Latin letters with look-alikes of another script: %+q.", s.Value[p.Start:p.End])
			})
		}),
	}
}

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
