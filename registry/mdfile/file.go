package mdfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// File is a parsed Markdown file.
type File struct {
	Front    *jsondoc.Node // an object
	Sections []Section     // in file order
}

// Section is one text of a file. Pos is the position of the text or, if it is
// empty, of the heading.
type Section struct {
	Title string // in canonical spelling
	Text  string // without leading and trailing blank lines
	Pos   jsondoc.Pos
}

const fence = "---"

// Parse parses a file with the sections in known. It removes a byte order mark and
// converts CRLF line ends. The error is a jsondoc.Problems.
func Parse(data []byte, known Titles) (File, error) {
	if len(data) > jsondoc.DefaultLimits.Bytes {
		return File{}, problem(jsondoc.Pos{}, "the file is larger than %[2]d bytes (got %[1]d)", len(data), jsondoc.DefaultLimits.Bytes)
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

// badText returns the problem of the first NUL or invalid UTF-8.
func badText(data []byte) jsondoc.Problems {
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		pos := func() jsondoc.Pos {
			return jsondoc.Pos{Line: line, Column: utf8.RuneCount(data[start:i]) + 1}
		}
		switch {
		case r == utf8.RuneError && size == 1:
			return problem(pos(), "invalid UTF-8")
		case r == 0:
			return problem(pos(), "contains a NUL character; remove it")
		case r == '\n':
			line, start = line+1, i+1
		}
		i += size
	}
	return nil
}

// frontEnd returns the index of the line that ends the front matter.
func frontEnd(lines []string) (int, jsondoc.Problems) {
	if strings.TrimRight(lines[0], blanks) != fence {
		return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "expected front matter that starts with a line %q", fence)
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, blanks) == fence {
			return i + 1, nil
		}
	}
	return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "the front matter has no end; expected a second line %q", fence)
}

// split splits lines[from:] into sections at the known headings.
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
				ps.Append(problem(jsondoc.Pos{Line: at + 1, Column: 1}, "text before the first section; is a heading missing or misspelled?")...)
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
			ps.Append(problem(pos, "duplicate section; keep one, or put a backslash before the line if it is text")...)
		}
		seen[title] = true
		sections = append(sections, Section{Title: title, Pos: pos})
		start = i + 1
	}
	flush(len(lines))
	return sections, ps
}

// problem returns one problem of the file at pos.
func problem(pos jsondoc.Pos, format string, args ...any) jsondoc.Problems {
	return jsondoc.Problems{{Path: jsondoc.Root, Pos: pos, Message: fmt.Sprintf(format, args...)}}
}

// ErrFormat is wrapped by errors of Format and FormatYAML.
var ErrFormat = errors.New("cannot be written as Markdown")

// Format writes f so that Parse, with the same titles, returns the same front
// matter and sections. The error wraps ErrFormat if the front matter is not an
// object, a section is unknown, duplicate or not Representable, or the result
// exceeds the limits of Parse.
func Format(f File, known Titles) ([]byte, error) {
	if f.Front == nil || f.Front.Kind != jsondoc.Object {
		return nil, fmt.Errorf("%w: the front matter is not an object", ErrFormat)
	}
	var front []byte
	if len(f.Front.Members) > 0 {
		var err error
		if front, err = FormatYAML(f.Front); err != nil {
			return nil, err
		}
	}
	if len(front) > MaxFront {
		return nil, fmt.Errorf("%w: the front matter would exceed %[3]d bytes (got %[2]d)", ErrFormat, len(front), MaxFront)
	}
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	b.Write(front)
	b.WriteString(fence + "\n")
	seen := map[string]bool{}
	for _, s := range f.Sections {
		title, ok := known(s.Title)
		if !ok || title != s.Title || seen[title] {
			return nil, fmt.Errorf("%w: unknown or duplicate section %q", ErrFormat, s.Title)
		}
		if !Representable(s.Text) {
			return nil, fmt.Errorf("%w: the text of section %q would change when read", ErrFormat, s.Title)
		}
		seen[title] = true
		b.WriteString("\n## " + s.Title + "\n\n")
		for line := range strings.SplitSeq(s.Text, "\n") {
			b.WriteString(known.escape(line) + "\n")
		}
	}
	if b.Len() > jsondoc.DefaultLimits.Bytes {
		return nil, fmt.Errorf("%w: the file would exceed %[3]d bytes (got %[2]d)", ErrFormat, b.Len(), jsondoc.DefaultLimits.Bytes)
	}
	return b.Bytes(), nil
}
