package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// How many calls the page lists.
const (
	maxWaiting  = 200 // that wait
	maxAnswered = 50  // the last of all
)

// callsPage lists the calls of agents that wait for the user, and the last of
// those that do not any more.
type callsPage struct {
	textPage
	calls   []gateway.Pending // those that wait first
	waiting int
	read    bool
	tracks  map[string]pager.Text // of the first line of a call's arguments
	next    pager.Text
}

func newCallsPage(m *Model) *callsPage {
	return &callsPage{textPage: newTextPage(m), tracks: map[string]pager.Text{}, next: 1}
}

func (c *callsPage) place() string { return placeCalls }

func (c *callsPage) see(*Model) { c.pager.See() }

func (c *callsPage) reload(m *Model) tea.Cmd { return m.loadCalls() }

func (c *callsPage) update(m *Model, msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(callsMsg); ok {
		c.callsLoaded(m, msg)
	}
	return nil
}

func (c *callsPage) restyle(m *Model) {
	c.look(m.theme)
	c.lay(m)
}

// callsMsg is the calls, those that wait first.
type callsMsg struct {
	calls   []gateway.Pending
	waiting int
	err     error
}

func (m *Model) loadCalls() tea.Cmd {
	if m.cfg.Calls == nil {
		return nil
	}
	return func() tea.Msg {
		calls, waiting, err := m.cfg.PendingCalls(m.ctx, maxAnswered)
		return callsMsg{calls, waiting, err}
	}
}

func (c *callsPage) callsLoaded(m *Model, msg callsMsg) {
	if msg.err != nil {
		m.fail(msg.err)
		return
	}
	selected := ""
	if p, ok := c.selected(); ok {
		selected = p.ID
	}
	c.calls, c.waiting, c.read = msg.calls, msg.waiting, true
	c.lay(m)
	for i, p := range c.calls {
		if p.ID == selected {
			c.pager.SetStop(i)
		}
	}
}

func (c *callsPage) selected() (gateway.Pending, bool) {
	n := c.pager.Stop()
	if n < 0 || n >= len(c.calls) {
		return gateway.Pending{}, false
	}
	return c.calls[n], true
}

func (c *callsPage) lay(m *Model) {
	page := prose.New(m.theme)
	if c.waiting == 0 {
		page.Blank()
		page.Faint("", "No calls are waiting.")
		page.Blank()
	}
	for i, p := range c.calls {
		if i == c.waiting {
			page.Heading("No longer waiting")
			page.Blank()
		}
		page.Stop()
		c.one(m, page, p)
		page.Blank()
	}
	c.pager.Replace(page.Rows())
}

// one shows a call with all of its arguments: they are what is agreed to.
func (c *callsPage) one(m *Model, page *prose.Page, p gateway.Pending) {
	state := m.cfg.Calls.State(p)
	sign, style := m.callState(state)
	page.Line(draw.Of(style, draw.Pad(sign+" "+draw.Show(string(state)), 14)).
		Add(m.theme.Strong, draw.Show(p.Tool.String())).Add(m.theme.Faint, draw.Showf("  version %d", p.Version)))
	page.Field("  caller", p.Caller.Actor.String()+" as agent "+p.Caller.Agent+", for user "+p.Caller.User)
	if state == gateway.PendingWaiting {
		page.Field("  expires", string(screen.Stamp(p.ExpiresAt)))
	}
	track := c.track(p)
	for i, line := range argumentLines(p) {
		page.Tracked("    ", line, m.theme.Text, track+pager.Text(i))
	}
	if a := p.Answer; a != nil {
		page.Field("  answered", string(screen.Stamp(a.At))+" by "+a.By.String())
		if a.Reason != "" {
			page.Field("  reason", a.Reason)
		}
	}
	if p.Outcome != nil {
		outcome(page, *p.Outcome)
	}
	if state == gateway.PendingInterrupted {
		page.Faint("  ", "toolcrib ended while it ran. It may or may not have run; it will not run again.")
	}
}

// maxResult is how many lines of a result are shown; the whole of it is in
// `toolcrib calls show`.
const maxResult = 40

// outcome shows how a call ended: its result, or why it failed.
func outcome(page *prose.Page, o gateway.Outcome) {
	if o.Code != "" {
		page.Field("  failed", string(o.Code))
	}
	if o.Message != "" {
		page.Field("  message", o.Message)
	}
	if len(o.Output) == 0 {
		return
	}
	page.Faint("  ", "result")
	lines := DocumentLines(o.Output)
	for _, line := range lines[:min(len(lines), maxResult)] {
		page.Text("    ", line)
	}
	if more := len(lines) - maxResult; more > 0 {
		page.Faint("    ", itoa(more)+" more lines; toolcrib calls show prints them")
	}
}

// track names the first line of a call's arguments for the pager.
func (c *callsPage) track(p gateway.Pending) pager.Text {
	first, ok := c.tracks[p.ID]
	if !ok {
		first = c.next
		c.tracks[p.ID] = first
		c.next += pager.Text(len(argumentLines(p)))
	}
	return first
}

// argumentLines returns the arguments of a call as they are shown, and below
// them what its caller says about it.
func argumentLines(p gateway.Pending) []string {
	lines := DocumentLines(p.Args)
	if said := p.Said.Encode(); said != nil {
		lines = append(append(lines, "context from its caller, not verified:"), DocumentLines(said)...)
	}
	return lines
}

// DocumentLines lays a JSON document out.
func DocumentLines(doc []byte) []string {
	n, err := jsondoc.Parse(doc, jsondoc.DefaultLimits)
	if err != nil {
		return []string{string(doc)}
	}
	return strings.Split(strings.TrimSuffix(string(jsondoc.Indent(n)), "\n"), "\n")
}

// unseen names what of a call has not been on the screen.
func (c *callsPage) unseen(p gateway.Pending) []string {
	if line, missing := c.firstUnseen(p); missing {
		return []string{"its arguments, from line " + itoa(line+1)}
	}
	return nil
}

// firstUnseen returns the first line of a call's arguments that has not been
// on the screen.
func (c *callsPage) firstUnseen(p gateway.Pending) (line int, missing bool) {
	first := c.track(p)
	for i, text := range argumentLines(p) {
		if !c.pager.Seen(first+pager.Text(i), len(text)) {
			return i, true
		}
	}
	return 0, false
}

func (m *Model) callState(s gateway.PendingState) (draw.Safe, theme.Style) {
	switch s {
	case gateway.PendingWaiting:
		return "●", m.theme.Warn
	case gateway.PendingRunning:
		return "⋯", m.theme.Info
	case gateway.PendingDone:
		return "✓", m.theme.Good
	case gateway.PendingFailed, gateway.PendingInterrupted:
		return "✗", m.theme.Bad
	case gateway.PendingRefused, gateway.PendingExpired, gateway.PendingOutdated:
	}
	return "–", m.theme.Faint
}

func (c *callsPage) tabs(m *Model) (left, right draw.Line) {
	return draw.Of("", " ").Add(m.theme.Accent, "▎Calls").Add(m.theme.Faint, draw.Showf("  %s for you", wording.Count(c.waiting, "waits", "wait"))), nil
}
