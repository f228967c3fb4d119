package screen

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
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

// Subjects names what a sheet decides on, and which version an approval makes of it.
func Subjects(act proposals.Act, ps ...proposals.Proposal) draw.Safe {
	p := ps[0]
	switch {
	case len(ps) > 1 && p.ChangeSet != "" && !slices.ContainsFunc(ps, func(o proposals.Proposal) bool { return o.ChangeSet != p.ChangeSet }):
		return "set " + draw.Show(p.ChangeSet)
	case len(ps) > 1:
		names := make([]string, len(ps))
		for i, one := range ps {
			names[i] = wording.Reference(one)
		}
		return draw.Show(wording.Joined(names))
	}
	name := draw.Show(p.Subject.String())
	switch {
	case act != proposals.ActApprove:
	case p.BaseVersion == 0:
		name += "  new → v1"
	default:
		name += draw.Showf("  v%d → v%d", p.BaseVersion, p.BaseVersion+1)
	}
	return name
}

// Facts are the few words that a sheet says about what an approval does: how much of it
// was read, what was found, which test cases go, and what becomes of prompts. tokens is
// behind the number of prompts, "" where it is not known.
func (f Frame) Facts(read string, unread bool, ds []review.Dossier, tokens string) []draw.Line {
	sign, style := draw.Safe("✓"), f.Theme.Good
	if unread {
		sign, style = "!", f.Theme.Warn
	}
	facts := []draw.Line{draw.Of(style, sign).Add(f.Theme.Text, draw.Show(" read "+read))}
	facts = append(facts, f.reach(ds), f.findings(ds), f.dropped(ds), f.prompts(ds, tokens))
	for _, d := range ds {
		if a := d.Proposal.Approvals; a != nil {
			facts = append(facts, draw.Of(f.Theme.Text, draw.Show("approvals "+wording.BeforeApproval(*a))))
		}
		if d.Unassigned {
			facts = append(facts, draw.Of(f.Theme.Warn, "!").Add(f.Theme.Text, draw.Show(" no agent has "+d.Proposal.Subject.ID)))
		}
		for _, o := range d.Others {
			facts = append(facts, draw.Of(f.Theme.Warn, "!").Add(f.Theme.Text, draw.Show(" "+wording.Reference(o)+" becomes stale")))
		}
	}
	return facts
}

// Nothing are the facts of a decision that makes nothing live.
func (f Frame) Nothing(consequence string, ds ...review.Dossier) []draw.Line {
	return []draw.Line{f.findings(ds), draw.Of(f.Theme.Text, "no prompt changes"), draw.Of(f.Theme.Faint, draw.Show(consequence))}
}

// ReachOf counts the facts that a change adds and removes, and reports whether a new one
// warns.
func ReachOf(d review.Dossier) (added, removed int, warns bool) {
	facts := reached(d.Reach.Added)
	warns = slices.ContainsFunc(facts, func(f fact.Fact) bool { return f.NewToRegistry && f.Policy() == fact.Warns })
	return len(facts), len(reached(d.Reach.Removed)), warns
}

// reach counts the facts that changes add and remove; nil for none.
func (f Frame) reach(ds []review.Dossier) draw.Line {
	added, removed, style := 0, 0, f.Theme.Text
	for _, d := range ds {
		if d.Base == nil {
			continue // of a first import, every fact is new
		}
		more, less, warns := ReachOf(d)
		if added, removed = added+more, removed+less; warns {
			style = f.Theme.Warn
		}
	}
	if added+removed == 0 {
		return nil
	}
	return draw.Of(style, draw.Showf("reach +%d −%d", added, removed))
}

// findings counts those that are open by how bad they are.
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

// dropped counts the test cases that go, or are others now; nil for none.
func (f Frame) dropped(ds []review.Dossier) draw.Line {
	n := 0
	for _, d := range ds {
		changes := wording.TestChanges(d.TestChanges())
		if len(changes) == 0 || intake.Generated(d.Revision.Draft, d.Base) {
			continue // an import made them of the tool, before and now
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
	return draw.Of(f.Theme.Warn, "▲").Add(f.Theme.Text, draw.Show(" "+wording.Count(n, "test", "tests")+" dropped or changed"))
}

// prompts counts the channel prompts that change; nil for files, which change none.
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
	return draw.Of(f.Theme.Text, draw.Show(text))
}

// Restore proposes to make an earlier version live again.
type Restore func(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error)

// RestoreDialog asks why an earlier version should be live again, and proposes it.
func (f Frame) RestoreDialog(v history.Version, write func(Write) tea.Cmd, restore Restore) Dialog {
	number, subject := strconv.Itoa(v.Number), v.Subject.String()
	draft := fmt.Sprintf("restore-%s-%d", url.PathEscape(subject), v.Number)
	return Dialog{
		Form: proposals.Form{Title: "Restore a version", Verb: "propose it", Reason: true}, Writing: true,
		Draft: draft, About: "version " + number + " of " + subject,
		Subject: draw.Show(subject + "  to the content of v" + number),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, "your reason becomes the rationale"), draw.Of(f.Theme.Faint, "It goes live when you approve it.")}
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

// AgainDialog asks whether proposals are proposed again, with the content that they had.
func (f Frame) AgainDialog(ps []proposals.Proposal, run func() tea.Cmd) Dialog {
	what := "a new proposal with the content of revision " + strconv.Itoa(ps[0].Revision)
	if len(ps) > 1 {
		what = strconv.Itoa(len(ps)) + " new proposals with the same content"
	}
	return Dialog{
		Form:    proposals.Form{Title: "Propose again", Verb: "propose again"},
		Subject: Subjects(proposals.ActSubmit, ps...),
		Facts: func() []draw.Line {
			return []draw.Line{draw.Of(f.Theme.Text, draw.Show(what)), draw.Of(f.Theme.Faint, "The decision stays in the log.")}
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

// Restorer proposes to restore earlier versions.
type Restorer struct {
	Versions func(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
	Restore  Restore
}

// Ask reads an earlier version, and asks why it should be live again. What it does is of
// page, nil for the workbench.
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
				return sh.Say(Warning, "Version %d of %s is the live one", version, s)
			}
			return sh.Ask(f.RestoreDialog(found[0], func(w Write) tea.Cmd { return sh.Write(w) }, r.Restore))
		}}
	}
}
