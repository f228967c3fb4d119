// Package proposal is the page of the workbench that shows everything about a proposal,
// and from which it is decided about.
package proposal

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/markdown"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// The tabs of a proposal.
const (
	tabOverview = iota
	tabDiff
	tabAssessment
	tabPrompt
	tabThread
	tabHistory
	tabTests
	tabCount
)

// Page shows everything about a proposal.
type Page struct {
	Options
	screen.Panes
	ctx     context.Context //nolint:containedctx // the commands of Bubble Tea have no other
	frame   screen.Frame
	id      proposals.ID
	loaded  bool
	err     error
	brief   proposals.Proposal // as the queue had it, until the dossier is here
	dossier review.Dossier
	hash    string // of the definition in it
	pagers  [tabCount]*pager.Pager

	against  int // index among what the revision can be compared with
	split    bool
	context  int
	made     comparison     // what list was made of
	list     *difflist.List // nil while it is made
	jump     *anchor        // where to go when the list is there
	prompts  promptState
	versions []history.Version
	marked   int             // version that the next comparison begins with
	anchors  []review.Anchor // of the stops of the thread
	unfit    []string        // why a draft cannot be submitted, by its own text
	quotes   map[review.Anchor]quoted
	source   *jsondoc.Node  // the revision, once a line of it was quoted
	sourceOf string         // its content hash
	resume   *screen.Resume // to go on with when the proposal is there
	tried    *behaviour     // the test cases, nil until they were run
	answered chan behaved
	jumped   []int // the tab that a jump left, to return to
	folded   bool  // findings and comments in the diff
	toUnseen bool  // go to the unread parts when the diff is there
}

// New returns the page of a proposal; Reload reads it.
func New(ctx context.Context, o Options, p proposals.Proposal, f screen.Frame) *Page {
	pp := &Page{Options: o, ctx: ctx, id: p.ID, brief: p, context: difflist.DefaultContext, split: f.Right >= difflist.SplitFrom, quotes: map[review.Anchor]quoted{}}
	for i := range pp.pagers {
		pp.pagers[i] = pager.New(f.Theme)
		pp.pagers[i].SetWrap(true)
	}
	if r := o.Seen.of[p.ID]; r != nil {
		pp.pagers[tabOverview], pp.pagers[tabAssessment] = r.finds[0], r.finds[1]
	}
	if f.Left > 0 {
		pp.Turn(tabDiff)
	}
	pp.Fit(f)
	return pp
}

// ID returns the id of the proposal.
func (pp *Page) ID() proposals.ID { return pp.id }

// Resume has the page go on with an unsent text when the proposal is there.
func (pp *Page) Resume(r screen.Resume) { pp.resume = &r }

// GoOn goes on with an unsent text, once the proposal is there.
func (pp *Page) GoOn() tea.Cmd {
	if pp.resume == nil || !pp.loaded {
		return nil
	}
	return pp.resumed()
}

// Rules returns the ids of the rules that can be explained: the one of the selected
// finding, else those of all findings, where the tab on the screen has some.
func (pp *Page) Rules() []string {
	if pp.Tab != tabOverview && pp.Tab != tabAssessment {
		return nil
	}
	if s, ok := pp.selectedFinding(); ok {
		return []string{s.Rule}
	}
	var ids []string
	for _, s := range pp.dossier.Standing {
		if !slices.Contains(ids, s.Rule) {
			ids = append(ids, s.Rule)
		}
	}
	return ids
}

// Place implements screen.Page.
func (pp *Page) Place() string { return "Proposal" }

// Listed implements screen.Crumbed.
func (pp *Page) Listed() draw.Safe { return "Queue" }

// Layout implements screen.Paned.
func (pp *Page) Layout() screen.Layout { return pp.frame.Layout }

// Current implements screen.OfProposal.
func (pp *Page) Current() (proposals.Proposal, bool) { return pp.dossier.Proposal, pp.loaded }

// Leave implements screen.Page: it ends choosing a line or a search, or returns to where
// a jump began.
func (pp *Page) Leave() (tea.Cmd, bool) {
	return nil, screen.LeaveText(pp.Shown()) || pp.jumpBack()
}

// Scroll implements screen.Page.
func (pp *Page) Scroll(x, n int) tea.Cmd {
	pp.pagers[pp.At(pp.frame.Layout, x)].Scroll(n)
	return nil
}

// Click implements screen.Page: it gives the keys to the pane.
func (pp *Page) Click(x, _ int) tea.Cmd { return pp.turn(pp.At(pp.frame.Layout, x)) }

// turn gives a tab the keys, and shows it.
func (pp *Page) turn(tab int) tea.Cmd {
	pp.Turn(tab)
	pp.point()
	return tea.Batch(pp.diffPrompt(), pp.loadTests())
}

// Abreast implements screen.Tabbed.
func (pp *Page) Abreast() bool { return pp.frame.Left > 0 }

// Across implements screen.Tabbed: it gives the keys to one of the two panes.
func (pp *Page) Across(right bool) tea.Cmd {
	return pp.turn(pp.On(right))
}

// point makes lists of the tabs that have items to select, and shows which of them
// has the keys.
func (pp *Page) point() {
	for _, tab := range []int{tabOverview, tabAssessment, tabThread, tabHistory, tabTests} {
		style := pp.frame.Theme.Accent
		if tab != pp.Tab {
			style = pp.frame.Theme.Faint
		}
		pp.pagers[tab].Point(style)
	}
}

// Reload implements screen.Page.
func (pp *Page) Reload() tea.Cmd { return pp.loadDossier() }

// Update implements screen.Page.
func (pp *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Loaded:
		return pp.dossierLoaded(msg)
	case screen.Rendered:
		if pp.loaded {
			pp.fill()
		}
	}
	return nil
}

// Shown implements screen.Page.
func (pp *Page) Shown() *pager.Pager { return pp.pagers[pp.Tab] }

// dossierLoaded shows a dossier that came, if it is the one that is open.
func (pp *Page) dossierLoaded(msg Loaded) tea.Cmd {
	if pp.id != msg.ID {
		return nil
	}
	if msg.Err != nil {
		pp.err = msg.Err
		return pp.Shell.Fail(msg.Err)
	}
	if pp.loaded && pp.dossier.Proposal.Revision != msg.Dossier.Proposal.Revision {
		pp.Shell.Say(screen.Remark, "Revision %d was submitted", msg.Dossier.Proposal.Revision)
		pp.against = 0
	}
	var shown tea.Cmd
	if !pp.loaded {
		shown = pp.Tell(pp.ctx, msg.Dossier)
	}
	if was := pp.dossier; was.Proposal.Revision != msg.Dossier.Proposal.Revision || was.Proposal.LiveVersion != msg.Dossier.Proposal.LiveVersion {
		pp.tried = nil
	}
	pp.dossier, pp.loaded, pp.err = msg.Dossier, true, nil
	pp.unfit, pp.hash = msg.Unfit, msg.Hash
	r := pp.Seen.of[pp.id]
	if r == nil {
		r = &reading{finds: [2]*pager.Pager{pp.pagers[tabOverview], pp.pagers[tabAssessment]}, passages: map[pager.Text]int{}}
		pp.Seen.of[pp.id] = r
	}
	r.dossier, r.hash = msg.Dossier, msg.Hash
	pp.takeAnswers()
	pp.fill()
	return tea.Batch(shown, pp.compare(), pp.loadPrompts(msg.Dossier.Digest), pp.loadVersions(msg.Dossier.Proposal.Subject), pp.loadTests())
}

// fill lays the tabs out that need nothing but the dossier.
func (pp *Page) fill() {
	pp.pagers[tabOverview].Replace(pp.overview())
	pp.pagers[tabAssessment].Replace(pp.assessment())
	pp.pagers[tabThread].Replace(pp.thread())
	pp.pagers[tabHistory].Replace(pp.history())
	pp.pagers[tabTests].Replace(pp.tests())
	pp.showPrompt()
}

// Fit implements screen.Page.
func (pp *Page) Fit(f screen.Frame) {
	pp.frame = f
	for tab, p := range pp.pagers {
		p.SetSize(pp.WidthOf(f.Layout, tab), f.Body)
		p.Restyle(f.Theme)
	}
	pp.point()
	if !pp.loaded {
		return
	}
	pp.fill() // tables are rendered for a width
	if pp.list != nil {
		pp.pagers[tabDiff].Replace(pp.list.Rows(f.Theme, pp.split))
	}
}

// Desk shows a proposal and everything that belongs to it.
type Desk interface {
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
	// Source returns the JSON that a definition was imported from, nil for none.
	Source(ctx context.Context, definition registry.Definition) ([]byte, error)
	// Shown remembers what the actor was shown, for approvals elsewhere.
	Shown(ctx context.Context, actor proposals.Actor, ds ...review.Dossier) error
	Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error)
	// Behaviour runs the test cases with the live and the proposed version.
	Behaviour(ctx context.Context, id proposals.ID, live bool, tell impact.Tell) (impact.Behaviour, error)
}

// Registry has the versions of a subject.
type Registry interface {
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Acts are the acts of a user on a proposal. Each returns its outcome, as a
// sentence without its full stop.
type Acts interface {
	// Decision decides on proposals: on all of them or on none. draft names the kept text
	// of the reason.
	Decision(act proposals.Act, choices []review.Choice, reason, draft string) screen.Write
	Simple(ctx context.Context, act proposals.Act, id proposals.ID) (string, error)
	Waive(ctx context.Context, id proposals.ID, s review.Standing, reason string) (string, error)
	Unwaive(ctx context.Context, id proposals.ID, s review.Standing, reason string) (string, error)
	Comment(ctx context.Context, id proposals.ID, body string, at review.Anchor) (string, error)
	Again(ctx context.Context, d review.Dossier) (proposals.Proposal, string, error)
}

// Shell is the workbench as the page knows it.
type Shell interface {
	screen.Shell
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	OpenWaiting() tea.Cmd
	// OpenUnseen opens a proposal at the parts that have to be read.
	OpenUnseen(p proposals.Proposal) tea.Cmd
	OpenEntry(o screen.Opening) tea.Cmd
	// Mark marks a proposal in the queue, or unmarks it.
	Mark(p proposals.Proposal) tea.Cmd
	Edit(w screen.Manuscript) tea.Cmd
}

// Options configure the pages of all proposals.
type Options struct {
	Shell    Shell
	Desk     Desk
	Registry Registry
	Acts     Acts
	Actor    proposals.Actor
	Layer    registry.Layer // in whose view prompts are shown
	HasModel bool           // one is configured that answers test cases
	Seen     *Seen
	Texts    *markdown.Texts
	Counter  *tokens.Counter
	NoEditor func() string // why nothing can be edited
	Busy     func() string // why no job can be started
	// CannotMark returns why a proposal cannot be marked in the queue.
	CannotMark func(p proposals.Proposal) string
	// Revision is the current revision, or the text of an earlier attempt to revise
	// it, for the editor.
	Revision func(d review.Dossier) screen.Manuscript
	// KeptIn describes where an unsent text is.
	KeptIn func(file string) string
}

// Tabs implements screen.Page.
func (pp *Page) Tabs() (left, right draw.Line) {
	names := []string{"Overview", "Diff", "Assessment", "Prompt", "Thread", "History", "Tests"}
	if pp.loaded {
		d := pp.dossier
		if n := len(d.Standing); n > 0 {
			names[tabAssessment] += " " + strconv.Itoa(n)
		}
		if n := len(d.Rendered); n > 0 {
			names[tabPrompt] += " " + strconv.Itoa(n)
		}
		if n := len(d.Comments) + len(d.Decisions); n > 0 {
			names[tabThread] += " " + strconv.Itoa(n)
		}
	}
	if pp.Visible(pp.frame.Layout, tabDiff) && pp.list != nil {
		added, removed := pp.list.Changed()
		right = draw.Of(pp.frame.Theme.Good, draw.Safe("+"+strconv.Itoa(added))).Add(pp.frame.Theme.Bad, draw.Safe(" −"+strconv.Itoa(removed))).
			Add(pp.frame.Theme.Faint, "  "+draw.Show(pp.comparedWith())+" ")
	}
	return pp.Strip(pp.frame, names, right), right
}

// View implements screen.Page.
func (pp *Page) View() []string {
	switch {
	case pp.err != nil && !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Bad, " "+draw.Show(wording.OneLine(pp.err))).String(pp.frame.Width)}
	case !pp.loaded:
		return []string{draw.Of(pp.frame.Theme.Faint, " …").String(pp.frame.Width)}
	case pp.frame.Left == 0:
		return pp.pane(pp.Tab)
	}
	return pp.frame.Abreast(pp.pane(tabOverview), pp.pane(pp.RightTab()), pp.frame.Left)
}

// pane draws a tab.
func (pp *Page) pane(tab int) []string {
	if tab == tabDiff && pp.list == nil {
		return []string{draw.Of(pp.frame.Theme.Faint, " …").String(pp.WidthOf(pp.frame.Layout, tab))}
	}
	return pp.pagers[tab].View()
}

// See implements screen.Page: it notes what an approval needs.
func (pp *Page) See() {
	for _, tab := range []int{tabOverview, tabDiff, tabAssessment} {
		if pp.loaded && pp.Visible(pp.frame.Layout, tab) && (tab != tabDiff || pp.list != nil) {
			pp.pagers[tab].See()
		}
	}
}

// Crumb implements screen.Crumbed.
func (pp *Page) Crumb(room int) draw.Line {
	p := pp.brief
	if pp.loaded {
		p = pp.dossier.Proposal
	}
	sign, word, style := labels.State(pp.frame.Theme, pp.Actor, p)
	l := draw.Of(pp.frame.Theme.Strong, draw.Show(wording.Reference(p))).Add(pp.frame.Theme.Text, " "+draw.Show(string(p.Type))+" ")
	state := draw.Of(style, "  "+sign+" "+word)
	l = l.Add(pp.frame.Theme.Text, draw.Cut(draw.Show(p.Subject.String()), max(8, room-l.Width()-state.Width())))
	return append(l, state...)
}
