package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// preview is the pane beside a list: what is known of the selected row. The zero
// value is empty.
type preview struct {
	pager *pager.Pager
	of    string // the row it was made for, "" once another was selected
}

// previewed is a page with a pane beside its list.
type previewed interface {
	paned
	pane() *preview
}

// withPreview is the part that lists with a pane beside them have in common.
type withPreview struct{ preview preview }

func (w *withPreview) pane() *preview { return &w.preview }

func (w *withPreview) left(l layout) int { return beside(l) }

func (w *withPreview) from() int { return sideFrom }

// beside returns the width of a list with a pane beside it, 0 for a list alone.
func beside(l layout) int {
	if l.side == 0 {
		return 0
	}
	return l.list
}

// inPreview reports whether a column of the screen is in the pane beside a list.
func (m *Model) inPreview(x int) bool { return m.layout.side > 0 && x > m.layout.list }

// view draws what is known of a row. It begins at its top when another row is
// selected.
func (p *preview) view(m *Model, of string, page *prose.Page) []string {
	if p.pager == nil {
		p.pager = pager.New(m.theme)
		p.pager.SetWrap(true)
	}
	p.pager.Restyle(m.theme)
	p.pager.SetSize(m.layout.side, m.layout.body)
	if p.of != of {
		p.of = of
		p.pager.SetRows(page.Rows())
	} else {
		p.pager.Replace(page.Rows())
	}
	return p.pager.View()
}

func (p *preview) scroll(n int) tea.Cmd {
	if p.pager != nil {
		p.pager.Scroll(n)
	}
	return nil
}

// previewKeys scroll the pane beside a list.
func previewKeys() []key {
	scroll := func(screens float64) func(*Model) tea.Cmd {
		return on(func(p previewed, m *Model) tea.Cmd { return p.pane().scroll(int(screens * float64(m.layout.body))) })
	}
	return []key{
		{name: "preview-down", keys: []string{"J"}, help: "Scroll the pane beside the list down", do: scroll(0.5), off: (*Model).noPreview},
		{name: "preview-up", keys: []string{"K"}, help: "Scroll the pane beside the list up", do: scroll(-0.5), off: (*Model).noPreview},
	}
}

func (m *Model) noPreview() string {
	if why := m.noPanes(); why != "" {
		return why
	}
	if m.division.zoomed {
		return "the list has the whole width; z shows the pane beside it"
	}
	return ""
}
