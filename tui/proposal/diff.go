package proposal

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/internal/visible"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/wording"
)

// diffPane is the tab with the diff between the revision and a base.
type diffPane struct {
	pane
	bases      bases
	context    int
	comparison seen.Comparison // what list compares
	list       *difflist.List  // nil while the diff is being computed
	target     *anchor         // where to go once the diff is there
	folded     bool            // findings and comments are hidden
	toUnseen   bool            // go to the unread parts once the diff is there
}

// anchor identifies a line of a field.
type anchor struct {
	path string
	line int
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

// wantedComparison returns the comparison to show, and both of its sides.
func (t *diffPane) wantedComparison() (what seen.Comparison, before, after diff.Content) {
	b, r := t.bases.chosen(), t.dossier.Revision
	after = diff.Content{Definition: r.Draft.Definition, Beside: b.tests}
	return seen.Comparison{From: b.name, New: t.hash, Revision: r.Number, Context: t.context}, b.content, after
}

// Load implements tab. It computes the wanted diff unless it exists.
func (t *diffPane) Load() tea.Cmd {
	what, before, after := t.wantedComparison()
	if t.list != nil && what == t.comparison {
		t.list.SetNotes(t.notes())
		t.Fill()
		return nil
	}
	if r := t.reading(); r.List != nil && r.Comparison == what {
		t.show(what, r.List, r.Pager)
		return nil
	}
	notes := map[string]string(nil)
	if t.bases.isDraftBase() {
		notes = seen.SkipReasons(t.dossier)
	}
	return func() tea.Msg {
		fields, err := difflist.Compare(t.ctx, t.Desk, before, after)
		list := difflist.New(fields, what.Context).ListFiles(diff.Files(before.Definition, after.Definition)).Collapse(notes, what.Context == difflist.WholeText)
		return t.host.then(func() tea.Cmd { return t.compared(what, list, err) })
	}
}

// compared shows a diff, unless another one is wanted by now.
func (t *diffPane) compared(what seen.Comparison, list *difflist.List, err error) tea.Cmd {
	if wanted, _, _ := t.wantedComparison(); wanted != what {
		return nil
	}
	if err != nil {
		return t.Shell.Fail(err)
	}
	r := t.reading()
	same := r.Pager != nil && r.Comparison.From == what.From && r.Comparison.New == what.New
	p := r.Pager
	if !t.bases.isDraftBase() {
		p, same = nil, false
	}
	if !same {
		p = pager.New(t.frame.Theme)
		p.SetWrap(true)
	}
	if t.bases.isDraftBase() {
		r.SetDiff(what, list, p)
	}
	t.show(what, list, p)
	return nil
}

// show puts a diff into the tab.
func (t *diffPane) show(what seen.Comparison, list *difflist.List, p *pager.Pager) {
	t.comparison, t.list = what, list
	t.pager = p
	p.Restyle(t.frame.Theme)
	p.SetSize(t.TabWidth(t.frame.Layout, tabDiff), t.frame.Body)
	list.SetNotes(t.notes())
	list.FoldNotes(t.folded)
	t.Fill()
	if t.target != nil {
		t.goTo(*t.target)
	}
	if t.toUnseen && t.bases.isDraftBase() {
		t.unseen()
	}
}

// goTo scrolls to a line of a field.
func (t *diffPane) goTo(at anchor) {
	t.target = nil
	row, ok := t.list.Find(at.path, at.line, t.split)
	if !ok {
		t.Shell.Say(screen.Warning, "%s did not change, so it is not in the diff", at.path)
		return
	}
	t.host.SelectTab(tabDiff)
	t.pager.Center(row)
}

// reveal opens the tab at a line of a field, once the diff has been computed.
func (t *diffPane) reveal(at anchor) tea.Cmd {
	if t.list == nil {
		t.target = &at
		return t.host.SelectTab(tabDiff)
	}
	t.goTo(at)
	return nil
}

// unseen goes to the next unread part, once the diff has been computed.
func (t *diffPane) unseen() tea.Cmd {
	t.toUnseen = !t.loaded || t.list == nil
	if t.toUnseen || t.nothingUnseen() != "" {
		return nil
	}
	return t.nextUnseen()
}

// nextUnseen goes to the next part that must be read before an approval.
func (t *diffPane) nextUnseen() tea.Cmd {
	r := t.reading()
	if !t.bases.isDraftBase() {
		t.bases.at = 0
		return t.Load()
	}
	if row, ok := r.List.FirstUnseen(r.Pager, t.split, 0); ok {
		t.host.SelectTab(tabDiff)
		r.Pager.Reveal(r.List.RowWithNotes(row, t.split))
		return nil
	}
	for i, s := range t.dossier.Standing {
		if !visible.Clean(s.Passage) && !r.HasSeen(s) {
			return t.host.showFinding(i)
		}
	}
	return nil
}

func (t *diffPane) nothingUnseen() string {
	r := t.reading()
	switch {
	case r == nil || r.List == nil:
		return screen.Loading
	case !t.dossier.Proposal.State.Open():
		return wording.NotPermitted(t.dossier.Proposal.State)
	case r.AllSeen():
		return "you've seen every change"
	}
	return ""
}

// nextBase compares with the next base.
func (t *diffPane) nextBase() tea.Cmd {
	if !t.bases.next() {
		t.Shell.Say(screen.Remark, "Nothing else to compare with")
	}
	return t.Load()
}
