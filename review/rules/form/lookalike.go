// This file finds look-alike characters and unrendered templates.

package form

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan/hidden"
	"toolcrib/review/rules/wording"
)

// minStacked is the minimum number of misplaced combining marks that are unlikely to be a mistake.
const minStacked = 3

// lookalikes reports words with characters that imitate other characters, and letters with stacked
// combining marks.
func lookalikes(_ *wording.View, s *wording.Scanned) []rules.Finding {
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
			return "Letters have combining marks that do not belong on them."
		}
		return fmt.Sprintf("A word mixes Latin letters with look-alikes of another script: %+q.", s.Value[p.Start:p.End])
	})
}

// programFragment matches a text that consists only of program code or a placeholder, such as a
// part of a concatenation or a field of a template.
var programFragment = sync.OnceValue(func() *regexp.Regexp {
	const (
		quote    = "[\"'`]"
		added    = quote + `? ?\+ ?[A-Za-z_][\w.]{0,60}(?:\(\))? ?\+? ?` + quote + `?`
		appended = quote + ` ?\+ ?[A-Za-z_][\w.\[\]]{0,60}`
		place    = `\$\{[^{}\n]{1,80}\}|\{\{[^{}\n]{1,80}\}\}|%[sv]|\$\([^()\n]{1,80}\)`
	)
	return regexp.MustCompile(`^(?:` + added + `|` + appended + `|` + place + `)$`)
})

// unrendered reports descriptions that are placeholders, because a program inserts the actual text
// at run time.
func unrendered(c *wording.View, s *wording.Scanned) []rules.Finding {
	text := strings.TrimSpace(s.Value)
	if !c.IsAction() || s.Path != "definition.description" || len(text) > 200 || !programFragment().MatchString(text) {
		return nil
	}
	return s.Findings([]rules.Passage{{Start: 0, End: len(s.Value)}}, func(rules.Passage) string {
		return rules.Quoting("The description is a placeholder, so the text that agents read is inserted later", text)
	})
}
