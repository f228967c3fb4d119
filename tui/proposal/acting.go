package proposal

import (
	"context"
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

// selectedFinding returns the finding that is selected.
func (pp *Page) selectedFinding() (review.Standing, bool) {
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

// members returns the proposals that are approved together with the open one.
func (pp *Page) members() []proposals.Proposal {
	if len(pp.dossier.Members) > 1 {
		return pp.dossier.Members
	}
	return []proposals.Proposal{pp.dossier.Proposal}
}

// Unseen goes to the next unread part, once the diff is there.
func (pp *Page) Unseen() tea.Cmd {
	cmd := pp.turn(tabDiff)
	switch {
	case !pp.loaded || pp.list == nil:
		pp.toUnseen = true
	case pp.nothingUnseen() == "":
		return tea.Batch(cmd, pp.nextUnseen())
	}
	return cmd
}

func (pp *Page) askApprove() tea.Cmd {
	members := pp.members()
	choices, draft := pp.Seen.choices(members), screen.DecisionDraft(proposals.ActApprove, idsOf(members)...)
	ask := pp.Shell.Ask(screen.Dialog{
		Form: proposals.ActApprove.Form(1), Draft: draft, About: screen.About(members...), NoteOptional: true,
		Content: func(page *prose.Page) { pp.approvalContent(page, members) },
		Locked:  func() []string { return pp.Seen.Unread(members) },
		Unread: func() tea.Cmd {
			p, missing := pp.Seen.first(members)
			switch {
			case !missing:
				return nil
			case p.ID == pp.id:
				return pp.Unseen()
			}
			return pp.Shell.OpenUnseen(p)
		},
		Changed: pp.since(),
		Run: func(note string) tea.Cmd {
			return pp.Shell.Write(pp.Acts.Decision(proposals.ActApprove, choices, note, draft))
		},
	})
	return tea.Batch(ask, pp.Tell(pp.ctx, pp.Seen.dossiers(members)...))
}

// about names the proposal that a text is for.
func (pp *Page) about() string { return screen.About(pp.dossier.Proposal) }

func idsOf(ps []proposals.Proposal) []proposals.ID {
	ids := make([]proposals.ID, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	return ids
}

// since returns a function that describes changes of the proposal from now on, ""
// for none.
func (pp *Page) since() func() string {
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
func (pp *Page) approvalContent(page *prose.Page, members []proposals.Proposal) {
	for _, p := range members {
		pp.what(page, p)
		if p.Approvals != nil {
			page.Field("approvals", wording.BeforeApproval(*p.Approvals))
		}
	}
	d := pp.dossier
	pp.openFindings(page)
	screen.PromptsField(page, d)
	pp.frame.TestsField(page, pp.Seen.dossiers(members)...)
	for _, p := range members {
		if r := pp.Seen.of[p.ID]; r != nil && r.dossier.Unassigned {
			pp.frame.Unassigned(page, p)
		}
	}
	for _, o := range d.Others {
		page.Item(draw.Of(pp.frame.Theme.Warn, "! "), wording.Reference(o)+" by "+o.Author.String()+" becomes stale.")
	}
	page.Field("digest", pp.frame.Digest(d.Digest))
	page.Field("policy", d.Policy.Deciding().String())
}

func (pp *Page) what(page *prose.Page, p proposals.Proposal) {
	page.Field(string(p.Type), p.Subject.String())
	page.Field("", "revision "+strconv.Itoa(p.Revision)+", content "+wording.Short(p.ContentHash)+", "+wording.Becomes(p))
}

// askReason asks for the reason of a decision that makes nothing live.
func (pp *Page) askReason(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd {
		choices, draft := []review.Choice{{ID: pp.id, Expect: pp.dossier.Digest}}, screen.DecisionDraft(act, pp.id)
		return pp.Shell.Ask(screen.Dialog{
			Form: act.Form(1), Draft: draft, About: pp.about(), Writing: true,
			Content: func(page *prose.Page) {
				pp.content(page)
				page.Text("", act.Form(1).Consequence)
				pp.openFindings(page)
				page.Field("prompts", "no channel prompt changes")
				page.Field("digest", pp.frame.Digest(choices[0].Expect))
			},
			Changed: pp.since(),
			Run:     func(reason string) tea.Cmd { return pp.Shell.Write(pp.Acts.Decision(act, choices, reason, draft)) },
		})
	}
}

// content identifies exactly the content on the screen.
func (pp *Page) content(page *prose.Page) {
	p := pp.dossier.Proposal
	page.Field(string(p.Type), p.Subject.String())
	page.Field("", "revision "+strconv.Itoa(p.Revision)+", content "+wording.Short(p.ContentHash))
}

func (pp *Page) askWaive() tea.Cmd {
	s, _ := pp.selectedFinding()
	form, draft := proposals.ActWaive.Form(1), "waive-"+string(pp.id)+"-"+s.PassageHash()[:8]
	return pp.Shell.Ask(screen.Dialog{
		Form: form, Draft: draft, About: pp.about(), Writing: true,
		Content: func(page *prose.Page) {
			sign, style := labels.Severity(pp.frame.Theme, s.Severity)
			page.Item(draw.Of(style, draw.Pad(sign, 9)), s.Rule+" in "+s.Path)
			page.Text("", s.Message)
			for line := range strings.SplitSeq(s.Passage[:min(len(s.Passage), 400)], "\n") {
				page.Marked("┃ ", line, nil)
			}
			page.Blank()
			page.Text("", form.Consequence)
		},
		Run: func(reason string) tea.Cmd {
			return pp.Shell.Write(screen.Act(screen.Wrote{ID: pp.id, Draft: draft}, form, func(ctx context.Context) (string, error) { return pp.Acts.Waive(ctx, pp.id, s, reason) }))
		},
	})
}

func (pp *Page) askComment() tea.Cmd { return pp.askCommentAt(review.Anchor{}) }

// askSimple asks about an act that needs no words.
func (pp *Page) askSimple(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd {
		return pp.Shell.Ask(screen.Dialog{
			Form: act.Form(1),
			Content: func(page *prose.Page) {
				pp.content(page)
				page.Blank()
				page.Text("", act.Form(1).Consequence)
			},
			Run: func(_ string) tea.Cmd { return pp.simple(act) },
		})
	}
}

// simple does an act that needs no text.
func (pp *Page) simple(act proposals.Act) tea.Cmd {
	return pp.Shell.Write(screen.Act(screen.Wrote{ID: pp.id}, act.Form(1), func(ctx context.Context) (string, error) { return pp.Acts.Simple(ctx, act, pp.id) }))
}

// openFindings lists the findings that are not waived, those of a rule in one row.
func (pp *Page) openFindings(page *prose.Page) {
	sums := review.OpenByRule(pp.dossier.Standing)
	for i, s := range sums {
		label := draw.Safe("")
		if i == 0 {
			label = "findings"
		}
		sign, style := labels.Severity(pp.frame.Theme, s.Severity)
		page.Item(draw.Of(pp.frame.Theme.Faint, draw.Pad(label, prose.LabelWidth)).Add(style, draw.Pad(sign, 9)), wording.FirstOf(s))
	}
	if len(sums) == 0 {
		page.Field("findings", "none open")
	}
}

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
		return pp.Shell.Write(screen.Drafted("", func(ctx context.Context) (proposals.Proposal, string, error) { return pp.Acts.Again(ctx, d) }))
	}
	s, _ := pp.selectedFinding()
	form := proposals.ActUnwaive.Form(1)
	return pp.Shell.Ask(screen.Dialog{
		Form: form, Draft: "unwaive-" + string(pp.id) + "-" + s.PassageHash()[:8], About: pp.about(), Writing: true,
		Content: func(page *prose.Page) {
			page.Text("", s.Rule+" in "+s.Path+": "+s.Message)
			page.Field("waived by", s.Waiver.By+": "+s.Waiver.Reason)
			page.Blank()
			page.Text("", form.Consequence)
		},
		Changed: pp.since(),
		Run: func(reason string) tea.Cmd {
			return pp.Shell.Write(screen.Act(screen.Wrote{ID: pp.id}, form, func(ctx context.Context) (string, error) { return pp.Acts.Unwaive(ctx, pp.id, s, reason) }))
		},
	})
}
