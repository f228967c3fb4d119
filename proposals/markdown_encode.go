// This file encodes proposals in Markdown, and parses the YAML blocks in sections.

package proposals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

// Markdown returns d as the content of a Markdown proposal file. DecodeMarkdown decodes the
// file to an equal draft. The error wraps mdfile.ErrFormat if a text exceeds the limits of
// DecodeMarkdown.
func (d Draft) Markdown() ([]byte, error) {
	doc, err := d.Node()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mdfile.ErrFormat, err)
	}
	front := jsondoc.NewObject()
	for _, key := range proposalKeys {
		if v := doc.Get(key); v != nil && !slices.Contains([]string{"rationale", "examples", "testCases"}, key) {
			front.Set(key, v)
		}
	}
	kind := d.Definition.Kind()
	var sections []mdfile.Section
	if definition := doc.Get("definition"); definition != nil {
		switch id := d.Definition.ID(); {
		case id == "" && d.Subject.ID != "": // an explicit "", so that the decoder does not use the id of the subject
			definition.Set("id", jsondoc.NewString(""))
		case id == d.Subject.ID && len(definition.Members) > 1:
			definition.Remove("id")
		}
		sections = mdfile.ExtractSections(kind, definition)
		front.Members = append(front.Members, definition.Members...)
	}
	if mdfile.Representable(d.Rationale) {
		sections = append(sections, mdfile.Section{Title: titleRationale, Text: d.Rationale})
	} else if d.Rationale != "" {
		front.Set("rationale", doc.Get("rationale"))
	}
	for _, s := range []struct {
		title string
		write func(*strings.Builder, *jsondoc.Node) error
		list  *jsondoc.Node
	}{
		{titleExamples, writeExamples, doc.Get("examples")},
		{titleTestCases, writeTestCases, doc.Get("testCases")},
	} {
		if s.list == nil {
			continue
		}
		var b strings.Builder
		if err := s.write(&b, s.list); err != nil {
			return nil, err
		}
		sections = append(sections, mdfile.Section{Title: s.title, Text: strings.TrimRight(b.String(), "\n")})
	}
	out, err := mdfile.Format(mdfile.File{Front: front, Sections: sections}, proposalTitles(kind))
	if err != nil {
		return nil, err
	}
	if end := bytes.Index(out, []byte("\n---\n")); end > mdfile.MaxFront {
		return nil, fmt.Errorf("%w: the front matter would exceed %[3]d bytes (got %[2]d)", mdfile.ErrFormat, end, mdfile.MaxFront)
	}
	return out, nil
}

func writeExamples(b *strings.Builder, list *jsondoc.Node) error {
	if slices.ContainsFunc(list.Items, func(item *jsondoc.Node) bool { return !bulletable(item.Text) }) {
		return writeBlock(b, list)
	}
	for _, item := range list.Items {
		mark := "- "
		for line := range strings.SplitSeq(item.Text, "\n") {
			if line != "" {
				b.WriteString(mark + line)
			}
			b.WriteByte('\n')
			mark = "  "
		}
	}
	return nil
}

func writeTestCases(b *strings.Builder, list *jsondoc.Node) error {
	for _, tc := range list.Items {
		if name := tc.Get("name"); name != nil && (name.Text != strings.Trim(name.Text, " \t") || strings.ContainsAny(name.Text, "\r\n")) {
			return writeBlock(b, list)
		}
	}
	for i, tc := range list.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(caseHeading)
		if name := tc.Remove("name"); name != nil {
			b.WriteString(" " + name.Text)
		}
		b.WriteByte('\n')
		if len(tc.Members) == 0 {
			continue
		}
		b.WriteByte('\n')
		if err := writeBlock(b, tc); err != nil {
			return err
		}
	}
	return nil
}

// page is a section that is being parsed line by line.
type page struct {
	key   string // key in the proposal to which the section belongs
	lines []string
	first int // number of the first line in the file
	at    int // index of the next line
}

// more reports whether there is a next line.
func (p *page) more() bool { return p.at < len(p.lines) }

// line returns the next line without consuming it.
func (p *page) line() string { return p.lines[p.at] }

// pos returns the position of the next line.
func (p *page) pos() jsondoc.Pos { return jsondoc.Pos{Line: p.first + p.at, Column: 1} }

// skipBlank skips blank lines and returns their number.
func (p *page) skipBlank() int {
	start := p.at
	for p.more() && isBlank(p.line()) {
		p.at++
	}
	return p.at - start
}

func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// refuse returns a problem with the position of the next line.
func (p *page) refuse(path, format string, args ...any) jsondoc.Problems {
	return jsondoc.Problems{{Path: path, Pos: p.pos(), Message: fmt.Sprintf(format, args...)}}
}

// fenceOf returns the backticks at the beginning of a line that opens a YAML block. There are
// at least three backticks. The line that closes the block has at least as many.
func fenceOf(line string) (fence string, ok bool) {
	language := strings.TrimLeft(line, "`")
	fence = line[:len(line)-len(language)]
	language = strings.Trim(language, " \t")
	return fence, len(fence) >= 3 && (language == "yaml" || language == "yml")
}

// atBlock reports whether the next line opens a YAML block.
func (p *page) atBlock() bool {
	if !p.more() {
		return false
	}
	_, ok := fenceOf(p.line())
	return ok
}

// block consumes a YAML block and returns its value. It returns nil if the block is empty or
// has problems. path is the path of the value.
func (p *page) block(path string) (*jsondoc.Node, jsondoc.Problems) {
	open := p.pos()
	fence, _ := fenceOf(p.line())
	p.at++
	start := p.at
	for p.more() {
		line := strings.TrimRight(p.line(), " \t")
		if strings.HasPrefix(line, fence) && strings.Trim(line, "`") == "" {
			break
		}
		p.at++
	}
	if !p.more() {
		return nil, jsondoc.Problems{{Path: path, Pos: open, Message: "the block has no end; expected a line with " + fence}}
	}
	text := strings.Join(p.lines[start:p.at], "\n") + "\n"
	p.at++
	n, ps := mdfile.ParseYAML(text, p.first+start)
	for i := range ps {
		ps[i].Path = joinPath(path, ps[i].Path)
	}
	if n == nil || len(ps) > 0 || n.Kind == jsondoc.Null {
		return nil, ps
	}
	return n, nil
}

// writeBlock writes n as a YAML block. The fence is longer than any run of backticks in the
// block.
func writeBlock(b *strings.Builder, n *jsondoc.Node) error {
	text, err := mdfile.FormatYAML(n)
	if err != nil {
		return err
	}
	if len(text) > mdfile.MaxFront {
		return fmt.Errorf("%w: a block would exceed %[3]d bytes (got %[2]d)", mdfile.ErrFormat, len(text), mdfile.MaxFront)
	}
	fence := "```"
	for run := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r != '`' }) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	fmt.Fprintf(b, "%syaml\n%s%s\n", fence, text, fence)
	return nil
}
