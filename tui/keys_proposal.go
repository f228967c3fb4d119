package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// inTab reports whether one of some tabs of a proposal is on the screen.
func inTab(tabs ...int) func(*Model) bool {
	return ask(func(pp *proposalPage, _ *Model) bool { return slices.Contains(tabs, pp.Tab) })
}

// inState reports whether a proposal is in one of some states.
func inState(states ...proposals.State) func(*Model) bool {
	return ask(func(pp *proposalPage, _ *Model) bool {
		return pp.loaded && slices.Contains(states, pp.dossier.Proposal.State)
	})
}

func proposalKeys() []key {
	keys := []key{
		{name: "go", keys: []string{"enter"}, label: "show", here: ask((*proposalPage).canFollow), help: "Show the selected finding or comment in the diff, or in its tab; open the selected version", do: on((*proposalPage).follow), off: ask((*proposalPage).nothingSelected), picks: true},
		{name: "waive", keys: []string{"W"}, label: "waive", here: ask((*proposalPage).canWaive), help: "Waive the selected finding with a reason", do: on((*proposalPage).askWaive), off: ask((*proposalPage).cannotWaive)},
		{name: "undo", keys: []string{"U"}, label: "undo", here: ask((*proposalPage).canUndo), help: "End the selected waiver; draft a rejected or withdrawn proposal again", do: on((*proposalPage).undo), off: ask((*proposalPage).cannotUndo)},
		{name: "comment-line", keys: []string{";"}, label: "comment", here: inTab(tabDiff), help: "Choose a line of the diff and comment on it", do: on((*proposalPage).remark), off: ask((*proposalPage).cannotRemark), picks: true},
		{name: "split", keys: []string{"s"}, label: "split", here: inTab(tabDiff), help: "Switch between side by side and unified", do: on((*proposalPage).switchSplit), off: ask((*proposalPage).cannotSplit)},
		{name: "whole", keys: []string{"E"}, label: "whole", here: inTab(tabDiff), help: "Switch between whole texts and changes only", do: on((*proposalPage).switchContext), off: ask((*proposalPage).cannotWiden)},
		{name: "against", keys: []string{"b"}, label: "base", here: inTab(tabDiff, tabHistory), help: "Compare with the base, the live version or an earlier revision; in the history, mark a version", do: on((*proposalPage).nextBase), off: ask((*proposalPage).cannotCompare)},
		{name: "next-prompt", keys: []string{"]"}, label: "channel", here: inTab(tabPrompt), help: "Show the next channel prompt", do: on(func(pp *proposalPage, m *Model) tea.Cmd { return pp.nextPrompt(m, 1) }), off: ask((*proposalPage).noPrompts)},
		{name: "previous-prompt", keys: []string{"["}, help: "Show the previous channel prompt", do: on(func(pp *proposalPage, m *Model) tea.Cmd { return pp.nextPrompt(m, -1) }), off: ask((*proposalPage).noPrompts)},
		{name: "prompt-view", keys: []string{"p"}, label: "view", here: inTab(tabPrompt), help: "Switch between the prompt's diff, after and now", do: on((*proposalPage).nextPromptView), off: ask((*proposalPage).noPrompts)},
		{name: "rendered", keys: []string{"r"}, label: "raw", here: inTab(tabPrompt), help: "Switch between rendered and raw Markdown", do: on((*proposalPage).switchRendered), off: ask((*proposalPage).cannotRender)},
		{name: "ask-model", keys: []string{"t"}, label: "ask the model", here: inTab(tabTests), help: "Run the test cases on the configured model, with both versions; esc cancels", do: on((*proposalPage).askModel), off: ask((*proposalPage).cannotAskModel)},
		{name: "submit", keys: []string{"S"}, label: "submit", here: inState(proposals.Drafted), help: "Submit the draft", do: askSimple(proposals.ActSubmit), off: ask((*proposalPage).cannotSubmit)},
		{name: "rebase", keys: []string{"R"}, label: "rebase", here: ask((*proposalPage).stale), help: "Rebase it on the live version", do: askSimple(proposals.ActRebase), off: cannotAct(proposals.ActRebase)},
		{name: "approve", keys: []string{"a"}, label: "approve", late: ask((*proposalPage).notMyTurn), help: "Approve it and make it live", do: on((*proposalPage).askApprove), off: ask((*proposalPage).cannotApprove)},
		{name: "needs-changes", keys: []string{"c"}, label: "send back", late: ask((*proposalPage).notMyTurn), help: "Send it back to its author with a reason", do: askReason(proposals.ActRequestChanges), off: cannotAct(proposals.ActRequestChanges)},
		{name: "reject", keys: []string{"x"}, label: "reject", late: ask((*proposalPage).notMyTurn), help: "Reject it with a reason", do: askReason(proposals.ActReject), off: cannotAct(proposals.ActReject)},
		{name: "next-unseen", keys: []string{"u"}, label: "unseen", help: "Go to the next change you have not seen", do: on((*proposalPage).nextUnseen), off: ask((*proposalPage).nothingUnseen)},
		{name: "fold", keys: []string{"F"}, label: "fold", here: inTab(tabDiff), help: "Fold or unfold the findings and comments in the diff", do: on((*proposalPage).foldNotes), off: ask((*proposalPage).nothingToFold)},
		{name: "next-tab", keys: []string{"tab"}, label: "switch", help: "Show the next tab", do: proposalTab(1)},
		{name: "previous-tab", keys: []string{"shift+tab"}, help: "Show the previous tab", do: proposalTab(-1)},
		{name: "next-waiting", keys: []string{"."}, label: "next", help: "Open the next one that waits for you, in queue order", do: (*Model).nextWaiting},
		{name: "comment", keys: []string{"C"}, label: "comment overall", help: "Write a comment", do: on((*proposalPage).askComment), off: cannotAct(proposals.ActComment)},
		{name: "revise", keys: []string{"e"}, label: "revise", help: "Revise it in the editor", do: on((*proposalPage).reviseCurrent), off: ask((*proposalPage).cannotRevise)},
		{name: "withdraw", keys: []string{"X"}, help: "Withdraw it", do: askSimple(proposals.ActWithdraw), off: cannotAct(proposals.ActWithdraw)},
		{name: "assess-again", keys: []string{"ctrl+r"}, label: "review again", here: ask(func(pp *proposalPage, _ *Model) bool { return pp.loaded && pp.outdated() }), help: "Run the built-in review again", do: on(func(pp *proposalPage, m *Model) tea.Cmd { return m.simple(proposals.ActAssess, pp.id) }), off: ask((*proposalPage).cannotReassess)},
		{name: "mark-read", keys: []string{"+"}, help: "Toggle its mark in the queue", do: on((*proposalPage).mark), off: ask((*proposalPage).cannotMark)},
		{name: "next-member", keys: []string{"M"}, label: "next member", here: ask(func(pp *proposalPage, m *Model) bool { return pp.noMembers(m) == "" }), help: "Open the next member of its change set", do: on((*proposalPage).nextMember), off: ask((*proposalPage).noMembers)},
		{name: "copy-id", keys: []string{"y"}, help: "Copy the id", do: on((*proposalPage).copyID)},
		{name: "copy-diff", keys: []string{"Y"}, help: "Copy the diff", do: on((*proposalPage).copyDiff), off: ask((*proposalPage).noDiff)},
	}
	for i, name := range []string{"overview", "diff", "assessment", "prompt", "thread", "history", "tests"} {
		keys = append(keys, key{name: "tab-" + name, keys: []string{itoa(i + 1)}, help: "Show the tab " + strings.ToUpper(name[:1]) + name[1:], do: showTab(i)})
	}
	return slices.Concat(keys, paneKeys(), textKeys())
}

func proposalTab(step int) func(*Model) tea.Cmd {
	return on(func(pp *proposalPage, m *Model) tea.Cmd {
		return pp.turn(m, (pp.Tab+step+tabCount)%tabCount)
	})
}

func showTab(n int) func(*Model) tea.Cmd {
	return on(func(pp *proposalPage, m *Model) tea.Cmd { return pp.turn(m, n) })
}

// nextMember opens the next proposal of the change set, in the same tab.
func (pp *proposalPage) nextMember(m *Model) tea.Cmd {
	members := pp.dossier.Members
	for i, p := range members {
		if p.ID == pp.id {
			next := m.newProposalPage(members[(i+1)%len(members)])
			next.Panes = pp.Panes
			return m.show(next)
		}
	}
	return nil
}

func (pp *proposalPage) noMembers(m *Model) string {
	if len(pp.dossier.Members) < 2 {
		return "it is the only member of its change set"
	}
	return ""
}

func (pp *proposalPage) noDiff(m *Model) string {
	switch {
	case pp.Tab != tabDiff && pp.Tab != tabPrompt && pp.Tab != tabTests:
		return "only on the Diff tab"
	case pp.list == nil:
		return "the diff is still loading"
	}
	return ""
}

// cannotSplit is noDiff, or why both sides would look the same.
func (pp *proposalPage) cannotSplit(m *Model) string {
	if why := pp.noDiff(m); why != "" {
		return why
	}
	if added, removed := pp.list.Changed(); pp.Tab == tabDiff && (added == 0 || removed == 0) {
		return "the diff has only one side"
	}
	return ""
}

// cannotWiden is noDiff, or why nothing more can be shown.
func (pp *proposalPage) cannotWiden(m *Model) string {
	if why := pp.noDiff(m); why != "" {
		return why
	}
	if pp.made.from == isNew {
		return "everything is new, so all of it is shown"
	}
	return ""
}

func (pp *proposalPage) stale(*Model) bool { return pp.loaded && pp.dossier.Proposal.Stale() }

func (pp *proposalPage) switchSplit(m *Model) tea.Cmd {
	pp.split = !pp.split
	pp.pagers[tabDiff].Replace(pp.list.Rows(m.theme, pp.split))
	pp.pagers[tabTests].Replace(pp.tests(m))
	pp.showPrompt(m)
	return nil
}

func (pp *proposalPage) switchContext(m *Model) tea.Cmd {
	if pp.context == difflist.Everything {
		pp.context = difflist.DefaultContext
	} else {
		pp.context = difflist.Everything
	}
	return pp.compare(m)
}

// cannotCompare is noDiff, except in the history, where two versions are picked
// to be compared.
func (pp *proposalPage) cannotCompare(m *Model) string {
	if pp.Tab != tabHistory {
		return pp.noDiff(m)
	}
	if pp.shown().Stop() < 0 {
		return "nothing is listed"
	}
	return ""
}

func (pp *proposalPage) nextBase(m *Model) tea.Cmd {
	if pp.Tab == tabHistory {
		var said screen.Intent
		pp.marked, said = screen.MarkVersion(pp.marked, pp.versions[pp.shown().Stop()].Number)
		pp.pagers[tabHistory].Replace(pp.history(m))
		return m.carry(said, nil)
	}
	pp.against = (pp.against + 1) % len(pp.bases())
	if len(pp.bases()) == 1 {
		m.say(remark, "Nothing else to compare with")
	}
	return pp.compare(m)
}

// nextUnseen goes to what has to be on the screen before an approval.
func (pp *proposalPage) nextUnseen(m *Model) tea.Cmd {
	r := m.reading[pp.id]
	if pp.against != 0 {
		pp.against = 0
		return pp.compare(m)
	}
	if row, ok := r.list.FirstUnseen(r.pager, pp.split, 0); ok {
		pp.turn(m, tabDiff)
		r.pager.Reveal(r.list.Placed(row, pp.split))
		return nil
	}
	for i, s := range pp.dossier.Standing {
		if !clean(s.Passage) && !r.sawPassage(s) {
			return pp.showFinding(m, i)
		}
	}
	return nil
}

func (pp *proposalPage) nothingUnseen(m *Model) string {
	r := m.reading[pp.id]
	switch {
	case r == nil || r.list == nil:
		return "the diff is still loading"
	case !pp.dossier.Proposal.State.Open():
		return wording.Standing(pp.dossier.Proposal.State)
	case r.seenAll():
		return "you've seen every change"
	}
	return ""
}

// follow goes where the selected row leads.
func (pp *proposalPage) follow(m *Model) tea.Cmd {
	n := pp.shown().Stop()
	switch pp.Tab {
	case tabDiff:
		if note, ok := pp.noteHere(); ok {
			return pp.followNote(m, note)
		}
		return pp.remarkHere(m)
	case tabThread:
		return pp.followComment(m)
	case tabHistory:
		return m.openEntry(screen.OpenEntry{Entry: Entry{Subject: pp.dossier.Proposal.Subject}, Compare: screen.Between(pp.versions, n, pp.marked)})
	}
	f := pp.dossier.Standing[n]
	pp.leap(pp.Tab)
	return pp.showLine(m, f.Path, f.Line)
}

func (pp *proposalPage) nothingSelected(m *Model) string {
	_, picking := pp.shown().Picked()
	_, onNote := pp.noteHere()
	switch {
	case pp.Tab == tabDiff && (picking || onNote):
		return ""
	case (pp.Tab == tabOverview || pp.Tab == tabAssessment) && len(pp.dossier.Standing) == 0:
		return "there are no findings"
	case pp.Tab == tabDiff || pp.Tab == tabPrompt || pp.Tab == tabTests:
		return "nothing on this tab can be opened"
	case pp.shown().Stop() < 0:
		return "nothing is listed"
	}
	return ""
}

func (pp *proposalPage) copyDiff(m *Model) tea.Cmd {
	m.say(success, "Copied the diff")
	return tea.SetClipboard(pp.list.String())
}

func (pp *proposalPage) copyID(m *Model) tea.Cmd {
	p, ok := pp.current()
	if !ok {
		return nil
	}
	m.say(success, "Copied %s", p.ID)
	return tea.SetClipboard(string(p.ID))
}

func (pp *proposalPage) cannotMark(m *Model) string {
	p, _ := pp.current()
	return m.list().CannotMark(p)
}

// mark marks the proposal, or unmarks it, where no row shows it.
func (pp *proposalPage) mark(m *Model) tea.Cmd {
	p, _ := pp.current()
	m.list().Mark(p)
	said, marks := "unmarked", m.list().Marks
	if marks.Has(p.ID) {
		said = "marked"
	}
	m.say(remark, "%s %s. In the queue (Q), a, c or x decides on %s", wording.Reference(p), said, wording.Count(len(marks), "marked proposal", "marked proposals"))
	return nil
}
