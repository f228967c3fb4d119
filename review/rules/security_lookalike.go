package rules

import (
	"fmt"

	"toolcrib/review/rules/scan"
)

// minStacked is how many marks on letters that do not take them are no slip.
const minStacked = 3

// lookalikes is the rule about words that are not what they look like.
func lookalikes() Rule {
	return Rule{
		ID: "S112",
		Check: eachText(func(s *scanned) []Finding {
			var spans []passage
			stacked := map[int]bool{}
			if !s.plain {
				for _, w := range scan.FindMixed(s.Value) {
					spans = append(spans, passage{start: w[0], end: w[1]})
				}
			}
			for _, h := range s.hidden {
				if h.Kind == scan.Stacked && h.Count >= minStacked {
					spans = append(spans, passage{start: h.Start, end: h.End})
					stacked[h.Start] = true
				}
			}
			return s.findings(spans, func(p passage) string {
				if stacked[p.start] {
					return "Combining marks are piled on letters that do not take them."
				}
				return fmt.Sprintf("A word mixes Latin letters with look-alikes of another script (%+q).", s.Value[p.start:p.end])
			})
		}),
	}
}
