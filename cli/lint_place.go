package cli

import (
	"strings"
	"unicode/utf8"

	"toolcrib/cli/findings"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/spans"
	"toolcrib/review/rules"
)

// lintPlace is where the fields of a unit stand in its file.
type lintPlace struct {
	text *spans.File
	doc  *jsondoc.Node // what the fields are in; nil for a plain text
	item string        // the path of doc in the file's document, "" for all of it
	// field turns the path of a finding into one inside doc; nil leaves it.
	field func(string) string
	// lines is how many lines of the file stand before a plain text.
	lines int
	// prefix is taken off the paths of findings: fields that only exist because
	// a text was made into a proposal to be looked at.
	prefix string
}

// locate gives out the place of a finding: the passage in the file, else the
// field, else the nearest thing around it.
func (p *lintPlace) locate(f rules.Finding, out *findings.Finding) {
	if p.doc == nil {
		out.Path = strings.TrimPrefix(f.Path, p.prefix)
		out.Line, out.Column, out.EndLine, out.EndColumn = f.Line, f.Column, f.EndLine, f.EndColumn
		if out.Line > 0 {
			out.Line, out.EndLine = out.Line+p.lines, out.EndLine+p.lines
		}
		return
	}
	path := f.Path
	if p.field != nil {
		path = p.field(path)
	}
	out.Path, out.Field = path, path
	switch {
	case p.item != "" && strings.HasPrefix(path, "["):
		out.Path = p.item + path
	case p.item != "" && (path == "" || path == jsondoc.Root):
		out.Path = p.item
	case p.item != "":
		out.Path = p.item + "." + path
	}
	at, key, whole := p.doc.Lead(path)
	out.Line, out.Column = at.Pos.Line, at.Pos.Column
	span, found := spans.Span{}, false
	if whole && at.Kind == jsondoc.String {
		span, found = p.passage(at.Pos, at.Text, f)
	}
	if !found && key != nil && f.Passage != "" {
		if span, found = p.passage(key.Pos, key.Key, f); found {
			out.Line, out.Column = key.Pos.Line, key.Pos.Column
		}
	}
	if found {
		out.Line, out.Column = span.From.Line, span.From.Column
		out.EndLine, out.EndColumn = span.To.Line, span.To.Column
	}
}

// passage finds what a finding is about in a value that stands at at.
func (p *lintPlace) passage(at jsondoc.Pos, value string, f rules.Finding) (spans.Span, bool) {
	start, end := offset(value, f.Line, f.Column), offset(value, f.EndLine, f.EndColumn)
	switch {
	case f.Passage == "":
		start, end = 0, len(value)
	case start < 0 || end < start || value[start:end] != f.Passage:
		if start = strings.Index(value, f.Passage); start < 0 {
			return spans.Span{}, false
		}
		end = start + len(f.Passage)
	}
	return p.text.Value(at, value, start, end)
}

// offset returns where a line and column of a text begin, in bytes; -1 when it
// has no such place.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	for ; column > 1 && at < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if line < 1 || column != 1 {
		return -1
	}
	return at
}
