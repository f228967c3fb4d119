package clients

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Problem is something that is wrong with a file, at a place in it.
type Problem struct {
	Path         string
	Line, Column int // from 1, in characters; 0 for the file as a whole
	Text         string
}

// Error returns the problem behind its place, as compilers print it.
func (p Problem) Error() string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.Path, p.Text)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Text)
}

// place returns the line and the column of a byte offset.
func place(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	return bytes.Count(data[:begin], []byte{'\n'}) + 1, utf8.RuneCount(data[begin:offset]) + 1
}

// problemAt returns a problem at a byte offset. The path is added by the file.
func problemAt(data []byte, offset int, format string, args ...any) Problem {
	line, column := place(data, offset)
	return Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
