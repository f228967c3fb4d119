package proposal

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// inTab reports whether one of some tabs is on the screen.
func (pp *Page) inTab(tabs ...int) func() bool {
	return func() bool { return slices.Contains(tabs, pp.Tab) }
}

// inState reports whether the proposal is in one of some states.
func (pp *Page) inState(states ...proposals.State) func() bool {
	return func() bool { return pp.loaded && slices.Contains(states, pp.dossier.Proposal.State) }
}

// Keys implements screen.Page.
func (pp *Page) Keys() []screen.Key {
	openWaiting := func() tea.Cmd { return pp.Shell.OpenWaiting() }
	keys := []screen.Key{
		{Name: "go", Keys: []string{"enter"}, Label: "show", Here: pp.canFollow, Help: "Show the selected finding or comment in the diff, or in its tab; open the selected version", Do: pp.follow, Off: pp.nothingSelected, Picks: true},
		{Name: "waive", Keys: []string{"W"}, Label: "waive", Here: pp.canWaive, Help: "Waive the selected finding with a reason", Do: pp.askWaive, Off: pp.cannotWaive},
		{Name: "undo", Keys: []string{"U"}, Label: "undo", Here: pp.canUndo, Help: "End the selected waiver; draft a rejected or withdrawn proposal again", Do: pp.undo, Off: pp.cannotUndo},
		{Name: "comment-line", Keys: []string{";"}, Label: "comment", Here: pp.inTab(tabDiff), Help: "Choose a line of the diff and comment on it", Do: pp.remark, Off: pp.cannotRemark, Picks: true},
		{Name: "split", Keys: []string{"s"}, Label: "split", Here: pp.inTab(tabDiff), Help: "Switch between side by side and unified", Do: pp.switchSplit, Off: pp.cannotSplit},
		{Name: "whole", Keys: []string{"E"}, Label: "whole", Here: pp.inTab(tabDiff), Help: "Switch between whole texts and changes only", Do: pp.switchContext, Off: pp.cannotWiden},
		{Name: "against", Keys: []string{"b"}, Label: "base", Here: pp.inTab(tabDiff, tabHistory), Help: "Compare with the base, the live version or an earlier revision; in the history, mark a version", Do: pp.nextBase, Off: pp.cannotCompare},
		{Name: "next-prompt", Keys: []string{"]"}, Label: "channel", Here: pp.inTab(tabPrompt), Help: "Show the next channel prompt", Do: func() tea.Cmd { return pp.nextPrompt(1) }, Off: pp.noPrompts},
		{Name: "previous-prompt", Keys: []string{"["}, Help: "Show the previous channel prompt", Do: func() tea.Cmd { return pp.nextPrompt(-1) }, Off: pp.noPrompts},
		{Name: "prompt-view", Keys: []string{"p"}, Label: "view", Here: pp.inTab(tabPrompt), Help: "Switch between the prompt's diff, after and now", Do: pp.nextPromptView, Off: pp.noPrompts},
		{Name: "rendered", Keys: []string{"r"}, Label: "raw", Here: pp.inTab(tabPrompt), Help: "Switch between rendered and raw Markdown", Do: pp.switchRendered, Off: pp.cannotRender},
		{Name: "ask-model", Keys: []string{"t"}, Label: "ask the model", Here: pp.inTab(tabTests), Help: "Run the test cases on the configured model, with both versions; esc cancels", Do: pp.askModel, Off: pp.cannotAskModel},
		{Name: "submit", Keys: []string{"S"}, Label: "submit", Here: pp.inState(proposals.Drafted), Help: "Submit the draft", Do: pp.askSimple(proposals.ActSubmit), Off: pp.cannotSubmit},
		{Name: "rebase", Keys: []string{"R"}, Label: "rebase", Here: pp.stale, Help: "Rebase it on the live version", Do: pp.askSimple(proposals.ActRebase), Off: pp.cannotAct(proposals.ActRebase)},
		{Name: "approve", Keys: []string{"a"}, Label: "approve", Late: pp.notMyTurn, Help: "Approve it and make it live", Do: pp.askApprove, Off: pp.cannotApprove},
		{Name: "needs-changes", Keys: []string{"c"}, Label: "send back", Late: pp.notMyTurn, Help: "Send it back to its author with a reason", Do: pp.askReason(proposals.ActRequestChanges), Off: pp.cannotAct(proposals.ActRequestChanges)},
		{Name: "reject", Keys: []string{"x"}, Label: "reject", Late: pp.notMyTurn, Help: "Reject it with a reason", Do: pp.askReason(proposals.ActReject), Off: pp.cannotAct(proposals.ActReject)},
		{Name: "next-unseen", Keys: []string{"u"}, Label: "unseen", Help: "Go to the next change you have not seen", Do: pp.nextUnseen, Off: pp.nothingUnseen},
		{Name: "fold", Keys: []string{"F"}, Label: "fold", Here: pp.inTab(tabDiff), Help: "Fold or unfold the findings and comments in the diff", Do: pp.foldNotes, Off: pp.nothingToFold},
		{Name: "next-tab", Keys: []string{"tab"}, Label: "switch", Help: "Show the next tab", Do: pp.nextTab(1)},
		{Name: "previous-tab", Keys: []string{"shift+tab"}, Help: "Show the previous tab", Do: pp.nextTab(-1)},
		{Name: "next-waiting", Keys: []string{"."}, Label: "next", Help: "Open the next one that waits for you, in queue order", Do: openWaiting},
		{Name: "comment", Keys: []string{"C"}, Label: "comment overall", Help: "Write a comment", Do: pp.askComment, Off: pp.cannotAct(proposals.ActComment)},
		{Name: "revise", Keys: []string{"e"}, Label: "revise", Help: "Revise it in the editor", Do: pp.revise, Off: pp.cannotRevise},
		{Name: "withdraw", Keys: []string{"X"}, Help: "Withdraw it", Do: pp.askSimple(proposals.ActWithdraw), Off: pp.cannotAct(proposals.ActWithdraw)},
		{Name: "assess-again", Keys: []string{"ctrl+r"}, Label: "review again", Here: func() bool { return pp.loaded && pp.outdated() }, Help: "Run the built-in review again", Do: func() tea.Cmd { return pp.simple(proposals.ActAssess) }, Off: pp.cannotReassess},
		{Name: "mark-read", Keys: []string{"+"}, Help: "Toggle its mark in the queue", Do: pp.mark, Off: pp.cannotMark},
		{Name: "next-member", Keys: []string{"M"}, Label: "next member", Here: func() bool { return pp.noMembers() == "" }, Help: "Open the next member of its change set", Do: pp.nextMember, Off: pp.noMembers},
		{Name: "copy-id", Keys: []string{"y"}, Help: "Copy the id", Do: pp.copyID},
		{Name: "copy-diff", Keys: []string{"Y"}, Help: "Copy the diff", Do: pp.copyDiff, Off: pp.noDiff},
	}
	for i, name := range []string{"overview", "diff", "assessment", "prompt", "thread", "history", "tests"} {
		keys = append(keys, screen.Key{Name: "tab-" + name, Keys: []string{strconv.Itoa(i + 1)}, Help: "Show the tab " + strings.ToUpper(name[:1]) + name[1:], Do: func() tea.Cmd { return pp.turn(i) }})
	}
	return slices.Concat(keys, screen.PaneKeys(pp.Shell, pp), screen.TextKeys(pp.Shell, pp))
}

// nextTab gives the tab so many further on the keys.
func (pp *Page) nextTab(step int) func() tea.Cmd {
	return func() tea.Cmd { return pp.turn((pp.Tab + step + tabCount) % tabCount) }
}

// nextMember opens the next proposal of the change set, in the same tab.
func (pp *Page) nextMember() tea.Cmd {
	members := pp.dossier.Members
	for i, p := range members {
		if p.ID == pp.id {
			return pp.Shell.Open(members[(i+1)%len(members)], true)
		}
	}
	return nil
}

func (pp *Page) noMembers() string {
	if len(pp.dossier.Members) < 2 {
		return "it is the only member of its change set"
	}
	return ""
}

func (pp *Page) noDiff() string {
	switch {
	case pp.Tab != tabDiff && pp.Tab != tabPrompt && pp.Tab != tabTests:
		return "only on the Diff tab"
	case pp.list == nil:
		return "the diff is still loading"
	}
	return ""
}

// cannotSplit is noDiff, or why both sides would look the same.
func (pp *Page) cannotSplit() string {
	if why := pp.noDiff(); why != "" {
		return why
	}
	if added, removed := pp.list.Changed(); pp.Tab == tabDiff && (added == 0 || removed == 0) {
		return "the diff has only one side"
	}
	return ""
}

// cannotWiden is noDiff, or why nothing more can be shown.
func (pp *Page) cannotWiden() string {
	if why := pp.noDiff(); why != "" {
		return why
	}
	if pp.made.from == isNew {
		return "everything is new, so all of it is shown"
	}
	return ""
}

func (pp *Page) stale() bool { return pp.loaded && pp.dossier.Proposal.Stale() }

func (pp *Page) switchSplit() tea.Cmd {
	pp.split = !pp.split
	pp.pagers[tabDiff].Replace(pp.list.Rows(pp.frame.Theme, pp.split))
	pp.pagers[tabTests].Replace(pp.tests())
	pp.showPrompt()
	return nil
}

func (pp *Page) switchContext() tea.Cmd {
	if pp.context == difflist.Everything {
		pp.context = difflist.DefaultContext
	} else {
		pp.context = difflist.Everything
	}
	return pp.compare()
}

// cannotCompare is noDiff, except in the history, where two versions are picked
// to be compared.
func (pp *Page) cannotCompare() string {
	if pp.Tab != tabHistory {
		return pp.noDiff()
	}
	if pp.Shown().Stop() < 0 {
		return "nothing is listed"
	}
	return ""
}

func (pp *Page) nextBase() tea.Cmd {
	if pp.Tab == tabHistory {
		var said tea.Cmd
		pp.marked, said = screen.MarkVersion(pp.Shell, pp.marked, pp.versions[pp.Shown().Stop()].Number)
		pp.pagers[tabHistory].Replace(pp.history())
		return said
	}
	pp.against = (pp.against + 1) % len(pp.bases())
	if len(pp.bases()) == 1 {
		pp.Shell.Say(screen.Remark, "Nothing else to compare with")
	}
	return pp.compare()
}

// nextUnseen goes to the next part that has to be read before an approval.
func (pp *Page) nextUnseen() tea.Cmd {
	r := pp.Seen.of[pp.id]
	if pp.against != 0 {
		pp.against = 0
		return pp.compare()
	}
	if row, ok := r.list.FirstUnseen(r.pager, pp.split, 0); ok {
		pp.turn(tabDiff)
		r.pager.Reveal(r.list.Placed(row, pp.split))
		return nil
	}
	for i, s := range pp.dossier.Standing {
		if !visible.Clean(s.Passage) && !r.sawPassage(s) {
			return pp.showFinding(i)
		}
	}
	return nil
}

func (pp *Page) nothingUnseen() string {
	r := pp.Seen.of[pp.id]
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
func (pp *Page) follow() tea.Cmd {
	n := pp.Shown().Stop()
	switch pp.Tab {
	case tabDiff:
		if note, ok := pp.noteHere(); ok {
			return pp.followNote(note)
		}
		return pp.remarkHere()
	case tabThread:
		return pp.followComment()
	case tabHistory:
		return pp.Shell.OpenEntry(screen.Opening{Entry: screen.Entry{Subject: pp.dossier.Proposal.Subject}, Compare: screen.Between(pp.versions, n, pp.marked)})
	}
	f := pp.dossier.Standing[n]
	pp.leap(pp.Tab)
	return pp.showLine(f.Path, f.Line)
}

func (pp *Page) nothingSelected() string {
	_, picking := pp.Shown().Picked()
	_, onNote := pp.noteHere()
	switch {
	case pp.Tab == tabDiff && (picking || onNote):
		return ""
	case (pp.Tab == tabOverview || pp.Tab == tabAssessment) && len(pp.dossier.Standing) == 0:
		return "there are no findings"
	case pp.Tab == tabDiff || pp.Tab == tabPrompt || pp.Tab == tabTests:
		return "nothing on this tab can be opened"
	case pp.Shown().Stop() < 0:
		return "nothing is listed"
	}
	return ""
}

func (pp *Page) copyDiff() tea.Cmd {
	pp.Shell.Say(screen.Success, "Copied the diff")
	return tea.SetClipboard(pp.list.String())
}

func (pp *Page) copyID() tea.Cmd {
	p, ok := pp.Current()
	if !ok {
		return nil
	}
	pp.Shell.Say(screen.Success, "Copied %s", p.ID)
	return tea.SetClipboard(string(p.ID))
}

func (pp *Page) cannotMark() string { return pp.CannotMark(pp.dossier.Proposal) }

// mark marks the proposal in the queue, or unmarks it.
func (pp *Page) mark() tea.Cmd {
	return pp.Shell.Mark(pp.dossier.Proposal)
}

// revise opens the current revision in the editor, or the text of an earlier
// attempt.
func (pp *Page) revise() tea.Cmd {
	return pp.Shell.Edit(pp.Revision(pp.dossier))
}

// Reasons why a key of a proposal has no effect now, shown when it is pressed.

// cannotAct returns why the user cannot do an act, by the tables of authority and
// of states.
func (pp *Page) cannotAct(act proposals.Act) func() string {
	return func() string {
		if !pp.loaded {
			return "it is still loading"
		}
		return wording.Cannot(pp.Actor, act, pp.dossier.Proposal)
	}
}

// notMyTurn reports whether the open proposal waits for nobody's decision.
func (pp *Page) notMyTurn() bool {
	return pp.loaded && pp.dossier.Proposal.State != proposals.UserReview
}

func (pp *Page) cannotApprove() string {
	if !pp.loaded {
		return "it is still loading"
	}
	if why := wording.Obstacles(pp.dossier, wording.Ways{Rebase: "; R rebases it"}); len(why) > 0 {
		if pp.outdated() && pp.cannotReassess() == "" {
			return "the rules or settings changed since its review; ctrl+r reviews it again"
		}
		// It has no obstacle of its own where another member of its set is in the way.
		if own := pp.dossier.Obstacles; len(own) > 0 && errors.Is(own[0], review.ErrBlocked) {
			them := "it"
			if pp.dossier.Proposal.Summary.Blocks > 1 {
				them = "them"
			}
			return why[0] + ". Waive " + them + " (3, W) or send it back (c)"
		}
		return why[0]
	}
	return ""
}

// outdated reports whether all that is in the way is an assessment by other
// rules than those in force.
func (pp *Page) outdated() bool {
	o := pp.dossier.Obstacles
	return len(o) == 1 && errors.Is(o[0], review.ErrOutdated) && pp.dossier.Assessment() != nil && pp.dossier.Proposal.State == proposals.UserReview
}

func (pp *Page) cannotReassess() string {
	if !pp.loaded {
		return "it is still loading"
	}
	state := pp.dossier.Proposal.State
	if _, err := proposals.Next(state, proposals.ActAssess); err != nil {
		return wording.Standing(state)
	}
	return ""
}

func (pp *Page) cannotWaive() string {
	s, ok := pp.selectedFinding()
	switch {
	case !pp.loaded:
		return "it is still loading"
	case !ok:
		return "select a finding first, on the tabs Overview, Diff or Assessment"
	}
	return wording.CannotWaive(pp.Actor, pp.dossier.Proposal, s)
}

// canWaive reports whether the footer has the key.
func (pp *Page) canWaive() bool {
	_, ok := pp.selectedFinding()
	return ok && pp.loaded && pp.dossier.Proposal.State.Open()
}

func (pp *Page) cannotRevise() string {
	if why := pp.cannotAct(proposals.ActRevise)(); why != "" {
		return why
	}
	return pp.NoEditor()
}
