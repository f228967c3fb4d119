// Package spans maps the characters of a parsed value to their positions in the source text. In the source
// text, the value is a JSON string with escapes, a YAML scalar in any style, or literal text.
package spans

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// Span is a range of a text. Lines and columns count from 1, and columns count code points. To is the
// position after the last character.
type Span struct{ From, To jsondoc.Pos }

// File is a source text with an index of its lines. Its methods are safe for concurrent use.
type File struct {
	text  string
	lines []line
}

// line is the index of a line of a text. It contains the byte offset of every stride-th character to speed
// up the search for a column in a long line.
type line struct{ marks []int }

const stride = 1024

// New returns a File with the given text.
func New(text []byte) *File {
	f := &File{text: string(text), lines: []line{{marks: []int{0}}}}
	column := 0
	for i, r := range f.text {
		if column > 0 && column%stride == 0 {
			at := &f.lines[len(f.lines)-1]
			at.marks = append(at.marks, i)
		}
		column++
		if r == '\n' {
			f.lines = append(f.lines, line{marks: []int{i + 1}})
			column = 0
		}
	}
	return f
}

// offset returns the byte offset of position p, or false if the text has no such position.
func (f *File) offset(p jsondoc.Pos) (int, bool) {
	if p.Line < 1 || p.Line > len(f.lines) || p.Column < 1 {
		return 0, false
	}
	marks := f.lines[p.Line-1].marks
	mark := min((p.Column-1)/stride, len(marks)-1)
	at := marks[mark]
	for range p.Column - 1 - mark*stride {
		if at >= len(f.text) {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(f.text[at:])
		at += size
	}
	return at, true
}

// pos returns the position of the byte at the given offset.
func (f *File) pos(offset int) jsondoc.Pos {
	n := sort.Search(len(f.lines), func(i int) bool { return f.lines[i].marks[0] > offset }) - 1
	marks := f.lines[n].marks
	mark := sort.SearchInts(marks, offset+1) - 1
	return jsondoc.Pos{Line: n + 1, Column: mark*stride + utf8.RuneCountInString(f.text[marks[mark]:offset]) + 1}
}

// Cursor converts increasing byte offsets in a text to positions. It needs no index of the lines.
type Cursor struct {
	text string
	at   int
	pos  jsondoc.Pos
}

// NewCursor returns a Cursor at the start of text.
func NewCursor(text string) *Cursor {
	return &Cursor{text: text, pos: jsondoc.Pos{Line: 1, Column: 1}}
}

// To advances the cursor to a byte offset and returns the position. An offset before the current offset is
// treated as the current offset.
func (c *Cursor) To(offset int) jsondoc.Pos {
	offset = max(c.at, offset)
	skipped := c.text[c.at:offset]
	if n := strings.Count(skipped, "\n"); n > 0 {
		c.pos = jsondoc.Pos{Line: c.pos.Line + n, Column: 1}
		skipped = skipped[strings.LastIndexByte(skipped, '\n')+1:]
	}
	c.at, c.pos.Column = offset, c.pos.Column+utf8.RuneCountInString(skipped)
	return c.pos
}

// Offset returns the byte offset of position p in text, or -1 if text has no such position.
func Offset(text string, p jsondoc.Pos) int {
	if p.Line < 1 || p.Column < 1 {
		return -1
	}
	at := 0
	for range p.Line - 1 {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	for range p.Column - 1 {
		if at == len(text) || text[at] == '\n' {
			return -1
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// Value returns the span, in the source text, of value[start:end]. The source of value starts at pos,
// including its quotes if it has any. Value returns false if the text at pos is not the source of value.
func (f *File) Value(pos jsondoc.Pos, value string, start, end int) (Span, bool) {
	offset, ok := f.offset(pos)
	if !ok || start < 0 || end > len(value) || start > end {
		return Span{}, false
	}
	written := f.text[offset:]
	for _, s := range styles(written) {
		if from, to, ok := align(s, written, value, start, end); ok {
			return f.span(offset+from, offset+to), true
		}
	}
	// The style is unknown, for example in an indented Markdown list. Search for the first line of the bytes
	// instead.
	part, _, _ := strings.Cut(value[start:end], "\n")
	if from := strings.Index(written[:min(len(written), 2*len(value)+256)], part); from >= 0 && part != "" {
		return f.span(offset+from, offset+from+len(part)), true
	}
	return Span{}, false
}

func (f *File) span(from, to int) Span { return Span{f.pos(from), f.pos(to)} }

// align compares a value with its source text, which is written in style s. It returns the offsets in the
// source text that correspond to start and end in the value.
func align(s style, written, value string, start, end int) (from, to int, ok bool) {
	at := s.begin
	from, to = -1, -1
	for i := 0; i < len(value); {
		piece, width, ok := s.next(written, at)
		if !ok || !strings.HasPrefix(value[i:], piece) {
			return 0, 0, false
		}
		if piece != "" && i <= start && start < i+len(piece) {
			from = at
		}
		i += len(piece)
		at += width
		if piece != "" && i >= end {
			to = at
			break
		}
	}
	if start == end { // an empty range lies before the next character
		if from < 0 {
			from = at
		}
		to = from
	}
	return from, to, from >= 0 && to >= from
}

// style is a way to write a value in a source text.
type style struct {
	begin int // offset of the first character of the value
	// next reads the part of the source that starts at offset at. It returns the piece of the value that
	// this part represents, which can be "", and the number of bytes in the part. It returns false at the
	// end of the value.
	next func(text string, at int) (piece string, width int, ok bool)
}

// styles returns the possible styles of a source text, most likely first.
func styles(written string) []style {
	as := style{0, literal}
	switch {
	case strings.HasPrefix(written, `"`):
		return []style{{1, doubleQuoted}, as}
	case strings.HasPrefix(written, `'`):
		return []style{{1, singleQuoted}, as}
	case strings.HasPrefix(written, "|"), strings.HasPrefix(written, ">"):
		return append([]style{as}, blocks(written)...)
	}
	return []style{as, {0, folded}}
}

// literal reads text without escapes. A CRLF represents a line feed.
func literal(text string, at int) (string, int, bool) {
	switch {
	case at >= len(text):
		return "", 0, false
	case strings.HasPrefix(text[at:], "\r\n"):
		return "\n", 2, true
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[at : at+size], size, true
}

// folded reads a plain scalar of YAML. One line end represents a space, and n line ends represent n-1 line
// feeds (YAML 1.2.2, section 6.5).
func folded(text string, at int) (string, int, bool) {
	if piece, width, ok := fold(text, at); ok {
		return piece, width, true
	}
	return literal(text, at)
}

func singleQuoted(text string, at int) (string, int, bool) {
	switch {
	case strings.HasPrefix(text[at:], "''"):
		return "'", 2, true
	case strings.HasPrefix(text[at:], "'"):
		return "", 0, false
	}
	return folded(text, at)
}

// fold reads a sequence of line ends and the white space around them.
func fold(text string, at int) (piece string, width int, ok bool) {
	end, breaks := at, 0
	for end < len(text) && strings.IndexByte(" \t\r\n", text[end]) >= 0 {
		if text[end] == '\n' {
			breaks++
		}
		end++
	}
	switch breaks {
	case 0:
		return "", 0, false
	case 1:
		return " ", end - at, true
	}
	return strings.Repeat("\n", breaks-1), end - at, true
}

// escapes maps the letter after a backslash to the character that the escape represents, in JSON (RFC 8259,
// section 7) and YAML (YAML 1.2.2, section 5.7).
var escapes = map[byte]string{
	'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
	'0': "\x00", 'a': "\a", 'v': "\v", 'e': "\x1b", ' ': " ", '\t': "\t", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// doubleQuoted reads a JSON string or a double-quoted YAML scalar. YAML has more escapes than JSON.
func doubleQuoted(text string, at int) (string, int, bool) {
	switch {
	case at >= len(text) || text[at] == '"':
		return "", 0, false
	case text[at] != '\\':
		return folded(text, at)
	case at+1 >= len(text):
		return "", 0, false
	}
	letter := text[at+1]
	if s, known := escapes[letter]; known {
		return s, 2, true
	}
	switch letter {
	case 'u':
		return unicodeEscape(text, at)
	case 'x':
		return hex(text, at, 2)
	case 'U':
		return hex(text, at, 8)
	case '\n', '\r': // an escaped line end represents no character
		if _, width, ok := fold(text, at+1); ok {
			return "", 1 + width, true
		}
	}
	return "", 0, false
}

// hex reads an escape with the given number of hexadecimal digits.
func hex(text string, at, digits int) (string, int, bool) {
	end := at + 2 + digits
	if end > len(text) {
		return "", 0, false
	}
	n, err := strconv.ParseUint(text[at+2:end], 16, 32)
	return string(rune(n)), end - at, err == nil
}

// unicodeEscape reads an escape \uXXXX, or two such escapes that form a surrogate pair.
func unicodeEscape(text string, at int) (string, int, bool) {
	first, width, ok := surrogate(text, at)
	if !ok {
		return "", 0, false
	}
	if utf16.IsSurrogate(first) && strings.HasPrefix(text[at+width:], `\u`) {
		if second, more, ok := surrogate(text, at+width); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return string(r), width + more, true
			}
		}
	}
	return string(first), width, true
}

// surrogate reads one escape \uXXXX and returns its code unit.
func surrogate(text string, at int) (rune, int, bool) {
	const width = 6
	if at+width > len(text) {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(text[at+2:at+width], 16, 32)
	return rune(n), width, err == nil
}

// blocks returns the styles that a YAML block scalar can have. A block scalar starts with an indicator,
// followed by indented lines (YAML 1.2.2, section 8.1).
func blocks(written string) []style {
	header := strings.IndexByte(written, '\n')
	if header < 0 {
		return nil
	}
	body := written[header+1:]
	indent := 0
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) != "" {
			indent = len(line) - len(strings.TrimLeft(line, " "))
			break
		}
	}
	begin := header + 1 + leading(body, indent)
	kept := func(text string, at int) (string, int, bool) {
		piece, width, ok := literal(text, at)
		if piece == "\n" {
			width += leading(text[at+width:], indent)
		}
		return piece, width, ok
	}
	lines := func(text string, at int) (string, int, bool) {
		piece, width, ok := fold(text, at)
		if !ok {
			return literal(text, at)
		}
		run := text[at : at+width]
		if column := width - 1 - strings.LastIndexByte(run, '\n'); at+width < len(text) && column >= indent {
			return piece, width, true
		}
		if strings.Contains(written[:header], "+") { // "+" keeps all final line ends; without it, one is kept
			return strings.Repeat("\n", strings.Count(run, "\n")), width, true
		}
		return "\n", strings.IndexByte(run, '\n') + 1, true
	}
	return []style{{begin, kept}, {begin, lines}}
}

// leading returns the number of spaces at the start of text, but at most limit.
func leading(text string, limit int) int {
	n := 0
	for n < limit && n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}
