// This file splits Markdown into parts and parses them.

package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// newParser returns a parser for headings, lists, quotes, code, emphasis, and tables. Links, images, HTML, and
// link definitions remain as they are written, because rendering would hide parts that a model reads.
func newParser() parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewEmphasisParser(), 500),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// maxDepth is the maximum nesting of blocks. Deep nesting is slow, because each block lays out its inner blocks
// again.
const maxDepth = 10

// document is a parsed text. The nodes of the tree refer to source by offsets.
type document struct {
	root   ast.Node
	source []byte
	tables bool // the text contains tables
}

// parse parses Markdown. It returns false if the text would take too long to render, because blocks are nested
// too deeply or a line is too long.
func parse(source []byte) (document, bool) {
	for line := range bytes.Lines(source) {
		if len(line) > maxLine {
			return document{}, false
		}
		if bytes.Count(line[:min(len(line), 256)], []byte{'>'}) > maxDepth {
			return document{}, false
		}
	}
	d := document{root: newParser().Parse(text.NewReader(source)), source: source}
	depth, deepest := 0, 0
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function passed to Walk never returns an error
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		depth++
		deepest = max(deepest, depth)
		d.tables = d.tables || n.Kind() == extast.KindTable
		return ast.WalkContinue, nil
	})
	if deepest > 2*maxDepth {
		return document{}, false
	}
	d.guard()
	return d, true
}

// guard replaces the parts of the text that Glamour would decode or omit. It appends the replacements to the
// source, and makes the nodes refer to the replacements.
func (d *document) guard() {
	var fences []*ast.FencedCodeBlock
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function passed to Walk never returns an error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if value := n.Segment.Value(d.source); bytes.IndexByte(value, '&') >= 0 {
				n.Segment = d.write(strings.ReplaceAll(string(value), "&", "&amp;"))
			}
		case *ast.FencedCodeBlock:
			fences = append(fences, n)
		case *ast.CodeBlock:
			fence := ast.NewFencedCodeBlock(nil)
			fence.SetLines(n.Lines())
			n.Parent().ReplaceChild(n.Parent(), n, fence)
			fences = append(fences, fence)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	for _, f := range fences {
		if f.Info != nil { // show the line that opens a code block, because a model reads it too
			info := string(f.Info.Segment.Value(d.source))
			line := ast.NewParagraph()
			line.AppendChild(line, ast.NewTextSegment(d.write("`"+strings.ReplaceAll(info, "&", "&amp;"))))
			f.Parent().InsertBefore(f.Parent(), f, line)
		}
		f.Info = ast.NewTextSegment(d.write("plaintext")) // if a block names no language, Glamour guesses it, which is slow
	}
}

// write appends s to the source and returns the segment of s.
func (d *document) write(s string) text.Segment {
	start := len(d.source)
	d.source = append(d.source[:start:start], s...)
	return text.NewSegment(start, start+len(s))
}

// partBytes is the approximate size of a part, in bytes. A part of this size fills the screen and is rendered
// within a few frames. Larger parts would be slow, because the parser and the renderer need quadratic time for
// some texts.
const partBytes = 3_000

// maxLine is the maximum length of a line that is rendered, in bytes.
const maxLine = 2 * partBytes

// Split splits text into parts that can be rendered separately. It splits at empty lines outside code blocks
// or, if a part becomes too long, at the next end of a line.
func Split(text string) []string {
	var parts []string
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		b.WriteString(line)
		fence = openFence(fence, line)
		blank := strings.TrimSpace(line) == ""
		switch {
		case b.Len() >= partBytes && blank && fence == "":
		case b.Len() >= maxLine:
		default:
			continue
		}
		if fence != "" { // the code block continues in the next part
			b.WriteString(fence + "\n")
		}
		parts = append(parts, b.String())
		b.Reset()
		if fence != "" {
			b.WriteString(fence + "\n")
		}
	}
	if b.Len() > 0 {
		parts = append(parts, b.String())
	}
	return parts
}

// openFence returns the code fence that is open after line, or "". The argument fence is the code fence that is
// open before line. See CommonMark 0.31, section 4.5.
func openFence(fence, line string) string {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return fence
	}
	n := 0
	for n < len(body) && (body[n] == '`' || body[n] == '~') && body[n] == body[0] {
		n++
	}
	rest := strings.TrimSpace(body[n:])
	switch {
	case n < 3:
		return fence
	case fence == "" && (body[0] == '~' || !strings.Contains(rest, "`")):
		return body[:n]
	case fence != "" && body[0] == fence[0] && n >= len(fence) && rest == "":
		return ""
	}
	return fence
}

// maxPrefix is the maximum width of the indentation of continuation lines, in cells.
const maxPrefix = 20

// Cell returns the line as a cell with the given indentation. Continuation lines are aligned with the text
// after a bullet or a number. In a quote, every line begins with the same bars.
func (l Line) Cell(indent string, th theme.Theme) pager.Cell {
	n, hang := prefix(l.Text)
	if draw.Width(hang) > maxPrefix {
		n, hang = 0, ""
	}
	marks := l.Marks(th)
	kept := marks[:0]
	for _, m := range marks {
		if m.End <= n {
			continue
		}
		m.Start, m.End = max(m.Start, n)-n, m.End-n
		kept = append(kept, m)
	}
	before := draw.Of("", draw.Safe(indent))
	return pager.Cell{
		Gutter: before.Add(th.Rule, draw.Escape(l.Text[:n])),
		Hang:   before.Add(th.Rule, draw.Escape(hang)),
		Text:   draw.Text{Raw: l.Text[n:], Base: th.Text, Hidden: th.Hidden, Faint: th.Faint, Marks: kept},
	}
}

// prefix returns the length of the blanks, the bars, and the bullet or number at the beginning of text. hang
// replaces this prefix in continuation lines.
func prefix(text string) (n int, hang string) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r != ' ' && r != '┃' {
			break
		}
		n += size
	}
	hang = text[:n]
	rest := text[n:]
	sign := 0
	if strings.HasPrefix(rest, "• ") {
		sign = len("• ")
	} else if i := strings.Index(rest, ". "); i > 0 && i <= 4 && strings.Trim(rest[:i], "0123456789") == "" {
		sign = i + 2
	}
	return n + sign, hang + draw.Blank(draw.Width(rest[:sign]))
}
