package tui

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/setpage"
	"toolcrib/tui/calls"
	"toolcrib/tui/changeset"
	"toolcrib/tui/draw"
	"toolcrib/tui/entries"
	"toolcrib/tui/help"
	"toolcrib/tui/labels"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/subject"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// ToQueue goes to the queue.
func (m host) ToQueue() tea.Cmd {
	m.open(m.queue)
	return nil
}

// Narrow goes to the queue and filters it.
func (m host) Narrow(filter string) tea.Cmd {
	m.open(m.queue)
	return m.list().Narrow(filter)
}

// Fork drafts a tool of the user's own from a core tool.
func (m host) Fork(id string) tea.Cmd {
	return m.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return m.cfg.Fork(ctx, id) }))
}

// Resume opens the dialog of a text that was not sent, on the page of its proposal.
func (m host) Resume(r screen.Resume) tea.Cmd {
	pp := m.newProposal(proposals.Proposal{ID: r.ID})
	pp.Resume(r)
	return m.show(pp)
}

// Drop deletes an unsent text, and then runs a command.
func (m host) Drop(draft string, next tea.Cmd) tea.Cmd { return then(m.dropDraft(draft), next) }

// callDesk is the desk of the page of the calls, nil where nothing can be called.
func (m *shell) callDesk() calls.Desk {
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
	return &page{Page: entries.New(m.ctx, m, m.cfg.Registry, entries.Options{
		Kind: kind, Layer: m.cfg.Layer, NoEditor: m.noEditor, NoExport: m.cannotExport, Restore: m.cfg.Restore,
		Debounced: func(msg tea.Msg) tea.Cmd { return m.after(debounceDelay, msg) },
	})}
}

// OpenEntry shows a tool, an agent or an allow-list.
func (m host) OpenEntry(open screen.Opening) tea.Cmd {
	s := &page{Page: subject.New(m.ctx, m, open, subject.Options{
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
		Shell: m, Desk: m.cfg.Desk, Registry: m.cfg.Registry, Acts: &m.cfg, Actor: m.cfg.Actor, Layer: m.cfg.Layer, HasModel: m.cfg.HasModel,
		Seen: proposal.NewSeen(), Texts: m.texts, Counter: counter, NoEditor: m.noEditor, Busy: m.busy,
		CannotMark: func(p proposals.Proposal) string { return m.list().CannotMark(p) },
		Revision:   func(d review.Dossier) screen.Manuscript { return screen.Manuscript(m.cfg.Revision(d)) },
		KeptIn:     func(file string) string { return m.cfg.KeptIn(filepath.Join(m.cfg.Drafts, file)) },
	}
}

func (m host) newProposal(p proposals.Proposal) *proposal.Page {
	return proposal.New(m.ctx, m.shared, p, m.frame())
}

// Open shows a proposal, in the tab of the one on the screen or in the first.
func (m host) Open(p proposals.Proposal, sameTab bool) tea.Cmd {
	next := m.newProposal(p)
	if on, ok := m.page.Page.(*proposal.Page); ok && sameTab {
		next.Panes = on.Panes
	}
	return m.show(next)
}

// OpenUnseen opens a proposal at its unread parts.
func (m host) OpenUnseen(p proposals.Proposal) tea.Cmd {
	if pp, ok := m.page.Page.(*proposal.Page); ok && pp.ID() == p.ID {
		return pp.Unseen()
	}
	next := m.newProposal(p)
	shown := next.Unseen()
	return tea.Batch(shown, m.show(next))
}

// show opens the page of a proposal, in the place of that of another.
func (m host) show(pp *proposal.Page) tea.Cmd {
	m.proposal = &page{Page: pp}
	if _, other := m.page.Page.(*proposal.Page); other {
		m.page = m.proposal
		return pp.Reload()
	}
	return m.visit(m.proposal)
}

// Mark marks a proposal in the queue, or unmarks it, where no row shows it.
func (m host) Mark(p proposals.Proposal) tea.Cmd {
	m.list().Mark(p)
	said, marks := "unmarked", m.list().Marks
	if marks.Has(p.ID) {
		said = "marked"
	}
	return m.Say(remark, "%s %s. In the queue (Q), a, c or x decides on %s", wording.Reference(p), said, wording.Count(len(marks), "marked proposal", "marked proposals"))
}

// OpenSet opens the page of a proposal's change set, where it has several members and
// all are imported tools; else, and when it is closed, the proposal, in the tab of the
// one on the screen.
func (m host) OpenSet(p proposals.Proposal) tea.Cmd {
	if p.ChangeSet == "" || p.Subject.Kind != registry.KindTool || !p.State.Open() {
		return m.Open(p, true)
	}
	on := m.page
	return func() tea.Msg {
		set, err := m.cfg.Desk.ShowSet(m.ctx, m.cfg.Actor, p.ChangeSet)
		return screen.Then{Do: func() tea.Cmd {
			switch {
			case m.page != on || m.dialog != nil:
				return nil // somebody went elsewhere
			case err != nil || !onePage(set):
				return m.Open(p, true)
			}
			m.showSet(set)
			return nil
		}}
	}
}

// onePage reports whether a change set is read and decided as one page.
func onePage(set review.ChangeSet) bool { return len(set.Members) > 1 && setpage.Fits(set) }

// showSet shows the page of a change set: the one that was opened before, which knows
// what was seen. One set takes the place of another.
func (m host) showSet(set review.ChangeSet) {
	next := m.sets[set.Name]
	for name, other := range m.sets { // the members may have been in another set
		if next == nil && other.Page.(*changeset.Page).Knows(set) {
			next, m.sets[set.Name] = other, other
			delete(m.sets, name)
		}
	}
	if next != nil {
		next.Page.(*changeset.Page).Take(set)
	} else {
		next = &page{Page: changeset.New(m.ctx, m, m.cfg.Desk, changeset.Options{Actor: m.cfg.Actor, Read: m.shared.Seen.Sheet}, set)}
		m.sets[set.Name] = next
	}
	next.Fit(m.frame())
	if m.onSet() != nil {
		m.page = next
		return
	}
	m.open(next)
}

// decidesHere reports whether the page on the screen decides on several proposals.
func (m *pages) decidesHere() bool { return m.page == m.queue || m.onSet() != nil }

// blocksInTheWay lists the first open blocks, and where the others are.
func blocksInTheWay(m *shell, page *prose.Page, d review.Dossier) {
	blocks := review.BlocksByRule(d.Standing)
	for _, s := range blocks[:min(len(blocks), wording.MaxRules)] {
		sign, style := labels.Severity(m.theme, s.Severity)
		page.Item(draw.Of(style, "  "+draw.Pad(sign, 9)), wording.FirstOf(s))
	}
}

// openWord sums up the findings of a proposal that are not waived, the worst
// first.
func openWord(m *shell, d review.Dossier) (draw.Safe, theme.Style) {
	sums := review.OpenByRule(d.Standing)
	if len(sums) == 0 {
		return "no open findings", m.theme.Faint
	}
	_, style := labels.Severity(m.theme, sums[0].Severity)
	var words draw.Safe
	for len(sums) > 0 {
		n := 1
		for n < len(sums) && sums[n].Severity == sums[0].Severity {
			n++
		}
		if words != "" {
			words += "; "
		}
		sign, _ := labels.Severity(m.theme, sums[0].Severity)
		words += sign + " " + draw.Show(wording.Rules(sums[:n]))
		sums = sums[n:]
	}
	return words, style
}

// openHelp lists the keys of the page on the screen, or leaves the help.
func (m *Model) openHelp() tea.Cmd {
	if _, open := m.page.Page.(*help.Page); open {
		return m.back()
	}
	var ids []string
	if pp, ok := m.page.Page.(*proposal.Page); ok {
		ids = pp.Rules()
	}
	var rows []help.Row
	from := m.page.Place()
	for _, t := range []table{{from, m.keysOf(m.page)}, {placeEverywhere, m.global}} {
		for _, k := range t.keys {
			rows = append(rows, help.Row{Place: t.place, Keys: keyNames(k), Help: k.Help, Name: k.Name, Why: k.Why()})
		}
	}
	h := &page{Page: help.New(m.host, from, rows, func(page *prose.Page) {
		for _, id := range ids {
			m.explain(page, id)
		}
	})}
	h.Fit(m.frame())
	m.open(h)
	return nil
}

// keyNames lists the keys of an action.
func keyNames(k screen.Key) string {
	names := make([]string, len(k.Keys))
	for i, n := range k.Keys {
		names[i] = keyName(n)
	}
	return strings.Join(names, " ")
}
