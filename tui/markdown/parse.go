package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newParser returns a parser for the marks that have a look: headings, lists,
// quotes, code, emphasis, tables. Links, images, HTML and link definitions stay
// as they are written: what they would hide is a part of what a model reads.
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

// maxDepth is how deep blocks may be nested: every level is laid out again by
// the one around it.
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
			// As a fence it can be given a language, and none is guessed.
			fence := ast.NewFencedCodeBlock(nil)
			fence.SetLines(n.Lines())
			n.Parent().ReplaceChild(n.Parent(), n, fence)
			fences = append(fences, fence)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	for _, f := range fences {
		d.guardFence(f)
	}
}

// guardFence shows the line that opens a code block, which a model reads too,
// and gives the block a language that is known: others would be guessed by
// trying all.
func (d *document) guardFence(f *ast.FencedCodeBlock) {
	language := ""
	if f.Info != nil {
		info := string(f.Info.Segment.Value(d.source))
		language, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(info)), " ")
		line := ast.NewParagraph()
		line.AppendChild(line, ast.NewTextSegment(d.write("`"+strings.ReplaceAll(info, "&", "&amp;"))))
		f.Parent().InsertBefore(f.Parent(), f, line)
	}
	if !highlighted(language) {
		language = plain
	}
	f.Info = ast.NewTextSegment(d.write(language))
}

// plain is the language of text without one.
const plain = "plaintext"

// highlighted reports whether a language gets colours.
func highlighted(language string) bool {
	switch language {
	case "json", "yaml", "toml", "python", "py", "go", "bash", "sh", "sql", "javascript", "js", "typescript", "ts", "diff":
		return true
	}
	return false
}

// write appends text to the source.
func (d *document) write(s string) text.Segment {
	start := len(d.source)
	d.source = append(d.source[:start:start], s...)
	return text.NewSegment(start, start+len(s))
}
