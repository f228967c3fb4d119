package proposal

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Undo reverses an act without hiding it: it ends a waiver, and drafts the change
// of a closed proposal again. A decision stays.

// waivedFinding returns whether a finding is selected that is waived.
func (pp *Page) waivedFinding() bool {
	s, ok := pp.selectedFinding()
	return ok && s.Waiver != nil
}

// canUndo reports whether the footer has the key.
func (pp *Page) canUndo() bool { return pp.loaded && pp.cannotUndo() == "" }

func (pp *Page) cannotUndo() string {
	switch {
	case !pp.loaded:
		return "it is still loading"
	case pp.waivedFinding():
		return wording.Cannot(pp.Actor, proposals.ActUnwaive, pp.dossier.Proposal)
	}
	return wording.CannotAgain(pp.dossier.Proposal)
}

func (pp *Page) undo() tea.Cmd {
	d := pp.dossier
	if !pp.waivedFinding() {
		return pp.write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return pp.Acts.Again(ctx, d) }))
	}
	s, _ := pp.selectedFinding()
	form := proposals.ActUnwaive.Form(1)
	return pp.ask(screen.Dialog{
		Form: form, Draft: "unwaive-" + string(pp.id) + "-" + s.PassageHash()[:8], About: pp.about(), Writing: true,
		Content: func(page *prose.Page) {
			page.Text("", s.Rule+" in "+s.Path+": "+s.Message)
			page.Field("waived by", s.Waiver.By+": "+s.Waiver.Reason)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Changed: pp.since(),
		Run: pp.answer(func(reason string) tea.Cmd {
			return pp.write(screen.Act(screen.Wrote{ID: pp.id}, form, func(ctx context.Context) (string, error) { return pp.Acts.Unwaive(ctx, pp.id, s, reason) }))
		}),
	})
}
