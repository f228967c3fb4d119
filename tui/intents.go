package tui

import (
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/calls"
	"toolcrib/tui/entries"
	"toolcrib/tui/proposal"
	"toolcrib/tui/screen"
	"toolcrib/tui/subject"
	"toolcrib/tui/wording"
)

// carry carries out what a page wants of the workbench, and has its command run.
func (m *Model) carry(intent screen.Intent, cmd tea.Cmd) tea.Cmd {
	switch i := intent.(type) {
	case screen.Say:
		m.status = i
	case *screen.Line:
		m.line = i
	case screen.Dialog:
		return tea.Batch(cmd, m.ask(i))
	case screen.Write:
		return tea.Batch(cmd, m.write(i))
	case screen.OpenEntry:
		return tea.Batch(cmd, m.openEntry(i))
	case screen.Fork:
		return tea.Batch(cmd, m.write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return m.cfg.Fork(ctx, i.ID) })))
	case screen.New:
		m.draftNew()
	case screen.Change:
		return tea.Batch(cmd, m.edit(m.cfg.Draft(i.Subject, &i.Definition, i.Version)))
	case screen.Export:
		return tea.Batch(cmd, m.askExport())
	case screen.Edit:
		return tea.Batch(cmd, m.edit(Manuscript(i)))
	case screen.Resume:
		pp := m.newProposal(proposals.Proposal{ID: i.ID})
		pp.Resume(i)
		return tea.Batch(cmd, m.show(pp))
	case screen.Drop:
		return then(m.dropDraft(i.Draft), cmd)
	case screen.Narrow:
		m.open(m.queue)
		return tea.Batch(cmd, m.list().Narrow(i.Filter))
	case screen.ToQueue:
		m.open(m.queue)
	case screen.Several:
		for _, one := range i {
			cmd = m.carry(one, cmd)
		}
	case screen.Open:
		return tea.Batch(cmd, m.openProposal(i.Proposal, i.SameTab))
	case screen.OpenSet:
		return tea.Batch(cmd, m.openSet(i.Proposal))
	case screen.OpenUnseen:
		return tea.Batch(cmd, m.openUnseen(i.Proposal))
	case screen.Mark:
		m.mark(i.Proposal)
	case screen.Start:
		return tea.Batch(cmd, m.start(i.Title, i.Job))
	case screen.OpenWaiting:
		return tea.Batch(cmd, m.nextWaiting())
	case screen.Decide:
		return tea.Batch(cmd, m.readBatch(i.Act, i.Proposals))
	case screen.Divide:
		return tea.Batch(cmd, m.divided(i.Division))
	}
	return cmd
}

// action is an act of the workbench itself on a key.
func (m *Model) action(do func(*Model) tea.Cmd) screen.Action {
	return func() (screen.Intent, tea.Cmd) { return nil, do(m) }
}

// answered is an act of the workbench itself on an approval of a dialog.
func (m *Model) answered(run func(m *Model, text string) tea.Cmd) func(string) (screen.Intent, tea.Cmd) {
	return func(text string) (screen.Intent, tea.Cmd) { return nil, run(m, text) }
}

// callDesk is the desk of the page of the calls, nil where nothing can be called.
func (m *Model) callDesk() calls.Desk {
	if m.cfg.Calls == nil {
		return nil
	}
	return &m.cfg
}

// debounceDelay is how long a row has to be selected before the pane beside a list reads
// it.
const debounceDelay = 120 * time.Millisecond

// newEntries returns a page of live definitions.
func (m *Model) newEntries(kind registry.Kind) *page {
	return &page{Page: entries.New(m.ctx, m.cfg.Registry, entries.Options{
		Kind: kind, Layer: m.cfg.Layer, NoEditor: m.noEditor, NoExport: m.cannotExport,
		Debounced: func(msg tea.Msg) tea.Cmd { return m.after(debounceDelay, msg) },
	})}
}

// openEntry shows a tool, an agent or an allow-list.
func (m *Model) openEntry(open screen.OpenEntry) tea.Cmd {
	s := &page{Page: subject.New(m.ctx, open, subject.Options{
		Registry: m.cfg.Registry, Desk: m.cfg.Desk, Layer: m.cfg.Layer, NoEditor: m.noEditor, Restore: m.cfg.Restore,
	})}
	s.Fit(m.frame())
	return m.visit(s)
}

// proposalOptions configure the pages of proposals, which share the record of seen
// parts.
func (m *Model) proposalOptions() proposal.Options {
	counter := m.cfg.Counter
	if counter == nil {
		counter = tokens.NewCounter()
	}
	return proposal.Options{
		Desk: m.cfg.Desk, Registry: m.cfg.Registry, Acts: &m.cfg, Actor: m.cfg.Actor, Layer: m.cfg.Layer, HasModel: m.cfg.HasModel,
		Seen: proposal.NewSeen(), Texts: m.texts, Counter: counter, NoEditor: m.noEditor, Busy: m.busy,
		CannotMark: func(p proposals.Proposal) string { return m.list().CannotMark(p) },
		Revision:   func(d review.Dossier) screen.Edit { return screen.Edit(m.cfg.Revision(d)) },
		KeptIn:     func(file string) string { return m.cfg.KeptIn(filepath.Join(m.cfg.Drafts, file)) },
	}
}

func (m *Model) newProposal(p proposals.Proposal) *proposal.Page {
	return proposal.New(m.ctx, m.shared, p, m.frame())
}

// openProposal shows a proposal, in the tab of the one on the screen or in the first.
func (m *Model) openProposal(p proposals.Proposal, sameTab bool) tea.Cmd {
	next := m.newProposal(p)
	if on, ok := m.page.Page.(*proposal.Page); ok && sameTab {
		next.Panes = on.Panes
	}
	return m.show(next)
}

// openUnseen opens a proposal at its unread parts.
func (m *Model) openUnseen(p proposals.Proposal) tea.Cmd {
	if pp, ok := m.page.Page.(*proposal.Page); ok && pp.ID() == p.ID {
		return m.carry(pp.Unseen())
	}
	next := m.newProposal(p)
	shown := m.carry(next.Unseen())
	return tea.Batch(shown, m.show(next))
}

// show opens the page of a proposal, in the place of that of another.
func (m *Model) show(pp *proposal.Page) tea.Cmd {
	m.proposal = &page{Page: pp}
	if _, other := m.page.Page.(*proposal.Page); other {
		m.page = m.proposal
		return pp.Reload()
	}
	return m.visit(m.proposal)
}

// mark marks a proposal in the queue, or unmarks it, where no row shows it.
func (m *Model) mark(p proposals.Proposal) {
	m.list().Mark(p)
	said, marks := "unmarked", m.list().Marks
	if marks.Has(p.ID) {
		said = "marked"
	}
	m.say(remark, "%s %s. In the queue (Q), a, c or x decides on %s", wording.Reference(p), said, wording.Count(len(marks), "marked proposal", "marked proposals"))
}
