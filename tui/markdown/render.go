package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"toolcrib/internal/visible"
)

// MaxBytes is the longest text that is worth rendering; Glamour lays out about
// half a megabyte a second.
const MaxBytes = 200_000

// Reasons for showing a part of a text as it is written.
var (
	errDeep   = errors.New("it is nested too deeply, or a line is too long")
	errLossy  = errors.New("rendering would hide part of it")
	errFailed = errors.New("it cannot be rendered")
)

// Render lays a part of a text out in lines of at most width cells where it
// can be broken. A part that cannot be rendered without loss is returned as it
// is written, and whole is false. It takes long and is called away from the
// update loop.
func Render(part string, width int) (out []Line, whole bool) {
	safe := visible.Text(part)
	out, err := render(safe, max(8, width))
	if err == nil {
		return out, true
	}
	out = nil
	for line := range strings.SplitSeq(strings.TrimSuffix(safe, "\n"), "\n") {
		l := Line{Text: line, spans: []span{{end: len(line)}}}
		l.finish()
		out = append(out, l)
	}
	return out, false
}

func render(safe string, width int) (page []Line, err error) {
	defer func() {
		// A fault in a renderer must not end the program over a text.
		if r := recover(); r != nil {
			page, err = nil, fmt.Errorf("%w: %v", errFailed, r)
		}
	}()
	doc, ok := parse([]byte(safe))
	if !ok {
		return nil, errDeep
	}
	if !doc.tables {
		width = 0 // who shows the lines breaks them; Glamour takes ten times as long to
	}
	var out bytes.Buffer
	r := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(ansi.Options{
		WordWrap: width, PreserveNewLines: true, Styles: looks(), ChromaFormatter: "terminal16m",
	}), 1000)))
	if err := r.Render(&out, doc.source, doc.root); err != nil {
		return nil, fmt.Errorf("%w: %w", errFailed, err)
	}
	page = lines(out.String())
	if !has(page, safe) {
		return nil, errLossy
	}
	return page, nil
}
