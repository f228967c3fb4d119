package form

import (
	"unicode"

	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// Padding that pushes text out of sight: white space within a line, in
// characters, and empty lines in a row.
const (
	wideGap = 60
	tallGap = 12
)

func padding() rules.Rule {
	return rules.Rule{
		ID: "S123",
		Check: wording.EachText(func(s *wording.Scanned) []rules.Finding {
			found := gaps(s.Value)
			if !s.Plain {
				found = unicodeGaps(s.Value)
			}
			findings := s.Findings(found, func(rules.Passage) string { return "White space pushes what follows out of sight." })
			if s.Governs() {
				for i := range findings {
					findings[i].Severity = rules.Info // prompts hold tables and pictures in characters
				}
			}
			return findings
		}),
	}
}

// gaps finds padding between two pieces of text. A gap that counts is longer
// than tallGap bytes, so only every so many bytes are looked at until one is
// blank.
func gaps(text string) []rules.Passage {
	var spans []rules.Passage
	for i := 0; i < len(text); i += tallGap {
		if !blank(text[i]) || i+1 < len(text) && !blank(text[i+1]) && i > 0 && !blank(text[i-1]) {
			continue
		}
		start := i
		for start > 0 && blank(text[start-1]) {
			start--
		}
		width, lines := 0, 0
		for i = start; i < len(text) && blank(text[i]); i++ {
			if text[i] == '\n' {
				lines++
			} else if lines == 0 {
				width++
			}
		}
		if i < len(text) && start > 0 && (width >= wideGap && lines == 0 || lines > tallGap) {
			spans = append(spans, rules.Passage{Start: start, End: i})
		}
	}
	return spans
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// unicodeGaps is gaps for texts that hold other white space than ASCII has.
func unicodeGaps(text string) []rules.Passage {
	var spans []rules.Passage
	start, width, lines := -1, 0, 0
	for i, r := range text {
		if !unicode.IsSpace(r) {
			if start > 0 && (width >= wideGap && lines == 0 || lines > tallGap) {
				spans = append(spans, rules.Passage{Start: start, End: i})
			}
			start, width, lines = -1, 0, 0
			continue
		}
		if start < 0 {
			start = i
		}
		switch {
		case r == '\n', r == '\u2028', r == '\u2029', r == '\u0085':
			lines++
		case lines == 0:
			width++
		}
	}
	return spans
}
