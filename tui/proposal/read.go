// This file reads the proposal and opens the user's unsent texts.

package proposal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/wording"
)

// Loaded is sent when a proposal has been read. The queue uses it, too.
type Loaded struct {
	ID       proposals.ID
	Dossier  review.Dossier
	Hash     string   // hash of everything that the diff shows
	Problems []string // reasons why a draft cannot be submitted yet
	Err      error
}

// then implements host.
func (pp *Page) then(fn func() tea.Cmd) tea.Msg {
	return screen.Then{Page: pp, Do: func() tea.Cmd {
		if !pp.loaded {
			return nil
		}
		return fn()
	}}
}

// Reload implements screen.Page.
func (pp *Page) Reload() tea.Cmd {
	id := pp.id
	return func() tea.Msg {
		d, err := pp.Desk.Show(pp.ctx, pp.Actor, id)
		return Loaded{id, d, seen.ContentHash(d), wording.SubmitProblems(d), err}
	}
}

// ResumeDraft opens the dialog with the unsent text that Resume set. It does nothing until the proposal is
// loaded.
func (pp *Page) ResumeDraft() tea.Cmd {
	if pp.resume == nil || !pp.loaded {
		return nil
	}
	t := pp.resume
	pp.resume = nil
	name := map[string]string{"comment": "comment", "approve": "approve", "changes": "needs-changes", "reject": "reject", "waive": "waive"}[t.Kind]
	switch t.Kind {
	case "comment":
		if at, ok := anchorOf(t.File); ok {
			return pp.askComment(at)
		}
	case "waive":
		pp.SelectTab(tabAssessment)
		for i, s := range pp.dossier.Standing {
			if strings.Contains(t.File, s.PassageHash()[:8]) {
				pp.assessment.pager.SetStop(i)
			}
		}
	}
	for _, k := range pp.Keys() {
		if k.Name != name {
			continue
		}
		if why := k.WhyDisabled(); why != "" {
			return pp.Shell.Say(screen.Warning, "Cannot send the draft: %s. It is stored in %s", why, pp.StoredIn(t.File))
		}
		return k.Do()
	}
	return nil
}
