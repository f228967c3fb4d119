package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/calls"
	"toolcrib/tui/entries"
	"toolcrib/tui/screen"
	"toolcrib/tui/subject"
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
		pp := m.newProposalPage(proposals.Proposal{ID: i.ID})
		pp.resume = &i
		return tea.Batch(cmd, m.show(pp))
	case screen.Drop:
		return then(m.dropDraft(i.Draft), cmd)
	case screen.ToQueue:
		m.open(m.queue)
	case screen.Several:
		for _, one := range i {
			cmd = m.carry(one, cmd)
		}
	case screen.Open:
		return tea.Batch(cmd, m.openProposal(i.Proposal))
	case screen.OpenWaiting:
		return tea.Batch(cmd, m.nextWaiting())
	case screen.Decide:
		return tea.Batch(cmd, m.readBatch(i.Act, i.Proposals))
	case screen.Divide:
		return tea.Batch(cmd, m.divided(i.Division))
	}
	return cmd
}

// action is what the workbench itself does at a key.
func (m *Model) action(do func(*Model) tea.Cmd) screen.Action {
	return func() (screen.Intent, tea.Cmd) { return nil, do(m) }
}

// answered is what the workbench itself does at a yes.
func (m *Model) answered(run func(m *Model, text string) tea.Cmd) func(string) (screen.Intent, tea.Cmd) {
	return func(text string) (screen.Intent, tea.Cmd) { return nil, run(m, text) }
}

// callDesk is what the page of the calls acts on, nil where nothing can be called.
func (m *Model) callDesk() calls.Desk {
	if m.cfg.Calls == nil {
		return nil
	}
	return &m.cfg
}

// debounceDelay is how long a row has to be selected before the pane beside a list reads
// it.
const debounceDelay = 120 * time.Millisecond

// newEntries returns a page of what is live.
func (m *Model) newEntries(kind registry.Kind) *component {
	return &component{of: entries.New(m.ctx, m.cfg.Registry, entries.Options{
		Kind: kind, Layer: m.cfg.Layer, NoEditor: m.noEditor, NoExport: m.cannotExport,
		Debounced: func(msg tea.Msg) tea.Cmd { return m.after(debounceDelay, msg) },
	})}
}

// openEntry shows a tool, an agent or an allow-list.
func (m *Model) openEntry(open screen.OpenEntry) tea.Cmd {
	s := &component{of: subject.New(m.ctx, open, subject.Options{
		Registry: m.cfg.Registry, Desk: m.cfg.Desk, Layer: m.cfg.Layer, NoEditor: m.noEditor, Restore: m.cfg.Restore,
	})}
	s.resize(m)
	return m.visit(s)
}
