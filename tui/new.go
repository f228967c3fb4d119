package tui

import (
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/changeset"
	"toolcrib/tui/decisions"
	"toolcrib/tui/desk"
	"toolcrib/tui/drafting"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/help"
	"toolcrib/tui/jobs"
	"toolcrib/tui/keys"
	"toolcrib/tui/markdown"
	"toolcrib/tui/navigation"
	"toolcrib/tui/pending"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/shell"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
	"toolcrib/tui/writes"
)

// delegate implements pageShell by forwarding to the parts of the workbench.
type delegate struct {
	screen.Messenger
	writer
	runner
	drafter
	decider
	finder
	*openings
}

type (
	writer interface {
		Write(w screen.Write) tea.Cmd
	}
	runner interface {
		Start(title string, job screen.Job) tea.Cmd
		Export() tea.Cmd
	}
	drafter interface {
		DraftNew() tea.Cmd
		Edit(w editor.Manuscript) tea.Cmd
		Change(s registry.Subject, d registry.Definition, version int) tea.Cmd
		Fork(id string) tea.Cmd
	}
	decider interface {
		Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
	}
	finder interface {
		Find() tea.Cmd
	}
)

// New returns a workbench with an empty queue. Prime loads its first page.
func New(cfg Config) *Model {
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	if cfg.After == nil {
		cfg.After = func(d time.Duration, msg tea.Msg) tea.Cmd { return tea.Tick(d, func(time.Time) tea.Msg { return msg }) }
	}
	ctx, after, left := cfg.Context, cfg.After, readMemory(cfg.Drafts)
	ops := pending.New(cfg.Now, after)
	cfg = watched(cfg, ops)
	toParts := new(delegate)
	m := &Model{cfg: cfg, pending: ops, texts: markdown.NewTexts(), news: new(news), guide: &guide{on: cfg.Guide}, pageShell: toParts}
	texts := unsent.In(cfg.Drafts)
	user := &desk.User{
		Context: ctx, Actor: cfg.Actor, Layer: cfg.Layer, Desk: cfg.Desk, Versions: cfg.Registry.Versions, Calls: cfg.Calls, Signer: cfg.Signer, Ask: writes.AskToSign,
	}
	edit := &editor.Editor{Folder: cfg.Drafts, Remote: cfg.Remote, Getenv: cfg.Getenv, Exec: cfg.Exec}
	m.shell = shell.New(shell.Options{
		Now: cfg.Now, After: after, Unsent: texts, Editor: edit,
		Slow:  func(th theme.Theme) draw.Line { return ops.Line(th, cfg.Blocked) },
		Hints: m.guide.lines,
	}, readMemory(themeFolder(cfg.Drafts)).choice(cfg))
	m.writes = writes.New(ctx, m.shell, ops, cfg.Signer != nil)
	m.jobs = jobs.New(m.shell, jobs.Options{
		Context: ctx, After: after, Verify: cfg.Verify, Import: cfg.Import, Export: cfg.Export, Formats: cfg.ExportFormats,
		Layer: cfg.Layer, Remote: cfg.Remote, Getenv: cfg.Getenv,
	})
	m.drafting = &drafting.Drafting{Shell: m.shell, Editor: edit, Unsent: texts, User: user, Write: m.writes.Write}
	d := &deps{Config: &cfg, ctx: ctx, shell: toParts, user: user, editor: edit, jobs: m.jobs, ops: ops, seen: seen.New(), after: after, waits: func() string { return m.queue.Waits() }}
	m.pages = navigation.New(d.roots(), isProposal)
	m.queue = m.pages.On().(*queue.Page)
	pages, news, screens := m.pages, m.news, m.shell
	m.jobs.Agent = func() string {
		if p, ok := pages.On().(screen.OfEntry); ok {
			if e, ok := p.Selected(); ok && e.Subject.Kind == registry.KindAgent {
				return e.Subject.ID
			}
		}
		return ""
	}
	m.jobs.Ended = func() tea.Cmd {
		news.known = 0 // the user started the job, so its proposals are not news
		return pages.Reload()
	}
	m.openings = &openings{deps: d, screen: m.shell, pages: m.pages, queue: m.queue, sets: map[string]*changeset.Page{}, options: d.proposals(m.texts, m.queue)}
	m.keys = keys.New(m.shell, m.pages, keys.Options{
		Opener: m.openings, Places: places, Elsewhere: cfg.Elsewhere, HelpPlace: new(help.Page).Place(),
		TakeBack: func(undo *screen.Undo) tea.Cmd { return undo.Ask(toParts, screens.Frame()) },
	})
	m.keys.Bind(nil, m.globalKeys())
	decide := &decisions.Decisions{
		Context: ctx, Shell: m.shell, Pages: m.openings, User: user, Pending: ops, Seen: d.seen, Tell: m.openings.options.Tell, Write: m.writes.Write, Regroup: cfg.Regroup,
	}
	*toParts = delegate{m.shell, m.writes, m.jobs, m.drafting, decide, m.keys, m.openings}
	for _, r := range pages.Named() { // each list resumes where the user left it
		if p, ok := r.Page.(screen.Resumed); ok {
			p.Resume(left.Pages[string(r.Name)])
		}
		if string(r.Name) == left.Page {
			pages.Open(r.Page)
		}
	}
	m.resize(80, 24)
	return m
}

// proposals returns the options of the proposal pages, which share one record of seen parts.
func (d *deps) proposals(texts *markdown.Texts, marks *queue.Page) proposal.Options {
	counter := d.Counter
	if counter == nil {
		counter = tokens.NewCounter()
	}
	return proposal.Options{
		Shell: d.shell, Desk: d.Desk, Registry: d.Registry, Acts: d.user, Actor: d.Actor, Layer: d.Layer, HasModel: d.HasModel,
		Seen: d.seen, Texts: texts, Counter: counter, NoEditor: d.editor.Missing, Busy: d.jobs.Busy,
		CannotMark: marks.Marked.CannotMark, Marked: func() []proposals.Proposal { return marks.Marked.Marks },
		Revision: d.editor.Revision,
		KeptIn:   func(file string) string { return d.editor.KeptIn(filepath.Join(d.Drafts, file)) },
	}
}

// Prime loads the first page for a screen of the given size, so that the first frame shows data.
func (m *Model) Prime(width, height int) {
	m.resize(width, height)
	m.Update(m.queue.Count()())
	_, m.primed = m.Update(m.queue.First()()) // the rest loads after the first frame
	if on := m.pages.On(); on != m.queue {
		m.Update(on.Reload()())
	}
	m.Update(m.readStamp()())
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	ask := tea.Cmd(nil)
	if m.shell.Choice.Follows() && !m.shell.Choice.Plain {
		ask = tea.Batch(tea.RequestBackgroundColor, m.cfg.After(2*time.Second, screen.Then{Do: m.askTheme}))
	}
	return tea.Batch(ask, m.awaitWrite(0), m.primed, m.pages.Start(), m.cfg.After(pollEvery, screen.Then{Do: m.checkSize}))
}
