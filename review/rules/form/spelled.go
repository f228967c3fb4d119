package form

import (
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// Text of which people read less than a model does: so many letters that stand apart,
// or so many full-width Latin letters, of which several differ.
const (
	minApart = 10
	minWide  = 12
	minKinds = 5
)

func spelled() rules.Rule {
	return rules.Rule{
		ID: "S157",
		Check: wording.EachText(func(s *wording.Scanned) []rules.Finding {
			found := apart(s.Value)
			if !s.Plain {
				found = append(found, wide(s.Value)...)
			}
			return s.Findings(found, func(p rules.Passage) string {
				return rules.Quoting("Writes words letter by letter or in full-width letters, which a model reads and a search does not find", s.Value[p.Start:p.End])
			})
		}),
	}
}

// apart finds words whose letters stand apart, such as "d e l e t e  i t" or
// "d-e-l-e-t-e". A list of letters in the order of an alphabet is none.
func apart(text string) []rules.Passage {
	var spans []rules.Passage
	for i := 0; i+2 < len(text); i++ {
		if !separates[text[i+1]] || !letter(text[i]) || !letter(text[i+2]) || i > 0 && !separates[text[i-1]] {
			continue
		}
		start, end, run := i, i+1, letters{}
		for j := i; j < len(text) && letter(text[j]) && (j+1 == len(text) || !word(text[j+1])); {
			run.add(rune(text[j]))
			end = j + 1
			for j++; j < len(text) && j-end < 3 && separates[text[j]]; j++ {
			}
		}
		if run.n >= minApart && run.odd() {
			spans = append(spans, rules.Passage{Start: start, End: end})
		}
		i = end
	}
	return spans
}

// wide finds words in full-width Latin letters.
func wide(text string) []rules.Passage {
	var spans []rules.Passage
	start, end, run := -1, 0, letters{}
	flush := func() {
		if start >= 0 && run.n >= minWide && run.odd() {
			spans = append(spans, rules.Passage{Start: start, End: end})
		}
		start, run = -1, letters{}
	}
	for i, r := range text {
		switch {
		case r >= 'Ａ' && r <= 'Ｚ' || r >= 'ａ' && r <= 'ｚ':
			if start < 0 {
				start = i
			}
			end = i + utf8.RuneLen(r)
			run.add(r)
		case !unicode.IsSpace(r):
			flush()
		}
	}
	flush()
	return spans
}

// letters counts the letters of a run.
type letters struct {
	n, kinds, rising int
	seen             map[rune]bool
	last             rune
}

func (l *letters) add(r rune) {
	r = unicode.ToLower(r)
	if l.seen == nil {
		l.seen = map[rune]bool{}
	}
	if !l.seen[r] {
		l.seen[r] = true
		l.kinds++
	}
	if l.n > 0 && r == l.last+1 {
		l.rising++
	}
	l.n++
	l.last = r
}

// odd reports whether the letters may be words: there are several kinds of them, and
// most do not follow the one before in the alphabet.
func (l *letters) odd() bool { return l.kinds >= minKinds && 2*l.rising < l.n }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func word(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c >= utf8.RuneSelf }

// separates tells the characters that may stand between the letters of a word.
var separates = [256]bool{' ': true, '-': true, '.': true, '_': true, '*': true, '/': true, '~': true, '+': true, '|': true}
