package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
)

// Preview is the pane beside a list, about the selected row. The zero value is
// empty.
type Preview struct {
	pager *pager.Pager
	of    string // the row it was made for, "" once another was selected
}

// View draws the pane for a row. It begins at its top when another row is
// selected.
func (p *Preview) View(f Frame, of string, page *prose.Page) []string {
	if p.pager == nil {
		p.pager = pager.New(f.Theme)
		p.pager.SetWrap(true)
	}
	p.pager.Restyle(f.Theme)
	p.pager.SetSize(f.Side, f.Body)
	if p.of != of {
		p.of = of
		p.pager.SetRows(page.Rows())
	} else {
		p.pager.Replace(page.Rows())
	}
	return p.pager.View()
}

// Forget has the next row begin at its top.
func (p *Preview) Forget() { p.of = "" }

// Scroll moves by n lines.
func (p *Preview) Scroll(n int) {
	if p.pager != nil {
		p.pager.Scroll(n)
	}
}

// Previewed is a page with a pane beside its list.
type Previewed interface {
	Paned
	Pane() *Preview
}

// PreviewKeys scroll the pane beside a list.
func PreviewKeys(p Previewed) []Key {
	scroll := func(screens float64) Action {
		return func() (Intent, tea.Cmd) {
			p.Pane().Scroll(int(screens * float64(p.Layout().Body)))
			return nil, nil
		}
	}
	off := func() string { return zoomed(p, "the list has the whole width; z shows the pane beside it") }
	return []Key{
		{Name: "preview-down", Keys: []string{"J"}, Help: "Scroll the pane beside the list down", Do: scroll(0.5), Off: off},
		{Name: "preview-up", Keys: []string{"K"}, Help: "Scroll the pane beside the list up", Do: scroll(-0.5), Off: off},
	}
}
