// This file declares the keys of the proposal page.

package proposal

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Keys implements screen.Page.
func (pp *Page) Keys() []screen.Key {
	pp.bind()
	a := &pp.acts
	step := func(n int) func() tea.Cmd {
		return func() tea.Cmd { return pp.SelectTab((pp.Tab + n + tabCount) % tabCount) }
	}
	keys := slices.Concat([]screen.Key{
		{Name: "go", Keys: []string{"enter"}, Label: "show", OnTab: func() bool { return true }, Help: "Show the selected finding or comment in the diff or in its tab, or open the selected version", Do: func() tea.Cmd { return pp.tabs[pp.Tab].OpenSelected() }, Disabled: func() string { return pp.tabs[pp.Tab].CannotOpen() }, WhilePicking: true},
		{Name: "waive", Keys: []string{"W"}, Label: "waive", OnTab: func() bool {
			_, ok := a.host.selectedFinding()
			return ok && a.loaded && a.dossier.Proposal.State.Open()
		}, Help: "Waive the selected finding with a reason", Terms: "ignore, suppress, allow, dismiss, exception", Do: a.askWaive, Disabled: a.cannotWaive},
		{Name: "undo", Keys: []string{"U"}, Label: "undo", OnTab: func() bool { return a.loaded && a.cannotUndo() == "" }, Help: "End the selected waiver; propose a rejected or withdrawn proposal again; in the history, restore the selected version", Terms: "unwaive, reopen", Do: a.undo, Disabled: a.cannotUndo},
	}, pp.diff.Keys(), []screen.Key{
		{Name: "against", Keys: []string{"b"}, Label: "base", OnTab: pp.inTab(tabDiff, tabHistory), Help: "Compare with the base, the live version or an earlier revision; in the history, mark a version", Terms: "compare, diff, versions", Do: pp.nextBase, Disabled: pp.cannotCompare},
		{Name: "blame", Keys: []string{"B"}, Label: "blame", Late: screen.Always, Help: "Show which version introduced each line of the field (press ; first to choose a start line)", Terms: "annotate, who wrote it, praise", Do: pp.diff.blame, Disabled: pp.diff.cannotBlame, WhilePicking: true},
	}, pp.prompts.Keys(), []screen.Key{
		{Name: "rendered", Keys: []string{"r"}, Label: "raw", OnTab: pp.inTab(tabPrompt), Help: "Switch between rendered and raw Markdown", Do: pp.switchRendered, Disabled: pp.cannotRender},
		{Name: "submit", Keys: []string{"S"}, Label: "submit", OnTab: func() bool { return a.loaded && a.dossier.Proposal.State == proposals.Drafted }, Help: "Submit the draft", Do: a.askPerform(proposals.ActSubmit), Disabled: func() string { return cmp.Or(append([]string{a.cannotAct(proposals.ActSubmit)()}, a.problems...)...) }},
		{Name: "rebase", Keys: []string{"R"}, Label: "rebase", OnTab: func() bool { return a.loaded && a.dossier.Proposal.Stale() }, Help: "Rebase the proposal on the live version", Terms: "merge, update, stale, conflict", Do: a.askPerform(proposals.ActRebase), Disabled: a.cannotAct(proposals.ActRebase)},
		{Name: "approve", Keys: []string{"a"}, Label: "approve", Late: a.notMyTurn, Help: "Approve the proposal and make it live", Terms: "accept, merge, publish, go live, ok, yes", Do: a.askApprove, Disabled: a.cannotApprove},
		{Name: "needs-changes", Keys: []string{"c"}, Label: "send back", Late: a.notMyTurn, Help: "Send the proposal back to its author with a reason", Terms: "send back, request changes, return", Do: a.ask(proposals.ActRequestChanges), Disabled: a.cannotAct(proposals.ActRequestChanges)},
		{Name: "reject", Keys: []string{"x"}, Label: "reject", Late: a.notMyTurn, Help: "Reject the proposal with a reason", Terms: "decline, refuse, deny, no", Do: a.ask(proposals.ActReject), Disabled: a.cannotAct(proposals.ActReject)},
		{Name: "next-unseen", Keys: []string{"u"}, Label: "unread", Help: "Go to the next unread change", Do: pp.nextUnseen, Disabled: pp.nothingUnseen},
		{Name: "fold", Keys: []string{"F"}, Label: "fold", UndoLabel: "unfold", Undoes: func() bool { return pp.diff.folded }, OnTab: pp.inTab(tabDiff), Help: "Fold or unfold the findings and comments in the diff", Do: func() tea.Cmd {
			pp.diff.folded = !pp.diff.folded
			pp.diff.list.FoldNotes(pp.diff.folded)
			pp.diff.Fill()
			return nil
		}, Disabled: pp.diff.nothingToFold},
		{Name: "next-tab", Keys: []string{"tab"}, Label: "next tab", Help: "Show the next tab", Do: step(1)},
		{Name: "previous-tab", Keys: []string{"shift+tab"}, Help: "Show the previous tab", Do: step(-1)},
		{Name: "next-waiting", Keys: []string{"."}, Label: "next proposal", Help: "Open the next proposal that waits for you, in queue order", Do: func() tea.Cmd { return pp.Shell.OpenWaiting() }},
		{Name: "comment", Keys: []string{"C"}, Label: "general comment", Help: "Comment on the proposal as a whole", Terms: "reply, note, discuss", Do: func() tea.Cmd { return a.askComment(review.Anchor{}) }, Disabled: a.cannotAct(proposals.ActComment)},
		{Name: "revise", Keys: []string{"e"}, Label: "revise", Help: "Revise the proposal in the editor, at the current line of the diff", Terms: "edit, change", WhilePicking: true, Do: a.revise, Disabled: func() string { return cmp.Or(a.cannotAct(proposals.ActRevise)(), a.NoEditor()) }},
		{Name: "withdraw", Keys: []string{"X"}, Help: "Withdraw the proposal", Terms: "cancel, retract, delete", Do: a.askPerform(proposals.ActWithdraw), Disabled: a.cannotAct(proposals.ActWithdraw)},
		{Name: "assess-again", Keys: []string{"ctrl+r"}, Label: "review again", OnTab: func() bool { return a.loaded && a.onlyOutdated() }, Help: "Run the built-in review again", Do: func() tea.Cmd { return a.perform(proposals.ActAssess) }, Disabled: a.cannotReassess},
		{Name: "mark-read", Keys: []string{"+"}, Help: "Mark the proposal in the queue, or unmark it", Do: func() tea.Cmd { return a.Shell.Mark(a.dossier.Proposal) }, Disabled: func() string { return a.CannotMark(a.dossier.Proposal) }},
		{Name: "next-member", Keys: []string{"M"}, Label: "next member", OnTab: func() bool { return a.noMembers() == "" }, Help: "Open the next member of the change set", Do: a.nextMember, Disabled: a.noMembers},
		screen.CopyKey(a.Shell, func() string { return wording.Reference(a.dossier.Proposal) }, func() string {
			if !a.loaded {
				return screen.Loading
			}
			return ""
		}),
		{Name: "copy-diff", Keys: []string{"Y"}, Help: "Copy the diff", Do: func() tea.Cmd {
			pp.Shell.Say(screen.Success, "Copied the diff")
			return tea.SetClipboard(pp.diff.list.String())
		}, Disabled: pp.diff.none},
	})
	for i, name := range tabNames {
		keys = append(keys, screen.Key{Name: "tab-" + strings.ToLower(name), Keys: []string{strconv.Itoa(i + 1)}, Help: "Show the tab " + name, Terms: tabTerms[i], Do: func() tea.Cmd { return pp.SelectTab(i) }})
	}
	return slices.Concat(keys, screen.PaneKeys(pp.Shell, pp), screen.TextKeys(pp.Shell, pp))
}

// nextMember opens the next proposal of the change set, at the current tab.
func (a *acts) nextMember() tea.Cmd {
	members := a.dossier.Together()
	for i, p := range members {
		if p.ID == a.id {
			return a.Shell.Open(members[(i+1)%len(members)], true)
		}
	}
	return nil
}

func (a *acts) noMembers() string {
	if len(a.dossier.Together()) < 2 {
		return "the change set has no other member"
	}
	return ""
}

// revise opens the current revision in the editor, at the current line of the diff. If an unsent text for this
// revision exists, it opens this text.
func (a *acts) revise() tea.Cmd {
	w := a.Revision(a.dossier)
	if t := a.diff; t.list != nil {
		path, line, _ := t.list.NewPosition(t.list.CurrentRow(t.pager))
		w.At, _ = t.quotes.Line(t.dossier, review.Anchor{Revision: t.dossier.Revision.Number, Field: inDefinition + path, Line: max(line, 1)})
		t.pager.Unpick()
	}
	return a.Shell.Edit(w)
}

// Functions with a name that begins with "cannot" return the reason why a key is disabled, or "" if it is
// enabled.

// notMyTurn reports whether the proposal is in a state other than user review.
func (a *acts) notMyTurn() bool {
	return a.loaded && a.dossier.Proposal.State != proposals.UserReview
}

// remedies contains the hints to the keys that remove obstacles.
var remedies = wording.Remedies{Rebase: "; R rebases it", Assess: "; ctrl+r reviews it again"}

func (a *acts) cannotApprove() string {
	if !a.loaded {
		return screen.Loading
	}
	if why := wording.Obstacles(a.dossier, remedies); len(why) > 0 {
		// Even if the proposal has no obstacles, another member of its set may be blocked.
		if own := a.dossier.Obstacles; len(own) > 0 && errors.Is(own[0], review.ErrBlocked) {
			them := "it"
			if a.dossier.Proposal.Summary.Blocks > 1 {
				them = "them"
			}
			return why[0] + ". Waive " + them + " (3, W) or send it back (c)"
		}
		return why[0]
	}
	return ""
}

// onlyOutdated reports whether the only obstacle is an assessment by outdated rules.
func (a *acts) onlyOutdated() bool {
	o := a.dossier.Obstacles
	return len(o) == 1 && errors.Is(o[0], review.ErrOutdated) && a.dossier.Assessment() != nil && a.dossier.Proposal.State == proposals.UserReview
}

func (a *acts) cannotReassess() string {
	if !a.loaded {
		return screen.Loading
	}
	state := a.dossier.Proposal.State
	if _, err := proposals.Next(state, proposals.ActAssess); err != nil {
		return wording.NotPermitted(state)
	}
	return ""
}

func (a *acts) cannotWaive() string {
	s, ok := a.host.selectedFinding()
	if a.loaded && !ok {
		return "select a finding first, on the tabs Overview, Diff or Assessment"
	}
	switch why := a.cannotAct(proposals.ActWaive)(); {
	case why != "":
		return why
	case s.Waiver != nil:
		return "the finding is already waived"
	case !s.Waivable:
		return "structural rules cannot be waived"
	}
	return ""
}

// nextBase compares the current revision with the next base. On the History tab, it toggles the mark of the
// selected version instead.
func (pp *Page) nextBase() tea.Cmd {
	if pp.Tab == tabHistory {
		return pp.history.mark()
	}
	if !pp.diff.bases.next() {
		pp.Shell.Say(screen.Remark, "No other version or revision to compare with")
	}
	return pp.diff.Load()
}

// cannotCompare returns the reason why nextBase is unavailable, or "".
func (pp *Page) cannotCompare() string {
	if pp.Tab == tabHistory {
		return pp.history.CannotOpen()
	}
	return pp.diff.none()
}

// switchRendered switches between rendered and raw Markdown.
func (pp *Page) switchRendered() tea.Cmd {
	if pp.Tab == tabPrompt {
		pp.Texts.Prompts = !pp.Texts.Prompts
	} else {
		pp.Texts.Raw = !pp.Texts.Raw
	}
	pp.fill()
	return nil
}

// cannotRender returns the reason why switchRendered has no effect, or "".
func (pp *Page) cannotRender() string {
	switch {
	case !pp.loaded:
		return screen.Loading
	case pp.Tab == tabDiff || pp.Tab == tabHistory:
		return "the Diff and History tabs show raw text only"
	case pp.Tab == tabPrompt:
		return pp.prompts.cannotRender()
	}
	return ""
}
