// Package spans maps the characters of a value to the text that it was read from:
// a JSON string with its escapes, a YAML scalar in any of its styles, or literal
// text.
package spans

import (
	"sort"
	"strings"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// Span is a part of a text, in lines and characters (code points) from 1; To is
// the place behind its last character.
type Span struct{ From, To jsondoc.Pos }

// File is a text that values were read from. It may be used by many goroutines.
type File struct {
	text  string
	lines []line
}

// line is one line of a text: marks are the offsets of every stride-th of its
// characters, so that a long line is not walked from its beginning each time.
type line struct{ marks []int }

const stride = 1024

// New returns the file with a text.
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

// offset returns the byte offset of a place.
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

// pos returns the place of a byte offset.
func (f *File) pos(offset int) jsondoc.Pos {
	n := sort.Search(len(f.lines), func(i int) bool { return f.lines[i].marks[0] > offset }) - 1
	marks := f.lines[n].marks
	mark := sort.SearchInts(marks, offset+1) - 1
	return jsondoc.Pos{Line: n + 1, Column: mark*stride + utf8.RuneCountInString(f.text[marks[mark]:offset]) + 1}
}

// Value returns where the bytes of value from start to end are written. The
// value begins, with its quotes if it has any, at at. It reports false when the
// text there is not that value.
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
	if from, to, ok := search(written, value, start, end); ok {
		return f.span(offset+from, offset+to), true
	}
	return Span{}, false
}

func (f *File) span(from, to int) Span { return Span{f.pos(from), f.pos(to)} }

// align reads written and value side by side and returns the offsets in written
// of the part of the value.
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
	if start == end { // an empty part precedes the next one
		if from < 0 {
			from = at
		}
		to = from
	}
	return from, to, from >= 0 && to >= from
}

// search looks for the first line of the part where the value cannot be read,
// such as in a list that Markdown sets off.
func search(written, value string, start, end int) (from, to int, ok bool) {
	part, _, _ := strings.Cut(value[start:end], "\n")
	const perByte, more = 2, 256
	from = strings.Index(written[:min(len(written), perByte*len(value)+more)], part)
	return from, from + len(part), from >= 0 && part != ""
}
