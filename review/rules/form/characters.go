// Package form implements the rules of the S family about the form of texts: invisible and
// look-alike characters, credentials, and unrendered templates.
package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan/hidden"
	"toolcrib/review/rules/scan/letters"
	"toolcrib/review/rules/wording"
)

// Rules returns the rules that this package implements.
func Rules() []rules.Rule {
	list := []rules.Rule{
		characters("S109", "invisible", hidden.Invisible, hidden.Variation, hidden.PrivateUse),
		characters("S110", "direction override", hidden.Override),
		characters("S111", "hidden tag", hidden.Tag),
		characters("S113", "control", hidden.Escape, hidden.Control, hidden.Separator),
		characters("S133", "direction control", hidden.Isolate, hidden.DirectionMark),
		wording.EachText("S112", lookalikes), wording.EachText("S114", credentials), wording.EachText("S152", unrendered),
	}
	for i := range list {
		list[i].Form = true
	}
	return list
}

// characters returns a rule about hidden characters of the given kinds. The rule reports one
// finding for each line with such characters. In messages, the attribute precedes the word
// "characters".
func characters(id, attribute string, kinds ...hidden.Kind) rules.Rule {
	return wording.EachText(id, func(c *wording.View, s *wording.Scanned) []rules.Finding {
		var spans []rules.Passage
		var runs []hidden.Run
		for _, h := range s.Hidden {
			if !slices.Contains(kinds, h.Kind) {
				continue
			}
			runs = append(runs, h)
			if last := len(spans) - 1; last >= 0 && !strings.Contains(s.Value[spans[last].End:h.Start], "\n") {
				spans[last].End = h.End
			} else {
				spans = append(spans, rules.Passage{Start: h.Start, End: h.End})
			}
		}
		found := s.Findings(spans, func(p rules.Passage) string {
			count, characters := 0, ""
			for _, h := range runs {
				if p.Start <= h.Start && h.End <= p.End {
					count, characters = count+h.Count, characters+s.Value[h.Start:h.End]
				}
			}
			return hiddenCharacters(attribute, count, characters)
		})
		if areStrays(s.Value, runs) {
			for i := range found {
				found[i].Severity = rules.Warn
				if !c.IsAction() {
					found[i].Severity = rules.Info
				}
			}
		}
		return found
	})
}

// maxSpelled is the maximum number of tag characters that a message decodes.
const maxSpelled = 200

// hiddenCharacters returns a message about the given hidden characters. If the characters are tags,
// the message contains the text that they spell.
func hiddenCharacters(attribute string, count int, characters string) string {
	counted := fmt.Sprintf("%d %s characters", count, attribute)
	if count == 1 {
		counted = "1 " + attribute + " character"
	}
	if spelled, n := visible.Spelled(characters); n > 0 && n == count {
		verb := "spell"
		if n == 1 {
			verb = "stands for"
		}
		return fmt.Sprintf("%s %s %q.", counted, verb, spelled[:min(n, maxSpelled)])
	}
	first, _ := utf8.DecodeRuneInString(characters)
	return counted + ": " + cmp.Or(visible.Named(characters), visible.Name(first)) + "."
}

// maxStrays is the maximum number of invisible characters that a text may contain by accident. A
// single invisible character in a line is ignored, because authors of Markdown put such a character
// before each code fence that they quote.
const maxStrays = 16

// areStrays reports whether the runs may be artifacts of copying, which carry no text. Artifacts
// are a few single or paired invisible characters that do not split a word, a single backspace,
// delete, or bell, and characters that only a particular font defines.
func areStrays(text string, runs []hidden.Run) bool {
	total, invisible := 0, 0
	apart := func(from, to int) bool { return strings.Contains(text[from:to], "\n") }
	for i, h := range runs {
		if h.Count > 1 || i > 0 && !apart(runs[i-1].End, h.Start) || i+1 < len(runs) && !apart(h.End, runs[i+1].Start) {
			total += h.Count
		}
		if h.Kind == hidden.Invisible {
			invisible++
		}
		switch {
		case h.Kind == hidden.Control && len(runs) == 1 && h.Count == 1 && strings.IndexByte("\a\b\x7f", text[h.Start]) >= 0:
		case h.Kind == hidden.PrivateUse, h.Kind == hidden.Separator, h.Kind == hidden.Variation && h.Count == 1:
		case h.Kind != hidden.Invisible || h.Count > 2 || total > maxStrays || invisible == hidden.MaxRuns:
			return false
		case h.Start > 0 && h.End < len(text) && letters.IsWord(text[h.Start-1]) && letters.IsWord(text[h.End]):
			return false
		}
	}
	return true
}
