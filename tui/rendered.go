package tui

import (
	"crypto/sha256"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/markdown"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// renderKey says what was rendered. A rendering holds in every theme.
type renderKey struct {
	hash  [sha256.Size]byte
	width int
}

// rendering is Markdown that is laid out part by part, away from the update
// loop: what the screen shows comes first.
type rendering struct {
	parts     []string
	lines     []markdown.Line
	next      int  // the part to render
	busy      bool // one is being rendered
	asWritten bool // a part could not be rendered without loss
}

func (r *rendering) done() bool { return r.next >= len(r.parts) }

// renderedMsg is one part of a text.
type renderedMsg struct {
	key   renderKey
	part  int
	lines []markdown.Line
	whole bool
}

// maxRenderings is how many texts are kept rendered.
const maxRenderings = 200

// markdown returns the rendering of a text for so many cells, as far as it has got,
// and has it go on. It is nil for what is too long.
func (m *Model) markdown(text string, width int) *rendering {
	if len(text) > markdown.MaxBytes {
		return nil
	}
	key := renderKey{sha256.Sum256([]byte(text)), min(width, prose.MaxWidth)}
	r := m.rendered[key]
	if r == nil {
		if len(m.rendered) >= maxRenderings {
			clear(m.rendered)
		}
		r = &rendering{parts: markdown.Split(text)}
		m.rendered[key] = r
	}
	if !r.done() && !r.busy {
		r.busy = true
		m.toRender = append(m.toRender, renderPart(key, r.next, r.parts[r.next]))
	}
	return r
}

func renderPart(key renderKey, n int, part string) tea.Cmd {
	return func() tea.Msg {
		lines, whole := markdown.Render(part, key.width-8)
		return renderedMsg{key, n, lines, whole}
	}
}

// renders returns the renderings that were asked for since the last time.
func (m *Model) renders() tea.Cmd {
	cmds := m.toRender
	m.toRender = nil
	return tea.Batch(cmds...)
}

// partRendered adds a part to its text and shows it. Laying the page out again
// asks for the next part, while the text is still wanted.
func (m *Model) partRendered(msg renderedMsg) {
	r := m.rendered[msg.key]
	if r == nil || r.next != msg.part {
		return
	}
	if len(r.lines) > 0 {
		r.lines = append(r.lines, markdown.Line{})
	}
	r.lines = append(r.lines, msg.lines...)
	r.next, r.busy, r.asWritten = r.next+1, false, r.asWritten || !msg.whole
}

// prose adds a text that people write as Markdown, rendered unless it is not
// wanted so or not there yet.
func (m *Model) prose(page *prose.Page, width int, text string) {
	if !m.rawTexts {
		if r := m.markdown(text, width); r != nil && r.done() {
			for _, l := range r.lines {
				page.Cell(l.Cell("   ", m.theme))
			}
			return
		}
	}
	page.Text("  ", text)
}

// markdownRows shows a rendering.
type markdownRows struct {
	*rendering
	m *Model
}

func (r markdownRows) Len() int     { return len(r.lines) }
func (r markdownRows) Stops() []int { return nil }

func (r markdownRows) Row(i int) pager.Row {
	return pager.Row{Cells: []pager.Cell{r.lines[i].Cell("  ", r.m.theme)}}
}

// switchRendered changes between rendered Markdown and the text as it is
// written.
func (pp *proposalPage) switchRendered(m *Model) tea.Cmd {
	if pp.Tab == tabPrompt {
		m.renderPrompts = !m.renderPrompts
	} else {
		m.rawTexts = !m.rawTexts
	}
	pp.fill(m)
	return nil
}

func (pp *proposalPage) cannotRender(m *Model) string {
	switch {
	case !pp.loaded:
		return "it is still loading"
	case pp.Tab == tabDiff || pp.Tab == tabHistory:
		return "the tabs Diff and History show texts as they are"
	case pp.Tab != tabPrompt:
		return ""
	case len(pp.prompts.changes) == 0:
		return "no channel prompt changes"
	case pp.prompts.view == promptDiff:
		return "diffs are not rendered; p shows the whole prompt"
	case len(pp.prompts.text()) > markdown.MaxBytes:
		return "the prompt has more than " + itoa(markdown.MaxBytes/1000) + " KB and is shown raw"
	}
	return ""
}

// howShown returns how the prompt on the screen is shown.
func (pp *proposalPage) howShown(m *Model) string {
	s := &pp.prompts
	how := []string{s.view.String()}
	if s.view == promptDiff || !m.renderPrompts {
		return how[0]
	}
	r := m.markdown(s.text(), pp.WidthOf(m.layout, tabPrompt))
	switch {
	case r == nil:
		how = append(how, "raw: too long to render")
	case !r.done():
		how = append(how, "rendered …")
	case r.asWritten:
		how = append(how, "rendered; raw where rendering would lose text")
	default:
		how = append(how, "rendered; r shows it raw")
	}
	return strings.Join(how, ", ")
}
