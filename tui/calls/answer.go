// Answers to waiting calls.

package calls

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// Keys implements screen.Page.
func (c *Page) Keys() []screen.Key {
	return append([]screen.Key{
		{Name: "call-approve", Keys: []string{"a"}, Label: "approve", Help: "Run the selected call with the arguments shown", Do: c.askApprove, Off: c.noneWaiting},
		{Name: "call-refuse", Keys: []string{"x"}, Label: "refuse", Help: "Refuse the selected call and tell its agent why", Do: c.askRefuse, Off: c.noneWaiting},
		{Name: "call-unseen", Keys: []string{"u"}, Label: "unseen", Help: "Go to the arguments you have not seen yet", Do: c.showUnseen, Off: c.noneWaiting},
	}, screen.TextKeys(c.shell, c)...)
}

// noneWaiting returns why the selected call cannot be answered, or "".
func (c *Page) noneWaiting() string {
	p, ok := c.selected()
	switch {
	case !ok:
		return "nothing is listed"
	case c.desk.CallState(p) != gateway.PendingWaiting:
		return "it is " + string(c.desk.CallState(p)) + ", not waiting"
	}
	return ""
}

func (c *Page) showUnseen() tea.Cmd {
	p, _ := c.selected()
	line, missing := c.firstUnseen(p)
	if !missing {
		return c.shell.Say(screen.Remark, "You've seen all its arguments")
	}
	const head = 3 // lines of a waiting call above its arguments
	c.Pager.Center(c.Pager.StopRow() + head + line)
	return nil
}

func (c *Page) askApprove() tea.Cmd {
	p, _ := c.selected()
	form := proposals.ActApproveCall.Form(1)
	return c.shell.Ask(screen.Dialog{
		Form: form,
		Content: func(page *prose.Page) {
			c.what(page, p)
			for _, line := range argumentLines(p) {
				page.Marked("  ", line, nil)
			}
			page.Blank()
			page.Field("digest", c.Frame.Digest(p.Digest))
			page.Text("", form.Consequence)
		},
		Locked: func() []string {
			if line, missing := c.firstUnseen(p); missing {
				return []string{"its arguments, from line " + strconv.Itoa(line+1)}
			}
			return nil
		},
		Unread: c.showUnseen,
		Run: func(string) tea.Cmd {
			return c.shell.Write(screen.Act(screen.Wrote{}, form, func(ctx context.Context) (string, error) { return c.desk.RunCall(ctx, p) }))
		},
	})
}

func (c *Page) askRefuse() tea.Cmd {
	p, _ := c.selected()
	form := proposals.ActRefuseCall.Form(1)
	return c.shell.Ask(screen.Dialog{
		Form: form, Draft: "refuse-" + p.ID, About: "the call of " + p.Tool.String(), Writing: true,
		Content: func(page *prose.Page) {
			c.what(page, p)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: func(reason string) tea.Cmd {
			return c.shell.Write(screen.Act(screen.Wrote{Draft: "refuse-" + p.ID}, form, func(ctx context.Context) (string, error) { return c.desk.RefuseCall(ctx, p, reason) }))
		},
	})
}

// what draws the description of a call.
func (c *Page) what(page *prose.Page, p gateway.Pending) {
	page.Item(draw.Of(c.Frame.Theme.Faint, draw.Pad("call", prose.LabelWidth)), p.Tool.String()+", version "+strconv.Itoa(p.Version))
	page.Field("called by", p.Caller.Actor.String()+" as agent "+p.Caller.Agent)
	page.Field("for", p.Caller.User)
}
