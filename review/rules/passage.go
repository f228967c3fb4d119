package rules

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"toolcrib/review/rules/scan"
)

// passage is a part of a text, in bytes, and how it was disguised.
type passage struct {
	start, end int
	disguise   scan.Disguise
}

// maxPerText bounds the findings of one rule in one text. The last one says how many
// more there are.
const maxPerText = 20

// findings makes findings of passages in t, those that overlap into one.
func (t *Text) findings(passages []passage, message func(passage) string) []Finding {
	slices.SortFunc(passages, func(a, b passage) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var merged []passage
	more := 0
	for _, p := range passages {
		if n := len(merged); n > 0 && p.start < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, p.end)
			merged[n-1].disguise |= p.disguise
			continue
		}
		if len(merged) == maxPerText {
			more++
			continue
		}
		merged = append(merged, p)
	}
	found := make([]Finding, 0, len(merged))
	at := cursor{text: t.Value, line: 1, column: 1}
	for _, p := range merged {
		f := Finding{Path: t.Path, Message: message(p), Passage: t.Value[p.start:p.end], text: t, at: p}
		f.Line, f.Column = at.move(p.start)
		f.EndLine, f.EndColumn = at.move(p.end)
		found = append(found, f)
	}
	if more > 0 {
		found[len(found)-1].more(more)
	}
	return found
}

// more says in the last finding of a text how many passages have none of their own.
func (f *Finding) more(passages int) {
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
