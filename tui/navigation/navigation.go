// Package navigation tracks the page on screen and the pages to which the user can go back.
package navigation

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// Root is a page that exists as long as the workbench is running.
type Root struct {
	Page    screen.Page
	Name    draw.Safe // name in the bar; "" for none
	Key     string    // name of the key that opens the page; "" for none
	Watched bool      // reload the page after each write, even if another page is on screen
	// Sign draws the page's sign in the bar while another page is on screen; it may be nil.
	Sign func(f screen.Frame) draw.Line
}

// Pages contains the root pages, the page on screen, and the trail. The trail is the list of pages that led to
// the page on screen.
type Pages struct {
	roots  []Root // the first is the home page
	active screen.Page
	trail  []screen.Page // pages to which esc goes back, most recent last
	detail screen.Page   // the last detail page that was shown, or nil
	// isDetail reports whether a page is a detail page. A detail page replaces another detail page on screen;
	// the trail stays the same.
	isDetail func(screen.Page) bool
}

// New returns Pages with the first root on screen. isDetail reports whether a page is a detail page; use Show
// to open such pages.
func New(roots []Root, isDetail func(screen.Page) bool) *Pages {
	return &Pages{roots: roots, active: roots[0].Page, isDetail: isDetail}
}

// Active returns the page on screen.
func (m *Pages) Active() screen.Page { return m.active }

// AtHome reports whether the home page is on screen.
func (m *Pages) AtHome() bool { return m.active == m.roots[0].Page }

// Detail returns the last detail page that was shown, or nil.
func (m *Pages) Detail() screen.Page { return m.detail }

// Previous returns the page to which esc goes back, or nil.
func (m *Pages) Previous() screen.Page {
	if len(m.trail) == 0 {
		return nil
	}
	return m.trail[len(m.trail)-1]
}

// Open puts p on screen without loading it.
func (m *Pages) Open(p screen.Page) {
	if p == m.active {
		return
	}
	if home := m.roots[0].Page; m.named(p) {
		m.trail = nil
		if p != home {
			m.trail = []screen.Page{home}
		}
	} else {
		m.trail = append(m.trail, m.active)
	}
	m.active = p
}

// Visit puts p on screen and loads it.
func (m *Pages) Visit(p screen.Page) tea.Cmd {
	if p == m.active {
		return nil
	}
	m.Open(p)
	return p.Reload()
}

// Swap puts p on screen in place of the current page. The trail stays the same.
func (m *Pages) Swap(p screen.Page) { m.active = p }

// Show puts the detail page p on screen and loads it. If another detail page is on screen, p replaces it.
func (m *Pages) Show(p screen.Page) tea.Cmd {
	m.detail = p
	if m.isDetail(m.active) {
		m.active = p
		return p.Reload()
	}
	return m.Visit(p)
}

// Back ends the active mode of the page, such as a search. If no mode is active, it returns to the previous
// page.
func (m *Pages) Back() tea.Cmd {
	if cmd, left := m.active.Escape(); left {
		return cmd
	}
	if len(m.trail) == 0 {
		return nil
	}
	m.active, m.trail = m.Previous(), m.trail[:len(m.trail)-1]
	if m.isDetail(m.active) {
		m.detail = m.active
	}
	if returned, ok := m.active.(screen.Returning); ok {
		return returned.Returned()
	}
	return nil
}

// CanGoBack reports whether the user can go back to another page or clear a filter.
func (m *Pages) CanGoBack() bool {
	f, ok := m.active.(screen.Filtered)
	return len(m.trail) > 0 || ok && f.Filter() != ""
}

// Each calls fn for each page that exists, and batches the commands that fn returns.
func (m *Pages) Each(fn func(screen.Page) tea.Cmd) tea.Cmd {
	all := lists.Map(m.roots, func(r Root) screen.Page { return r.Page })
	all = append(append(all, m.active), m.trail...)
	if m.detail != nil {
		all = append(all, m.detail)
	}
	var cmds []tea.Cmd
	for i, p := range all {
		if slices.Index(all, p) == i {
			cmds = append(cmds, fn(p))
		}
	}
	return tea.Batch(cmds...)
}

// Broadcast passes msg to every page.
func (m *Pages) Broadcast(msg tea.Msg) tea.Cmd {
	return m.Each(func(p screen.Page) tea.Cmd { return p.Update(msg) })
}

// Do runs the function in msg. If msg.Page no longer exists, Do drops msg.
func (m *Pages) Do(msg screen.Then) tea.Cmd {
	if msg.Page == nil {
		return msg.Do()
	}
	return m.Each(func(p screen.Page) tea.Cmd {
		if p != msg.Page {
			return nil
		}
		return msg.Do()
	})
}

// Start returns a command that loads the pages with a sign in the bar, and runs the announcements of pages.
func (m *Pages) Start() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range m.roots[1:] {
		if announcing, ok := r.Page.(screen.Announcing); ok {
			cmds = append(cmds, announcing.Announce())
		}
		if r.Watched {
			cmds = append(cmds, r.Page.Reload())
		}
	}
	return tea.Batch(cmds...)
}

// Fit lays out every page.
func (m *Pages) Fit(f screen.Frame) {
	m.Each(func(p screen.Page) tea.Cmd {
		p.Fit(f)
		return nil
	})
}

// Reload reloads the page on screen, the last detail page, and the watched root pages.
func (m *Pages) Reload() tea.Cmd {
	var read []screen.Page
	for _, r := range m.roots {
		if r.Watched {
			read = append(read, r.Page)
		}
	}
	if m.detail != nil {
		read = append(read, m.detail)
	}
	if !slices.Contains(read, m.active) {
		read = append(read, m.active)
	}
	cmds := lists.Map(read, screen.Page.Reload)
	return tea.Batch(cmds...)
}

// Named returns the root pages that have a name in the bar.
func (m *Pages) Named() []Root {
	return slices.DeleteFunc(slices.Clone(m.roots), func(r Root) bool { return r.Name == "" })
}

func (m *Pages) named(p screen.Page) bool {
	return slices.ContainsFunc(m.roots, func(r Root) bool { return r.Page == p && r.Name != "" })
}

// TrailRoot returns the root page at the beginning of the trail.
func (m *Pages) TrailRoot() screen.Page {
	for _, p := range slices.Backward(append(slices.Clone(m.trail), m.active)) {
		if p != m.roots[0].Page && m.named(p) {
			return p
		}
	}
	return m.roots[0].Page
}

// Target returns the root page that the given key opens. If that page is already on screen, it returns the
// page named fallback.
func (m *Pages) Target(key string, fallback draw.Safe) screen.Page {
	to := m.roots[slices.IndexFunc(m.roots, func(r Root) bool { return r.Key == key })].Page
	i := slices.IndexFunc(m.roots, func(r Root) bool { return fallback != "" && r.Name == fallback })
	if to == m.active && i >= 0 {
		return m.roots[i].Page
	}
	return to
}

// BarSigns draws the signs of the pages that are not on screen.
func (m *Pages) BarSigns(f screen.Frame) draw.Line {
	var l draw.Line
	for _, r := range m.roots {
		if r.Sign != nil && r.Page != m.active {
			l = append(l, r.Sign(f)...)
		}
	}
	return l
}

// Names draws the names of the root pages in the bar.
func (m *Pages) Names(f screen.Frame) draw.Line {
	var l draw.Line
	for _, r := range m.Named() {
		style := f.Theme.Faint
		if r.Page == m.TrailRoot() {
			style = f.Theme.Strong
		}
		l = append(l.Add("", "  "), draw.Of(style, r.Name).WithClick("page "+string(r.Name))...)
	}
	return l
}

// ByPlace returns the first root page with the given place, or nil.
func (m *Pages) ByPlace(place string) screen.Page {
	for _, r := range m.roots {
		if r.Page.Place() == place {
			return r.Page
		}
	}
	return nil
}

// Current returns the proposal that the keys of the current page apply to.
func (m *Pages) Current() (proposals.Proposal, bool) { return CurrentOf(m.active) }

// CurrentOf returns the proposal that the keys of p apply to. p may be nil.
func CurrentOf(p screen.Page) (proposals.Proposal, bool) {
	if of, ok := p.(screen.ProposalPage); ok {
		return of.Current()
	}
	return proposals.Proposal{}, false
}
