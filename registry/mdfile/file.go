// This file parses and formats Markdown files that have front matter and sections.

package mdfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// File is a parsed Markdown file.
type File struct {
	Front    *jsondoc.Node // an object
	Sections []Section     // in file order
}

// Section is a section of a file. Pos is the position of the text. If the text is
// empty, Pos is the position of the heading.
type Section struct {
	Title string // title in its canonical spelling
	Text  string // without leading and trailing blank lines
	Pos   jsondoc.Pos
}

const fence = "---"

// Parse parses a file. A heading starts a section if titles recognizes it. Parse
// removes a byte order mark and converts CRLF line ends. The error is a
// jsondoc.Problems.
func Parse(data []byte, titles Titles) (File, error) {
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
	sections, more := split(lines, end+1, titles)
	if ps.Append(more...); len(ps) > 0 {
		return File{}, ps
	}
	return File{Front: front, Sections: sections}, nil
}

// badText returns the problem of the first NUL character or the first invalid
// UTF-8, or nil.
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

// frontEnd returns the index of the line that ends the front matter. The front
// matter starts in the first line.
func frontEnd(lines []string) (int, jsondoc.Problems) {
	if strings.TrimRight(lines[0], blanks) != fence {
		return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "expected front matter; the first line must be %q", fence)
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, blanks) == fence {
			return i + 1, nil
		}
	}
	return 0, problem(jsondoc.Pos{Line: 1, Column: 1}, "unterminated front matter; expected a second line %q", fence)
}

// split splits lines[offset:] into sections. A section starts at a heading that titles recognizes.
func split(lines []string, offset int, titles Titles) ([]Section, jsondoc.Problems) {
	var (
		ps       jsondoc.Problems
		sections []Section
		seen     = map[string]bool{}
		start    = offset
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
	for i := offset; i < len(lines); i++ {
		title, ok := titles.heading(lines[i])
		if !ok {
			lines[i] = titles.unescape(lines[i])
			continue
		}
		flush(i)
		pos := jsondoc.Pos{Line: i + 1, Column: 1}
		if seen[title] {
			ps.Append(problem(pos, "duplicate section; keep one section, or put a backslash before the heading to make it text")...)
		}
		seen[title] = true
		sections = append(sections, Section{Title: title, Pos: pos})
		start = i + 1
	}
	flush(len(lines))
	return sections, ps
}

// problem returns a list with a single problem at pos.
func problem(pos jsondoc.Pos, format string, args ...any) jsondoc.Problems {
	return jsondoc.Problems{{Path: jsondoc.Root, Pos: pos, Message: fmt.Sprintf(format, args...)}}
}

// ErrFormat indicates that Format or FormatYAML cannot write a value.
var ErrFormat = errors.New("cannot be written as Markdown")

// Format writes f. If Parse reads the result with the same titles, it returns the same
// front matter and sections. The error wraps ErrFormat if the front matter is not an
// object, or if the result exceeds the limits of Parse. It also wraps ErrFormat if a
// section is unknown, occurs twice, or has a text that is not Representable.
func Format(f File, titles Titles) ([]byte, error) {
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
		title, ok := titles(s.Title)
		if !ok || title != s.Title || seen[title] {
			return nil, fmt.Errorf("%w: unknown or duplicate section %q", ErrFormat, s.Title)
		}
		if !Representable(s.Text) {
			return nil, fmt.Errorf("%w: the text of section %q cannot be read back unchanged", ErrFormat, s.Title)
		}
		seen[title] = true
		b.WriteString("\n## " + s.Title + "\n\n")
		for line := range strings.SplitSeq(s.Text, "\n") {
			b.WriteString(titles.escape(line) + "\n")
		}
	}
	if b.Len() > jsondoc.DefaultLimits.Bytes {
		return nil, fmt.Errorf("%w: the file would exceed %[3]d bytes (got %[2]d)", ErrFormat, b.Len(), jsondoc.DefaultLimits.Bytes)
	}
	return b.Bytes(), nil
}

// FormatYAML formats n as YAML in block style. ParseYAML converts the result back to n.
func FormatYAML(n *jsondoc.Node) ([]byte, error) {
	if !plainText(n) {
		return nil, fmt.Errorf("%w: a text is not UTF-8", ErrFormat)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(toYAML(n)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return b.Bytes(), nil
}

// plainText reports whether all texts in n are valid UTF-8. The YAML library would
// write other texts as binary.
func plainText(n *jsondoc.Node) bool {
	return utf8.ValidString(n.Text) && !slices.ContainsFunc(n.Items, func(item *jsondoc.Node) bool { return !plainText(item) }) &&
		!slices.ContainsFunc(n.Members, func(m jsondoc.Member) bool { return !utf8.ValidString(m.Key) || !plainText(m.Value) })
}

func toYAML(n *jsondoc.Node) *yaml.Node {
	switch n.Kind {
	case jsondoc.Object:
		out := &yaml.Node{Kind: yaml.MappingNode, Style: emptyStyle(len(n.Members))}
		for _, m := range n.Members {
			out.Content = append(out.Content, stringToYAML(m.Key), toYAML(m.Value))
		}
		return out
	case jsondoc.Array:
		return &yaml.Node{Kind: yaml.SequenceNode, Style: emptyStyle(len(n.Items)), Content: lists.Map(n.Items, toYAML)}
	case jsondoc.String:
		return stringToYAML(n.Text)
	case jsondoc.Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	case jsondoc.Bool, jsondoc.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
	}
	panic("mdfile: node of no kind")
}

// emptyStyle returns the flow style for empty objects and arrays, because {} and []
// have no block form.
func emptyStyle(length int) yaml.Style {
	if length == 0 {
		return yaml.FlowStyle
	}
	return 0
}

// bare reports whether s needs no quotes in YAML. Such a text starts with a letter,
// has only single spaces, and has no characters that can end a scalar, such as a
// colon at the end of a word.
func bare(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) || strings.HasSuffix(s, " ") || strings.Contains(s, "  ") {
		return false
	}
	if strings.HasSuffix(s, ":") || strings.Contains(s, ": ") {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(" _./,:;()'$+*=@%-", r) {
			return false
		}
	}
	return true
}

// stringToYAML returns s in a YAML style. It chooses the most readable style that a
// YAML parser reads back without changes.
func stringToYAML(s string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	switch {
	case bare(s) && plainKind(s) == jsondoc.String &&
		!slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(s)): // other parsers do not read these words as strings
		out.Style = 0
	case literal(s):
		out.Style = yaml.LiteralStyle
	}
	return out
}

// literal reports whether s can be written as a block scalar. Such a text has
// several lines of printable characters. The first line does not start with a
// blank, and no line ends in a blank.
func literal(s string) bool {
	if !strings.Contains(s, "\n") || strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimRight(line, " ") != line {
			return false
		}
		for _, r := range line {
			if !unicode.IsPrint(r) || r == '\ufeff' {
				return false
			}
		}
	}
	return true
}
