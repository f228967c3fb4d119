package markdown

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"toolcrib/internal/visible"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// Texts caches rendered texts. It renders a text part by part, outside of the update loop, the
// visible part first.
type Texts struct {
	Raw     bool // rationales and comments are shown as they are written
	Prompts bool // prompts are shown rendered

	rendered map[renderKey]*Rendering
	asked    []tea.Cmd // and not started
}

// NewTexts returns an empty store.
func NewTexts() *Texts { return &Texts{rendered: map[renderKey]*Rendering{}} }

// renderKey identifies a text and its width. A rendering holds in every theme.
type renderKey struct {
	hash  [sha256.Size]byte
	width int
}

// Rendering is a text as far as it is laid out.
type Rendering struct {
	Lines     []Line
	AsWritten bool // a part could not be rendered without loss
	parts     []string
	next      int  // the part to render
	busy      bool // one is being rendered
}

// Done reports whether the whole text is laid out.
func (r *Rendering) Done() bool { return r.next >= len(r.parts) }

// Rendered is the message with one part of a text.
type Rendered struct {
	key   renderKey
	part  int
	lines []Line
	whole bool
}

// maxRenderings is how many texts are kept rendered.
const maxRenderings = 200

// Of returns the rendering of a text for a width, as far as it is ready, and continues it. It is
// nil for a text longer than MaxBytes.
func (t *Texts) Of(text string, width int) *Rendering {
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
		t.asked = append(t.asked, func() tea.Msg {
			lines, whole := Render(part, key.width-8)
			return Rendered{key, n, lines, whole}
		})
	}
	return r
}

// Asked returns the renderings that were asked for since the last time.
func (t *Texts) Asked() tea.Cmd {
	cmds := t.asked
	t.asked = nil
	return tea.Batch(cmds...)
}

// Add adds a part to its text. Laying the page out again asks for the next part, while
// the text is still wanted.
func (t *Texts) Add(msg Rendered) {
	r := t.rendered[msg.key]
	if r == nil || r.next != msg.part {
		return
	}
	if len(r.Lines) > 0 {
		r.Lines = append(r.Lines, Line{})
	}
	r.Lines = append(r.Lines, msg.lines...)
	r.next, r.busy, r.AsWritten = r.next+1, false, r.AsWritten || !msg.whole
}

// Prose adds Markdown text, rendered if it is ready and the user wants that.
func (t *Texts) Prose(page *prose.Page, th theme.Theme, width int, text string) {
	if !t.Raw {
		if r := t.Of(text, width); r != nil && r.Done() {
			for _, l := range r.Lines {
				page.Cell(l.Cell("   ", th))
			}
			return
		}
	}
	page.Text("  ", text)
}

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
