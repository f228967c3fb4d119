package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// Text is the part that all pages with a text have in common.
type Text struct {
	Frame Frame
	Pager *pager.Pager
}

// NewText returns an empty text. Fit gives it a size and a theme.
func NewText() Text {
	t := Text{Pager: pager.New(theme.Theme{})}
	t.Pager.SetWrap(true)
	return t
}

// Fit takes the whole width of a frame.
func (t *Text) Fit(f Frame) { t.FitIn(f, f.Width) }

// FitIn takes so many cells of a frame.
func (t *Text) FitIn(f Frame, width int) {
	t.Frame = f
	t.Pager.SetSize(width, f.Body)
	t.Pager.Restyle(f.Theme)
	t.Pager.Point(f.Theme.Accent)
}

// Layout returns where everything stands.
func (t *Text) Layout() Layout { return t.Frame.Layout }

// Shown implements Page.
func (t *Text) Shown() *pager.Pager { return t.Pager }

// View implements Page.
func (t *Text) View() []string { return t.Pager.View() }

// Leave implements Page: it ends choosing a line, or a search.
func (t *Text) Leave() (tea.Cmd, bool) { return nil, LeaveText(t.Pager) }

// Click implements Page: a text has nothing to select.
func (t *Text) Click(int, int) tea.Cmd { return nil }

// Scroll implements Page.
func (t *Text) Scroll(_, n int) tea.Cmd {
	t.Pager.Scroll(n)
	return nil
}

// See implements Page; most texts do not record which parts were seen.
func (t *Text) See() {}

// LeaveText ends choosing a line, or a search; false when there is neither.
func LeaveText(p *pager.Pager) bool {
	if _, picking := p.Picked(); picking {
		p.Unpick()
		return true
	}
	if p.Query() != "" {
		p.Search("")
		return true
	}
	return false
}
