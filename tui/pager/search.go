// This file implements the search for text.

package pager

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/tui/draw"
)

// Query returns the search text.
func (p *Pager) Query() string { return p.query }

// matches marks the matches of the query in raw[start:end].
func (p *Pager) matches(raw string, start, end int) []draw.Mark {
	start = max(0, start-len(p.query))
	end = min(len(raw), end+len(p.query))
	for start > 0 && !utf8.RuneStart(raw[start]) {
		start--
	}
	var marks []draw.Mark
	for at := start; at < end; {
		i := indexFold(raw[at:end], p.query)
		if i < 0 {
			break
		}
		marks = append(marks, draw.Mark{Start: at + i, End: at + i + len(p.query), Style: p.match})
		at += i + len(p.query)
	}
	return marks
}

// Search scrolls to the first match of text, starting at the top of the viewport. It ignores the case of ASCII
// letters. It reports whether it found a match. An empty text ends the search.
func (p *Pager) Search(text string) bool {
	p.query, p.hit = text, -1
	if text == "" {
		return true
	}
	return p.find(p.top.row, 1)
}

// maxCounted is the maximum number of rows in which Match counts matches. Counting would be noticeably slow in
// more rows.
const maxCounted = 20_000

// Match returns the number of the current matching row and the total number of matching rows. ok is false if no
// search is active, or if the pager has more than maxCounted rows.
func (p *Pager) Match() (n, total int, ok bool) {
	if p.query == "" || p.len() > maxCounted {
		return 0, 0, false
	}
	at := p.searchStart()
	for row := range p.len() {
		if p.has(row) {
			total++
			if row <= at {
				n = total
			}
		}
	}
	return n, total, true
}

// NextMatch scrolls to the next matching row if step is 1, or to the previous one if step is -1. After the last
// row, it continues with the first. It reports whether a match was found.
func (p *Pager) NextMatch(step int) bool {
	if p.query == "" {
		return false
	}
	n := p.len()
	if n == 0 {
		return false
	}
	return p.find((p.searchStart()+step+n)%n, step)
}

// CurrentText returns the text of the row at which a search continues.
func (p *Pager) CurrentText() string {
	if p.len() == 0 {
		return ""
	}
	return p.rows.Row(p.searchStart()).Cells[0].Text.Raw
}

// searchStart returns the row at which a search continues. This is the row of the current match if it is
// visible, and otherwise the first visible row.
func (p *Pager) searchStart() int {
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

// Searchable is implemented by Rows that can be searched without being laid out.
type Searchable interface {
	// HasText reports whether a text of row i satisfies match.
	HasText(i int, match func(text string) bool) bool
}

func (p *Pager) has(row int) bool {
	if rows, ok := p.rows.(Searchable); ok {
		return rows.HasText(row, func(text string) bool { return indexFold(text, p.query) >= 0 })
	}
	return slices.ContainsFunc(p.rows.Row(row).Cells, func(c Cell) bool { return indexFold(c.Text.Raw, p.query) >= 0 })
}

// indexFold returns the index of the first occurrence of sub in s, ignoring the case of ASCII letters, or -1.
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

// indexEither returns the index of the first byte in s that is equal to a or to b, or -1 if there is none.
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
