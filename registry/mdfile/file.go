package mdfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// File is a Markdown file taken apart.
type File struct {
	Front    *jsondoc.Node // an object
	Sections []Section     // in the order of the file
}

// Section is one text of a file. Pos is where the text begins, or the heading
// when there is no text.
type Section struct {
	Title string // in its canonical spelling
	Text  string // without blank lines around it
	Pos   jsondoc.Pos
}

const fence = "---"

// Parse reads a file whose sections are those that known knows. A byte order
// mark and CRLF line ends are taken off. The error is a jsondoc.Problems.
func Parse(data []byte, known Titles) (File, error) {
	if len(data) > jsondoc.DefaultLimits.Bytes {
		return File{}, problem(jsondoc.Pos{}, "the file has %d bytes; at most %d are read", len(data), jsondoc.DefaultLimits.Bytes)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if ps := badText(data); ps != nil {
		return File{}, ps
	}
	lines := strings.Split(string(data), "\n")
	end, ps := frontEnd(lines)
	if ps != nil {
		return File{}, ps
	}
	front, ps := parseFront(strings.Join(lines[1:end], "\n")+"\n", 1)
	sections, more := split(lines, end+1, known)
	if ps.Append(more...); len(ps) > 0 {
		return File{}, ps
	}
	return File{Front: front, Sections: sections}, nil
}

// badText reports the first byte that a text cannot have: a NUL, or invalid UTF-8.
func badText(data []byte) jsondoc.Problems {
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		pos := func() jsondoc.Pos {
			return jsondoc.Pos{Line: line, Column: utf8.RuneCount(data[start:i]) + 1}
		}
		switch {
		case r == utf8.RuneError && size == 1:
			return problem(pos(), "a byte that is no UTF-8")
		case r == 0:
			return problem(pos(), "a NUL character; take it out")
		case r == '\n':
			line, start = line+1, i+1
		}
		i += size
	}
	return nil
}

// frontEnd returns the index of the line that closes the front matter.
func frontEnd(lines []string) (int, jsondoc.Problems) {
	if strings.TrimRight(lines[0], blanks) != fence {
		return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "expected front matter: the first line is %q", fence)
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, blanks) == fence {
			return i + 1, nil
		}
	}
	return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "the front matter has no end: a second line %q is expected", fence)
}

// split divides lines[from:] at the known headings.
func split(lines []string, from int, known Titles) ([]Section, jsondoc.Problems) {
	var (
		ps       jsondoc.Problems
		sections []Section
		seen     = map[string]bool{}
		start    = from
	)
	flush := func(end int) {
		text := trim(strings.Join(lines[start:end], "\n"))
		at := start
		for at < end && strings.Trim(lines[at], blanks) == "" {
			at++
		}
		if len(sections) == 0 {
			if text != "" {
				ps.Append(problem(jsondoc.Pos{Line: at + 1, Column: 1}, "text in front of the first section; is a heading missing or misspelt?")...)
			}
			return
		}
		last := &sections[len(sections)-1]
		if text != "" {
			last.Text, last.Pos = text, jsondoc.Pos{Line: at + 1, Column: 1}
		}
	}
	for i := from; i < len(lines); i++ {
		title, ok := known.heading(lines[i])
		if !ok {
			lines[i] = known.unescape(lines[i])
			continue
		}
		flush(i)
		pos := jsondoc.Pos{Line: i + 1, Column: 1}
		if seen[title] {
			ps.Append(problem(pos, "the section is here a second time; keep one, or put a backslash in front when the line is text")...)
		}
		seen[title] = true
		sections = append(sections, Section{Title: title, Pos: pos})
		start = i + 1
	}
	flush(len(lines))
	return sections, ps
}

// problem returns one problem of the whole file at pos.
func problem(pos jsondoc.Pos, format string, args ...any) jsondoc.Problems {
	return jsondoc.Problems{{Path: jsondoc.Root, Pos: pos, Message: fmt.Sprintf(format, args...)}}
}

// ErrFormat is wrapped by the errors of Format.
var ErrFormat = errors.New("cannot be written as Markdown")

// Format writes f so that Parse with the same known gives the same front
// matter and sections, apart from places. It returns ErrFormat when the front
// matter is not an object, a section has an unknown title, stands twice or has a
// text that is not Representable, or the result is longer than Parse reads.
func Format(f File, known Titles) ([]byte, error) {
	front, err := formatFront(f.Front)
	if err != nil {
		return nil, err
	}
	if len(front) > MaxFront {
		return nil, fmt.Errorf("%w: the front matter would have %d bytes; the limit is %d", ErrFormat, len(front), MaxFront)
	}
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	b.Write(front)
	b.WriteString(fence + "\n")
	seen := map[string]bool{}
	for _, s := range f.Sections {
		title, ok := known(s.Title)
		if !ok || title != s.Title || seen[title] {
			return nil, fmt.Errorf("%w: section %q is unknown or a duplicate", ErrFormat, s.Title)
		}
		if !Representable(s.Text) {
			return nil, fmt.Errorf("%w: the text of section %q", ErrFormat, s.Title)
		}
		seen[title] = true
		b.WriteString("\n## " + s.Title + "\n\n")
		for line := range strings.SplitSeq(s.Text, "\n") {
			b.WriteString(known.escape(line) + "\n")
		}
	}
	if b.Len() > jsondoc.DefaultLimits.Bytes {
		return nil, fmt.Errorf("%w: the file would have %d bytes; the limit is %d", ErrFormat, b.Len(), jsondoc.DefaultLimits.Bytes)
	}
	return b.Bytes(), nil
}
