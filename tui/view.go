// This file draws the screen.

package tui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/shell"
	"toolcrib/tui/wording"
)

// View implements tea.Model.
func (m *Model) View() tea.View {
	if m.drawn == nil {
		v := m.shell.View(m.parts)
		m.drawn, m.drawnAt = &v, m.clock()
	}
	return *m.drawn
}

// parts returns the parts of the screen for the current page.
func (m *Model) parts() shell.Parts {
	on, f := m.pages.Active(), m.shell.Frame()
	p := shell.Parts{Bar: m.bar(), Footer: m.keys.Footer}
	left, right := on.Tabs()
	if text := on.ActivePager(); text != nil {
		if n := text.Percent(); n >= 0 { // n is negative if the whole text is visible
			right = append(right, draw.Of(f.Theme.Faint, draw.Escapef(" %3d%% ", n))...)
		}
	}
	if paned, ok := on.(screen.Paned); ok {
		p.Left = paned.LeftWidth(f.Layout)
	}
	if panes, ok := on.(screen.PaneFocus); ok {
		p.Right = panes.RightFocused()
	}
	p.Tabs, p.Body = draw.Justify(left, right, f.Width), on.View()
	return p
}

// bar draws the first line of the screen: the names of the pages, pending operations, notices, the place, and
// the user's name. If space is short, it omits the place and the user's name.
func (m *Model) bar() draw.Line {
	f := m.shell.Frame()
	signs := append(m.checkpointSign(), m.pending.Sign(f.Theme, m.writes.Running() > 0)...)
	if n := m.news.fresh; n > 0 {
		signs = signs.Add(f.Theme.Accent, draw.Escapef("● %d new: Q  ", n))
	}
	signs = append(signs, m.pages.BarSigns(f)...)
	if n := len(m.queue.Marks.List); n > 0 {
		sign := draw.Escapef("* %d marked  ", n)
		if f.Width < 80 {
			sign = draw.Escapef("*%d  ", n)
		}
		signs = signs.Add(f.Theme.Accent, sign)
	}
	l := draw.Of(f.Theme.Accent, " toolcrib ")
	if c, ok := m.pages.Active().(screen.Breadcrumbed); ok {
		l = l.Add(f.Theme.Faint, "  "+c.Parent()+" › ")
		l = append(l, c.Crumb(f.Width-l.Width()-signs.Width()-1)...)
	} else {
		l = append(l, m.pages.Names(f)...)
	}
	whole := slices.Clone(signs)
	if m.cfg.Place != "" {
		whole = whole.Add(f.Theme.Faint, draw.Escape(m.cfg.Place)+" · ")
	}
	whole = whole.Add(f.Theme.Faint, draw.Escape(m.cfg.Actor.String())+" ")
	if l.Width()+1+whole.Width() > f.Width {
		whole = signs
	}
	return draw.Justify(l, whole, f.Width)
}

// counted stores the numbers of proposals, and announces proposals that other processes have added.
func (m *Model) counted(msg queue.Counted) {
	if msg.Err != nil {
		m.shell.Fail(msg.Err)
		return
	}
	if more := msg.Total - m.news.known; m.news.known > 0 && more > 0 {
		m.news.fresh += more
		if len(msg.Newest) == 1 && !m.shell.Busy() {
			p := msg.Newest[0]
			text := "New: "
			if m.news.fresh > 1 {
				text = strconv.Itoa(m.news.fresh) + " new since you looked; the newest is "
			}
			m.shell.Say(screen.Remark, "%s%s %s %s by %s", text, wording.Reference(p), p.Type, p.Subject, p.Author)
		}
	}
	m.news.known = msg.Total
}

// clock returns a text that changes when the screen must be redrawn without a message. It contains the
// current minute, on which the ages on screen depend, and the state of the checkpoint.
func (m *Model) clock() string { return fmt.Sprint(m.cfg.Now().Format("15:04 "), m.checkpointSign()) }

// checkpointSign draws a warning if some decisions are not covered by a published checkpoint. Otherwise, it
// draws the age of the newest checkpoint.
func (m *Model) checkpointSign() draw.Line {
	if m.cfg.Checkpoint == nil {
		return nil
	}
	switch c := m.cfg.Checkpoint(); {
	case c.Decisions > 0:
		return draw.Of(m.shell.Frame().Theme.Warn, draw.Escapef("! %s without checkpoint  ", wording.Count(c.Decisions, "decision", "decisions")))
	case !c.At.IsZero():
		return draw.Of(m.shell.Frame().Theme.Faint, draw.Escapef("checkpoint %s old  ", wording.Age(m.cfg.Now().Sub(c.At))))
	}
	return nil
}
