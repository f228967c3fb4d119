package proposals

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

// Markdown returns d as a proposal file that DecodeMarkdown reads back to an equal
// draft. It returns an error that wraps mdfile.ErrFormat when a text is longer
// than DecodeMarkdown accepts in its place.
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
		d.shortenID(definition)
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
		return nil, fmt.Errorf("%w: the front matter would have %d bytes; the limit is %d", mdfile.ErrFormat, end, mdfile.MaxFront)
	}
	return out, nil
}

// shortenID leaves out the id that follows from the subject, and writes one
// that is missing as the empty text, so that it does not follow.
func (d Draft) shortenID(definition *jsondoc.Node) {
	switch id := d.Definition.ID(); {
	case id == "" && d.Subject.ID != "":
		definition.Set("id", jsondoc.NewString(""))
	case id == d.Subject.ID && len(definition.Members) > 1:
		definition.Remove("id")
	}
}

func writeExamples(b *strings.Builder, list *jsondoc.Node) error {
	for _, item := range list.Items {
		if !bulletable(item.Text) {
			return writeBlock(b, list)
		}
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
		if name := tc.Get("name"); name != nil && !headable(name.Text) {
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

// page is a section that is read line by line.
type page struct {
	key   string // of the proposal, what the section holds the value of
	lines []string
	first int // number of the first line in the file
	at    int // index of the next line
}

func newPage(s mdfile.Section, key string) *page {
	return &page{key: key, lines: strings.Split(s.Text, "\n"), first: s.Pos.Line}
}

// more reports whether a line is left.
func (p *page) more() bool { return p.at < len(p.lines) }

// line returns the next line without taking it.
func (p *page) line() string { return p.lines[p.at] }

// pos returns the place of the next line.
func (p *page) pos() jsondoc.Pos { return jsondoc.Pos{Line: p.first + p.at, Column: 1} }

// skipBlank takes blank lines and returns how many.
func (p *page) skipBlank() int {
	start := p.at
	for p.more() && isBlank(p.line()) {
		p.at++
	}
	return p.at - start
}

func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// refuse returns the problem that the next line is unexpected.
func (p *page) refuse(path, format string, args ...any) jsondoc.Problems {
	return jsondoc.Problems{{Path: path, Pos: p.pos(), Message: fmt.Sprintf(format, args...)}}
}

// fenceOf returns the three or more backticks of a line that opens a YAML
// block. The line that closes it is of as many or more.
func fenceOf(line string) (fence string, ok bool) {
	language := strings.TrimLeft(line, "`")
	fence = line[:len(line)-len(language)]
	language = strings.Trim(language, " \t")
	return fence, len(fence) >= 3 && (language == "yaml" || language == "yml")
}

// atBlock reports whether a YAML block begins with the next line.
func (p *page) atBlock() bool {
	if !p.more() {
		return false
	}
	_, ok := fenceOf(p.line())
	return ok
}

// block takes a YAML block and returns its value, whose path is path; nil when
// it holds nothing.
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
		return nil, jsondoc.Problems{{Path: path, Pos: open, Message: "the block has no end; a line with " + fence + " is expected"}}
	}
	text := strings.Join(p.lines[start:p.at], "\n") + "\n"
	p.at++
	n, ps := mdfile.ParseYAML(text, p.first+start)
	for i := range ps {
		ps[i].Path = below(path, ps[i].Path)
	}
	if n == nil || len(ps) > 0 || n.Kind == jsondoc.Null {
		return nil, ps
	}
	return n, nil
}

// writeBlock writes n as a YAML block whose fence is longer than any in it.
func writeBlock(b *strings.Builder, n *jsondoc.Node) error {
	text, err := mdfile.FormatYAML(n)
	if err != nil {
		return err
	}
	if len(text) > mdfile.MaxFront {
		return fmt.Errorf("%w: a block would have %d bytes; at most %d are read", mdfile.ErrFormat, len(text), mdfile.MaxFront)
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	fmt.Fprintf(b, "%syaml\n%s%s\n", fence, text, fence)
	return nil
}

// longestRun returns how often c stands in text one after the other at most.
func longestRun(text []byte, c byte) int {
	longest, run := 0, 0
	for _, b := range text {
		if b != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
