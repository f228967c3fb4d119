package navigation

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// page records its reads.
type page struct {
	screen.Text
	name string
	read *[]string
}

func (p *page) Place() string                 { return p.name }
func (p *page) Keys() []screen.Key            { return nil }
func (p *page) Tabs() (left, right draw.Line) { return nil, nil }
func (p *page) Update(tea.Msg) tea.Cmd        { return nil }
func (p *page) Reload() tea.Cmd {
	*p.read = append(*p.read, p.name)
	return nil
}

// TestBackNavigation visits pages and goes back. A page in the bar starts a new trail, a detail replaces another, and the
// last detail is reloaded after each write.
func TestBackNavigation(t *testing.T) {
	var read []string
	of := func(name string) *page { return &page{Text: screen.NewText(), name: name, read: &read} }
	home, tools, calls, tool, first, second := of("home"), of("tools"), of("calls"), of("tool"), of("first"), of("second")
	m := New([]Root{{Page: home, Name: "Home", Watched: true}, {Page: tools, Name: "Tools", Key: "tools"}, {Page: calls, Watched: true}}, func(p screen.Page) bool { return p == first || p == second })
	for _, step := range []struct {
		do    func()
		on    *page
		begin *page
	}{
		{func() { m.Visit(tools) }, tools, tools},
		{func() { m.Visit(calls) }, calls, tools},
		{func() { m.Show(first) }, first, tools},
		{func() { m.Show(second) }, second, tools},
		{func() { m.Visit(tool) }, tool, tools},
		{func() { m.Back() }, second, tools},
		{func() { m.Back() }, calls, tools},
		{func() { m.Back() }, tools, tools},
		{func() { m.Back() }, home, home},
		{func() { m.Back() }, home, home},
	} {
		step.do()
		if m.Active() != step.on || m.TrailRoot() != step.begin {
			t.Fatalf("%s is on the screen, on a way from %s, not %s from %s", m.Active().Place(), m.TrailRoot().Place(), step.on.name, step.begin.name)
		}
	}
	m.Open(tools)
	read = nil
	m.Reload()
	if want := []string{"home", "calls", "second", "tools"}; !slices.Equal(read, want) {
		t.Errorf("%v were read again, not %v", read, want)
	}
	if m.Target("tools", "Home") != home || m.Target("tools", "Calls") != tools {
		t.Error("the key of the page on the screen does not go on to the next")
	}
	if n := len(m.Named()); n != 2 || m.ByPlace("calls") != calls || m.ByPlace("nowhere") != nil {
		t.Errorf("the bar names %d pages", n)
	}
}
