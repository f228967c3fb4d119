package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Undo takes back what can be taken back without hiding that it was: a waiver
// ends, and what a closed proposal wanted is drafted again. A decision stays.

// waivedFinding returns whether a finding is selected that is waived.
func (pp *proposalPage) waivedFinding() bool {
	s, ok := pp.finding1()
	return ok && s.Waiver != nil
}

// canUndo reports whether the footer has the key.
func (pp *proposalPage) canUndo(m *Model) bool { return pp.loaded && pp.cannotUndo(m) == "" }

func (pp *proposalPage) cannotUndo(m *Model) string {
	switch {
	case !pp.loaded:
		return "it is still loading"
	case pp.waivedFinding():
		return wording.Cannot(m.cfg.Actor, proposals.ActUnwaive, pp.dossier.Proposal)
	}
	return wording.CannotAgain(pp.dossier.Proposal)
}

func (pp *proposalPage) undo(m *Model) tea.Cmd {
	d := pp.dossier
	if !pp.waivedFinding() {
		return m.write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return m.cfg.Again(ctx, d) }))
	}
	s, _ := pp.finding1()
	form := proposals.ActUnwaive.Form(1)
	return m.ask(screen.Dialog{
		Form: form, Draft: "unwaive-" + string(pp.id) + "-" + s.PassageHash()[:8], Writing: true,
		Content: func(page *prose.Page) {
			page.Text("", s.Rule+" in "+s.Path+": "+s.Message)
			page.Field("waived by", s.Waiver.By+": "+s.Waiver.Reason)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Changed: pp.since(),
		Run: m.answered(func(m *Model, reason string) tea.Cmd {
			return m.write(screen.Act(screen.Wrote{ID: pp.id}, form, func(ctx context.Context) (string, error) { return m.cfg.Unwaive(ctx, pp.id, s, reason) }))
		}),
	})
}
