// Package servers implements the workbench page that lists the MCP servers of the user's clients. It shows
// whether each server is guarded, and which of its proposals and calls wait for the user.
package servers

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway/clients"
	"toolcrib/gateway/guarding"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// Read returns the status of the servers.
type Read func(ctx context.Context) (guarding.Status, error)

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	FilterQueue(filter string) tea.Cmd
}

// Page lists the MCP servers of the user's clients.
type Page struct {
	screen.Text
	preview     screen.Preview
	shell       Shell
	ctx         context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	read        Read
	status      guarding.Status
	loaded      bool
	waitingText func() string // describes how many proposals wait for the user
}

// New returns a page without entries. Reload loads the entries.
func New(ctx context.Context, sh Shell, read Read, waits func() string) *Page {
	return &Page{Text: screen.NewText(), shell: sh, ctx: ctx, read: read, waitingText: waits}
}

// Place implements screen.Page.
func (p *Page) Place() string { return "Servers" }

// Keys implements screen.Page.
func (p *Page) Keys() []screen.Key {
	return slices.Concat([]screen.Key{
		{Name: "server-open", Keys: []string{"enter"}, Label: "open", Help: "Open the queue with the waiting proposals of the selected server", Do: p.open, Disabled: p.cannotOpen},
	}, screen.PaneKeys(p.shell, p), screen.TextKeys(p.shell, p))
}

// LeftWidth implements screen.Paned. The page has no side pane while the list is empty.
func (p *Page) LeftWidth(l screen.Layout) int {
	if len(p.status.Entries) == 0 {
		return 0
	}
	return l.Beside()
}

// MinWidth implements screen.Paned.
func (p *Page) MinWidth() int { return screen.SideMinWidth }

// View implements screen.Page.
func (p *Page) View() []string { return p.ViewBeside(p.LeftWidth(p.Frame.Layout), p.sidePane) }

// sidePane draws the side pane, which shows the whole selected entry.
func (p *Page) sidePane() []string {
	e, ok := screen.Selected(p.Pager, p.status.Entries)
	if !ok {
		return nil
	}
	page := prose.New(p.Frame.Theme)
	page.Title(e.Name)
	mark, style := sign(p.Frame.Theme, e)
	page.Line(draw.Of(style, mark+" "+draw.Escape(e.StateText())))
	if why := e.Reason(); why != "" {
		page.Faint("", why)
	}
	page.Blank()
	page.Field("client", e.Place())
	if e.File != "" {
		page.Field("file", e.File)
	}
	v, ok := p.status.Of(e.Server)
	if ok && e.State != clients.Refused {
		page.Blank()
		page.Heading("Tools")
		numbers(page, v.Tools)
		if v.Texts != (guarding.Counts{}) {
			page.Blank()
			page.Heading("Prompts and instructions")
			numbers(page, v.Texts)
		}
		page.Blank()
		page.Field("last call", strings.TrimPrefix(strings.TrimPrefix(p.last(v), ", "), "last call "))
	}
	if ok && len(v.LeftOut) > 0 {
		page.Blank()
		page.Heading("Left out")
		for _, left := range v.LeftOut {
			page.Text("", left.String())
		}
	}
	if ok && v.Open() > 0 {
		page.Blank()
		page.Text("", "enter lists what waits for you.")
	}
	return p.preview.View(p.Frame, strconv.Itoa(p.Pager.Stop()), page)
}

// numbers draws how many of the tools, or how many of the prompts and instructions, are in each state.
func numbers(page *prose.Page, c guarding.Counts) {
	for _, n := range []struct {
		name  string
		count int
	}{{"approved", c.Approved}, {"new", c.Waiting}, {"changed", c.Changed}, {"rejected", c.Rejected}} {
		if n.count > 0 || n.name == "approved" {
			page.Field(n.name, strconv.Itoa(n.count))
		}
	}
}

// selected returns the server of the selected entry. It returns false if nothing is known about this server.
func (p *Page) selected() (guarding.Server, bool) {
	e, ok := screen.Selected(p.Pager, p.status.Entries)
	if !ok {
		return guarding.Server{}, false
	}
	return p.status.Of(e.Server)
}

func (p *Page) cannotOpen() string {
	v, ok := p.selected()
	switch {
	case !ok:
		return "no server is selected"
	case v.Open() == 0:
		return "nothing waits for you"
	}
	return ""
}

func (p *Page) open() tea.Cmd {
	v, _ := p.selected()
	filter := v.Name
	if len(v.Sets) == 1 && v.Sets[0] != "" {
		filter = "set:" + v.Sets[0]
	}
	return p.shell.FilterQueue(filter)
}

// Fit implements screen.Page. It lays out the entries. Below each entry, it shows the states of the tools, or
// the reason why the server is not guarded.
func (p *Page) Fit(f screen.Frame) {
	p.FitIn(f, cmp.Or(p.LeftWidth(f.Layout), f.Width))
	th := p.Frame.Theme
	page := prose.New(th)
	if p.loaded && len(p.status.Entries) == 0 {
		page.Blank()
		page.Text("", "No client on this machine has an MCP server.")
		page.Faint("", "When a client has an MCP server, run toolcrib init in a shell to propose the tools and guard the server. "+p.waitingText())
	}
	p.layCalls(page)
	name, client := 10, 8
	for _, e := range p.status.Entries {
		name, client = max(name, draw.Width(draw.Escape(e.Name))), max(client, draw.Width(draw.Escape(e.Place())))
	}
	name = min(name, p.Frame.List/3)
	client = min(client, p.Frame.List-name-stateCells)
	above := ""
	for _, e := range p.status.Entries {
		page.Stop()
		mark, style := sign(th, e)
		place := draw.Escape(e.Place())
		if draw.Width(place) > client {
			place = draw.Escape(e.Client)
		}
		line := draw.Of(style, draw.Pad(mark, 2)).Add(th.Strong, draw.Pad(draw.Escape(e.Name), name)+"  ").
			Add(th.Faint, draw.Pad(place, client)+"  ").Add(style, draw.Escape(e.StateText()))
		page.Line(line)
		v, known := p.status.Of(e.Server)
		if known && e.State != clients.Refused {
			text := strconv.Itoa(v.Tools.Approved) + " approved" + open(v.Tools)
			if v.Texts != (guarding.Counts{}) {
				text += "; texts: " + strconv.Itoa(v.Texts.Approved) + " approved" + open(v.Texts)
			}
			page.Item(draw.Of("", draw.Safe(draw.Blank(4))), text+p.last(v))
		}
		if known && len(v.LeftOut) > 0 {
			text := "left out: " + v.LeftOut[0].String()
			if more := len(v.LeftOut) - 1; more > 0 {
				text += " (and " + strconv.Itoa(more) + " more)"
			}
			page.FaintItem(draw.Of("", draw.Safe(draw.Blank(4))), text)
		}
		if why := e.Reason(); why != above && p.Frame.Side == 0 { // if the page has a side pane, that pane shows the reason
			if above = why; why != "" {
				page.FaintItem(draw.Of("", draw.Safe(draw.Blank(4))), why)
			}
		}
	}
	p.Pager.Replace(page.Rows())
}

// Reload implements screen.Page.
func (p *Page) Reload() tea.Cmd {
	return screen.Load(p.shell, p, func() (guarding.Status, error) { return p.read(p.ctx) }, func(status guarding.Status) tea.Cmd {
		p.status, p.loaded = status, true
		p.Fit(p.Frame)
		return nil
	})
}

// Tabs implements screen.Page.
func (p *Page) Tabs() (left, right draw.Line) {
	th, guarded := p.Frame.Theme, 0
	for _, e := range p.status.Entries {
		if e.State == clients.Guarded && e.Why == "" {
			guarded++
		}
	}
	return draw.Of("", " ").Add(th.Accent, "▎Servers").Add(th.Faint, draw.Escapef("  %d of %d guarded", guarded, len(p.status.Entries))), nil
}

// stateCells is the width of the sign and the state of an entry, including the gaps between columns.
const stateCells = 2 + 2 + 2 + 17 + 2

// layCalls draws the calls that wait for the user's decision.
func (p *Page) layCalls(page *prose.Page) {
	if len(p.status.Calls) == 0 {
		return
	}
	th := p.Frame.Theme
	page.Line(draw.Of(th.Strong, "Calls that wait for you"))
	for _, c := range p.status.Calls {
		page.Item(draw.Of(th.Warn, "  ? "), c.Tool+" by "+c.Agent+", expires in "+wording.ShortAge(c.Expires.Sub(p.Frame.Now())))
	}
	if p.status.More {
		page.Faint("    ", "and further calls")
	}
	page.FaintItem(draw.Of("", "    "), "Press P to see the arguments and to approve or refuse.")
	page.Blank()
}

// open describes the number of proposals of a server that are not approved, grouped by state.
func open(c guarding.Counts) string {
	text := ""
	if c.Waiting > 0 {
		text += ", " + strconv.Itoa(c.Waiting) + " new"
	}
	if c.Changed > 0 {
		text += ", " + strconv.Itoa(c.Changed) + " changed"
	}
	if c.Rejected > 0 {
		text += ", " + strconv.Itoa(c.Rejected) + " rejected and withheld"
	}
	return text
}

// last describes the last call of a tool of server v.
func (p *Page) last(v guarding.Server) string {
	if v.Last == nil {
		return ", never called"
	}
	text := ", last call " + v.Last.Tool + " " + wording.ShortAge(p.Frame.Now().Sub(v.Last.At)) + " ago"
	if v.Last.Code != "" && v.Last.Code != "ok" {
		text += " (" + string(v.Last.Code) + ")"
	}
	return text
}

// sign returns the sign of an entry and the style of the sign.
func sign(th theme.Theme, e guarding.Entry) (draw.Safe, theme.Style) {
	switch {
	case e.State == clients.Guarded && e.Why == "":
		return "✓", th.Good
	case e.State == clients.Guarded:
		return "!", th.Warn
	case e.State == clients.Open && !e.Disabled:
		return "·", th.Warn
	}
	return "·", th.Faint
}
