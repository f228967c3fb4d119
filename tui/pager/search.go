package pager

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// finder looks for a text.
type finder struct {
	query string
	hit   int         // the row of the last match, -1 for none
	match theme.Style // of what is found
}

// Query returns the text of the search.
func (f *finder) Query() string { return f.query }

// matches returns the marks of the search's matches between two bytes.
func (f *finder) matches(raw string, from, to int) []draw.Mark {
	from = max(0, from-len(f.query))
	to = min(len(raw), to+len(f.query))
	for from > 0 && !utf8.RuneStart(raw[from]) {
		from--
	}
	var marks []draw.Mark
	for at := from; at < to; {
		i := indexFold(raw[at:to], f.query)
		if i < 0 {
			break
		}
		marks = append(marks, draw.Mark{Start: at + i, End: at + i + len(f.query), Style: f.match})
		at += i + len(f.query)
	}
	return marks
}

// Search looks for text from the top of the window on, wherever upper and lower
// case differ, and shows the first row that has it. An empty text ends a
// search. It reports whether something was found.
func (p *Pager) Search(text string) bool {
	p.query, p.hit = text, -1
	if text == "" {
		return true
	}
	return p.find(p.top.row, 1)
}

// maxCounted is how many rows are looked through to count matches: more would be felt.
const maxCounted = 20_000

// Match returns which of the rows that match the search is in the window, and how
// many match; ok is false where there are too many rows to count.
func (p *Pager) Match() (n, of int, ok bool) {
	if p.query == "" || p.len() > maxCounted {
		return 0, 0, false
	}
	at := p.focus()
	for row := range p.len() {
		if p.has(row) {
			of++
			if row <= at {
				n = of
			}
		}
	}
	return n, of, true
}

// NextMatch goes to the next row that matches the search, or to the previous one
// when step is -1, around the ends.
func (p *Pager) NextMatch(step int) bool {
	if p.query == "" {
		return false
	}
	n := p.len()
	if n == 0 {
		return false
	}
	return p.find((p.focus()+step+n)%n, step)
}

// focus is the row that a search goes on from: that of the last match while it is in
// the window, else the first row there.
func (p *Pager) focus() int {
	first, last := p.Window()
	if p.hit >= first && p.hit < last {
		return p.hit
	}
	return first
}

func (p *Pager) find(from, step int) bool {
	n := p.len()
	for i := range n {
		row := ((from+i*step)%n + n) % n
		if p.has(row) {
			p.hit = row
			p.Center(row)
			return true
		}
	}
	return false
}

// Searchable is implemented by rows whose texts can be had without drawing
// them.
type Searchable interface {
	// HasText reports whether holds is true of a text of row i.
	HasText(i int, holds func(text string) bool) bool
}

func (p *Pager) has(row int) bool {
	if rows, ok := p.rows.(Searchable); ok {
		return rows.HasText(row, func(text string) bool { return indexFold(text, p.query) >= 0 })
	}
	for _, c := range p.rows.Row(row).Cells {
		if indexFold(c.Text.Raw, p.query) >= 0 {
			return true
		}
	}
	return false
}

// indexFold is strings.Index for ASCII letters of either case, and as they are
// for all others.
func indexFold(s, sub string) int {
	if sub == "" || len(sub) > len(s) {
		return -1
	}
	first := sub[0]
	lower, upper := toLower(first), first
	if r := rune(first); r < utf8.RuneSelf {
		upper = byte(unicode.ToUpper(r))
	}
	for i := 0; i+len(sub) <= len(s); {
		j := indexEither(s[i:len(s)-len(sub)+1], lower, upper)
		if j < 0 {
			return -1
		}
		i += j
		if equalFold(s[i:i+len(sub)], sub) {
			return i
		}
		i++
	}
	return -1
}

// indexEither returns the first place of one of two bytes.
func indexEither(s string, a, b byte) int {
	i := strings.IndexByte(s, a)
	if a == b {
		return i
	}
	if i >= 0 {
		s = s[:i]
	}
	if j := strings.IndexByte(s, b); j >= 0 {
		return j
	}
	return i
}

func equalFold(a, b string) bool {
	for i := range len(a) {
		if toLower(a[i]) != toLower(b[i]) {
			return false
		}
	}
	return true
}

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
