package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"toolcrib/registry"
	"toolcrib/tui/auditlog"
	"toolcrib/tui/calls"
	"toolcrib/tui/drafts"
	"toolcrib/tui/files"
	"toolcrib/tui/markdown"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/servers"
)

// New returns the workbench with an empty queue; Prime fills its first page.
func New(cfg Config) *Model {
	work := &pending{now: cfg.Now}
	cfg = work.watched(cfg)
	sh := &shell{cfg: cfg, waits: work, ctx: cfg.Context, look: cfg.Theme, dark: cfg.Theme != lookLight, texts: markdown.NewTexts()}
	left := recall(sh)
	sh.cfg.Ask = askToSign
	if sh.ctx == nil {
		sh.ctx = context.Background()
	}
	w := &writes{shell: sh}
	w.writing, w.cutOff = context.WithCancel(sh.ctx)
	ps := &pages{shell: sh, news: &news{}, sets: map[string]*page{}}
	m := &Model{shell: sh, pages: ps, writes: w, jobs: &jobs{shell: sh, pages: ps, writes: w}}
	m.host = host{m}
	m.global = m.globalKeys()
	m.chooseTheme()
	m.shared = m.proposalOptions()
	m.queue = &page{Page: queue.New(m.ctx, m.host, cfg.Desk, queue.Options{
		Actor: cfg.Actor, Views: cfg.Views, NoEditor: m.noEditor, Extents: cfg.Extents, Read: m.shared.Seen.Sheet,
		Debounced: func(msg tea.Msg) tea.Cmd { return m.after(debounceDelay, msg) },
	})}
	m.tools, m.agents, m.lists = m.newEntries(registry.KindTool), m.newEntries(registry.KindAgent), m.newEntries(registry.KindList)
	m.log = &page{Page: auditlog.New(m.ctx, m.host, cfg.Registry, m.cfg.Restore)}
	m.drafts = &page{Page: drafts.New(m.ctx, m.host, cfg.Desk, drafts.Options{
		Folder: cfg.Drafts, Actor: cfg.Actor, Remote: cfg.Remote, NoEditor: m.cfg.NoEditor, KeptIn: m.cfg.KeptIn,
	})}
	m.calls = &page{Page: calls.New(m.ctx, m.host, m.callDesk())}
	m.files = &page{Page: files.New(m.ctx, m.host, cfg.Files)}
	m.servers = &page{Page: servers.New(m.ctx, m.host, cfg.Servers)}
	m.page = m.queue
	m.resume(left)
	m.resize(80, 24)
	return m
}

// Prime reads the first page for a screen of the given size, so that the first
// frame shows it.
func (m *Model) Prime(width, height int) {
	m.resize(width, height)
	m.Update(m.list().Count()())
	_, m.primed = m.Update(m.list().First()()) // the rest comes when the frame is up
	if m.page != m.queue {
		m.Update(m.page.Reload()())
	}
	m.Update(m.readStamp()())
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	ask := tea.Cmd(nil)
	if (m.look == "" || m.picked) && !m.cfg.Plain {
		ask = tea.RequestBackgroundColor
	}
	return tea.Batch(ask, m.awaitWrite(0), m.primed, m.drafts.Page.(*drafts.Page).Announce(), m.calls.Reload())
}

// Update implements tea.Model. It routes and never waits.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m.changes(msg) {
		m.drawn = nil
	}
	_, pressed := msg.(tea.KeyPressMsg)
	if _, turned := msg.(tea.MouseWheelMsg); pressed || turned {
		m.see() // what was drawn, before it moves
	}
	cmd := m.route(msg)
	if !pressed && m.wish != nil {
		cmd = tea.Batch(cmd, m.grant())
	}
	m.guided()
	m.see()
	if m.quitting && m.running == 0 {
		return m, tea.Quit
	}
	return m, tea.Batch(cmd, m.texts.Asked())
}

// changes reports whether a message may change the screen. A workbench at rest gets
// some every second that do not.
func (m *Model) changes(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case pollMsg:
		return m.clock() != m.drawnAt
	case stampMsg:
		return msg.err != nil || msg.stamp != m.stamp
	case queue.Rested:
		return false
	}
	return true
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m.list().Fill()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseWheelMsg, tea.MouseClickMsg:
		return m.pointer(msg)
	case tea.BackgroundColorMsg:
		if m.look == "" || m.picked {
			m.dark, m.told = msg.IsDark(), true
			m.chooseTheme()
			m.fit()
		}
	case tea.ColorProfileMsg:
		m.sixteen = msg.Profile == colorprofile.ANSI
		m.cfg.Plain = m.cfg.Plain || msg.Profile <= colorprofile.ASCII
		m.chooseTheme()
		m.fit()
	case Leave:
		m.cutOff()
		return tea.Batch(m.dialog.decline(), m.quit())
	case pollMsg:
		return tea.Batch(m.readStamp(), m.awaitWrite(msg.told), m.missedSize(), tick(m.shell))
	case stampMsg:
		return m.stamped(msg)
	default:
		return m.answer(msg)
	}
	return nil
}

// answer hands what a command answered to those it may be for.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Then:
		return m.done(msg)
	case signMsg:
		return m.askSignature(msg)
	case queue.Counted:
		m.counted(msg)
	case queue.Rested:
		if m.page != m.queue {
			return nil
		}
	case proposal.Loaded:
		m.list().Update(queue.Glance{ID: msg.ID, Dossier: msg.Dossier, Unfit: msg.Unfit, Err: msg.Err})
		return m.loaded(msg)
	case markdown.Rendered:
		m.texts.Add(msg)
		return m.tellAll(screen.Rendered{})
	case screen.Wrote:
		return m.wrote(msg)
	case jobTickMsg:
		return m.jobTicked(msg)
	case screen.Done:
		if msg.Err != nil {
			m.Fail(msg.Err)
		}
	}
	return m.tellAll(msg)
}

// done does what a command has found for.
func (m *Model) done(then screen.Then) tea.Cmd {
	if then.Page == nil {
		return then.Do()
	}
	return m.each(func(p *page) tea.Cmd {
		if p.Page != then.Page {
			return nil
		}
		return then.Do()
	})
}

// key passes a key to the dialog, line or page that has the keyboard.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.status = screen.Status{}
	m.wish = nil
	just := m.last.just
	m.last.just = false
	m.looked()
	if msg.String() == "ctrl+j" {
		// What was typed before the terminal was in raw mode, which is when the
		// first frame is there already: the line discipline made it of an enter.
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	if msg.String() == "ctrl+c" {
		if m.dialog != nil {
			return then(m.saveDraft(m.dialog), m.quit())
		}
		return m.quit()
	}
	if msg.String() == "ctrl+z" && (m.layout.TooSmall || m.dialog != nil || m.line != nil) {
		return m.suspend() // the shell is reached from everywhere; on pages by the table of keys
	}
	switch {
	case m.layout.TooSmall:
		if msg.String() == "q" {
			return m.quit()
		}
		return nil
	case m.dialog != nil:
		return m.dialog.key(m.shell, msg)
	case m.line != nil:
		return m.inputKey(msg)
	}
	return m.press(msg, just)
}
