package rules

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"toolcrib/review/rules/scan"
)

// Passage is a part of a text, in bytes, and how it was disguised.
type Passage struct {
	Start, End int
	Disguise   scan.Disguise
}

// MaxPerText limits the findings of one rule in one text. The last one has the
// number of others.
const MaxPerText = 20

// Merge sorts passages and makes one of those that overlap.
func Merge(passages []Passage) []Passage {
	slices.SortFunc(passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	var merged []Passage
	for _, p := range passages {
		if n := len(merged); n > 0 && p.Start < merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, p.End)
			merged[n-1].Disguise |= p.Disguise
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// Findings makes findings of passages in t, those that overlap into one and at most
// maxPerText.
func (t *Text) Findings(passages []Passage, message func(Passage) string) []Finding {
	merged := Merge(passages)
	more := max(0, len(merged)-MaxPerText)
	merged = merged[:len(merged)-more]
	found := make([]Finding, 0, len(merged))
	at := cursor{text: t.Value, line: 1, column: 1}
	for _, p := range merged {
		f := Finding{Path: t.Path, Message: message(p), Passage: t.Value[p.Start:p.End]}
		f.Line, f.Column = at.move(p.Start)
		f.EndLine, f.EndColumn = at.move(p.End)
		found = append(found, f)
	}
	if more > 0 {
		found[len(found)-1].More(more)
	}
	return found
}

// More says in the last finding of a text how many passages have none of their own.
func (f *Finding) More(passages int) {
	f.Message += fmt.Sprintf(" %d more such passages have no finding of their own.", passages)
}

// cursor turns byte offsets that only grow into lines and columns.
type cursor struct {
	text         string
	at           int
	line, column int
}

func (c *cursor) move(to int) (line, column int) {
	for c.at < to {
		if c.text[c.at] == '\n' {
			c.line++
			c.column = 1
			c.at++
			continue
		}
		_, n := utf8.DecodeRuneInString(c.text[c.at:])
		c.column++
		c.at += n
	}
	return c.line, c.column
}
