// This file implements the user's actions on the proposal, for example deciding, commenting, and waiving.

package proposal

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// acts implements the user's actions on the proposal. The actions are available on every tab.
type acts struct {
	*state
	history *historyPane
	diff    *diffPane
}

// askApprove opens a dialog to approve the proposal together with the other members of its change set. If the
// proposal and other proposals are marked, the dialog is about all marked proposals instead.
func (a *acts) askApprove() tea.Cmd {
	members := []proposals.Proposal{a.dossier.Proposal}
	if together := a.dossier.Together(); len(together) > 1 {
		members = together
	}
	if marked := a.Marked(); slices.ContainsFunc(marked, func(p proposals.Proposal) bool { return p.ID == a.id }) && len(marked) > 1 {
		members = marked
	}
	return a.Shell.Decide(proposals.ActApprove, members)
}

// about returns the text that describes the proposal on the drafts page.
func (a *acts) about() string { return screen.About(a.dossier.Proposal) }

// ask returns a function that opens the dialog for a decision on the proposal. act is the kind of decision.
func (a *acts) ask(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd { return a.Shell.Decide(act, []proposals.Proposal{a.dossier.Proposal}) }
}

func (a *acts) askWaive() tea.Cmd {
	s, _ := a.host.selectedFinding()
	form, draft := proposals.ActWaive.Form(1), "waive-"+string(a.id)+"-"+s.PassageHash()[:8]
	return a.Shell.Ask(screen.Dialog{
		Form: form, Draft: draft, About: a.about(), Writing: true,
		Subject: draw.Escape(s.Rule + " in " + wording.FieldName(s.Path)),
		Facts: func() []draw.Line {
			sign, style := labels.Severity(a.frame.Theme, s.Severity)
			return []draw.Line{draw.Of(style, sign).Add(a.frame.Theme.Text, draw.Escape(" "+s.Message)), draw.Of(a.frame.Theme.Faint, draw.Escape(form.Consequence))}
		},
		Content: func(page *prose.Page) {
			sign, style := labels.Severity(a.frame.Theme, s.Severity)
			page.Item(draw.Of(style, draw.Pad(sign, 9)), s.Rule+" in "+wording.FieldName(s.Path))
			page.Text("", s.Deed())
			for line := range strings.SplitSeq(s.Passage[:min(len(s.Passage), 400)], "\n") {
				page.TextLine("┃ ", line)
			}
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: func(reason string) tea.Cmd {
			return a.Shell.Write(screen.Act(screen.Wrote{ID: a.id, Draft: draft, Undo: a.undoWaiver(s)}, form, func(ctx context.Context) (string, error) {
				return a.Acts.Waive(ctx, proposals.ActWaive, a.id, s, reason)
			}))
		},
	})
}

// askComment opens a dialog for a comment on the line at anchor, or on the whole proposal if anchor is zero.
func (a *acts) askComment(anchor review.Anchor) tea.Cmd {
	form, draft := proposals.ActComment.Form(1), draftOf(a.id, anchor)
	return a.Shell.Ask(screen.Dialog{
		Form: form, Draft: draft, About: a.about(), Writing: true, Label: "Comment",
		Content: func(page *prose.Page) {
			page.Field("on", wording.Reference(a.dossier.Proposal)+" "+a.dossier.Proposal.Subject.String())
			if anchor.Field == "" {
				return
			}
			page.Field("at", place(anchor))
			if text, ok := a.quotes.Line(a.dossier, anchor); ok && anchor.Line > 0 {
				page.TextLine("┃ ", text)
			}
		},
		Run: func(body string) tea.Cmd {
			return a.Shell.Write(screen.Act(screen.Wrote{ID: a.id, Draft: draft}, form, func(ctx context.Context) (string, error) { return a.Acts.Comment(ctx, a.id, body, anchor) }))
		},
	})
}

// askPerform returns a function that opens a dialog to confirm an act without a text.
func (a *acts) askPerform(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd {
		return a.Shell.Ask(screen.Dialog{
			Form:    act.Form(1),
			Subject: screen.Subjects(act, a.dossier.Proposal),
			Facts: func() []draw.Line {
				return []draw.Line{draw.Of(a.frame.Theme.Text, draw.Escape(act.Form(1).Consequence))}
			},
			Content: func(page *prose.Page) {
				p := a.dossier.Proposal
				page.Field(string(p.Type), p.Subject.String())
				page.Field("", "revision "+strconv.Itoa(p.Revision)+", content "+wording.Short(p.ContentHash))
				page.Blank()
				page.Text("", act.Form(1).Consequence)
			},
			Run: func(_ string) tea.Cmd { return a.perform(act) },
		})
	}
}

// perform performs an act that requires no text from the user.
func (a *acts) perform(act proposals.Act) tea.Cmd {
	return a.Shell.Write(screen.Act(screen.Wrote{ID: a.id}, act.Form(1), func(ctx context.Context) (string, error) { return a.Acts.Perform(ctx, act, a.id) }))
}

// waivedFinding reports whether the selected finding is waived.
func (a *acts) waivedFinding() bool {
	s, ok := a.host.selectedFinding()
	return ok && s.Waiver != nil
}

func (a *acts) cannotUndo() string {
	switch {
	case !a.loaded:
		return screen.Loading
	case a.Tab == tabHistory:
		return a.history.cannotRestore()
	case a.waivedFinding():
		return wording.Cannot(a.Actor, proposals.ActUnwaive, a.dossier.Proposal)
	}
	return wording.CannotRepropose(a.dossier.Proposal)
}

// undo reverts an earlier action with a new action. On the History tab, it restores the selected version. If a
// waived finding is selected, it ends the waiver. Otherwise, it proposes the content of a closed proposal
// again. Decisions stay in the history.
func (a *acts) undo() tea.Cmd {
	d := a.dossier
	if a.Tab == tabHistory {
		return a.history.askRestore()
	}
	if !a.waivedFinding() {
		return a.Shell.Ask(a.frame.ReproposeDialog([]proposals.Proposal{d.Proposal}, func() tea.Cmd {
			return a.Shell.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return a.Acts.Repropose(ctx, d) }))
		}))
	}
	s, _ := a.host.selectedFinding()
	return a.askUnwaive(s)
}

// undoWaiver returns the action that undoes the waiver of the given finding.
func (a *acts) undoWaiver(finding review.Standing) *screen.Undo {
	return &screen.Undo{Says: "ends the waiver", Ask: func(sh screen.Shell, _ screen.Frame) tea.Cmd {
		for _, s := range a.dossier.Standing {
			if s.Waiver != nil && review.Handle(s.Finding) == review.Handle(finding.Finding) {
				return a.askUnwaive(s)
			}
		}
		return sh.Say(screen.Warning, "%s in %s is not waived", finding.Rule, wording.FieldName(finding.Path))
	}}
}

// askUnwaive opens a dialog to end the waiver of s. The dialog requires a reason.
func (a *acts) askUnwaive(s review.Standing) tea.Cmd {
	form := proposals.ActUnwaive.Form(1)
	return a.Shell.Ask(screen.Dialog{
		Form: form, Draft: "unwaive-" + string(a.id) + "-" + s.PassageHash()[:8], About: a.about(), Writing: true,
		Subject: draw.Escape(s.Rule + " in " + wording.FieldName(s.Path)),
		Facts:   func() []draw.Line { return []draw.Line{draw.Of(a.frame.Theme.Text, draw.Escape(form.Consequence))} },
		Content: func(page *prose.Page) {
			page.Text("", s.Rule+" in "+wording.FieldName(s.Path)+": "+s.Message)
			page.Field("waived by", s.Waiver.By+": "+s.Waiver.Reason)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: func(reason string) tea.Cmd {
			return a.Shell.Write(screen.Act(screen.Wrote{ID: a.id}, form, func(ctx context.Context) (string, error) {
				return a.Acts.Waive(ctx, proposals.ActUnwaive, a.id, s, reason)
			}))
		},
	})
}
