package proposal

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals/facts"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
)

// anchor is a line of a field.
type anchor struct {
	path string
	line int
}

// base is a version or an earlier revision that a revision is compared with.
type base struct {
	name    string
	content diff.Content
	beside  []byte // of the revision, as content has it
}

// isNew is the base of a subject that has no version yet.
const isNew = "new"

// comparedWith names the base of the diff on screen.
func (pp *Page) comparedWith() string {
	if pp.made.from == isNew {
		return isNew
	}
	return "against " + pp.made.from
}

// bases lists what the revision can be compared with, what it was drafted
// against first.
func (pp *Page) bases() []base {
	d := pp.dossier
	first := base{name: facts.Against(d.Proposal.BaseVersion)}
	if d.Proposal.BaseVersion == 0 {
		first.name = isNew
	}
	if d.Base != nil {
		first.content.Definition = *d.Base
	}
	first.content.Beside, first.beside = d.Tests()
	out := []base{first}
	if d.Live != nil && d.Live.Version != d.Proposal.BaseVersion {
		out = append(out, base{name: "live, version " + strconv.Itoa(d.Live.Version), content: diff.Content{Definition: d.Live.Definition}})
	}
	for i := len(d.Revisions) - 1; i >= 0; i-- {
		if r := d.Revisions[i]; r.Number != d.Proposal.Revision {
			out = append(out, base{"revision " + strconv.Itoa(r.Number), diff.Content{Definition: r.Draft.Definition, Beside: r.Draft.Beside()}, d.Revision.Draft.Beside()})
		}
	}
	return out
}

// wanted is the comparison that the page is to show.
func (pp *Page) wanted() (what comparison, before, after diff.Content) {
	bs := pp.bases()
	b := bs[min(pp.against, len(bs)-1)]
	r := pp.dossier.Revision
	after = diff.Content{Definition: r.Draft.Definition, Beside: b.beside}
	return comparison{from: b.name, new: pp.hash, revision: r.Number, context: pp.context}, b.content, after
}

// compare makes the diff that is wanted, unless it is there.
func (pp *Page) compare() tea.Cmd {
	what, before, after := pp.wanted()
	if pp.list != nil && what == pp.made {
		pp.list.Note(pp.notes())
		pp.pagers[tabDiff].Replace(pp.list.Rows(pp.frame.Theme, pp.split))
		return nil
	}
	if r := pp.Seen.of[pp.id]; r.list != nil && r.made == what {
		pp.show(what, r.list, r.pager)
		return nil
	}
	return pp.makeDiff(what, before, after)
}

// diffMade shows a diff, if it is the one that is wanted.
func (pp *Page) diffMade(what comparison, list *difflist.List, err error) tea.Cmd {
	if wanted, _, _ := pp.wanted(); wanted != what {
		return nil
	}
	if err != nil {
		return pp.Shell.Fail(err)
	}
	r := pp.Seen.of[pp.id]
	same := r.pager != nil && r.made.from == what.from && r.made.new == what.new
	p := r.pager
	if pp.against != 0 {
		p, same = nil, false
	}
	if !same {
		p = pager.New(pp.frame.Theme)
		p.SetWrap(true)
	}
	if pp.against == 0 {
		r.made, r.list, r.pager, r.read = what, list, p, 0
	}
	pp.show(what, list, p)
	return nil
}

// show puts a diff into its tab.
func (pp *Page) show(what comparison, list *difflist.List, p *pager.Pager) {
	pp.made, pp.list = what, list
	pp.pagers[tabDiff] = p
	p.Restyle(pp.frame.Theme)
	p.SetSize(pp.WidthOf(pp.frame.Layout, tabDiff), pp.frame.Body)
	list.Note(pp.notes())
	list.Fold(pp.folded)
	p.Replace(list.Rows(pp.frame.Theme, pp.split))
	if pp.jump != nil {
		pp.goTo(*pp.jump)
	}
	if pp.toUnseen && pp.against == 0 {
		pp.toUnseen = false
		if pp.nothingUnseen() == "" {
			pp.nextUnseen()
		}
	}
}

// goTo shows a line of a field in the diff.
func (pp *Page) goTo(at anchor) {
	pp.jump = nil
	row, ok := pp.list.Find(at.path, at.line, pp.split)
	if !ok {
		pp.Shell.Say(screen.Warning, "%s did not change, so it is not in the diff", at.path)
		return
	}
	pp.turn(tabDiff)
	pp.pagers[tabDiff].Center(row)
}
