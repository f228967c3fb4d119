package tui

import (
	"context"
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

// finding1 returns the finding that is selected.
func (pp *proposalPage) finding1() (review.Standing, bool) {
	n := -1
	switch pp.Tab {
	case tabDiff:
		if note, ok := pp.noteHere(); ok {
			n = note.Of
		}
	case tabOverview, tabAssessment:
		n = pp.pagers[pp.Tab].Stop()
	}
	if n < 0 || n >= len(pp.dossier.Standing) {
		return review.Standing{}, false
	}
	return pp.dossier.Standing[n], true
}

// unseen names what has not been on the screen and has to be.
func (r *reading) unseen() []string {
	if r == nil || r.list == nil || r.made.new != r.hash {
		return []string{"the diff"} // there is none yet, or it is of an earlier revision
	}
	return append(r.list.Unseen(r.pager), unseenFindings(r)...)
}

// seenAll reports whether unseen names nothing. It looks no further than to
// the first thing, and does not look twice at what was seen.
func (r *reading) seenAll() bool {
	var missing bool
	r.read, missing = r.list.FirstUnseen(r.pager, false, r.read)
	return !missing && len(unseenFindings(r)) == 0
}

// members returns the proposals that are approved together with the open one.
func (pp *proposalPage) members() []proposals.Proposal {
	if len(pp.dossier.Members) > 1 {
		return pp.dossier.Members
	}
	return []proposals.Proposal{pp.dossier.Proposal}
}

// unread names what of the proposals has not been on the screen.
func (m *Model) unread(ps []proposals.Proposal) []string {
	var names []string
	for _, p := range ps {
		missing := m.reading[p.ID].unseen()
		if len(missing) == 0 {
			continue
		}
		prefix := ""
		if len(ps) > 1 {
			prefix = wording.Reference(p) + " "
		}
		names = append(names, prefix+wording.Joined(missing))
	}
	return names
}

// showUnseen opens the first of the proposals of which something was not on the
// screen, there.
func (m *Model) showUnseen(ps []proposals.Proposal) tea.Cmd {
	for _, p := range ps {
		if r := m.reading[p.ID]; r == nil || r.list == nil || !r.seenAll() {
			return m.openUnseen(p)
		}
	}
	return nil
}

// openUnseen opens a proposal at what was not on the screen.
func (m *Model) openUnseen(p proposals.Proposal) tea.Cmd {
	pp, ok := m.page.(*proposalPage)
	if !ok || pp.id != p.ID {
		pp = m.newProposalPage(p)
		pp.turn(m, tabDiff)
		pp.unseen = true
		return m.show(pp)
	}
	pp.turn(m, tabDiff)
	if pp.nothingUnseen(m) == "" {
		return pp.nextUnseen(m)
	}
	return nil
}

func (pp *proposalPage) askApprove(m *Model) tea.Cmd {
	members := pp.members()
	choices, draft := m.asShown(members), draftKinds[proposals.ActApprove]+"-"+string(pp.id)
	var asked []review.Dossier
	for _, p := range members {
		if r := m.reading[p.ID]; r != nil {
			asked = append(asked, r.dossier)
		}
	}
	ask := m.ask(screen.Dialog{
		Form: proposals.ActApprove.Form(1), Draft: draft, NoteOptional: true,
		Content: func(page *prose.Page) { pp.approvalContent(m, page, members) },
		Locked:  func() []string { return m.unread(members) },
		Unread:  m.action(func(m *Model) tea.Cmd { return m.showUnseen(members) }),
		Changed: pp.since(),
		Run:     m.answered(func(m *Model, note string) tea.Cmd { return m.decide(proposals.ActApprove, choices, note, draft) }),
	})
	return tea.Batch(ask, m.shown(asked...))
}

// asShown ties proposals to the review digests of what was shown of them last.
// What was not shown at all keeps the dialog locked.
func (m *Model) asShown(ps []proposals.Proposal) []review.Choice {
	choices := make([]review.Choice, len(ps))
	for i, p := range ps {
		choices[i] = review.Choice{ID: p.ID, Expect: "nothing was shown"}
		if r := m.reading[p.ID]; r != nil {
			choices[i].Expect = r.dossier.Digest
		}
	}
	return choices
}

// since returns what says what happened to the proposal from now on, "" for
// nothing.
func (pp *proposalPage) since() func() string {
	state, digest := pp.dossier.Proposal.State, pp.dossier.Digest
	return func() string {
		switch d := pp.dossier; {
		case d.Proposal.State != state:
			return wording.Standing(d.Proposal.State)
		case d.Digest != digest:
			return "it changed while the dialog was open"
		}
		return ""
	}
}

// approvalContent says exactly what an approval does.
func (pp *proposalPage) approvalContent(m *Model, page *prose.Page, members []proposals.Proposal) {
	for _, p := range members {
		pp.what(page, p)
		if p.Approvals != nil {
			page.Field("approvals", wording.BeforeApproval(*p.Approvals))
		}
	}
	d := pp.dossier
	openFindings(m, page, pp.dossier)
	promptsField(page, d)
	for _, p := range members {
		if r := m.reading[p.ID]; r != nil && r.dossier.Unassigned {
			unassigned(m, page, p)
		}
	}
	for _, o := range d.Others {
		page.Item(draw.Of(m.theme.Warn, "! "), wording.Reference(o)+" by "+o.Author.String()+" becomes stale.")
	}
	page.Field("digest", m.layout.Digest(d.Digest))
	page.Field("policy", d.Policy.Deciding().String())
}

// unassigned says that a tool reaches nobody, and what to do about it.
func unassigned(m *Model, page *prose.Page, p proposals.Proposal) {
	page.Item(draw.Of(m.theme.Warn, "! "), "No agent has "+p.Subject.ID+". Assign it: toolcrib assign "+p.Subject.ID+" --to NAME")
}

func (pp *proposalPage) what(page *prose.Page, p proposals.Proposal) {
	page.Field(string(p.Type), p.Subject.String())
	page.Field("", "revision "+itoa(p.Revision)+", content "+wording.Short(p.ContentHash)+", "+becomes(p))
}

// becomes returns which version an approval makes.
func becomes(p proposals.Proposal) string {
	if p.BaseVersion == 0 {
		return "becomes version 1"
	}
	return "version " + itoa(p.BaseVersion) + " → " + itoa(p.BaseVersion+1)
}

// draftKinds begin the names of the kept texts of decisions.
var draftKinds = map[proposals.Act]string{proposals.ActApprove: "approve", proposals.ActReject: "reject", proposals.ActRequestChanges: "changes"}

// askReason asks for the reason of a decision that makes nothing live.
func askReason(act proposals.Act) func(*Model) tea.Cmd {
	return on(func(pp *proposalPage, m *Model) tea.Cmd {
		choices, draft := AsRead([]review.Dossier{pp.dossier}), draftKinds[act]+"-"+string(pp.id)
		return m.ask(screen.Dialog{
			Form: act.Form(1), Draft: draft, Writing: true,
			Content: func(page *prose.Page) {
				pp.content(page)
				page.Text("", act.Form(1).Consequence)
				openFindings(m, page, pp.dossier)
				page.Field("prompts", "no channel prompt changes")
				page.Field("digest", m.layout.Digest(choices[0].Expect))
			},
			Changed: pp.since(),
			Run:     m.answered(func(m *Model, reason string) tea.Cmd { return m.decide(act, choices, reason, draft) }),
		})
	})
}

// content names exactly what is on the screen.
func (pp *proposalPage) content(page *prose.Page) {
	p := pp.dossier.Proposal
	page.Field(string(p.Type), p.Subject.String())
	page.Field("", "revision "+itoa(p.Revision)+", content "+wording.Short(p.ContentHash))
}

func (pp *proposalPage) askWaive(m *Model) tea.Cmd {
	s, _ := pp.finding1()
	form, draft := proposals.ActWaive.Form(1), "waive-"+string(pp.id)+"-"+s.PassageHash()[:8]
	return m.ask(screen.Dialog{
		Form: form, Draft: draft, Writing: true,
		Content: func(page *prose.Page) {
			sign, style := labels.Severity(m.theme, s.Severity)
			page.Item(draw.Of(style, draw.Pad(sign, 9)), s.Rule+" in "+s.Path)
			page.Text("", s.Message)
			for line := range strings.SplitSeq(s.Passage[:min(len(s.Passage), 400)], "\n") {
				page.Marked("┃ ", line, nil)
			}
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: m.answered(func(m *Model, reason string) tea.Cmd {
			return m.write(screen.Act(screen.Wrote{ID: pp.id, Draft: draft}, form, func(ctx context.Context) (string, error) { return m.cfg.Waive(ctx, pp.id, s, reason) }))
		}),
	})
}

func (pp *proposalPage) askComment(m *Model) tea.Cmd { return pp.askCommentAt(m, review.Anchor{}) }

// askSimple asks about an act that needs no words.
func askSimple(act proposals.Act) func(*Model) tea.Cmd {
	return on(func(pp *proposalPage, m *Model) tea.Cmd {
		return m.ask(screen.Dialog{
			Form: act.Form(1),
			Content: func(page *prose.Page) {
				pp.content(page)
				page.Blank()
				page.Text("", act.Form(1).Consequence)
			},
			Run: m.answered(func(m *Model, _ string) tea.Cmd { return m.simple(act, pp.id) }),
		})
	})
}

// promptsField says which channel prompts a yes would change.
func promptsField(page *prose.Page, d review.Dossier) {
	if len(d.Rendered) == 0 {
		page.Field("prompts", "no agent's prompt changes")
	}
	for i, line := range channelsOf(d, nil) {
		label := ""
		if i == 0 {
			label = "prompts"
		}
		page.Field(label, line)
	}
}
