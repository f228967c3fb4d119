// This file handles messages: key presses, mouse events, results of commands, and notifications about writes by
// other processes.

package tui

import (
	"errors"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/decisions"
	"toolcrib/tui/markdown"
	"toolcrib/tui/navigation"
	"toolcrib/tui/pending"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
	"toolcrib/tui/writes"
)

// pollEvery is the interval between checks for writes by other processes.
const pollEvery = 700 * time.Millisecond

// Messages that recur while the workbench is idle.
type (
	stampMsg struct {
		stamp int64
		err   error
	}
	pollMsg struct{ seen int64 }
)

// Terminate is a message that ends the workbench. It cancels running writes and waits for their results.
type Terminate struct{}

// Update implements tea.Model. It only routes messages and never blocks.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.affectsScreen(msg) {
		m.drawn = nil
	}
	_, pressed := msg.(tea.KeyPressMsg)
	if _, turned := msg.(tea.MouseWheelMsg); pressed || turned {
		m.markSeen() // record the text before this message scrolls it away
	}
	cmd := m.route(msg)
	if pressed {
		cmd = tea.Batch(cmd, m.checkSize(), m.pending.Soon())
	} else {
		cmd = tea.Batch(cmd, m.keys.RunPending())
	}
	m.updateGuide()
	m.markSeen()
	if m.quitting && m.writes.Running() == 0 {
		return m, tea.Quit
	}
	return m, tea.Batch(cmd, m.texts.Requested())
}

// markSeen records the text on screen as read. It does nothing if a dialog or a message covers the text.
func (m *Model) markSeen() {
	covered := len(m.shell.Lowest()) > 1
	if !covered && m.shell.Dialog() == nil && !m.shell.Frame().TooSmall {
		m.pages.Active().MarkSeen()
	}
}

// affectsScreen reports whether msg can change the screen. Most messages that an idle workbench receives
// cannot.
func (m *Model) affectsScreen(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case pollMsg:
		return m.clock() != m.drawnAt
	case stampMsg:
		return msg.err != nil || msg.stamp != m.stamp
	case pending.Tick:
		return m.pending.Running()
	case queue.Debounced:
		return false
	}
	return true
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.queue.Fill()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.shell.Paste(msg.Content)
	case tea.MouseWheelMsg, tea.MouseClickMsg:
		return m.pointer(msg)
	case tea.BackgroundColorMsg:
		if choice := &m.shell.Choice; choice.FollowsTerminal() {
			choice.Dark, choice.BackgroundKnown = msg.IsDark(), true
			m.retheme()
		}
		return nil
	case tea.ColorProfileMsg:
		choice := &m.shell.Choice
		choice.Sixteen = msg.Profile == colorprofile.ANSI
		choice.Plain = choice.Plain || msg.Profile <= colorprofile.ASCII
		m.retheme()
		return nil
	case Terminate:
		m.writes.Cancel()
		declined := tea.Cmd(nil)
		if d := m.shell.Dialog(); d != nil {
			declined = d.Decline()
		}
		return tea.Batch(declined, m.quit())
	case pollMsg:
		return tea.Batch(m.readStamp(), m.awaitWrite(msg.seen), m.checkSize(), m.pending.Watch())
	case stampMsg:
		switch {
		case msg.err != nil:
			return m.shell.Fail(msg.err)
		case msg.stamp == m.stamp:
			return nil
		}
		first := m.stamp == 0
		m.stamp = msg.stamp
		if first {
			return nil
		}
		return tea.Batch(m.pages.Reload(), m.recheckDialog())
	case screen.Then:
		return m.pages.Do(msg)
	case writes.SignatureRequested:
		return m.writes.Sign(msg)
	case queue.Counted:
		m.counted(msg)
	case queue.Debounced:
		if m.pages.Active() != m.queue {
			return nil
		}
	case proposal.Loaded:
		m.queue.Update(queue.PreviewContent{ID: msg.ID, Dossier: msg.Dossier, Problems: msg.Problems, Err: msg.Err})
		cmd := m.pages.Broadcast(msg)
		if pp, ok := m.pages.Active().(*proposal.Page); ok {
			return tea.Batch(cmd, pp.ResumeDraft()) // opens the dialog of an unsent text
		}
		return cmd
	case markdown.Rendered:
		m.texts.Add(msg)
		return m.pages.Broadcast(screen.Rendered{})
	case screen.Wrote:
		return m.wrote(msg)
	case pending.Tick:
		return m.pending.Ticked()
	case screen.Done:
		if msg.Err != nil {
			m.shell.Fail(msg.Err)
		}
	}
	return m.pages.Broadcast(msg)
}

// key passes a key press to the component that has the focus: a dialog, an input line, or the page.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.shell.Clear()
	just := m.keys.Interrupt()
	if m.pages.Active() == m.queue && m.shell.Dialog() == nil {
		m.news.fresh = 0
	}
	if msg.String() == "ctrl+j" {
		// If enter was typed before the terminal was in raw mode, it is received as ctrl+j.
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	tooSmall := m.shell.Frame().TooSmall
	switch name := msg.String(); {
	case name == "ctrl+c":
		return unsent.Then(m.shell.SaveText(), m.quit())
	case name == "ctrl+z" && (tooSmall || m.shell.Busy()):
		return m.suspend() // the key table is not used while a dialog or an input line is open
	case tooSmall && name == "q":
		return m.quit()
	case tooSmall:
		return nil
	}
	if cmd, taken := m.shell.Key(msg); taken {
		return cmd
	}
	return m.keys.Press(msg, just)
}

// wheelLines is the number of lines that one step of the wheel scrolls.
const wheelLines = 3

// doubleClick is the maximum time between the two clicks of a double click.
const doubleClick = 400 * time.Millisecond

// pointer handles mouse events. The wheel scrolls, a click selects a row, and a double click opens the row. A
// click on a page name, a tab, or a key in the footer performs the corresponding action.
func (m *Model) pointer(msg tea.Msg) tea.Cmd {
	if m.shell.Frame().TooSmall {
		return nil
	}
	d := m.shell.Dialog()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		n := wheelLines
		if msg.Button == tea.MouseWheelUp {
			n = -n
		}
		switch {
		case d != nil:
			d.Pager.Scroll(n)
		case m.shell.Line() == nil:
			return m.pages.Active().Scroll(msg.X, n)
		}
	case tea.MouseClickMsg:
		last, now := m.clicked, m.cfg.Now()
		m.clicked = now
		again := last.Add(doubleClick).After(now)
		if msg.Y == m.shell.Frame().Height-1 {
			if d != nil && again {
				return nil // this click belongs to the double click that opened the dialog
			}
			footer := m.shell.Footer()
			if footer == nil {
				footer = m.keys.Footer()
			}
			return m.click(footer.ClickAt(msg.X))
		}
		row := msg.Y - 4 // four lines are above the rows: the bar, the tabs, the rule, and the column headings
		switch {
		case m.shell.Busy():
		case msg.Y == 0:
			return m.click(m.bar().ClickAt(msg.X))
		case msg.Y == 1:
			tabs, _ := m.pages.Active().Tabs()
			return m.click(tabs.ClickAt(msg.X))
		case row >= 0 && row < m.shell.Frame().Body-1:
			if again && m.clickedRow == row && m.pages.Active().ActivePager() == nil {
				return m.click("key enter")
			}
			m.clickedRow = row
			return m.pages.Active().Click(msg.X, row)
		}
	}
	return nil
}

// click performs the action of a clickable part of the bar, the tabs, or the footer. The action consists of a
// verb and its object, for example "key enter".
func (m *Model) click(action string) tea.Cmd {
	switch verb, name, _ := strings.Cut(action, " "); verb {
	case "key":
		return m.key(keyPress(name))
	case "page":
		for _, r := range m.pages.Named() {
			if string(r.Name) == name {
				return m.pages.Visit(r.Page)
			}
		}
	case "tab":
		if p, ok := m.pages.Active().(screen.TabSwitcher); ok {
			n, _ := strconv.Atoi(name)
			return p.SelectTab(n)
		}
	}
	return nil
}

// keyPress returns the message for a press of the named key.
func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "up": tea.KeyUp, "down": tea.KeyDown}
	letter, ctrl := strings.CutPrefix(name, "ctrl+")
	switch code, named := codes[name]; {
	case named:
		return tea.KeyPressMsg{Code: code}
	case ctrl:
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// recheckDialog returns a command that closes the open dialog if its subject has changed.
func (m *Model) recheckDialog() tea.Cmd {
	d := m.shell.Dialog()
	if d == nil || d.Outdated == nil {
		return nil
	}
	return func() tea.Msg {
		why := d.Outdated()
		return screen.Then{Do: func() tea.Cmd {
			if why == "" || d.Closed() {
				return nil
			}
			return d.Expire(why)
		}}
	}
}

// readStamp reads the current stamp of the database.
func (m *Model) readStamp() tea.Cmd {
	reg := m.cfg.Registry
	return func() tea.Msg {
		stamp, err := reg.Stamp(m.cfg.Context)
		return stampMsg{stamp, err}
	}
}

// awaitWrite returns a command that sends a pollMsg when another process may have written to the database.
func (m *Model) awaitWrite(previous int64) tea.Cmd {
	wait := m.cfg.Wait
	if wait == nil {
		return m.cfg.After(pollEvery, pollMsg{previous})
	}
	return func() tea.Msg { return pollMsg{wait(m.cfg.Context, previous, pollEvery)} }
}

// checkSize returns a command that requests the window size if the last known size is out of date.
func (m *Model) checkSize() tea.Cmd {
	if m.cfg.Size == nil {
		return nil
	}
	if width, height := m.cfg.Size(); width == m.shell.Frame().Width && height == m.shell.Frame().Height {
		return nil
	}
	return tea.RequestWindowSize
}

// wrote shows the outcome of a write and reloads the current page.
func (m *Model) wrote(msg screen.Wrote) tea.Cmd {
	m.writes.Ended(msg)
	var conflict *review.RebaseConflict
	switch p, ok := navigation.CurrentOf(m.pages.Detail()); {
	case errors.As(msg.Err, &conflict) && ok && p.ID == msg.ID && m.shell.Dialog() == nil:
		return m.drafting.Conflict(p, conflict)
	case msg.Err != nil:
		m.shell.Fail(msg.Err)
		if errors.Is(msg.Err, review.ErrDigest) {
			m.shell.Say(screen.Failure, "Not decided: the proposal has changed since you read it, and was reloaded")
		}
		return m.pages.Reload()
	}
	m.queue.Marks.List = m.queue.Marks.List.Without(msg.Decided...)
	m.keys.SetUndo(msg.Undo)
	if msg.Undo != nil {
		msg.Text += ". U " + msg.Undo.Says
	}
	if len(msg.Decided) > 0 {
		msg.Text += decisions.NextHint
	}
	m.shell.Say(screen.Success, "%s", msg.Text)
	if msg.Open != nil || msg.Made {
		m.news.known = 0 // do not announce the user's own proposals
	}
	cmds := []tea.Cmd{m.pages.Reload(), m.shell.Unsent.Drop(msg.Draft)}
	if msg.Open != nil && msg.Open.ChangeSet != "" && msg.Open.Type != proposals.New {
		return tea.Batch(append(cmds, m.openings.OpenSet(*msg.Open))...)
	}
	if pp, ok := m.pages.Active().(*proposal.Page); msg.Open != nil && (!ok || pp.ID() != msg.Open.ID) {
		if msg.Open.Type == proposals.Restore {
			return tea.Batch(append(cmds, m.openings.OpenUnseen(*msg.Open))...) // open the first unread part of the diff, which shows what becomes live
		}
		cmds = append(cmds, m.openings.Open(*msg.Open, false))
	}
	return tea.Batch(cmds...)
}
