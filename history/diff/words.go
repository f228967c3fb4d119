// This file marks the changed parts of lines.

package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// maxBlock is the maximum length of a run of changed lines in which lines are paired.
const maxBlock = 20_000

// Words returns a copy of the hunk in which changed lines have pairs and spans. The time is
// proportional to the size of the hunk, even if its lines have a million characters. For a megabyte
// of text with edits in a third of it, the time is about 25 ms.
func (h Hunk) Words() Hunk {
	h.Lines = slices.Clone(h.Lines)
	h.Mark(0, len(h.Lines))
	return h
}

// Mark is like Words, but changes the hunk in place. It marks only the runs of changed lines
// that overlap Lines[start:end], such as the visible lines.
func (h Hunk) Mark(start, end int) {
	m := marker{ids: newInterner(min(end-start, len(h.Lines)))}
	for b := range h.blocks {
		if b.from >= end {
			return
		}
		if b.to > start && b.from < b.mid && b.mid < b.to && b.to-b.from <= maxBlock {
			m.block(h.Lines[b.from:b.to], b.mid-b.from, b.from)
		}
	}
}

// marker compares the tokens of lines. It is reused for all lines of a hunk, to save
// memory.
type marker struct {
	ids   *interner
	plain []bool // indexed by token number: whether the token is unsuitable as an anchor
	cmp   comparer
	a, b  []int32
}

// changedLine is a line of a block and its tokens.
type changedLine struct {
	text   string
	tokens []token
	bag    []int32 // sorted numbers of the words at both ends of the line; see bagEnd
	weight int     // total length of these words, in bytes
}

// block marks the lines of a block. dels is the number of deleted lines, which precede the
// inserted lines. base is the index of the first line in the hunk.
func (m *marker) block(lines []Line, dels, base int) {
	texts := make([]string, len(lines))
	for i := range lines {
		lines[i].Pair, lines[i].Rewrapped, lines[i].Spans = -1, false, nil
		texts[i] = lines[i].Text
	}
	read := m.read(texts)
	pairs := m.pairs(read[:dels], read[dels:])
	found := make([]marking, 0, len(pairs))
	changed := 0 // number of changed bytes that are not white space
	long := false
	for i := range read {
		changed += visible(read[i].tokens)
		long = long || len(read[i].text) > maxTokenized
	}
	for _, p := range pairs {
		if k := m.spans(read[p.x], read[dels+p.y]); k.ok {
			changed -= 2 * k.kept
			k.match = p
			found = append(found, k)
		}
	}
	if len(lines) > 2 && !long && m.rewrap(lines, read, dels, changed) {
		return
	}
	for _, k := range found {
		del, ins := &lines[k.x], &lines[dels+k.y]
		del.Pair, del.Spans = base+dels+k.y, k.old
		ins.Pair, ins.Spans = base+k.x, k.new
	}
}

// read splits lines into tokens.
func (m *marker) read(lines []string) []changedLine {
	read := make([]changedLine, len(lines))
	var tokens []token
	for i, l := range lines {
		from := len(tokens)
		if len(l) <= maxTokenized {
			tokens = tokenize(tokens, l, m.ids)
		}
		read[i] = changedLine{text: l, tokens: tokens[from:len(tokens):len(tokens)]}
	}
	return read
}

// marking contains the changes between a deleted line and an inserted line.
type marking struct {
	match
	old, new []Span
	kept     int  // number of unchanged bytes that are not white space
	ok       bool // whether kept is large enough to mark spans instead of complete lines
}

// maxTokenized is the maximum length of a line that is compared token by token, in bytes.
// For longer lines, only common prefixes and suffixes are found.
const maxTokenized = 4 << 20

// stepsPerToken is the budget of a comparison of two lines, in steps per token; see
// comparer.compare.
const stepsPerToken = 64

// spans compares two lines.
func (m *marker) spans(x, y changedLine) marking {
	if len(x.text) > maxTokenized || len(y.text) > maxTokenized {
		head, tail := affixes(x.text, y.text) // all bytes between the affixes are marked
		k := marking{kept: head + tail, ok: true}
		if k.kept < len(x.text) {
			k.old = []Span{{head, len(x.text) - tail}}
		}
		if k.kept < len(y.text) {
			k.new = []Span{{head, len(y.text) - tail}}
		}
		return k
	}
	c := m.compare(x.tokens, y.tokens)
	es := tidy(edits(c.del, c.ins, 0), x.tokens, y.tokens)
	k := marking{kept: visible(x.tokens)}
	for _, e := range es {
		k.kept -= visible(x.tokens[e.Old.Start:e.Old.End])
		if !e.Old.empty() {
			k.old = append(k.old, Span{int(x.tokens[e.Old.Start].start), int(x.tokens[e.Old.End-1].end)})
		}
		if !e.New.empty() {
			k.new = append(k.new, Span{int(y.tokens[e.New.Start].start), int(y.tokens[e.New.End-1].end)})
		}
	}
	whole := max(visible(x.tokens), visible(y.tokens))
	k.ok = float64(k.kept) >= leastKept*float64(whole) || affix(x.text, y.text) >= alike
	return k
}

// leastKept is the fraction of the longer line that must be unchanged. If less is unchanged,
// the complete lines are marked instead of spans.
const leastKept = 0.2

// compare compares two lists of tokens. The result is valid until the next call.
func (m *marker) compare(x, y []token) *comparer {
	m.a, m.b = m.a[:0], m.b[:0]
	for _, t := range x {
		m.a = append(m.a, t.id)
	}
	for _, t := range y {
		m.b = append(m.b, t.id)
	}
	for _, k := range m.ids.keys[len(m.plain):] {
		m.plain = append(m.plain, isPlain(k))
	}
	m.cmp.trivial = m.plain
	m.cmp.compare(m.a, m.b, m.ids.len(), stepsPerToken*(len(x)+len(y)))
	return &m.cmp
}

// visible returns the number of bytes in ts that are not white space.
func visible(ts []token) int {
	n := 0
	for _, t := range ts {
		if t.class != space {
			n += t.len()
		}
	}
	return n
}

// affixes returns the lengths of the common prefix and the common suffix of two lines, in
// bytes. It does not split code points.
func affixes(x, y string) (head, tail int) {
	most := min(len(x), len(y))
	for head < most && x[head] == y[head] {
		head++
	}
	for head > 0 && (inside(x, head) || inside(y, head)) {
		head--
	}
	for tail < most-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	for tail > 0 && (inside(x, len(x)-tail) || inside(y, len(y)-tail)) {
		tail--
	}
	return head, tail
}

// inside reports whether s[i] is a byte of a code point other than its first byte.
func inside(s string, i int) bool { return i < len(s) && s[i]&0xC0 == 0x80 }

// affix returns the similarity of two lines, from 0 to 1, judging by the lengths of their
// common prefix and suffix.
func affix(x, y string) float64 {
	const most = 512 // number of bytes compared at each end of a long line
	if len(x) > 2*most {
		x = x[:most] + x[len(x)-most:]
	}
	if len(y) > 2*most {
		y = y[:most] + y[len(y)-most:]
	}
	x, y = strings.TrimSpace(x), strings.TrimSpace(y)
	if len(x)+len(y) == 0 {
		return 1
	}
	head, tail := affixes(x, y)
	return 2 * float64(head+tail) / float64(len(x)+len(y))
}

// class is the class of the characters in a token.
type class uint8

const (
	other class = iota // a single character, such as punctuation, a symbol, or an invisible character
	word               // a run of letters, digits, and "_", or a single letter of a script in unspaced
	space              // a run of white space
)

// token is a unit in the comparison of lines. It consists of the bytes start to end-1 of the
// line.
type token struct {
	start, end int32
	id         int32 // equal for equal tokens
	class      class
}

func (t token) len() int { return int(t.end - t.start) }

// tokenize appends the tokens of line to ts. Characters are extended grapheme clusters (Unicode
// Standard Annex 29), so no token begins with a combining mark or contains only a part of a flag.
func tokenize(ts []token, line string, ids *interner) []token {
	last := class(255) // class of the previous token; 255 if the token cannot be extended
	add := func(start, end int, c class, single bool) {
		if c == last && !single {
			ts[len(ts)-1].end = int32(end)
			return
		}
		ts = append(ts, token{start: int32(start), end: int32(end), class: c})
		if last = c; single {
			last = 255
		}
	}
	first := len(ts)
	at := 0
	for at < len(line) && line[at] < utf8.RuneSelf && (at+1 == len(line) || line[at+1] < utf8.RuneSelf) {
		c, single := classify(rune(line[at]))
		add(at, at+1, c, single)
		at++
	}
	if at < len(line) { // the rest begins with the first character that may be part of a cluster
		rest := graphemes.FromString(line[at:])
		for rest.Next() {
			r, _ := utf8.DecodeRuneInString(rest.Value())
			c, single := classify(r)
			add(at+rest.Start(), at+rest.End(), c, single)
		}
	}
	for i := first; i < len(ts); i++ {
		ts[i].id = ids.number(line[ts[i].start:ts[i].end])
	}
	return ts
}

// classify returns the class of the character that begins with r. single reports whether the
// character is always a separate token.
func classify(r rune) (c class, single bool) {
	switch {
	case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return word, false
	case r == ' ', r == '\t':
		return space, false
	case r < utf8.RuneSelf:
		return other, true
	case unicode.IsSpace(r):
		return space, false
	case unicode.In(r, unspaced...):
		return word, true
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return word, false
	}
	return other, true
}

// unspaced contains the scripts that are written without spaces between words. A run of letters in
// these scripts is not a single word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi,
}
