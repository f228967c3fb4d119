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
		ID: "S112", Name: "lookalike-word", Severity: Warn, Waivable: true,
		Doc: "A word that mixes Latin letters with look-alikes from another script, or letters buried under " +
			"combining marks. It reads like one word and compares as another: a name that imitates a trusted one, or " +
			"a phrase that is to slip past a filter.",
		Suggestion: "Type the word again in one script.",
		Bad:        showing(`"p<U+0430>ypal" with a Cyrillic letter`, "Pays with p\u0430ypal."),
		Good:       showing("Cyrillic and Greek words and symbols", "\u041c\u043e\u0441\u043a\u0432\u0430, \u0394t, caf\u00e9."),
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
