package markdown

import (
	"crypto/sha256"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/theme"
)

// Texts keeps texts as they are laid out. What is asked for is rendered part by part,
// away from the update loop: what the screen shows comes first.
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

// Of returns the rendering of a text for so many cells, as far as it has got, and
// continues it. It is nil for a text longer than MaxBytes.
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
		t.asked = append(t.asked, renderPart(key, r.next, r.parts[r.next]))
	}
	return r
}

func renderPart(key renderKey, n int, part string) tea.Cmd {
	return func() tea.Msg {
		lines, whole := Render(part, key.width-8)
		return Rendered{key, n, lines, whole}
	}
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

// Prose adds a text that people write as Markdown, rendered unless it is not wanted so
// or not there yet.
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

// Rows shows a rendering.
func (r *Rendering) Rows(th theme.Theme) pager.Rows { return rows{r.Lines, th} }

type rows struct {
	lines []Line
	theme theme.Theme
}

func (r rows) Len() int     { return len(r.lines) }
func (r rows) Stops() []int { return nil }

func (r rows) Row(i int) pager.Row {
	return pager.Row{Cells: []pager.Cell{r.lines[i].Cell("  ", r.theme)}}
}
