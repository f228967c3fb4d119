// Package spans maps the characters of a value to their positions in the text from
// which the value was parsed: a JSON string with escapes, a YAML scalar in any
// style, or literal text.
package spans

import (
	"sort"
	"strings"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// Span is a range of a text, in lines and columns (code points) from 1. To is the
// position after the last character.
type Span struct{ From, To jsondoc.Pos }

// File is a text with values. It is safe for concurrent use.
type File struct {
	text  string
	lines []line
}

// line is one line of a text. marks has the offsets of every stride-th character,
// to find columns in long lines quickly.
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

// offset returns the byte offset of a position.
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

// pos returns the position of a byte offset.
func (f *File) pos(offset int) jsondoc.Pos {
	n := sort.Search(len(f.lines), func(i int) bool { return f.lines[i].marks[0] > offset }) - 1
	marks := f.lines[n].marks
	mark := sort.SearchInts(marks, offset+1) - 1
	return jsondoc.Pos{Line: n + 1, Column: mark*stride + utf8.RuneCountInString(f.text[marks[mark]:offset]) + 1}
}

// Value returns the span of the bytes start to end of value. The value starts at
// position at, including its quotes if it has any. Value returns false if the text
// at this position is not that value.
func (f *File) Value(at jsondoc.Pos, value string, start, end int) (Span, bool) {
	offset, ok := f.offset(at)
	if !ok || start < 0 || end > len(value) || start > end {
		return Span{}, false
	}
	written := f.text[offset:]
	for _, s := range styles(written) {
		if from, to, ok := align(s, written, value, start, end); ok {
			return f.span(offset+from, offset+to), true
		}
	}
	// The style is unknown, for example in an indented Markdown list: search for the first line of the part.
	part, _, _ := strings.Cut(value[start:end], "\n")
	if from := strings.Index(written[:min(len(written), 2*len(value)+256)], part); from >= 0 && part != "" {
		return f.span(offset+from, offset+from+len(part)), true
	}
	return Span{}, false
}

func (f *File) span(from, to int) Span { return Span{f.pos(from), f.pos(to)} }

// align compares written with value and returns the offsets in written of the part
// from start to end.
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
	if start == end { // an empty part precedes the next character
		if from < 0 {
			from = at
		}
		to = from
	}
	return from, to, from >= 0 && to >= from
}
