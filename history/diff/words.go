// This file marks the changed words within lines.

package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// maxBlock is the maximum number of consecutive changed lines in which lines are
// paired.
const maxBlock = 20_000

// Words returns the hunk with the pairs and spans of its changed lines. The time is
// proportional to the size of the hunk, even with lines of a million characters:
// about 25 ms for a megabyte of which a third was edited.
func (h Hunk) Words() Hunk {
	h.Lines = slices.Clone(h.Lines)
	h.Mark(0, len(h.Lines))
	return h
}

// Mark does the same as Words in place, for the runs of changed lines that overlap
// Lines[from:to], such as the visible lines.
func (h Hunk) Mark(from, to int) {
	m := marker{ids: newInterner(min(to-from, len(h.Lines)))}
	for b := range h.blocks {
		if b.from >= to {
			return
		}
		if b.to > from && b.from < b.mid && b.mid < b.to && b.to-b.from <= maxBlock {
			m.block(h.Lines[b.from:b.to], b.mid-b.from, b.from)
		}
	}
}

// marker compares tokens within lines. It is reused for a whole hunk to save
// memory.
type marker struct {
	ids   *interner
	plain []bool // by token: unsuitable as an anchor
	cmp   comparer
	a, b  []int32
}

// changedLine is a line of a block with its tokens.
type changedLine struct {
	text   string
	tokens []token
	bag    []int32 // sorted words at its start and end
	weight int     // bytes of these words
}

// block marks the lines of one block, of which the first dels are deleted and the
// others inserted. base is the index of the first line in the hunk.
func (m *marker) block(lines []Line, dels, base int) {
	texts := make([]string, len(lines))
	for i := range lines {
		lines[i].Pair, lines[i].Rewrapped, lines[i].Spans = -1, false, nil
		texts[i] = lines[i].Text
	}
	read := m.read(texts)
	pairs := m.pairs(read[:dels], read[dels:])
	found := make([]marking, 0, len(pairs))
	changed := 0 // number of changed visible bytes
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

// read tokenizes lines.
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

// marking has the changes between two lines.
type marking struct {
	match
	old, new []Span
	kept     int  // number of unchanged visible bytes
	ok       bool // enough of them to show spans
}

// maxTokenized is the maximum length of lines that are compared word by word, in
// bytes. For longer ones, only common prefixes and suffixes are found.
const maxTokenized = 4 << 20

// stepsPerToken limits the steps of comparing two lines, per token and in addition
// to the proportional part.
const stepsPerToken = 64

// spans compares two lines.
func (m *marker) spans(x, y changedLine) marking {
	if len(x.text) > maxTokenized || len(y.text) > maxTokenized {
		head, tail := affixes(x.text, y.text) // marks everything between them
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

// leastKept is the minimum unchanged part of the longer line.
const leastKept = 0.2

// compare compares two lists of tokens.
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

// visible counts the bytes of ts that are not white space.
func visible(ts []token) int {
	n := 0
	for _, t := range ts {
		if t.class != space {
			n += t.len()
		}
	}
	return n
}

// affixes returns the lengths in bytes of the common prefix and suffix of two
// lines, without splitting code points.
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

// inside reports whether s[i] is inside a code point.
func inside(s string, i int) bool { return i < len(s) && s[i]&0xC0 == 0x80 }

// affix returns the similarity of two lines, from 0 to 1, based on their common
// prefix and suffix.
func affix(x, y string) float64 {
	const most = 512 // bytes compared at each end of a long line
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

// class is the kind of characters in a token.
type class uint8

const (
	other class = iota // a single character: punctuation, a symbol, an ideograph, an invisible character
	word               // letters, digits and "_"
	space              // a run of white space
)

// token is the unit in which lines are compared: text[start:end].
type token struct {
	start, end int32
	id         int32 // equal for equal tokens
	class      class
}

func (t token) len() int { return int(t.end - t.start) }

// tokenize appends the tokens of line to ts. Characters are extended grapheme
// clusters (Unicode Standard Annex 29), so that no token starts with a combining
// mark or splits a flag.
func tokenize(ts []token, line string, ids *interner) []token {
	last := class(255) // class of the previous token, unless it is complete
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
	if at < len(line) { // starting with the first character that may be part of a cluster
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

// classify returns the class of a character based on its first code point, and
// whether it is a token by itself.
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

// unspaced lists scripts that are written without spaces between words, so that a
// run of letters is not a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi,
}
