package harness

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations lists words whose full stop does not end a sentence.
const abbreviations = " e.g. i.e. cf. vs. etc. ch. chap. p. pp. l. ll. no. nos. fig. sec. vol. ed. eds. dr. mr. mrs. ms. st. jr. sr. prof. approx. ca. "

// sentences yields the sentences of text. A reference in brackets after the full stop belongs to the preceding
// sentence.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
			end := sentenceEnd(text)
			if !yield(strings.TrimSpace(text[:end])) {
				return
			}
			text = text[end:]
		}
	}
}

// sentenceEnd returns the length of the first sentence of text, in bytes.
func sentenceEnd(text string) int {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？", r):
		case !strings.ContainsRune(".!?…", r), r == '.' && abbreviated(text[:end]):
			continue
		}
		for end < len(text) { // include closing punctuation
			c, size := utf8.DecodeRuneInString(text[end:])
			if !strings.ContainsRune(".!?…)]}\"'”’»*_`", c) {
				break
			}
			end += size
		}
		c, _ := utf8.DecodeRuneInString(text[end:])
		if end < len(text) && !unicode.IsSpace(c) && r < 0x3000 {
			continue // in a number, a path, or a URL
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end:], " \t"))
		if (strings.HasSuffix(text[:end], "..") || strings.HasSuffix(text[:end], "…")) && unicode.IsLower(next) {
			continue // an ellipsis within the sentence
		}
		return afterReference(text, end)
	}
	return len(text)
}

// abbreviated reports whether s ends in an abbreviation or an initial.
func abbreviated(s string) bool {
	const longest = len(" approx.")
	s = s[max(0, len(s)-longest):]
	word := s[strings.LastIndexAny(s, " \t(\"“[")+1:]
	if len(word) == 2 && word[0] >= 'A' && word[0] <= 'Z' {
		return true
	}
	return strings.Contains(abbreviations, " "+strings.ToLower(word)+" ")
}

// maxReference is the maximum length of a reference in brackets, in bytes.
const maxReference = 300

// afterReference returns the end of the brackets that follow a sentence ending at end, and of the full stop after them.
func afterReference(text string, end int) int {
	for {
		rest := strings.TrimLeft(text[end:], " \t")
		if rest == "" || rest[0] != '[' && rest[0] != '(' {
			return end
		}
		closing := strings.IndexAny(rest[:min(len(rest), maxReference)], ")]")
		if closing < 0 || !refers(rest[:closing+1]) {
			return end
		}
		end = len(text) - len(rest) + closing + 1
		if end < len(text) && text[end] == '.' {
			end++
		}
	}
}
