// This file contains the common part of pages that show a text, and the keys of these pages.

package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// Text is embedded in pages that show a text.
type Text struct {
	Frame Frame
	Pager *pager.Pager
}

// NewText returns an empty Text. Call Fit to set its size and theme.
func NewText() Text {
	t := Text{Pager: pager.New(theme.Theme{})}
	t.Pager.SetWrap(true)
	return t
}

// Fit lays out the text in the full width of f.
func (t *Text) Fit(f Frame) { t.FitIn(f, f.Width) }

// FitIn is like Fit, but lays out the text in the given width.
func (t *Text) FitIn(f Frame, width int) {
	t.Frame = f
	t.Pager.SetSize(width, f.Body)
	t.Pager.Restyle(f.Theme)
	t.Pager.ShowCursor(f.Theme.Accent)
}

// Layout returns the layout of the screen.
func (t *Text) Layout() Layout { return t.Frame.Layout }

// ActivePager implements Page.
func (t *Text) ActivePager() *pager.Pager { return t.Pager }

// Selected returns items[i] if stop i of the pager t is selected. It returns false if no stop is selected.
func Selected[T any](t *pager.Pager, items []T) (item T, ok bool) {
	if n := t.Stop(); n >= 0 && n < len(items) {
		return items[n], true
	}
	return item, false
}

// Update implements Page. It ignores all messages; texts receive their data in messages of type Then.
func (t *Text) Update(tea.Msg) tea.Cmd { return nil }

// View implements Page.
func (t *Text) View() []string { return t.Pager.View() }

// ViewBeside draws the text in a column of the given width, and the side pane beside it. If the width is 0, it draws
// only the text.
func (t *Text) ViewBeside(left int, side func() []string) []string {
	if left == 0 {
		return t.View()
	}
	return t.Frame.SideBySide(t.View(), side(), left)
}

// Escape implements Page. It stops the picking of a line or, if the user is not picking a line, clears the
// search.
func (t *Text) Escape() (tea.Cmd, bool) { return nil, EscapeText(t.Pager) }

// Click implements Page. A text has no rows to select.
func (t *Text) Click(int, int) tea.Cmd { return nil }

// Scroll implements Page.
func (t *Text) Scroll(_, n int) tea.Cmd {
	t.Pager.Scroll(n)
	return nil
}

// MarkSeen implements Page. It does nothing, because most pages do not record which texts have been on screen.
func (t *Text) MarkSeen() {}

// EscapeText stops the picking of a line in p or, if the user is not picking a line, clears the search. It
// returns false if neither was active.
func EscapeText(p *pager.Pager) bool {
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

// TextPage is a page that can show a text.
type TextPage interface{ ActivePager() *pager.Pager }

// Tabbed is a page with tabs in two panes.
type Tabbed interface {
	// HasTwoPanes reports whether two panes are shown.
	HasTwoPanes() bool
	// FocusPane moves the focus to the right pane if right is set, and to the left pane otherwise.
	FocusPane(right bool) tea.Cmd
}

// textKeys implements the actions of TextKeys.
type textKeys struct {
	shell Shell
	page  TextPage
}

// TextKeys returns the keys that move in the text or list of page. If page has a method More, which loads more
// rows, the keys call it after each move.
func TextKeys(sh Shell, page TextPage) []Key {
	k := textKeys{sh, page}
	return []Key{
		{Name: "scroll-down", Keys: []string{"j", "down"}, Help: "Select the next item of a list; in a text, one line down", Do: k.move(1), WhilePicking: true},
		{Name: "scroll-up", Keys: []string{"k", "up"}, Help: "Select the previous item of a list; in a text, one line up", Do: k.move(-1), WhilePicking: true},
		{Name: "next-change", Keys: []string{"J"}, Help: "Go to the next change, finding, comment or item", Do: k.nextStop(1), WhilePicking: true},
		{Name: "previous-change", Keys: []string{"K"}, Help: "Go to the previous change, finding, comment or item", Do: k.nextStop(-1), WhilePicking: true},
		{Name: "scroll-half-down", Keys: []string{"ctrl+d"}, Help: "Half a screen down", Do: k.scrollPages(0.5), WhilePicking: true},
		{Name: "scroll-half-up", Keys: []string{"ctrl+u"}, Help: "Half a screen up", Do: k.scrollPages(-0.5), WhilePicking: true},
		{Name: "read-on", Keys: []string{"space"}, Help: "Scroll down to the next screen with unread lines", Do: k.then((*pager.Pager).ScrollToUnseen), WhilePicking: true},
		{Name: "scroll-page-down", Keys: []string{"pgdown", "ctrl+f"}, Help: "A screen down", Do: k.scrollPages(1), WhilePicking: true},
		{Name: "scroll-page-up", Keys: []string{"pgup", "ctrl+b"}, Help: "A screen up", Do: k.scrollPages(-1), WhilePicking: true},
		{Name: "scroll-first", Keys: []string{"g", "home"}, Help: "Go to the beginning", Do: k.then((*pager.Pager).Home), WhilePicking: true},
		{Name: "scroll-last", Keys: []string{"G", "end"}, Help: "Go to the end", Do: k.then((*pager.Pager).End), WhilePicking: true},
		{Name: "wrap", Keys: []string{"w"}, Label: "wrap", Late: Always, Help: "Toggle line wrapping", Do: k.then(func(p *pager.Pager) { p.SetWrap(!p.Wrapped()) }), Disabled: k.nothingToWrap},
		{Name: "scroll-right", Keys: []string{"l", "right"}, Help: "Go to the right pane, or scroll right if lines are not wrapped", Do: k.scrollX(8), Disabled: k.cannotScrollX},
		{Name: "scroll-left", Keys: []string{"h", "left"}, Help: "Go to the left pane, or scroll left if lines are not wrapped", Do: k.scrollX(-8), Disabled: k.cannotScrollX},
		{Name: "search", Keys: []string{"/"}, Label: "search", Late: Always, Help: "Search", Do: k.search},
		{Name: "next-match", Keys: []string{"n"}, Help: "Go to the next match", Do: k.nextMatch(1), WhilePicking: true},
		{Name: "previous-match", Keys: []string{"N"}, Help: "Go to the previous match", Do: k.nextMatch(-1), WhilePicking: true},
	}
}

// nothingToWrap returns the reason why the wrap key is disabled, or "".
func (k textKeys) nothingToWrap() string {
	if pager.WrapsNothing(k.page.ActivePager()) {
		return "no line is wider than the screen"
	}
	return ""
}

// then returns a function that calls fn with the pager of the page, and loads more rows if necessary.
func (k textKeys) then(fn func(*pager.Pager)) func() tea.Cmd {
	return func() tea.Cmd {
		fn(k.page.ActivePager())
		return k.more()
	}
}

func (k textKeys) move(n int) func() tea.Cmd { return k.then(func(p *pager.Pager) { p.Move(n) }) }

func (k textKeys) scrollPages(n float64) func() tea.Cmd {
	return k.then(func(p *pager.Pager) { p.ScrollPages(n) })
}

// more calls the More method of the page, if the page has this method.
func (k textKeys) more() tea.Cmd {
	if p, ok := k.page.(interface{ More() tea.Cmd }); ok {
		return p.More()
	}
	return nil
}

func (k textKeys) nextStop(step int) func() tea.Cmd {
	return func() tea.Cmd {
		if !k.page.ActivePager().NextStop(step) {
			return tea.Batch(k.shell.Say(Remark, "No more items"), k.more())
		}
		return k.more()
	}
}

// twoPanes returns the page as a Tabbed if it shows two panes, and false otherwise.
func (k textKeys) twoPanes() (Tabbed, bool) {
	p, ok := k.page.(Tabbed)
	return p, ok && p.HasTwoPanes()
}

func (k textKeys) scrollX(n int) func() tea.Cmd {
	return func() tea.Cmd {
		text := k.page.ActivePager()
		if p, ok := k.twoPanes(); ok && text.Wrapped() {
			return p.FocusPane(n > 0)
		}
		text.ScrollX(n)
		return nil
	}
}

func (k textKeys) cannotScrollX() string {
	if _, ok := k.twoPanes(); !ok && k.page.ActivePager().Wrapped() {
		return "lines are wrapped; w toggles wrapping"
	}
	return ""
}

// search opens the input line for a search in the text.
func (k textKeys) search() tea.Cmd {
	p, text := k.page.ActivePager(), edit.NewLine("")
	return k.shell.OpenLine(&Line{
		Prompt: "/", Text: text, Hints: [][2]string{{"enter", "search"}, {"esc", "leave"}},
		Done: func() tea.Cmd { return k.found(p, text.String(), p.Search(text.String())) },
	})
}

func (k textKeys) nextMatch(step int) func() tea.Cmd {
	return func() tea.Cmd {
		p := k.page.ActivePager()
		if p.Query() == "" {
			return k.shell.Say(Warning, "search with / first")
		}
		return k.found(p, p.Query(), p.NextMatch(step))
	}
}

// found shows the result of a search in the status line: the number of the selected matching line, or a
// warning if no line matches.
func (k textKeys) found(p *pager.Pager, text string, hit bool) tea.Cmd {
	p.SelectVisible()
	n, of, ok := p.Match()
	switch {
	case !hit:
		return k.shell.Say(Warning, "%q not found", text)
	case ok && n > 0 && of == 1:
		return k.shell.Say(Remark, "1 matching line")
	case ok && n > 0:
		return k.shell.Say(Remark, "Matching line %d of %d; n: next match", n, of)
	}
	return nil
}
