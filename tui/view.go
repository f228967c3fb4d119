package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/proposals"
	"toolcrib/tui/calls"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/pager"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// View implements tea.Model.
func (m *Model) View() tea.View {
	if m.drawn == nil {
		v := m.draw()
		m.drawn, m.drawnAt = &v, m.clock()
	}
	return *m.drawn
}

func (m *Model) draw() tea.View {
	content := m.screen()
	var cursor *tea.Cursor
	if m.typing() {
		content, cursor = hardwareCursor(content)
	}
	v := tea.NewView(m.theme.Paint(content))
	v.Cursor = cursor
	v.AltScreen = true
	v.WindowTitle = "toolcrib"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// hardwareCursor puts the terminal's own cursor where one is drawn, so that input
// methods, magnifiers and screen readers find it. The drawn one goes: where both
// are in a cell, many terminals show neither.
func hardwareCursor(content string) (string, *tea.Cursor) {
	at := strings.LastIndex(content, string(edit.CursorStyle))
	if at < 0 {
		return content, nil
	}
	before := content[:at]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	cursor := tea.NewCursor(ansi.StringWidth(line), strings.Count(before, "\n"))
	cursor.Blink = false
	return before + content[at+len(edit.CursorStyle):], cursor
}

// screen draws every line, each exactly as wide as the terminal.
func (m *Model) screen() string {
	if m.layout.TooSmall {
		return m.tooSmall()
	}
	w := m.layout.Width
	var b strings.Builder
	b.Grow(w * m.layout.Height * 2)
	m.bar().Write(&b, w, m.theme.Bar)
	b.WriteByte('\n')
	left, right := m.page.Tabs()
	if text := m.page.Shown(); text != nil {
		right = append(right, m.percent(text)...)
	}
	tabs, body := draw.Ends(left, right, w), m.page.View()
	tabs.Write(&b, w, "")
	b.WriteByte('\n')
	m.theme.Rule.Write(&b, m.rule())
	b.WriteByte('\n')
	last := m.lastLines()
	if d := m.dialog; d != nil {
		if d.Facts != nil && m.status.Text == "" {
			last = nil // its keys stand right below it
		}
		body = d.view(m.shell, body)
	}
	for i := range m.layout.Body - len(last) + 1 {
		if i < len(body) {
			b.WriteString(body[i])
		} else {
			b.WriteString(draw.Blank(w))
		}
		b.WriteByte('\n')
	}
	for _, l := range last {
		l.Write(&b, w, "")
		b.WriteByte('\n')
	}
	m.footer().Write(&b, w, "")
	return b.String()
}

// lastLines are the lines above the keys: an input line, or a message. More than
// one of them cover the end of the page.
func (m *shell) lastLines() []draw.Line {
	if in := m.line; in != nil && m.dialog == nil {
		if in.Above != nil {
			return append(in.Above(), m.typed(in))
		}
		return []draw.Line{m.typed(in)}
	}
	return m.statusLines()
}

// percent shows how far down a text is, where it does not fit.
func (m *shell) percent(p *pager.Pager) draw.Line {
	n := p.Percent()
	if n < 0 {
		return nil
	}
	return draw.Of(m.theme.Faint, draw.Showf(" %3d%% ", n))
}

// bar is the first line: the place, the waiting proposals, and the user's name,
// which is dropped first.
func (m *Model) bar() draw.Line {
	signs := m.signs()
	l := draw.Of(m.theme.Accent, " toolcrib ")
	if c, ok := m.page.Page.(screen.Crumbed); ok {
		l = l.Add(m.theme.Faint, "  "+c.Listed()+" › ")
		l = append(l, c.Crumb(m.layout.Width-l.Width()-signs.Width()-1)...)
	} else {
		l = append(l, m.rootLine()...)
	}
	whole := append(slices.Clone(signs), m.whom()...)
	if l.Width()+1+whole.Width() > m.layout.Width {
		whole = signs
	}
	return draw.Ends(l, whole, m.layout.Width)
}

// rootLine names the pages that are reached from everywhere.
func (m *pages) rootLine() draw.Line {
	var l draw.Line
	root := m.root()
	for _, p := range m.roots() {
		style := m.theme.Faint
		if p.page == root {
			style = m.theme.Strong
		}
		l = l.Add("", "  ").Add(style, p.name)
	}
	return l
}

// signs show work under way and waiting proposals, on every page.
func (m *Model) signs() draw.Line {
	l := m.checkpointSign()
	l = append(l, m.waiting()...)
	l = append(l, m.badge()...)
	if n := m.calls.Page.(*calls.Page).Waiting(); n > 0 && m.page != m.calls {
		l = l.Add(m.theme.Warn, draw.Showf("● %s: P  ", wording.Count(n, "call waits", "calls wait")))
	}
	if n := len(m.list().Marks); n > 0 {
		sign := draw.Showf("* %d marked  ", n)
		if m.layout.Width < 80 {
			sign = draw.Showf("*%d  ", n)
		}
		l = l.Add(m.theme.Accent, sign)
	}
	return l
}

// whom says as whom the reader is here.
func (m *shell) whom() draw.Line {
	var l draw.Line
	if m.cfg.Place != "" {
		l = l.Add(m.theme.Faint, draw.Show(m.cfg.Place)+" · ")
	}
	return l.Add(m.theme.Faint, draw.Show(m.cfg.Actor.String())+" ")
}

// tooSmall is all that fits where the workbench does not.
func (m *shell) tooSmall() string {
	w, h := m.layout.Width, m.layout.Height
	lines := []draw.Safe{
		"toolcrib",
		draw.Safe(fmt.Sprintf("needs %d×%d cells,", screen.MinWidth, screen.MinHeight)),
		draw.Safe(fmt.Sprintf("has %d×%d. q quits.", w, h)),
	}
	var b strings.Builder
	for i := range max(h, 0) {
		if i > 0 {
			b.WriteByte('\n')
		}
		text := draw.Safe("")
		if i < len(lines) {
			text = lines[i]
		}
		draw.Of("", text).Write(&b, w, "")
	}
	return b.String()
}

// see marks the text on the screen as seen.
func (m *pages) see() {
	if len(m.lastLines()) > 1 {
		return // they cover some of it
	}
	if m.dialog == nil && !m.layout.TooSmall {
		m.page.See()
	}
}

// resize lays everything out for a screen of the given size.
func (m *pages) resize(width, height int) {
	m.layout = screen.NewLayout(width, height, m.division)
	m.fit()
	if m.dialog != nil {
		m.dialog.resize(m.shell)
	}
}

// fit lays all pages out.
func (m *pages) fit() {
	m.each(func(p *page) tea.Cmd {
		p.Fit(m.frame())
		return nil
	})
}

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// pointer does what the mouse is for: the wheel scrolls, a click selects a row.
func (m *pages) pointer(msg tea.Msg) tea.Cmd {
	if m.layout.TooSmall || m.line != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		n := wheelLines
		if msg.Button == tea.MouseWheelUp {
			n = -n
		}
		if m.dialog != nil {
			m.dialog.pager.Scroll(n)
			return nil
		}
		return m.page.Scroll(msg.X, n)
	case tea.MouseClickMsg:
		row := msg.Y - 4 // bar, tabs, rule, names of the columns
		if m.dialog == nil && row >= 0 && row < m.layout.Body-1 {
			return m.page.Click(msg.X, row)
		}
	}
	return nil
}

// counted stores the numbers of proposals, and reports those that others made.
func (m *pages) counted(msg queue.Counted) {
	if msg.Err != nil {
		m.Fail(msg.Err)
		return
	}
	if more := msg.Total - m.known; m.known > 0 && more > 0 {
		m.fresh += more
		if len(msg.Newest) == 1 && m.dialog == nil && m.line == nil {
			m.Say(remark, "%s", arrived(m.fresh, msg.Newest[0]))
		}
	}
	m.known = msg.Total
}

// arrived reports new proposals.
func arrived(n int, p proposals.Proposal) string {
	name := wording.Reference(p) + " " + string(p.Type) + " " + p.Subject.String() + " by " + p.Author.String()
	if n == 1 {
		return "New: " + name
	}
	return strconv.Itoa(n) + " new since you looked; the newest is " + name
}

// looked forgets new proposals once the queue was on the screen.
func (m *pages) looked() {
	if m.page == m.queue && m.dialog == nil {
		m.fresh = 0
	}
}

// badge says on every page how many proposals are new.
func (m *pages) badge() draw.Line {
	if m.fresh == 0 {
		return nil
	}
	return draw.Of(m.theme.Accent, draw.Showf("● %d new: Q  ", m.fresh))
}

// clock has the parts of the screen that change without a message: ages, in
// minutes, and the checkpoint.
func (m *shell) clock() string {
	var sign strings.Builder
	for _, s := range m.checkpointSign() {
		sign.WriteString(string(s.Text))
	}
	return m.now().Format("15:04 ") + sign.String()
}

// checkpointSign shows the age of the newest published checkpoint, or how many
// decisions have none.
func (m *shell) checkpointSign() draw.Line {
	if m.cfg.Checkpoint == nil {
		return nil
	}
	switch c := m.cfg.Checkpoint(); {
	case c.Decisions > 0:
		return draw.Of(m.theme.Warn, draw.Showf("! %s without checkpoint  ", wording.Count(c.Decisions, "decision", "decisions")))
	case !c.At.IsZero():
		return draw.Of(m.theme.Faint, draw.Showf("checkpoint %s old  ", wording.Age(m.cfg.Now().Sub(c.At))))
	}
	return nil
}
