package tui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
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
		if n := text.Percent(); n >= 0 { // scroll position, if the text is longer than the screen
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

// bar returns the first line: the page names, the waiting proposals, and the user's name. Where space is short, the
// name is dropped first.
func (m *Model) bar() draw.Line {
	signs, f := m.signs(), m.shell.Frame()
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

// signs returns the part of the bar that every page shows: running work and waiting proposals.
func (m *Model) signs() draw.Line {
	f := m.shell.Frame()
	l := append(m.checkpointSign(), m.pending.Sign(f.Theme, m.writes.Running() > 0)...)
	if n := m.news.fresh; n > 0 {
		l = l.Add(f.Theme.Accent, draw.Escapef("● %d new: Q  ", n))
	}
	l = append(l, m.pages.BarSigns(f)...)
	if n := len(m.queue.Marks.List); n > 0 {
		sign := draw.Escapef("* %d marked  ", n)
		if f.Width < 80 {
			sign = draw.Escapef("*%d  ", n)
		}
		l = l.Add(f.Theme.Accent, sign)
	}
	return l
}

// counted stores the number of proposals and reports new ones from other processes.
func (m *Model) counted(msg queue.Counted) {
	if msg.Err != nil {
		m.shell.Fail(msg.Err)
		return
	}
	if more := msg.Total - m.news.known; m.news.known > 0 && more > 0 {
		m.news.fresh += more
		if len(msg.Newest) == 1 && !m.shell.Busy() {
			m.shell.Say(screen.Remark, "%s", arrived(m.news.fresh, msg.Newest[0]))
		}
	}
	m.news.known = msg.Total
}

// arrived returns the text about n new proposals, of which p is the newest.
func arrived(n int, p proposals.Proposal) string {
	name := wording.Reference(p) + " " + string(p.Type) + " " + p.Subject.String() + " by " + p.Author.String()
	if n == 1 {
		return "New: " + name
	}
	return strconv.Itoa(n) + " new since you looked; the newest is " + name
}

// clock returns the parts of the screen that change without a message: ages, in minutes, and the checkpoint.
func (m *Model) clock() string { return fmt.Sprint(m.cfg.Now().Format("15:04 "), m.checkpointSign()) }

// checkpointSign warns of decisions that are not yet covered by a published checkpoint, and otherwise shows the age
// of the newest checkpoint.
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
