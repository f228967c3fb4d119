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
	doc, err := d.node()
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
		sections = mdfile.Spread(kind, definition)
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
