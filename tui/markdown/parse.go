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

// newParser returns a parser for headings, lists, quotes, code, emphasis and tables. Links,
// images, HTML and link definitions stay as written, because a model reads the parts that they
// would hide.
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

// maxDepth limits the nesting of blocks, because each level is laid out again by the one around
// it.
const maxDepth = 10

// document is Markdown that was parsed, and the text its nodes point into.
type document struct {
	root   ast.Node
	source []byte
	tables bool // there are some
}

// parse returns the document of a text; false when it is nested too deeply, or
// has a line that is too long, to be laid out in reasonable time.
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
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker below returns no error
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

// guard rewrites what Glamour would decode or leave out. New text is appended
// to the source, where the nodes then point to.
func (d *document) guard() {
	var fences []*ast.FencedCodeBlock
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // as above
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
		if f.Info != nil { // a model reads the line that opens a code block, too
			info := string(f.Info.Segment.Value(d.source))
			line := ast.NewParagraph()
			line.AppendChild(line, ast.NewTextSegment(d.write("`"+strings.ReplaceAll(info, "&", "&amp;"))))
			f.Parent().InsertBefore(f.Parent(), f, line)
		}
		f.Info = ast.NewTextSegment(d.write("plaintext")) // else Glamour tries all languages
	}
}

// write appends text to the source.
func (d *document) write(s string) text.Segment {
	start := len(d.source)
	d.source = append(d.source[:start:start], s...)
	return text.NewSegment(start, start+len(s))
}

// partBytes is about how long a part is: one is laid out within a few frames,
// whatever is in it, and what a screen shows is in the first. The time that
// parsers and renderers take grows with the square of some texts.
const partBytes = 3_000

// maxLine is the longest line that is rendered.
const maxLine = 2 * partBytes

// Split cuts a text into parts that can be rendered one after the other: at
// empty lines outside of code, or where a part gets far too long, at a line.
func Split(text string) []string {
	var parts []string
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		b.WriteString(line)
		fence = within(fence, line)
		blank := strings.TrimSpace(line) == ""
		switch {
		case b.Len() >= partBytes && blank && fence == "":
		case b.Len() >= maxLine:
		default:
			continue
		}
		if fence != "" { // the code goes on in the next part
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

// within returns the fence of the code that a line leaves the text in, "" for
// none (CommonMark 0.31, section 4.5).
func within(fence, line string) string {
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

// maxPrefix is the widest sign that further lines of a wrapped line stand
// behind, in cells.
const maxPrefix = 20

// Cell returns the line behind an indent. Where it is wrapped its further lines
// stand below its beginning: behind the bars of a quote, beside a bullet.
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
		Gutter: before.Add(th.Rule, draw.Show(l.Text[:n])),
		Hang:   before.Add(th.Rule, draw.Show(hang)),
		Text:   draw.Text{Raw: l.Text[n:], Base: th.Text, Hidden: th.Hidden, Faint: th.Faint, Marks: kept},
	}
}

// prefix returns how many bytes of a line are blanks, bars and a bullet or a
// number, and their replacement before further lines.
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
