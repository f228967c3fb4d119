// Package decisions implements the dialogs in which the user decides on proposals. A decision on several proposals
// applies to all or none.
package decisions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
	"toolcrib/tui/desk"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/pending"
	"toolcrib/tui/prose"
	"toolcrib/tui/quotes"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/wording"
)

// Shell is the part of the workbench that the dialogs of decisions use.
type Shell interface {
	screen.Messenger
	Frame() screen.Frame
	CloseDialog()
}

// Pages provides the pages that the user reads before a decision.
type Pages interface {
	// Deciding reports whether the current page accepts decisions and no dialog is open.
	Deciding() bool
	// Set returns the current page if it is the page of a change set, and otherwise nil.
	Set() Set
	OpenSet(p proposals.Proposal) tea.Cmd
	OpenUnseen(p proposals.Proposal) tea.Cmd
	// Marked returns the marked proposals. MarkOnly marks ps and removes all other marks.
	Marked() []proposals.Proposal
	MarkOnly(ps []proposals.Proposal)
	// Tokens describes how many tokens the proposal on the current page adds to prompts. It returns "" on other pages.
	Tokens() string
}

// Set is the page of a change set.
type Set interface {
	ShowUnseen()        // scrolls to the next unread text
	UnreadText() string // describes how much of the page is unread
}

// Decisions opens the dialogs of decisions and carries out the decisions.
type Decisions struct {
	Context context.Context //nolint:containedctx // for reads before a dialog opens
	Shell   Shell
	Pages   Pages
	User    *desk.User
	Pending *pending.Operations
	Seen    *seen.Record
	// RecordShown records that the given proposals were shown to the user.
	RecordShown func(ctx context.Context, ds ...review.Dossier) tea.Cmd
	Write       func(screen.Write) tea.Cmd
	// Regroup moves proposals to the change set named changeSet. If changeSet is "", Regroup removes the proposals
	// from their sets. It is nil if proposals cannot be moved.
	Regroup func(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error)

	reading *batch // the batch of the latest call of Decide
}

// Decide opens a dialog for a decision on ps. It first reads the proposals again, because the dialog must show
// their current state. If act is an approval, the decision includes the other members of the proposals' change
// sets.
func (m *Decisions) Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd {
	b := &batch{act: act}
	m.reading = b
	return func() tea.Msg {
		o := m.Pending.Begin("Reading the proposals")
		defer o.End()
		ds, err := m.User.ReadForDecision(m.Context, act, ps, o.Tell)
		return screen.Then{Do: func() tea.Cmd {
			switch {
			case b != m.reading, !m.Pages.Deciding(): // the user has left the page or has requested another batch
				return nil
			case err != nil:
				return m.Shell.Fail(err)
			}
			b.dossiers = ds
			if refused := b.refused(m.User.Actor); len(refused) > 0 {
				return m.askPartial(*b, refused)
			}
			if act == proposals.ActApprove {
				return m.askApproveAll(*b)
			}
			return m.askRefuseAll(*b)
		}}
	}
}

// readProgress records how much of a batch has been on screen.
type readProgress struct {
	seen.Progress
	read   int
	parts  []int                // number of unread parts, for each proposal
	unread []proposals.Proposal // proposals with unread parts
	names  []string             // names of the unread parts; members of a change set that the user reads on one page share a name
}

func (b *batch) progress(progress func(review.Dossier) seen.Progress) readProgress {
	s := readProgress{parts: make([]int, len(b.dossiers))}
	for i, d := range b.dossiers {
		p := progress(d)
		if len(b.dossiers) > 1 && d.Parts == nil { // in a batch of several proposals, a tool is a single part
			p.Parts, p.Unread = 1, p.Unread[:min(1, len(p.Unread))]
		}
		s.parts[i] = min(len(p.Unread), p.Parts)
		s.Parts, s.Known, s.ByHash, s.read = s.Parts+p.Parts, s.Known+p.Known, s.ByHash+p.ByHash, s.read+p.Parts-s.parts[i]
		if s.KnownFrom = cmp.Or(s.KnownFrom, p.KnownFrom); p.KnownFrom != "" && p.KnownFrom != s.KnownFrom {
			s.KnownFrom = "others"
		}
		missing := append(slices.Clone(p.Missing), p.Unread...)
		if len(missing) == 0 {
			continue
		}
		s.Missing, s.unread = append(s.Missing, p.Missing...), append(s.unread, d.Proposal)
		name := wording.Enumerate(missing)
		switch set := d.Proposal.ChangeSet; {
		case b.onePage(set):
			name = "the page of the set " + set
		case len(b.dossiers) > 1:
			name = wording.Reference(d.Proposal) + " " + d.Proposal.Subject.String() + ": " + name
		}
		if len(s.names) == 0 || s.names[len(s.names)-1] != name {
			s.names = append(s.names, name)
		}
	}
	return s
}

// counts describes how much the user has read. For example, "2/2 parts · 52 as in docx · 4 data files by hash" means
// that 2 of 2 parts were read, 52 files are the same as in docx, and 4 data files are accepted by their hash.
func (s readProgress) counts() string {
	text := strconv.Itoa(s.read) + "/" + wording.Count(s.Parts, "part", "parts")
	if s.Known > 0 {
		text += " · " + strconv.Itoa(s.Known) + " as in " + s.KnownFrom
	}
	if s.ByHash > 0 {
		text += " · " + wording.Count(s.ByHash, "data file", "data files") + " by hash"
	}
	return text
}

// mayStayUnread reports whether the user may approve the batch without reading its unread parts. This is the
// case if all unread parts belong to new, imported definitions.
func (b *batch) mayStayUnread(s readProgress) bool {
	for i, d := range b.dossiers {
		if s.parts[i] > 0 && !review.MayBeUnread(d.Proposal, d.Revision.Draft.Definition) {
			return false
		}
	}
	return true
}

// askApproveAll opens the dialog for approving the batch. The dialog is locked until the user has read everything.
// If the unread parts may stay unread, the user can instead choose to approve them, and type their number. To
// approve several proposals that are not a single change set, the user types the number of proposals before y.
func (m *Decisions) askApproveAll(b batch) tea.Cmd {
	so := b.progress(m.Seen.Progress) // computed once, because nothing is recorded as read while a dialog is open
	tokens := m.Pages.Tokens()
	n := 0
	for _, parts := range so.parts {
		n += parts
	}
	d := screen.Dialog{
		Form: b.act.Form(len(b.dossiers)), Draft: b.draft(), About: screen.About(b.proposals()...), NoteOptional: true,
		Subject: screen.Subjects(b.act, b.proposals()...),
		Facts: sync.OnceValue(func() []draw.Line { // computed once, because every frame draws the facts
			return m.Shell.Frame().Facts(so.counts(), n > 0 || len(so.Missing) > 0, b.dossiers, tokens)
		}),
		Content: func(page *prose.Page) {
			b.listProposals(m, page)
			page.Blank()
			b.listChannels(m, page)
		},
		Outdated: b.outdated(m),
		Run:      func(note string) tea.Cmd { return b.decide(m, note, so.parts) },
	}
	if forSeveral(&d, len(b.dossiers)); len(b.dossiers) > 1 && !b.oneSet() {
		d.TypedCount = strconv.Itoa(len(b.dossiers))
	}
	again := func(change func(b *batch)) func() tea.Cmd {
		return func() tea.Cmd {
			change(&b)
			m.Shell.CloseDialog()
			return m.askApproveAll(b)
		}
	}
	locked := so.names
	if set := m.Pages.Set(); set != nil && len(locked) > 0 {
		locked = []string{set.UnreadText()}
	}
	switch {
	case n > 0 && b.unread && len(so.Missing) == 0:
		locked, d.TypedCount = nil, strconv.Itoa(n)
		d.Form.Title, d.Form.Verb = d.Form.Title+" unread", "approve "+wording.Count(n, "unread part", "unread parts")
	case n > 0 && b.mayStayUnread(so):
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"A"}, Label: "approve " + strconv.Itoa(n) + " unread", Do: func() tea.Cmd {
			var withheld []string
			for _, d := range b.dossiers {
				withheld = lists.Union(withheld, m.Seen.Missing(d))
			}
			if len(withheld) > 0 {
				return m.Shell.Say(screen.Warning, "Unread: %s", wording.Enumerate(withheld))
			}
			return again(func(b *batch) { b.unread, b.byHash = true, true })()
		}})
	}
	if so.ByHash > 0 && !b.byHash {
		locked = append(slices.Clone(locked), wording.Count(so.ByHash, "data file", "data files"))
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"h"}, Label: "accept data by hash", Do: again(func(b *batch) { b.byHash = true })})
	}
	d.Locked = func() []string { return locked }
	if len(so.unread) > 0 {
		d.OpenUnread = func() tea.Cmd {
			if set := m.Pages.Set(); set != nil {
				set.ShowUnseen()
				return nil
			}
			if b.onePage(so.unread[0].ChangeSet) {
				return m.Pages.OpenSet(so.unread[0])
			}
			return m.Pages.OpenUnseen(so.unread[0])
		}
	}
	read := slices.DeleteFunc(slices.Clone(b.dossiers), func(d review.Dossier) bool {
		return slices.ContainsFunc(so.unread, func(p proposals.Proposal) bool { return p.ID == d.Proposal.ID })
	})
	return tea.Batch(m.Shell.Ask(d), m.RecordShown(m.Context, read...))
}

// askRefuseAll opens the dialog for sending back or rejecting the batch. The dialog requires a reason.
func (m *Decisions) askRefuseAll(b batch) tea.Cmd {
	form := b.act.Form(len(b.dossiers))
	d := screen.Dialog{
		Form: form, Draft: b.draft(), About: screen.About(b.proposals()...), Writing: true,
		Subject: screen.Subjects(b.act, b.proposals()...),
		Facts:   func() []draw.Line { return m.Shell.Frame().RefusalFacts(form.Consequence, b.dossiers...) },
		Content: func(page *prose.Page) {
			page.Text("", form.Consequence+" No channel prompt changes.")
			page.Blank()
			b.listProposals(m, page)
		},
		Outdated: b.outdated(m),
		Run:      func(reason string) tea.Cmd { return b.decide(m, reason, nil) },
	}
	forSeveral(&d, len(b.dossiers))
	return m.Shell.Ask(d)
}

// forSeveral adapts the dialog to a decision on n proposals.
func forSeveral(d *screen.Dialog, n int) {
	if n > 1 {
		d.Form.Title += " " + strconv.Itoa(n) + " proposals"
	}
}

// decide returns a command that makes the same decision on all proposals of the batch. If a proposal cannot be
// decided, no proposal is.
func (b *batch) decide(m *Decisions, reason string, unread []int) tea.Cmd {
	set := ""
	if b.oneSet() {
		set = b.dossiers[0].Proposal.ChangeSet
	}
	return m.Write(m.User.Decision(b.act, desk.Choices(b.dossiers, unread), reason, b.draft(), set))
}

// listProposals lists the proposals of the batch with their revisions and digests. It summarizes a change set
// that the user reads on one page.
func (b *batch) listProposals(m *Decisions, page *prose.Page) {
	summed := ""
	for _, d := range b.dossiers {
		switch set := d.Proposal.ChangeSet; {
		case set != "" && set == summed:
		case b.onePage(set):
			summed = set
			b.summarizeSet(m, page, set)
		default:
			p := d.Proposal
			page.Item(draw.Of(m.Shell.Frame().Theme.Strong, draw.Pad(draw.Escape(wording.Reference(p)), 5)).Add(m.Shell.Frame().Theme.Faint, " "+draw.Escape(string(p.Type))+" "), p.Subject.String())
			what := "revision " + strconv.Itoa(p.Revision) + ", content " + wording.Short(p.ContentHash)
			if b.act == proposals.ActApprove {
				what += ", " + wording.Becomes(p)
				if p.Approvals != nil {
					what += ", approvals " + p.Approvals.Text
				}
			}
			page.Faint("      ", what)
			worst, style := findingsLabel(m.Shell.Frame().Theme, d)
			page.Line(draw.Of(m.Shell.Frame().Theme.Faint, "      digest "+draw.Escape(wording.Short(d.Digest))+"  ").Add(style, worst))
		}
	}
	if len(b.dossiers) > 0 && b.act == proposals.ActApprove {
		page.Field("policy", b.dossiers[0].Policy.Deciding().String())
	}
}

// summarizeSet draws the number of members of the given change set, and their findings by rule.
func (b *batch) summarizeSet(m *Decisions, page *prose.Page, set string) {
	var all review.Dossier
	var members []review.Dossier
	approvals := map[string]bool{}
	for _, d := range b.dossiers {
		if d.Proposal.ChangeSet != set {
			continue
		}
		members, all.Standing = append(members, d), append(all.Standing, d.Standing...)
		if d.Proposal.Approvals != nil && b.act == proposals.ActApprove {
			approvals[d.Proposal.Approvals.Text] = true
		}
	}
	page.Item(draw.Of(m.Shell.Frame().Theme.Strong, draw.Escape(set)+"  "), setpage.Counts(members))
	for _, severity := range []rules.Severity{rules.Block, rules.Warn, rules.Info} {
		sums := slices.DeleteFunc(review.OpenByRule(all.Standing), func(r review.RuleFindings) bool { return r.Severity != severity })
		if len(sums) > 0 {
			sign, style := labels.Severity(m.Shell.Frame().Theme, severity)
			page.Item(draw.Of(style, "  "+draw.Pad(sign, 9)), wording.Rules(sums))
		}
	}
	if len(review.OpenByRule(all.Standing)) == 0 {
		page.Faint("  ", "no open findings")
	}
	for _, text := range slices.Sorted(maps.Keys(approvals)) {
		page.Faint("  ", "approvals "+text)
	}
	if b.act == proposals.ActApprove {
		page.Faint("  ", "If a proposal has changed since you read it, nothing is approved.")
	}
}

// listChannels lists the test cases and channel prompts that the batch changes, and draws warnings.
func (b *batch) listChannels(m *Decisions, page *prose.Page) {
	m.Shell.Frame().TestsField(page, b.dossiers...)
	all := review.Dossier{Rendered: map[string]string{}}
	var nobody []proposals.Proposal // tools that no agent has
	for _, d := range b.dossiers {
		for key, hash := range d.Rendered {
			all.Rendered[key] = hash
		}
		if d.Unassigned {
			nobody = append(nobody, d.Proposal)
		}
		for _, o := range d.Others {
			if !slices.ContainsFunc(b.dossiers, func(in review.Dossier) bool { return in.Proposal.ID == o.ID }) {
				page.Item(draw.Of(m.Shell.Frame().Theme.Warn, "! "), wording.Reference(o)+" by "+o.Author.String()+" becomes stale.")
			}
		}
	}
	m.Shell.Frame().Unassigned(page, nobody...)
	if !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return !d.Proposal.Subject.Kind.InFiles() }) {
		return // definitions in files do not change channel prompts
	}
	label := "prompts"
	if len(all.Rendered) == 0 {
		page.Field(label, "no agent's prompt changes")
	}
	for _, line := range wording.Channels(all, nil) {
		page.Field(label, line)
		label = ""
	}
}

// askPartial lists the proposals that cannot be decided, grouped by reason, and offers to continue without them.
func (m *Decisions) askPartial(b batch, refused []refusal) tea.Cmd {
	d := screen.Dialog{
		Form: proposals.Form{Title: "Some decisions are not possible"},
		Content: func(page *prose.Page) {
			which := "Blocked by:"
			if len(b.dossiers) > 1 {
				which = strconv.Itoa(len(refused)) + " of " + strconv.Itoa(len(b.dossiers)) + " proposals cannot be decided:"
			}
			page.Text("", "Nothing changed. "+which)
			for _, alike := range byReason(refused) {
				first := alike[0].dossier
				page.Blank()
				sign := draw.Of(m.Shell.Frame().Theme.Warn, "! ")
				if len(alike) == 1 {
					page.Item(sign.Add(m.Shell.Frame().Theme.Strong, draw.Escape(wording.Reference(first.Proposal))+" "), first.Proposal.Subject.String())
				} else {
					page.Item(sign, namesOf(alike))
				}
				page.Text("  ", alike[0].why)
				if len(refused) == 1 {
					th := m.Shell.Frame().Theme
					var firsts []review.Standing
					for _, of := range review.BlocksByRule(first.Standing) {
						of.First.Rule = wording.RuleCount(of)
						firsts = append(firsts, of.First)
					}
					list := quotes.Rows(firsts)
					for i, r := range list[:min(len(list), wording.MaxRules)] {
						sign, style := labels.Severity(th, r[0].Severity)
						page.Item(draw.Of(style, "  "+draw.Pad(sign, 9)), r.Rules()+": "+quotes.Message(list, i))
					}
				}
			}
			if slices.ContainsFunc(refused, func(r refusal) bool { return len(review.BlocksByRule(r.dossier.Standing)) > 0 }) {
				page.Blank()
				page.Faint("", "The Assessment tab of each proposal quotes the passages of the findings.")
			}
		},
	}
	if len(b.dossiers) == 1 {
		d.Form.Title = "Not possible"
	}
	marked, out := m.Pages.Marked(), b.withSets(refused)
	rest := slices.DeleteFunc(slices.Clone(marked), func(p proposals.Proposal) bool { return slices.Contains(out, p.ID) })
	if len(rest) > 0 && len(rest) < len(marked) {
		d.Keys = []screen.Key{{Keys: []string{"d"}, Label: "unmark these and continue with " + strconv.Itoa(len(rest)), Do: func() tea.Cmd {
			m.Shell.CloseDialog()
			m.Pages.MarkOnly(rest)
			return m.Decide(b.act, rest)
		}}}
	}
	if way, ok := b.remedy(refused); ok && m.Regroup != nil {
		d.Form.Verb, d.Form.Consequence = way.verb, ""
		d.Run = func(string) tea.Cmd {
			return m.Write(screen.Act(screen.Wrote{}, proposals.Form{Undone: "nothing moved"}, func(ctx context.Context) (string, error) {
				_, err := m.Regroup(ctx, m.User.Actor, way.moved, way.set)
				return way.done, err
			}))
		}
	}
	return m.Shell.Ask(d)
}

// batch contains proposals that are decided together. The dossiers were read for this decision.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
	unread   bool // the user approves the unread parts
	byHash   bool // the user accepts data files by their hash
}

// outdated returns a function that reads the proposals again and returns how they have changed, or "". The function
// returns "" if they cannot be read.
func (b *batch) outdated(m *Decisions) func() string {
	was, what := b.dossiers, "A proposal has changed"
	if b.oneSet() {
		what = "The set has changed"
	}
	act, ps := b.act, b.proposals()
	return func() string {
		is, err := m.User.ReadForDecision(m.Context, act, ps, func(int, int) {})
		if err != nil || slices.EqualFunc(was, is, func(x, y review.Dossier) bool {
			return x.Proposal.ID == y.Proposal.ID && x.Proposal.State == y.Proposal.State && x.Digest == y.Digest
		}) {
			return ""
		}
		return what
	}
}

// onePage reports whether the batch contains several members of the change set named set. The user reads these
// members on the page of the set.
func (b *batch) onePage(set string) bool {
	n := 0
	for _, d := range b.dossiers {
		if d.Proposal.ChangeSet == set {
			n++
		}
	}
	return set != "" && n > 1
}

// oneSet reports whether the batch consists of several members of a single change set.
func (b *batch) oneSet() bool {
	set := b.dossiers[0].Proposal.ChangeSet
	return b.onePage(set) && !slices.ContainsFunc(b.dossiers, func(d review.Dossier) bool { return d.Proposal.ChangeSet != set })
}

// draft returns the name of the unsent text for this decision. Each set of proposals has a different name.
func (b *batch) draft() string { return screen.DecisionDraft(b.act, b.proposals()...) }

// proposals returns the proposals of the batch.
func (b *batch) proposals() []proposals.Proposal {
	return lists.Map(b.dossiers, func(d review.Dossier) proposals.Proposal { return d.Proposal })
}

// NextHint is appended to the message about a decision. It mentions the key that opens the next proposal.
const NextHint = ". Press . for the next proposal"
