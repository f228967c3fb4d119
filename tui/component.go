package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
)

// component is a page in a package of its own, among those that are not yet.
type component struct {
	of  screen.Page
	own []screen.Key // listed once: the footer asks at every frame
}

func (c *component) place() string                       { return c.of.Place() }
func (c *component) tabs(*Model) (left, right draw.Line) { return c.of.Tabs() }
func (c *component) view(*Model) []string                { return c.of.View() }
func (c *component) shown() *pager.Pager                 { return c.of.Shown() }
func (c *component) reload(*Model) tea.Cmd               { return c.of.Reload() }
func (c *component) resize(m *Model)                     { c.of.Fit(m.frame()) }
func (c *component) restyle(m *Model)                    { c.of.Fit(m.frame()) }
func (c *component) leave(*Model) (tea.Cmd, bool)        { return c.of.Leave() }
func (c *component) scroll(_ *Model, x, n int) tea.Cmd   { return c.of.Scroll(x, n) }
func (c *component) click(_ *Model, x, row int) tea.Cmd  { return c.of.Click(x, row) }
func (c *component) see(*Model)                          { c.of.See() }

func (c *component) update(m *Model, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(renderedMsg); ok {
		msg = screen.Rendered{}
	}
	return m.carry(c.of.Update(msg))
}

func (c *component) keys() []screen.Key {
	if c.own == nil {
		c.own = c.of.Keys()
	}
	return c.own
}

// left is where the line between two panes stands, 0 for one pane.
func (c *component) left(l screen.Layout) int {
	if p, ok := c.of.(screen.Paned); ok {
		return p.LeftOf(l)
	}
	return 0
}

// filterText returns how the list of a page is narrowed, "" where it is not.
func (c *component) filterText() string {
	if p, ok := c.of.(screen.Filtered); ok {
		return p.Filter()
	}
	return ""
}

// crumbed returns the page where it is reached from a list, nil where it is not.
func (m *Model) crumbed() screen.Crumbed {
	switch p := m.page.(type) {
	case *proposalPage:
		return crumbs{p, m}
	case *component:
		if c, ok := p.of.(screen.Crumbed); ok {
			return c
		}
	}
	return nil
}

// crumbs are those of a proposal.
type crumbs struct {
	*proposalPage
	*Model
}

func (c crumbs) Listed() draw.Safe        { return "Queue" }
func (c crumbs) Crumb(room int) draw.Line { return c.crumb(c.Model, room) }

// unmoved is the page on the screen as those keys see it that pages share.
type unmoved struct{ *Model }

func (u unmoved) Layout() screen.Layout      { return u.layout }
func (u unmoved) LeftOf(l screen.Layout) int { return u.page.(paned).left(l) }
func (u unmoved) From() int                  { return u.page.(paned).from() }
func (u unmoved) Shown() *pager.Pager        { return u.page.shown() }

// tabbed is a page with tabs in two panes. across gives the keys to one of them.
type tabbed interface {
	across(m *Model, right bool) tea.Cmd
}

func (u unmoved) Abreast() bool {
	_, ok := u.page.(tabbed)
	return ok && u.layout.Left > 0
}

func (u unmoved) Across(right bool) (screen.Intent, tea.Cmd) {
	return nil, u.page.(tabbed).across(u.Model, right)
}

// textKeys and paneKeys are the keys that pages share.
func textKeys() []key {
	return lent(screen.TextKeys(unmoved{}), func(m *Model) []screen.Key { return screen.TextKeys(unmoved{m}) })
}

func paneKeys() []key {
	return lent(screen.PaneKeys(unmoved{}), func(m *Model) []screen.Key { return screen.PaneKeys(unmoved{m}) })
}

// moved returns the keys of a component: of is a zero page.
func moved(of screen.Page) table {
	return table{of.Place(), lent(of.Keys(), func(m *Model) []screen.Key { return m.page.(*component).keys() })}
}

// lent makes keys of the workbench from those of a page; now returns the ones of the
// page on the screen, in the same order.
func lent(keys []screen.Key, now func(*Model) []screen.Key) []key {
	out := make([]key, len(keys))
	for i, k := range keys {
		out[i] = key{name: k.Name, keys: k.Keys, label: k.Label, help: k.Help, picks: k.Picks}
		out[i].do = func(m *Model) tea.Cmd { return m.carry(now(m)[i].Do()) }
		if k.Late != nil {
			out[i].late = func(m *Model) bool { return now(m)[i].Late() }
		}
		if k.Here != nil {
			out[i].here = func(m *Model) bool { return now(m)[i].Here() }
		}
		if k.Off != nil {
			out[i].off = func(m *Model) string { return now(m)[i].Off() }
		}
	}
	return out
}
