// This file draws the facts on which a decision depends. It also defines the dialogs for restoring a version
// and for proposing again.

package screen

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// Subjects returns the names of the subjects to which act applies. If act approves a single proposal, the name
// is followed by the version that becomes live.
func Subjects(act proposals.Act, ps ...proposals.Proposal) draw.Safe {
	p := ps[0]
	switch {
	case len(ps) > 1 && p.ChangeSet != "" && !slices.ContainsFunc(ps, func(o proposals.Proposal) bool { return o.ChangeSet != p.ChangeSet }):
		return "set " + draw.Escape(p.ChangeSet)
	case len(ps) > 1:
		names := lists.Map(ps, wording.Reference)
		return draw.Escape(wording.Enumerate(names))
	}
	name := draw.Escape(p.Subject.String())
	switch {
	case act != proposals.ActApprove:
	case p.BaseVersion == 0:
		name += "  new → v1"
	default:
		name += draw.Escapef("  v%d → v%d", p.BaseVersion, p.BaseVersion+1)
	}
	return name
}

// Facts returns the lines of the sheet for an approval: the parts that the user has read, the changed
// capabilities, the findings, the dropped test cases, the changed prompts, the required approvals, and
// warnings. tokens describes the change in the number of tokens; it is "" if this change is unknown.
func (f Frame) Facts(read string, unread bool, ds []review.Dossier, tokens string) []draw.Line {
	sign, style := draw.Safe("✓"), f.Theme.Good
	if unread {
		sign, style = "!", f.Theme.Warn
	}
	facts := []draw.Line{draw.Of(style, sign).Add(f.Theme.Text, draw.Escape(" read "+read))}
	facts = append(facts, f.capabilities(ds), f.findings(ds), f.droppedTests(ds), f.prompts(ds, tokens))
	for _, d := range ds {
		if a := d.Proposal.Approvals; a != nil {
			facts = append(facts, draw.Of(f.Theme.Text, draw.Escape("approvals "+wording.BeforeApproval(*a))))
		}
		if d.Unassigned {
			facts = append(facts, draw.Of(f.Theme.Warn, "!").Add(f.Theme.Text, draw.Escape(" no agent has "+d.Proposal.Subject.ID)))
		}
		for _, o := range d.Others {
			facts = append(facts, draw.Of(f.Theme.Warn, "!").Add(f.Theme.Text, draw.Escape(" "+wording.Reference(o)+" becomes stale")))
		}
	}
	return facts
}

// RefusalFacts returns the lines of the sheet for a decision that makes nothing live, for example a rejection.
func (f Frame) RefusalFacts(consequence string, ds ...review.Dossier) []draw.Line {
	return []draw.Line{f.findings(ds), draw.Of(f.Theme.Text, "this decision changes no prompt"), draw.Of(f.Theme.Faint, draw.Escape(consequence))}
}

// CapabilityChanges counts the capabilities that the proposal adds and removes. warns reports whether an added
// capability is new to the registry and its policy is to warn.
func CapabilityChanges(d review.Dossier) (added, removed int, warns bool) {
	facts := capabilityFacts(d.Reach.Added)
	warns = slices.ContainsFunc(facts, func(f fact.Fact) bool { return f.NewToRegistry && f.Policy() == fact.Warns })
	return len(facts), len(capabilityFacts(d.Reach.Removed)), warns
}

// capabilities draws the numbers of added and removed capabilities. It returns nil if both are 0.
func (f Frame) capabilities(ds []review.Dossier) draw.Line {
	added, removed, style := 0, 0, f.Theme.Text
	for _, d := range ds {
		if d.Base == nil {
			continue // in a first import, all capabilities are new
		}
		more, less, warns := CapabilityChanges(d)
		if added, removed = added+more, removed+less; warns {
			style = f.Theme.Warn
		}
	}
	if added+removed == 0 {
		return nil
	}
	return draw.Of(style, draw.Escapef("reach +%d −%d", added, removed))
}

// findings draws the number of findings without a waiver, by severity.
func (f Frame) findings(ds []review.Dossier) draw.Line {
	count := map[rules.Severity]int{}
	for _, d := range ds {
		for _, s := range d.Standing {
			if s.Waiver == nil {
				count[s.Severity]++
			}
		}
	}
	var l draw.Line
	for _, s := range []rules.Severity{rules.Block, rules.Warn, rules.Info} {
		if count[s] == 0 {
			continue
		}
		sign, style := labels.Severity(f.Theme, s)
		if len(l) > 0 {
			l = l.Add("", " ")
		}
		l = l.Add(style, sign+draw.Safe(" "+strconv.Itoa(count[s])))
	}
	if len(l) == 0 {
		return draw.Of(f.Theme.Good, "✓").Add(f.Theme.Text, " no findings")
	}
	return l
}

// droppedTests draws the number of test cases that are removed or changed. It returns nil if the number is 0.
func (f Frame) droppedTests(ds []review.Dossier) draw.Line {
	n := 0
	for _, d := range ds {
		changes := wording.TestChanges(d.TestChanges())
		if len(changes) == 0 || intake.Generated(d.Revision.Draft, d.Base) {
			continue // the import generated these test cases, now and before
		}
		for _, c := range changes {
			if c.Weaker {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return draw.Of(f.Theme.Warn, "▲").Add(f.Theme.Text, draw.Escape(" "+wording.Count(n, "test", "tests")+" dropped or changed"))
}

// prompts draws the number of channel prompts that change. It returns nil if all proposals are for files, which
// are not part of channel prompts.
func (f Frame) prompts(ds []review.Dossier, tokens string) draw.Line {
	if !slices.ContainsFunc(ds, func(d review.Dossier) bool { return !d.Proposal.Subject.Kind.InFiles() }) {
		return nil
	}
	changed := map[string]bool{}
	for _, d := range ds {
		for key := range d.Rendered {
			changed[key] = true
		}
	}
	if len(changed) == 0 {
		return draw.Of(f.Theme.Text, "no prompt changes")
	}
	text := wording.Count(len(changed), "prompt", "prompts")
	if tokens != "" {
		text += " " + tokens
	}
	return draw.Of(f.Theme.Text, draw.Escape(text))
}

// Restore creates a proposal that restores the given version of s. It also returns a message for the status
// line.
type Restore func(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error)

// RestoreDialog returns a dialog that requires a reason and then creates a proposal to restore v.
func (f Frame) RestoreDialog(v history.Version, write func(Write) tea.Cmd, restore Restore) Dialog {
	number, subject := strconv.Itoa(v.Number), v.Subject.String()
	draft := fmt.Sprintf("restore-%s-%d", url.PathEscape(subject), v.Number)
	return Dialog{
		Form: proposals.Form{Title: "Restore a version", Verb: "propose it", Reason: true}, Writing: true,
		Draft: draft, About: "version " + number + " of " + subject,
		Subject: draw.Escape(subject + "  to the content of v" + number),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, "your reason becomes the rationale"), draw.Of(f.Theme.Faint, "The version goes live when you approve the proposal.")}
		},
		Content: func(page *prose.Page) {
			page.Field("restore", subject)
			page.Field("", "version "+number+", content "+wording.Short(v.ContentHash))
		},
		Run: func(reason string) tea.Cmd {
			return write(Drafted(draft, func(ctx context.Context) (proposals.Proposal, string, error) {
				return restore(ctx, v.Subject, v.Number, reason)
			}))
		},
	}
}

// ReproposeDialog returns a dialog to propose ps again without changes. run creates the new proposals.
func (f Frame) ReproposeDialog(ps []proposals.Proposal, run func() tea.Cmd) Dialog {
	what := "a new proposal with the content of revision " + strconv.Itoa(ps[0].Revision)
	if len(ps) > 1 {
		what = strconv.Itoa(len(ps)) + " new proposals with the same content"
	}
	return Dialog{
		Form:    proposals.Form{Title: "Propose again", Verb: "propose again"},
		Subject: Subjects(proposals.ActSubmit, ps...),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, draw.Escape(what)), draw.Of(f.Theme.Faint, "The decision stays in the log.")}
		},
		Content: func(page *prose.Page) {
			for _, p := range ps {
				page.Field(string(p.Type), p.Subject.String())
				page.Field("", "revision "+strconv.Itoa(p.Revision)+", content "+wording.Short(p.ContentHash))
			}
		},
		Run: func(string) tea.Cmd { return run() },
	}
}

// Restorer opens the dialog for restoring an earlier version.
type Restorer struct {
	Versions func(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
	Restore  Restore
}

// Ask reads the given version, and opens the dialog for restoring it. The dialog does not open if page has been
// closed in the meantime. If page is nil, it opens on any page.
func (r Restorer) Ask(ctx context.Context, sh Shell, page Page, f Frame, s registry.Subject, version int) tea.Cmd {
	return func() tea.Msg {
		live, err := r.Versions(ctx, s, 0, 1)
		found := live
		if err == nil && len(live) > 0 && live[0].Number != version {
			found, err = r.Versions(ctx, s, version+1, 1)
		}
		return Then{Page: page, Do: func() tea.Cmd {
			switch {
			case err != nil:
				return sh.Fail(err)
			case len(found) == 0 || found[0].Number != version:
				return sh.Say(Warning, "%s has no version %d", s, version)
			case live[0].Number == version:
				return sh.Say(Warning, "Version %d of %s is the live version", version, s)
			}
			return sh.Ask(f.RestoreDialog(found[0], sh.Write, r.Restore))
		}}
	}
}
