// Package auditlog implements the workbench page that lists the audit log.
package auditlog

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

// Log reads the audit log.
type Log interface {
	// Events returns up to limit entries, newest first. Their numbers are less than the parameter before, unless
	// it is 0.
	Events(ctx context.Context, before int64, limit int) ([]history.Event, error)
	// Versions returns up to limit versions of s, newest first. Their numbers are less than the parameter
	// before, unless it is 0.
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
}

// Page lists the entries of the audit log, newest first.
type Page struct {
	screen.Text
	shell   Shell
	ctx     context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	log     Log
	restore screen.Restore
	preview screen.Preview
	events  []history.Event
	end     bool
	reading bool // a read of older entries is in progress
}

// New returns a page without entries. Reload loads the entries.
func New(ctx context.Context, sh Shell, log Log, restore screen.Restore) *Page {
	p := &Page{Text: screen.NewText(), shell: sh, ctx: ctx, log: log, restore: restore}
	p.Pager.SetWrap(false)
	return p
}

// Place implements screen.Page.
func (p *Page) Place() string { return "Audit log" }

// Keys implements screen.Page.
func (p *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "event-open", Keys: []string{"enter"}, Label: "open", Help: "Open the proposal of the selected entry", Do: p.open, Disabled: p.noProposal},
		{Name: "undo", Keys: []string{"U"}, Label: "restore", OnTab: func() bool { return p.cannotRestore() == "" }, Help: "Propose to restore the version of the selected entry", Do: p.askRestore, Disabled: p.cannotRestore},
	}, screen.PaneKeys(p.shell, p), screen.TextKeys(p.shell, p))
}

// Fit implements screen.Page.
func (p *Page) Fit(f screen.Frame) {
	p.FitIn(f, cmp.Or(p.LeftWidth(f.Layout), f.Width))
	p.layOut()
}

// MinWidth implements screen.Paned. The page requires a wider screen than other pages before it shows two
// panes, because its entries are long.
func (p *Page) MinWidth() int { return 160 }

// LeftWidth implements screen.Paned.
func (p *Page) LeftWidth(l screen.Layout) int {
	if l.Width < p.MinWidth() {
		return 0
	}
	return l.Beside()
}

// View implements screen.Page.
func (p *Page) View() []string { return p.ViewBeside(p.LeftWidth(p.Frame.Layout), p.sidePane) }

// Tabs implements screen.Page.
func (p *Page) Tabs() (left, right draw.Line) {
	entries := "entries"
	if !p.end {
		entries = "newest entries; scroll down for older entries"
	}
	th := p.Frame.Theme
	return draw.Of("", " ").Add(th.Accent, "▎Audit log").Add(th.Faint, draw.Escapef("  %d %s", len(p.events), entries)), nil
}

// pageSize is the number of entries that are read at once.
const pageSize = 200

// Events is a message with a chunk of entries, or with the error of reading it. The numbers of the entries are
// less than Before, unless Before is 0.
type Events struct {
	Before int64
	Events []history.Event
	Err    error
}

// Reload implements screen.Page.
func (p *Page) Reload() tea.Cmd { return p.read(0) }

func (p *Page) read(before int64) tea.Cmd {
	return func() tea.Msg {
		events, err := p.log.Events(p.ctx, before, pageSize)
		return Events{before, events, err}
	}
}

// Update implements screen.Page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	read, ok := msg.(Events)
	if !ok {
		return nil
	}
	p.reading = false
	if read.Err != nil {
		return p.shell.Fail(read.Err)
	}
	switch n := len(p.events); {
	case read.Before == 0:
		p.events = read.Events
	case n > 0 && p.events[n-1].Seq == read.Before:
		p.events = append(p.events, read.Events...)
	default:
		return nil
	}
	p.end = len(read.Events) < pageSize
	p.layOut()
	return nil
}

// More loads older entries if the cursor is near the end of the list.
func (p *Page) More() tea.Cmd {
	n := len(p.events)
	if p.end || p.reading || n == 0 || p.Pager.Stop() < n-p.Frame.Body {
		return nil
	}
	p.reading = true
	return p.read(p.events[n-1].Seq)
}

// open opens the proposal of the selected entry.
func (p *Page) open() tea.Cmd {
	e, _ := p.selected()
	return p.shell.Open(proposals.Proposal{ID: proposals.ID(e.Proposal)}, false)
}

func (p *Page) selected() (history.Event, bool) { return screen.Selected(p.Pager, p.events) }

func (p *Page) noProposal() string {
	switch e, ok := p.selected(); {
	case !ok:
		return "nothing is listed"
	case e.Proposal == "":
		return "the entry has no proposal"
	}
	return ""
}

// version returns the version that became live with the selected entry. It returns false if no version became
// live, or if toolcrib shipped the version: shipped versions are locked.
func (p *Page) version() (s registry.Subject, number int, ok bool) {
	e, _ := p.selected()
	s, err := registry.ParseSubject(e.Subject)
	number = parseData(e).Version
	return s, number, err == nil && number > 0 && e.Proposal != ""
}

// askRestore opens a dialog to restore the version of the selected entry.
func (p *Page) askRestore() tea.Cmd {
	s, number, _ := p.version()
	return screen.Restorer{Versions: p.log.Versions, Restore: p.restore}.Ask(p.ctx, p.shell, p, p.Frame, s, number)
}

func (p *Page) cannotRestore() string {
	if _, _, ok := p.version(); !ok {
		return "the entry has no version that can be restored"
	}
	return ""
}
