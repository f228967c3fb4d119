package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
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

// proposalPage shows everything about a proposal.
type proposalPage struct {
	id      proposals.ID
	loaded  bool
	err     error
	brief   proposals.Proposal // as the queue had it, until the dossier is here
	dossier review.Dossier
	hash    string // of the definition in it
	screen.Panes
	pagers [tabCount]*pager.Pager

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
	unfit    []string        // what keeps a draft from being submitted, by its own text
	quotes   map[review.Anchor]quoted
	source   *jsondoc.Node  // the revision, once a line of it was quoted
	sourceOf string         // its content hash
	resume   *screen.Resume // to go on with when the proposal is there
	tried    *behaviour     // the test cases, nil until they were run
	answered chan behaviourMsg
	jumped   []int // the tab that a jump left, to return to
	folded   bool  // findings and comments in the diff
	unseen   bool  // to go to what was not on the screen when the diff is there
}

// reading is what the user has read of a proposal: it outlives the page.
type reading struct {
	made     comparison
	list     *difflist.List
	pager    *pager.Pager // of the diff against the base
	read     int          // row of the list, unified, up to which everything was seen
	dossier  review.Dossier
	hash     string             // of the definition in it
	finds    [2]*pager.Pager    // that quote passages: of the overview and the assessment
	passages map[pager.Text]int // how many bytes of each quoted line have to be seen
}

func (m *Model) openProposal(p proposals.Proposal) tea.Cmd { return m.show(m.newProposalPage(p)) }

func (m *Model) newProposalPage(p proposals.Proposal) *proposalPage {
	page := &proposalPage{id: p.ID, brief: p, context: difflist.DefaultContext, split: m.layout.Right >= difflist.SplitFrom, quotes: map[review.Anchor]quoted{}}
	for i := range page.pagers {
		page.pagers[i] = pager.New(m.theme)
		page.pagers[i].SetWrap(true)
	}
	if r := m.reading[p.ID]; r != nil {
		page.pagers[tabOverview], page.pagers[tabAssessment] = r.finds[0], r.finds[1]
	}
	if m.layout.Left > 0 {
		page.turn(m, tabDiff)
	}
	page.resize(m)
	return page
}

// show opens the page of a proposal, in the place of that of another.
func (m *Model) show(pp *proposalPage) tea.Cmd {
	m.proposal = pp
	if _, other := m.page.(*proposalPage); other {
		m.page = pp
		return pp.reload(m)
	}
	return m.visit(pp)
}

func (pp *proposalPage) left(l screen.Layout) int { return pp.LeftOf(l) }
func (pp *proposalPage) from() int                { return pp.From() }

func (pp *proposalPage) place() string { return placeProposal }

func (pp *proposalPage) current() (proposals.Proposal, bool) { return pp.dossier.Proposal, pp.loaded }

func (pp *proposalPage) leave(m *Model) (tea.Cmd, bool) {
	return nil, screen.LeaveText(pp.shown()) || pp.jumpBack(m)
}

func (pp *proposalPage) scroll(m *Model, x, n int) tea.Cmd {
	pp.pagers[pp.At(m.layout, x)].Scroll(n)
	return nil
}

// click gives the keys to the pane.
func (pp *proposalPage) click(m *Model, x, _ int) tea.Cmd { return pp.turn(m, pp.At(m.layout, x)) }

// turn gives a tab the keys, and shows it.
func (pp *proposalPage) turn(m *Model, tab int) tea.Cmd {
	pp.Turn(tab)
	pp.point(m)
	return tea.Batch(pp.diffPrompt(), pp.loadTests(m))
}

func (pp *proposalPage) across(m *Model, right bool) tea.Cmd { return pp.turn(m, pp.On(right)) }

// point makes lists of the tabs that have items to select, and shows which of them
// has the keys.
func (pp *proposalPage) point(m *Model) {
	for _, tab := range []int{tabOverview, tabAssessment, tabThread, tabHistory, tabTests} {
		style := m.theme.Accent
		if tab != pp.Tab {
			style = m.theme.Faint
		}
		pp.pagers[tab].Point(style)
	}
}

func (pp *proposalPage) reload(m *Model) tea.Cmd { return m.loadDossier(pp.id) }

func (pp *proposalPage) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case dossierMsg:
		return pp.dossierLoaded(m, msg)
	case diffMsg:
		return pp.diffMade(m, msg)
	case promptsMsg:
		return pp.promptsLoaded(m, msg)
	case promptDiffMsg:
		pp.promptCompared(m, msg)
	case behaviourMsg:
		pp.testsLoaded(m, msg)
	case versionsMsg:
		if pp.loaded && pp.dossier.Proposal.Subject == msg.subject {
			pp.versions = msg.versions // none while nothing is live
			pp.pagers[tabHistory].Replace(pp.history(m))
		}
	case renderedMsg:
		if pp.loaded {
			pp.fill(m)
		}
	}
	return nil
}

func (pp *proposalPage) shown() *pager.Pager { return pp.pagers[pp.Tab] }

// dossierLoaded shows a dossier that came, if it is the one that is open.
func (pp *proposalPage) dossierLoaded(m *Model, msg dossierMsg) tea.Cmd {
	if pp.id != msg.id {
		return nil
	}
	if msg.err != nil {
		pp.err = msg.err
		m.fail(msg.err)
		return nil
	}
	if pp.loaded && pp.dossier.Proposal.Revision != msg.dossier.Proposal.Revision {
		m.say(remark, "Revision %d was submitted", msg.dossier.Proposal.Revision)
		pp.against = 0
	}
	var shown tea.Cmd
	if !pp.loaded {
		shown = m.shown(msg.dossier)
	}
	if was := pp.dossier; was.Proposal.Revision != msg.dossier.Proposal.Revision || was.Proposal.LiveVersion != msg.dossier.Proposal.LiveVersion {
		pp.tried = nil
	}
	pp.dossier, pp.loaded, pp.err = msg.dossier, true, nil
	pp.unfit, pp.hash = msg.unfit, msg.hash
	r := m.reading[pp.id]
	if r == nil {
		r = &reading{finds: [2]*pager.Pager{pp.pagers[tabOverview], pp.pagers[tabAssessment]}, passages: map[pager.Text]int{}}
		m.reading[pp.id] = r
	}
	r.dossier, r.hash = msg.dossier, msg.hash
	pp.takeAnswers(m)
	pp.fill(m)
	var resume tea.Cmd
	if pp.resume != nil && m.page == page(pp) {
		resume = pp.resumed(m)
	}
	return tea.Batch(shown, resume, pp.compare(m), m.loadPrompts(pp.id, msg.dossier.Digest), m.loadVersions(msg.dossier.Proposal.Subject), pp.loadTests(m))
}

// fill lays the tabs out that need nothing but the dossier.
func (pp *proposalPage) fill(m *Model) {
	pp.pagers[tabOverview].Replace(pp.overview(m))
	pp.pagers[tabAssessment].Replace(pp.assessment(m))
	pp.pagers[tabThread].Replace(pp.thread(m))
	pp.pagers[tabHistory].Replace(pp.history(m))
	pp.pagers[tabTests].Replace(pp.tests(m))
	pp.showPrompt(m)
}

func (pp *proposalPage) resize(m *Model) {
	for tab, p := range pp.pagers {
		p.SetSize(pp.WidthOf(m.layout, tab), m.layout.Body)
	}
	pp.point(m)
	if pp.loaded {
		pp.fill(m) // tables are rendered for a width
	}
}

func (pp *proposalPage) restyle(m *Model) {
	for _, p := range pp.pagers {
		p.Restyle(m.theme)
	}
	pp.point(m)
	if !pp.loaded {
		return
	}
	pp.fill(m)
	if pp.list != nil {
		pp.pagers[tabDiff].Replace(pp.list.Rows(m.theme, pp.split))
	}
}
