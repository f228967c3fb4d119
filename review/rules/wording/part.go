package wording

import (
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules"
)

// maxParts is how many parts of a sentence are judged besides it.
const maxParts = 8

// parts returns the words of f alone, the clauses of s that they stand in and, of a
// prompt, s without its surroundings. They are judged beside the sentence, so that
// honest words around an attack do not lower its score.
func (c *View) parts(s *Sentence, f *candidate) []Sentence {
	if f.at.Disguise != 0 {
		return nil // it warns whatever it scores
	}
	value := s.text.Value
	spans := []rules.Passage{{Start: f.at.Start, End: f.at.End}}
	for _, clause := range clauses(value[s.at.Start:s.at.End]) {
		clause.Start, clause.End = clause.Start+s.at.Start, clause.End+s.at.Start
		if clause.Start < f.at.End && f.at.Start < clause.End && len(spans) < maxParts {
			spans = append(spans, clause)
			spans = append(spans, rules.Passage{Start: min(clause.Start, f.at.Start), End: max(clause.End, f.at.End)})
		}
	}
	var list []Sentence
	seen := map[rules.Passage]bool{{Start: s.at.Start, End: s.at.End}: c.IsAction()}
	if !c.IsAction() {
		spans = append(spans, rules.Passage{Start: s.at.Start, End: s.at.End})
	}
	for _, at := range spans {
		if seen[at] {
			continue
		}
		seen[at] = true
		text := value[at.Start:at.End]
		r := grammar().Scan(text)
		list = append(list, Sentence{Path: s.Path, Text: text, text: s.text, at: at, concepts: r.Concepts, clauses: r.Clauses, source: text, frames: []string{f.frame()}, part: true})
	}
	return list
}

// clauses cuts text at the marks that end a clause.
func clauses(text string) []rules.Passage {
	var list []rules.Passage
	start := 0
	for i, r := range text {
		if !endsClause(text, i, r) {
			continue
		}
		if i > start {
			list = append(list, rules.Passage{Start: start, End: i})
		}
		start = i + utf8.RuneLen(r)
		for start < len(text) && text[start] == ' ' {
			start++
		}
	}
	if start < len(text) {
		list = append(list, rules.Passage{Start: start, End: len(text)})
	}
	return list
}

// endsClause reports whether a clause ends at rune r, byte i of text: at a comma or
// the like before a space, a parenthesis, a line break, and the marks of other scripts.
func endsClause(text string, i int, r rune) bool {
	switch r {
	case ',', ';', ':':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n'
	case '(', ')', '\n', '，', '；', '：', '、', '（', '）', '—', '–', '،', '؛':
		return true
	}
	return strings.ContainsRune(".!?。！？", r) && (i+utf8.RuneLen(r) == len(text) || text[i+utf8.RuneLen(r)] == ' ' || r > utf8.RuneSelf)
}
