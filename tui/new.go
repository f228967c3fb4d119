// This file builds the workbench, and runs the commands that the user has configured.

package tui

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
	"toolcrib/tui/keys"
	"toolcrib/tui/markdown"
	"toolcrib/tui/navigation"
	"toolcrib/tui/pending"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/shell"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
	"toolcrib/tui/wording"
	"toolcrib/tui/writes"
)

// delegate implements pageShell. It forwards each request to the responsible part of the workbench.
type delegate struct {
	screen.Messenger
	writer
	drafter
	decider
	finder
	*pageOpener
}

type (
	writer interface {
		Write(w screen.Write) tea.Cmd
	}
	drafter interface {
		DraftNew() tea.Cmd
		Edit(w editor.Manuscript) tea.Cmd
		EditLive(s registry.Subject, d registry.Definition, version int, at string) tea.Cmd
		Fork(id string) tea.Cmd
	}
	decider interface {
		Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
	}
	finder interface {
		OpenSearch() tea.Cmd
	}
)

// New returns a workbench with an empty queue. Call Prime to load the first page of the queue.
func New(cfg Config) *Model {
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	if cfg.After == nil {
		cfg.After = func(d time.Duration, msg tea.Msg) tea.Cmd { return tea.Tick(d, func(time.Time) tea.Msg { return msg }) }
	}
	ctx, left := cfg.Context, readState(cfg.Drafts)
	ops := pending.New(cfg.Now, cfg.After)
	cfg = trackReads(cfg, ops)
	toParts := new(delegate)
	m := &Model{cfg: cfg, pending: ops, texts: markdown.NewTexts(), guide: &guide{on: cfg.Guide}, pageShell: toParts}
	texts := unsent.New(cfg.Drafts)
	user := &desk.User{
		Context: ctx, Actor: cfg.Actor, Layer: cfg.Layer, Desk: cfg.Desk, Versions: cfg.Registry.Versions, Calls: cfg.Calls, Signer: cfg.Signer, Ask: writes.AskToSign,
	}
	edit := &editor.Editor{Folder: cfg.Drafts, Remote: cfg.Remote, Getenv: cfg.Getenv, Exec: cfg.Exec}
	m.shell = shell.New(shell.Options{
		Now: cfg.Now, After: cfg.After, Unsent: texts, Editor: edit,
		Slow:  func(th theme.Theme) draw.Line { return ops.Line(th, cfg.Blocked) },
		Hints: m.guide.lines,
	}, readState(themeFolder(cfg.Drafts)).choice(cfg))
	m.writes = writes.New(ctx, m.shell, ops, cfg.Signer != nil)
	m.drafting = &drafting.Drafting{Shell: m.shell, Editor: edit, Unsent: texts, User: user, Write: m.writes.Write}
	d := &deps{Config: &cfg, shell: toParts, user: user, editor: edit, ops: ops, seen: seen.New(), waitingText: func() string { return m.queue.WaitingText() }}
	m.pages = navigation.New(d.roots(), isProposal)
	m.queue = m.pages.Active().(*queue.Page)
	m.openings = &pageOpener{deps: d, screen: m.shell, pages: m.pages, queue: m.queue, sets: map[string]*changeset.Page{}}
	if cfg.Counter == nil {
		cfg.Counter = tokens.NewCounter()
	}
	m.openings.options = proposal.Options{ // the proposal pages share a record of the parts that the user has seen
		Shell: toParts, Desk: cfg.Desk, Registry: cfg.Registry, Acts: user, Actor: cfg.Actor, Layer: cfg.Layer,
		Seen: d.seen, Texts: m.texts, Counter: cfg.Counter, NoEditor: edit.Missing,
		CannotMark: m.queue.Marks.CannotMark, Marked: m.openings.Marked,
		Revision: edit.Revision,
		StoredIn: func(file string) string { return edit.StoredIn(filepath.Join(cfg.Drafts, file)) },
	}
	m.keys = keys.New(m.shell, m.pages, keys.Options{
		Opener: m.openings, Places: places, Elsewhere: cfg.Elsewhere, HelpPlace: new(help.Page).Place(),
		Undo: func(undo *screen.Undo) tea.Cmd { return undo.Ask(toParts, m.shell.Frame()) },
	})
	m.keys.Bind(nil, m.globalKeys())
	decide := &decisions.Decisions{
		Context: ctx, Shell: m.shell, Pages: m.openings, User: user, Pending: ops, Seen: d.seen, RecordShown: m.openings.options.RecordShown, Write: m.writes.Write, Regroup: cfg.Regroup,
	}
	*toParts = delegate{m.shell, m.writes, m.drafting, decide, m.keys, m.openings}
	for _, r := range m.pages.Named() { // restore the state of each list
		if p, ok := r.Page.(screen.Stateful); ok {
			p.SetState(left.Pages[string(r.Name)])
		}
		if string(r.Name) == left.Page {
			m.pages.Open(r.Page)
		}
	}
	m.resize(80, 24)
	return m
}

// Prime loads the first page of the queue for a screen of the given size. The first frame then shows data.
func (m *Model) Prime(width, height int) {
	m.resize(width, height)
	m.Update(m.queue.Count()())
	_, m.primed = m.Update(m.queue.LoadFirst()()) // m.primed is the command that loads the rest after the first frame
	if on := m.pages.Active(); on != m.queue {
		m.Update(on.Reload()())
	}
	m.Update(m.readStamp()())
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	ask := tea.Cmd(nil)
	if m.shell.Choice.FollowsTerminal() && !m.shell.Choice.Plain {
		ask = tea.Batch(tea.RequestBackgroundColor, m.cfg.After(2*time.Second, screen.Then{Do: m.offerTheme}))
	}
	return tea.Batch(ask, m.awaitWrite(0), m.primed, m.pages.Start(), m.cfg.After(pollEvery, screen.Then{Do: m.checkSize}))
}

// Model is the workbench. It implements tea.Model and routes messages to its parts.
type Model struct {
	cfg       Config
	shell     *shell.Shell
	pages     *navigation.Pages
	keys      *keys.Keys
	writes    *writes.Writer
	drafting  *drafting.Drafting
	openings  *pageOpener
	pageShell pageShell // handles the requests of pages
	pending   *pending.Operations
	texts     *markdown.Texts
	queue     *queue.Page
	guide     *guide

	news struct { // proposals that other processes added since the user last looked at the queue
		known int // number of proposals when they were last counted; 0 before the first count
		fresh int // number of proposals that were added since the user last looked
	}
	primed   tea.Cmd   // command from Prime that Init returns
	drawn    *tea.View // cached frame; nil if a later message may have changed the screen
	drawnAt  string
	stamp    int64
	quitting bool

	clicked    time.Time // time of the last click on a row
	clickedRow int
}

// resize lays out the screen for the given size.
func (m *Model) resize(width, height int) {
	m.shell.Resize(width, height)
	m.pages.Fit(m.shell.Frame())
}

// retheme redraws the screen after a change of the theme.
func (m *Model) retheme() {
	m.shell.Retheme()
	m.pages.Fit(m.shell.Frame())
}

// Outcomes describes the outcomes of writes that ended after a request to terminate the program.
func (m *Model) Outcomes() []string { return m.writes.Outcomes() }

// Command is a program from the user's configuration. The ! key runs it on the selected proposal or definition.
// Values of the selection replace the placeholders {number}, {id}, and {subject} in its arguments.
type Command struct {
	Name string
	Args []string // program and arguments
}

// selection returns the placeholders for a Command. Each placeholder is followed by its value for the selected
// proposal or definition. selection returns nil if nothing is selected.
func (m *Model) selection() []string {
	switch on := m.pages.Active().(type) {
	case screen.ProposalPage:
		if p, ok := on.Current(); ok {
			return []string{"{number}", strings.TrimPrefix(wording.Reference(p), "#"), "{id}", string(p.ID), "{subject}", p.Subject.String()}
		}
	case screen.EntryPage:
		if e, ok := on.Selected(); ok {
			return []string{"{subject}", e.Subject.String()}
		}
	}
	return nil
}

func (m *Model) cannotRun() string {
	switch {
	case m.cfg.Remote:
		return "programs cannot be run here"
	case len(m.cfg.Commands) == 0:
		return "your toolcrib.toml has no [commands]"
	case m.selection() == nil:
		return "nothing is selected"
	}
	return ""
}

// askCommand runs the configured command on the selection. If several commands are configured, it lets the user
// choose one.
func (m *Model) askCommand() tea.Cmd {
	values := m.selection()
	if len(m.cfg.Commands) == 1 {
		return m.run(m.cfg.Commands[0], values)
	}
	d := screen.Dialog{Form: proposals.Form{Title: "Run a command"}, Content: func(page *prose.Page) {
		for i, c := range m.cfg.Commands {
			page.Item(draw.Of(m.shell.Frame().Theme.Key, draw.Escapef("%d  ", i+1)), c.Name+": "+strings.Join(c.Args, " "))
		}
	}}
	for i, c := range m.cfg.Commands {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{strconv.Itoa(i + 1)}, Label: c.Name, Do: func() tea.Cmd {
			m.shell.CloseDialog()
			return m.run(c, values)
		}})
	}
	return m.shell.Ask(d)
}

// run runs c in the terminal, and then waits until the user presses enter. It replaces placeholders only in
// arguments, and no shell parses the values, so a value cannot change which program runs.
func (m *Model) run(c Command, values []string) tea.Cmd {
	args := make([]string, len(c.Args)-1)
	for i, arg := range c.Args[1:] {
		args[i] = strings.NewReplacer(values...).Replace(arg)
		if len(values) == 2 && (strings.Contains(arg, "{number}") || strings.Contains(arg, "{id}")) {
			return m.shell.Say(screen.Warning, "%s requires a proposal; select a proposal in the queue", c.Name)
		}
	}
	give := m.cfg.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	const waiting = `"$@"; status=$?; printf '\n[enter returns to toolcrib] '; read -r _; exit $status`
	return give(exec.Command("sh", append([]string{"-c", waiting, "sh", c.Args[0]}, args...)...), func(err error) tea.Msg { //nolint:noctx // no timeout: the user ends the program
		if err != nil {
			return screen.Done{Err: fmt.Errorf("%s failed: %w", c.Name, err)}
		}
		return screen.Then{Do: func() tea.Cmd { return tea.Batch(m.shell.Say(screen.Success, "%s ended", c.Name), m.pages.Reload()) }}
	})
}
