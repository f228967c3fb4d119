// Package calls implements the workbench page that lists agents' calls. Waiting calls come first; they run only
// after the user approves them.
package calls

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// maxAnswered is the maximum number of recent calls that the page reads in addition to the waiting calls.
const maxAnswered = 50

// Desk reads, approves, and refuses calls.
type Desk interface {
	// PendingCalls returns the waiting calls, followed by recent calls that no longer wait. It looks for recent
	// calls among the newest maxRecent calls. waiting is the number of waiting calls.
	PendingCalls(ctx context.Context, maxRecent int) (calls []gateway.Pending, waiting int, err error)
	CallState(p gateway.Pending) gateway.PendingState
	RunCall(ctx context.Context, p gateway.Pending) (done string, err error)
	RefuseCall(ctx context.Context, p gateway.Pending, reason string) (done string, err error)
}

// Page lists the agents' calls that wait for the user, followed by recent calls that no longer wait.
type Page struct {
	screen.Text
	shell       screen.Shell
	ctx         context.Context   //nolint:containedctx // Bubble Tea's commands receive no context
	desk        Desk              // nil if no gateway is available
	calls       []gateway.Pending // waiting calls first
	waiting     int
	tracks      map[string]pager.TextID // ID of the first line of each call's arguments, keyed by call ID
	next        pager.TextID
	waitingText func() string // describes how many proposals wait for the user
}

// New returns a page without calls. Reload loads the calls. desk is nil if no gateway is available.
func New(ctx context.Context, sh screen.Shell, desk Desk, waits func() string) *Page {
	return &Page{Text: screen.NewText(), shell: sh, ctx: ctx, desk: desk, waitingText: waits, tracks: map[string]pager.TextID{}, next: 1}
}

// Place implements screen.Page.
func (c *Page) Place() string { return "Calls" }

// Waiting returns the number of waiting calls.
func (c *Page) Waiting() int { return c.waiting }

// MarkSeen implements screen.Page. It records the visible lines, because the user can approve a call only after
// all of its arguments have been on screen.
func (c *Page) MarkSeen() { c.Pager.MarkSeen() }

// Fit implements screen.Page.
func (c *Page) Fit(f screen.Frame) {
	c.Text.Fit(f)
	c.layOut()
}

// Reload implements screen.Page.
func (c *Page) Reload() tea.Cmd {
	if c.desk == nil {
		return nil
	}
	waiting := 0
	return screen.Load(c.shell, c, func() (calls []gateway.Pending, err error) {
		calls, waiting, err = c.desk.PendingCalls(c.ctx, maxAnswered)
		return calls, err
	}, func(calls []gateway.Pending) tea.Cmd {
		p, _ := c.selected()
		c.calls, c.waiting = calls, waiting
		c.layOut()
		if i := slices.IndexFunc(c.calls, func(now gateway.Pending) bool { return now.ID == p.ID }); i >= 0 {
			c.Pager.SetStop(i)
		}
		return nil
	})
}

func (c *Page) selected() (gateway.Pending, bool) { return screen.Selected(c.Pager, c.calls) }

func (c *Page) layOut() {
	page := prose.New(c.Frame.Theme)
	if c.waiting == 0 {
		page.Blank()
		page.Text("", "No calls are waiting.")
		page.Faint("", "Agents' calls wait here if the tool requires approval. "+c.waitingText()+" In a shell, \"toolcrib calls log\" lists earlier calls.")
		page.Blank()
	}
	for i, p := range c.calls {
		if i == c.waiting {
			page.Heading("No longer waiting")
			page.Blank()
		}
		page.Stop()
		c.drawCall(page, p)
		page.Blank()
	}
	c.Pager.Replace(page.Rows())
}

// drawCall draws a call. It draws all arguments, because an approval covers them all.
func (c *Page) drawCall(page *prose.Page, p gateway.Pending) {
	th := c.Frame.Theme
	state := c.desk.CallState(p)
	sign, style := callState(th, state)
	page.Line(draw.Of(style, draw.Pad(sign+" "+draw.Escape(string(state)), 14)).
		Add(th.Strong, draw.Escape(p.Tool.String())).Add(th.Faint, draw.Escapef("  version %d", p.Version)))
	page.Field("  caller", p.Caller.Actor.String()+" with the profile "+p.Caller.Agent+", for user "+p.Caller.User)
	if state == gateway.PendingWaiting {
		page.Field("  expires", string(screen.FormatTime(p.ExpiresAt)))
	}
	track := c.track(p)
	for i, line := range argumentLines(p) {
		page.TrackedMarks("    ", line, th.Text, nil, track+pager.TextID(i))
	}
	if a := p.Answer; a != nil {
		page.Field("  answered", string(screen.FormatTime(a.At))+" by "+a.By.String())
		if a.Reason != "" {
			page.Field("  reason", a.Reason)
		}
	}
	if o := p.Outcome; o != nil {
		if o.Code != "" {
			page.Field("  failed", string(o.Code))
		}
		if o.Message != "" {
			page.Field("  message", o.Message)
		}
		if len(o.Output) > 0 {
			page.Faint("  ", "result")
			lines := wording.DocumentLines(o.Output)
			for _, line := range lines[:min(len(lines), maxResult)] {
				page.Text("    ", line)
			}
			if more := len(lines) - maxResult; more > 0 {
				page.Faint("    ", strconv.Itoa(more)+" more lines; in a shell, \"toolcrib calls show\" prints them all")
			}
		}
	}
	if state == gateway.PendingInterrupted {
		page.Faint("  ", "toolcrib exited during the call. The call may have run; toolcrib does not repeat it.")
	}
}

// maxResult is the maximum number of lines of a result that the page shows. The command "toolcrib calls show"
// prints all lines.
const maxResult = 40

// track returns the ID of the first line of p's arguments in the pager's record. The IDs of the following lines
// are consecutive.
func (c *Page) track(p gateway.Pending) pager.TextID {
	first, ok := c.tracks[p.ID]
	if !ok {
		first = c.next
		c.tracks[p.ID] = first
		c.next += pager.TextID(len(argumentLines(p)))
	}
	return first
}

// argumentLines returns the arguments of a call as lines, followed by the lines of the context that the caller
// has sent.
func argumentLines(p gateway.Pending) []string {
	lines := wording.DocumentLines(p.Args)
	if encoded := p.CallContext.Encode(); encoded != nil {
		lines = append(append(lines, "context from the caller, not verified:"), wording.DocumentLines(encoded)...)
	}
	return lines
}

// firstUnseen returns the index of the first argument line that has not been on screen. missing reports whether
// such a line exists.
func (c *Page) firstUnseen(p gateway.Pending) (line int, missing bool) {
	first := c.track(p)
	for i, text := range argumentLines(p) {
		if !c.Pager.Seen(first+pager.TextID(i), len(text)) {
			return i, true
		}
	}
	return 0, false
}

func callState(th theme.Theme, s gateway.PendingState) (draw.Safe, theme.Style) {
	switch s {
	case gateway.PendingWaiting:
		return "●", th.Warn
	case gateway.PendingRunning:
		return "⋯", th.Info
	case gateway.PendingDone:
		return "✓", th.Good
	case gateway.PendingFailed, gateway.PendingInterrupted:
		return "✗", th.Bad
	case gateway.PendingRefused, gateway.PendingExpired, gateway.PendingOutdated:
	}
	return "–", th.Faint
}

// Tabs implements screen.Page.
func (c *Page) Tabs() (left, right draw.Line) {
	th := c.Frame.Theme
	return draw.Of("", " ").Add(th.Accent, "▎Calls").Add(th.Faint, draw.Escapef("  %s for you", wording.Count(c.waiting, "waits", "wait"))), nil
}

// The methods below approve and refuse waiting calls.

// Keys implements screen.Page.
func (c *Page) Keys() []screen.Key {
	return append([]screen.Key{
		{Name: "call-approve", Keys: []string{"a"}, Label: "approve", Help: "Run the selected call with the arguments shown", Do: c.askApprove, Disabled: c.noneWaiting},
		{Name: "call-refuse", Keys: []string{"x"}, Label: "refuse", Help: "Refuse the selected call and tell the agent why", Do: c.askRefuse, Disabled: c.noneWaiting},
		{Name: "call-unseen", Keys: []string{"u"}, Label: "unread", Help: "Go to the next unread argument", Do: c.showUnseen, Disabled: c.noneWaiting},
	}, screen.TextKeys(c.shell, c)...)
}

// noneWaiting returns the reason why the selected call can be neither approved nor refused, or "".
func (c *Page) noneWaiting() string {
	p, ok := c.selected()
	switch {
	case !ok:
		return "nothing is listed"
	case c.desk.CallState(p) != gateway.PendingWaiting:
		return "the call is " + string(c.desk.CallState(p)) + ", not waiting"
	}
	return ""
}

func (c *Page) showUnseen() tea.Cmd {
	p, _ := c.selected()
	line, missing := c.firstUnseen(p)
	if !missing {
		return c.shell.Say(screen.Remark, "You have read all arguments of the call")
	}
	const head = 3 // number of lines above the arguments of a waiting call
	c.Pager.Center(c.Pager.StopRow() + head + line)
	return nil
}

func (c *Page) askApprove() tea.Cmd {
	p, _ := c.selected()
	form := proposals.ActApproveCall.Form(1)
	return c.shell.Ask(screen.Dialog{
		Form: form,
		Content: func(page *prose.Page) {
			c.describe(page, p)
			for _, line := range argumentLines(p) {
				page.TextLine("  ", line)
			}
			page.Blank()
			page.Field("digest", c.Frame.Digest(p.Digest))
			page.Text("", form.Consequence)
		},
		Locked: func() []string {
			if line, missing := c.firstUnseen(p); missing {
				return []string{"its arguments from line " + strconv.Itoa(line+1)}
			}
			return nil
		},
		OpenUnread: c.showUnseen,
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
			c.describe(page, p)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: func(reason string) tea.Cmd {
			return c.shell.Write(screen.Act(screen.Wrote{Draft: "refuse-" + p.ID}, form, func(ctx context.Context) (string, error) { return c.desk.RefuseCall(ctx, p, reason) }))
		},
	})
}

// describe draws the tool, the caller, and the user of a call.
func (c *Page) describe(page *prose.Page, p gateway.Pending) {
	page.Item(draw.Of(c.Frame.Theme.Faint, draw.Pad("call", prose.LabelWidth)), p.Tool.String()+", version "+strconv.Itoa(p.Version))
	page.Field("caller", p.Caller.Actor.String()+" with the profile "+p.Caller.Agent)
	page.Field("user", p.Caller.User)
}
