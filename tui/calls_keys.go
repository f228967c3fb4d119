package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
)

func callsKeys() []key {
	return append([]key{
		{name: "call-approve", keys: []string{"a"}, label: "approve", help: "Run the selected call with the arguments shown", do: on((*callsPage).askApproveCall), off: ask((*callsPage).noWaitingCall)},
		{name: "call-refuse", keys: []string{"x"}, label: "refuse", help: "Refuse the selected call and tell its agent why", do: on((*callsPage).askRefuseCall), off: ask((*callsPage).noWaitingCall)},
		{name: "call-unseen", keys: []string{"u"}, label: "unseen", help: "Go to the arguments you have not seen yet", do: on((*callsPage).showUnseenArguments), off: ask((*callsPage).noWaitingCall)},
	}, textKeys()...)
}

func (m *Model) noCalls() string {
	if m.cfg.Calls == nil {
		return "no gateway is available"
	}
	return ""
}

// noWaitingCall returns why there is nothing to answer.
func (c *callsPage) noWaitingCall(m *Model) string {
	p, ok := c.selected()
	switch {
	case !ok:
		return "nothing is listed"
	case m.cfg.Calls.State(p) != gateway.PendingWaiting:
		return "it is " + string(m.cfg.Calls.State(p)) + ", not waiting"
	}
	return ""
}

func (c *callsPage) showUnseenArguments(m *Model) tea.Cmd {
	p, _ := c.selected()
	line, missing := c.firstUnseen(p)
	if !missing {
		m.say(remark, "You've seen all its arguments")
		return nil
	}
	const head = 3 // lines of a waiting call before its arguments
	c.pager.Center(c.pager.StopRow() + head + line)
	return nil
}

func (c *callsPage) askApproveCall(m *Model) tea.Cmd {
	p, _ := c.selected()
	form := proposals.ActApproveCall.Form(1)
	return m.ask(&dialog{
		form: form,
		content: func(m *Model, page *prose.Page) {
			m.callContent(page, p)
			for _, line := range argumentLines(p) {
				page.Marked("  ", line, nil)
			}
			page.Blank()
			page.Field("digest", m.shownDigest(p.Digest))
			page.Text("", form.Consequence)
		},
		locked: func(m *Model) []string { return c.unseen(p) },
		run: func(m *Model, _ string) tea.Cmd {
			return m.act(wroteMsg{}, form, func(ctx context.Context) (string, error) { return m.cfg.RunCall(ctx, p) })
		},
	})
}

func (c *callsPage) askRefuseCall(m *Model) tea.Cmd {
	p, _ := c.selected()
	form := proposals.ActRefuseCall.Form(1)
	return m.ask(&dialog{
		form: form, draft: "refuse-" + p.ID, focusText: true,
		content: func(m *Model, page *prose.Page) {
			m.callContent(page, p)
			page.Blank()
			page.Text("", form.Consequence)
		},
		run: func(m *Model, reason string) tea.Cmd {
			return m.act(wroteMsg{draft: "refuse-" + p.ID}, form, func(ctx context.Context) (string, error) { return m.cfg.RefuseCall(ctx, p, reason) })
		},
	})
}

// callContent says which call an answer is about.
func (m *Model) callContent(page *prose.Page, p gateway.Pending) {
	page.Item(draw.Of(m.theme.Faint, draw.Pad("call", prose.LabelWidth)), p.Tool.String()+", version "+itoa(p.Version))
	page.Field("called by", p.Caller.Actor.String()+" as agent "+p.Caller.Agent)
	page.Field("for", p.Caller.User)
}
