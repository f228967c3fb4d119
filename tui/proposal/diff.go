// This file computes and shows the diff of the proposal. The actions on its lines are in diff_keys.go.

package proposal

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/seen"
)

// diffPane is the tab that shows the diff between a base and the current revision.
type diffPane struct {
	pane
	bases      bases
	comparison seen.Comparison // identifies the comparison in list
	list       *difflist.List  // nil while the diff is being computed
	folded     bool            // findings and comments are hidden
	pending    func() tea.Cmd  // function that runs when the next diff is shown; nil for none
}

// Fill implements tab.
func (t *diffPane) Fill() {
	if t.list == nil {
		page := prose.New(t.frame.Theme)
		page.Faint("", "…")
		t.pager.Replace(page.Rows())
		return
	}
	t.pager.Replace(t.list.Rows(t.frame.Theme, t.split))
}

// Load implements tab. It computes the diff between the chosen base and the current revision if this diff is
// not available yet.
func (t *diffPane) Load() tea.Cmd {
	what, base, mustBeRead := t.bases.comparison(), t.bases.chosen(), t.bases.isDraftBase()
	if t.list != nil && what == t.comparison {
		t.list.SetNotes(notes(t.dossier))
		t.Fill()
		return nil
	}
	if r := t.reading(); r.List != nil && r.Comparison == what {
		return t.show(what, r.List, r.Pager)
	}
	var reasons map[string]string
	if mustBeRead {
		reasons = seen.SkipReasons(t.dossier)
	}
	return func() tea.Msg {
		fields, err := difflist.Compare(t.ctx, t.Desk, base.before, base.after)
		list := difflist.New(fields, what.Context).ListFiles(diff.Files(base.before.Definition, base.after.Definition)).Collapse(reasons, what.Context == difflist.WholeText)
		return t.host.then(func() tea.Cmd {
			switch {
			case what != t.bases.comparison(): // the user chose another comparison while this diff was being computed
				return nil
			case err != nil:
				return t.Shell.Fail(err)
			}
			r := t.reading()
			p := r.Pager // if only the number of context lines has changed, keep the pager with its record of displayed lines
			if !mustBeRead || p == nil || r.Comparison.From != what.From || r.Comparison.New != what.New {
				p = pager.New(t.frame.Theme)
				p.SetWrap(true)
			}
			if mustBeRead {
				r.SetDiff(what, list, p)
			}
			return t.show(what, list, p)
		})
	}
}

// show shows the diff list in the tab.
func (t *diffPane) show(comparison seen.Comparison, list *difflist.List, p *pager.Pager) tea.Cmd {
	t.comparison, t.list, t.pager = comparison, list, p
	p.Restyle(t.frame.Theme)
	p.SetSize(t.TabWidth(t.frame.Layout, tabDiff), t.frame.Body)
	list.SetNotes(notes(t.dossier))
	list.FoldNotes(t.folded)
	t.Fill()
	if do := t.pending; do != nil {
		t.pending = nil
		return do()
	}
	return nil
}

// whenShown runs fn if a diff is shown. Otherwise, it shows the tab, and runs fn after the diff has been
// computed.
func (t *diffPane) whenShown(fn func() tea.Cmd) tea.Cmd {
	if t.list == nil {
		t.pending = fn
		return t.host.SelectTab(tabDiff)
	}
	return fn()
}
