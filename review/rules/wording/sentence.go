// This file selects the sentences that are scored.

package wording

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// Sentence is a passage that is scored as a unit. It is a sentence of a text, or the whole of a
// short text such as a title or an enum value.
type Sentence struct {
	Path string // path of the field
	Text string // the sentence, decoded if it was encoded

	text     *Scanned
	at       rules.Passage
	concepts scan.Set
	clauses  []scan.Clause
	source   string   // the text to which the offsets in clauses refer
	first    bool     // the sentence is the first one of its text
	frames   []string // rules that fired in the sentence; see Frames
	score    float64
}

// maxJudged is the maximum number of sentences without a frame that are scored in each text. In a
// longer text, the sentences with the highest rough scores are selected, which limits the cost.
const maxJudged = 512

// sentences selects the sentences of s that need a score, and appends them to list in the order of
// the text.
func (c *View) sentences(list []Sentence, s *Scanned, table *Learned) []Sentence {
	if (!s.Visible || s.Kind == rules.Program) && len(s.byRule) == 0 {
		return list // programs and texts that agents do not see are scored only if a rule fired in them
	}
	if s.Kind != rules.Prose && s.Kind != rules.Note && s.Kind != rules.Program { // a short text without sentences
		if s.Kind == rules.Identifier && len(s.byRule) == 0 {
			return list
		}
		return append(list, Sentence{Path: s.Path, Text: s.Value, text: s, at: rules.Passage{End: len(s.Value)}, concepts: s.Concepts, clauses: s.Clauses, source: s.Value, first: true})
	}
	telling := table.selectSentences(s.Sentences, s.Matches)
	list = slices.Grow(list, len(telling))
	for _, i := range telling {
		x := &s.Sentences[i]
		list = append(list, Sentence{Path: s.Path, Text: cmp.Or(s.Prose, s.Value)[x.Start:x.End], text: s, at: rules.Passage{Start: x.Start, End: x.End}, concepts: x.Concepts, clauses: s.Clauses[x.Clauses[0]:x.Clauses[1]], source: cmp.Or(s.Prose, s.Value), first: i == 0})
	}
	for _, d := range s.Decoded {
		if !d.Disguise.Decoded() {
			continue
		}
		r := grammar().Scan(d.Text)
		for _, i := range table.selectSentences(r.Sentences, r.Matches) {
			x := &r.Sentences[i]
			list = append(list, Sentence{Path: s.Path, Text: d.Text[x.Start:x.End], text: s, at: rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise}, concepts: x.Concepts, clauses: r.Clauses[x.Clauses[0]:x.Clauses[1]], source: d.Text})
		}
	}
	return list
}

// selectSentences returns the indices of the sentences that are scored, in ascending order. It
// selects the sentences with a match of a frame, and then the sentences with the highest rough
// scores, until it has selected maxJudged sentences. If t is nil, it selects all sentences.
func (t *Learned) selectSentences(list []scan.Sentence, matches []scan.Match) []int {
	kept := make([]int, 0, min(len(list), 2*maxJudged))
	if t == nil || len(list) <= maxJudged {
		for i := range list {
			kept = append(kept, i)
		}
		return kept
	}
	weights := make([]int, len(list))
	for i := range list {
		weights[i] = t.roughScore(&list[i].Concepts)
	}
	for i := range matches {
		k, _ := slices.BinarySearchFunc(list, matches[i].Start, func(s scan.Sentence, at int) int { return cmp.Compare(s.End, at+1) })
		if k < len(list) {
			weights[k] = math.MaxInt
		}
	}
	sorted := slices.Clone(weights)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(b, a) })
	least := sorted[maxJudged-1]
	for i, w := range weights {
		if w == math.MaxInt || w >= least && len(kept) < maxJudged {
			kept = append(kept, i)
		}
	}
	return kept
}

// Opens reports whether s is the first sentence of its text.
func (s *Sentence) Opens() bool { return s.first }

// Frames returns the ids of the rules that fired in s. Each id is followed by the kind of the
// finding if the rule has several kinds.
func (s *Sentence) Frames() []string { return s.frames }

// fewWords is the minimum number of words of a sentence that is scored without a frame. In writing
// systems without spaces, two characters are treated as one word.
const fewWords = 4

// hasEnoughWords reports whether s has enough words to be scored without a frame.
func (s *Sentence) hasEnoughWords() bool {
	words, glyphs := 0, 0
	for w := range strings.FieldsSeq(s.Text) {
		words++
		for _, r := range w {
			if unspaced(r) {
				glyphs++
			}
		}
		if words >= fewWords || glyphs >= 2*fewWords {
			return true
		}
	}
	return false
}

// Judged reports whether s must be scored. This is the case if agents see s, and s has enough words
// or a frame matches in s.
func (s *Sentence) Judged() bool { return s.text.Visible && (s.hasEnoughWords() || len(s.frames) > 0) }

// clauses splits text into clauses at punctuation and line breaks.
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

// endsClause reports whether the rune r at byte i of text ends a clause. The end of a clause is a
// comma, semicolon, or colon before white space, a parenthesis, a line break, a dash, the end of a
// sentence, or a corresponding mark of another writing system.
func endsClause(text string, i int, r rune) bool {
	switch r {
	case ',', ';', ':':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n'
	case '(', ')', '\n', '，', '；', '：', '、', '（', '）', '—', '–', '،', '؛':
		return true
	}
	return strings.ContainsRune(".!?。！？", r) && (i+utf8.RuneLen(r) == len(text) || text[i+utf8.RuneLen(r)] == ' ' || r > utf8.RuneSelf)
}
