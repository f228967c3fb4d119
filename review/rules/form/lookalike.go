package form

import (
	"fmt"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
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
				for _, w := range scan.FindMixed(s.Value) {
					spans = append(spans, rules.Passage{Start: w[0], End: w[1]})
				}
			}
			for _, h := range s.Hidden {
				if h.Kind == scan.Stacked && h.Count >= minStacked {
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
