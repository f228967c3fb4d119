// This file renders texts in parts and caches the results.

package markdown

import (
	"bytes"
	"crypto/sha256"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"toolcrib/internal/visible"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// Texts renders texts and caches the results. It renders each text part by part, outside the update loop.
type Texts struct {
	Raw     bool // show rationales and comments as they are written
	Prompts bool // render prompts

	rendered  map[renderKey]*Rendering
	requested []tea.Cmd // commands that the next call of Requested returns
}

// NewTexts returns an empty cache.
func NewTexts() *Texts { return &Texts{rendered: map[renderKey]*Rendering{}} }

// renderKey identifies a rendering by its text and width. A rendering can be drawn in any theme.
type renderKey struct {
	hash  [sha256.Size]byte
	width int
}

// Rendering is a rendered text. While rendering is in progress, it contains only the parts that are finished.
type Rendering struct {
	Lines     []Line
	AsWritten bool // some parts are shown as they are written, because rendering would lose letters
	parts     []string
	next      int  // index of the next part to render
	busy      bool // a part is being rendered
}

// Done reports whether the whole text has been rendered.
func (r *Rendering) Done() bool { return r.next >= len(r.parts) }

// Rendered is sent when a part of a text has been rendered.
type Rendered struct {
	key      renderKey
	part     int
	lines    []Line
	lossless bool
}

// maxRenderings is the maximum number of cached renderings.
const maxRenderings = 200

// Rendering returns the parts of text that have been rendered at the given width so far. If parts are missing,
// it requests the next part. If text is larger than MaxBytes, it returns nil.
func (t *Texts) Rendering(text string, width int) *Rendering {
	if len(text) > MaxBytes {
		return nil
	}
	key := renderKey{sha256.Sum256([]byte(text)), min(width, prose.MaxWidth)}
	r := t.rendered[key]
	if r == nil {
		if len(t.rendered) >= maxRenderings {
			clear(t.rendered)
		}
		r = &Rendering{parts: Split(text)}
		t.rendered[key] = r
	}
	if !r.Done() && !r.busy {
		r.busy = true
		n, part := r.next, r.parts[r.next]
		t.requested = append(t.requested, func() tea.Msg {
			lines, whole := Render(part, key.width-8)
			return Rendered{key, n, lines, whole}
		})
	}
	return r
}

// Requested returns a command that renders all parts that have been requested since the previous call.
func (t *Texts) Requested() tea.Cmd {
	cmds := t.requested
	t.requested = nil
	return tea.Batch(cmds...)
}

// Add stores a rendered part. The next layout of the page requests the following part if the text is still on
// screen.
func (t *Texts) Add(msg Rendered) {
	r := t.rendered[msg.key]
	if r == nil || r.next != msg.part {
		return
	}
	if len(r.Lines) > 0 {
		r.Lines = append(r.Lines, Line{})
	}
	r.Lines = append(r.Lines, msg.lines...)
	r.next, r.busy, r.AsWritten = r.next+1, false, r.AsWritten || !msg.lossless
}

// Prose adds a Markdown text to page. It adds the raw text if the rendering is incomplete or the user has
// chosen raw text.
func (t *Texts) Prose(page *prose.Page, th theme.Theme, width int, text string) {
	if !t.Raw {
		if r := t.Rendering(text, width); r != nil && r.Done() {
			for _, l := range r.Lines {
				page.Cell(l.Cell("   ", th))
			}
			return
		}
	}
	page.Text("  ", text)
}

// MaxBytes is the maximum size of a text that is rendered, in bytes. Glamour renders about half a megabyte per
// second.
const MaxBytes = 200_000

// Render renders a part of a text. Lines are not wider than width, except lines that cannot be broken. If
// rendering would lose letters, lossless is false, and Render returns the lines of part unchanged. Render is
// slow and must not be called in the update loop.
func Render(part string, width int) (out []Line, lossless bool) {
	safe := visible.Text(part)
	if out, lossless = render(safe, max(8, width)); lossless {
		return out, true
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(safe, "\n"), "\n") {
		l := Line{Text: line, spans: []span{{end: len(line)}}}
		l.finish()
		out = append(out, l)
	}
	return out, false
}

// render renders a text that is safe to display. It returns false if the text is nested too deeply, contains a
// line that is too long, or would lose letters.
func render(safe string, width int) (page []Line, lossless bool) {
	defer func() {
		if recover() != nil { // a panic of the renderer must not crash the program
			page, lossless = nil, false
		}
	}()
	doc, ok := parse([]byte(safe))
	if !ok {
		return nil, false
	}
	if !doc.tables {
		width = 0 // let the pager break the lines; Glamour needs ten times as long if it does so
	}
	var out bytes.Buffer
	r := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(ansi.Options{
		WordWrap: width, PreserveNewLines: true, Styles: styleConfig(), ChromaFormatter: "terminal16m",
	}), 1000)))
	if err := r.Render(&out, doc.source, doc.root); err != nil {
		return nil, false
	}
	if page = lines(out.String()); !containsAll(page, safe) {
		return nil, false
	}
	return page, true
}
