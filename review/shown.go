package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
)

func shownParts(p proposals.Proposal, a Assessment, standing []Standing, members []proposals.Proposal, rendered map[string]string) ShownParts {
	parts := ShownParts{
		Revision: p.Revision, ContentHash: p.ContentHash, Assessment: a.ID, RulesVersion: a.RulesVersion,
		Recommendation: a.Recommendation, Rendered: history.Seal(impact.Seal(rendered)),
	}
	for _, s := range standing {
		parts.Findings = append(parts.Findings, ShownFinding{s.Rule, s.seal()[:12]})
	}
	if p.ChangeSet != "" {
		for _, m := range members {
			parts.Members = append(parts.Members, ShownMember{m.ID, m.Name(), m.Revision, m.ContentHash})
		}
	}
	return parts
}

// changes names the parts of v that differ from the shown ones.
func (s Shown) changes(v view) []string {
	p := v.Proposal
	now := shownParts(p, v.Assessment, v.Standing, v.changeSet.members, v.Rendered)
	facts := memberChanges(p, s.Members, now.Members)
	switch {
	case now.Revision != s.Revision || now.ContentHash != s.ContentHash:
		return append([]string{newRevision(p.Name(), s.Revision, now.Revision) + " by " + v.Revision.Author.String()}, facts...)
	case s.Assessment == "" && now.Assessment != "":
		return append(facts, p.Name()+" was not assessed yet")
	}
	if now.RulesVersion != s.RulesVersion {
		facts = append(facts, p.Name()+" was assessed with other rules or another configuration")
	}
	if added := without(now.Findings, s.Findings); len(added) > 0 {
		facts = append(facts, p.Name()+" has new or changed findings: "+strings.Join(ruleNames(added), ", "))
	} else if gone := without(s.Findings, now.Findings); len(gone) > 0 {
		facts = append(facts, p.Name()+" lost findings: "+strings.Join(ruleNames(gone), ", "))
	}
	if now.Recommendation != s.Recommendation {
		facts = append(facts, fmt.Sprintf("the recommendation for %s is %s and was %s", p.Name(), now.Recommendation, s.Recommendation))
	}
	if now.Rendered != s.Rendered {
		facts = append(facts, p.Name()+" changes other channel prompts, or the same ones differently")
	}
	if len(facts) == 0 && now.Assessment != s.Assessment {
		facts = append(facts, p.Name()+" was assessed again")
	}
	return facts
}

// memberChanges names who joined or left the change set of p, and who of the
// others was revised.
func memberChanges(p proposals.Proposal, before, now []ShownMember) []string {
	var facts []string
	known := map[proposals.ID]ShownMember{}
	for _, m := range before {
		known[m.ID] = m
	}
	for _, m := range now {
		old, ok := known[m.ID]
		delete(known, m.ID)
		switch {
		case !ok:
			facts = append(facts, fmt.Sprintf("%s is a new member of change set %q", m.Name, p.ChangeSet))
		case m.ID != p.ID && (m.Revision != old.Revision || m.ContentHash != old.ContentHash):
			facts = append(facts, newRevision(m.Name, old.Revision, m.Revision))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		facts = append(facts, fmt.Sprintf("%s is no longer a member of the change set", known[id].Name))
	}
	return facts
}

func newRevision(name string, shown, now int) string {
	return fmt.Sprintf("%s is at revision %d, and you were shown revision %d", name, now, shown)
}

// without returns the findings in all that are not in known.
func without(all, known []ShownFinding) []ShownFinding {
	return slices.DeleteFunc(slices.Clone(all), func(f ShownFinding) bool { return slices.Contains(known, f) })
}

// ruleNames returns the rules of findings, each once, and not too many.
func ruleNames(findings []ShownFinding) []string {
	var names []string
	for _, f := range findings {
		if !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	if len(names) > mostSteps {
		names = append(names[:mostSteps], fmt.Sprintf("%d more", len(names)-mostSteps))
	}
	return names
}

// showings returns for each choice how actor knows its content, and refuses those
// whose digest is another than expected. strict also refuses content that differs
// from what actor was shown last; content that actor was never shown passes here
// (see shownOrAccepted).
func (d *deciding) showings(ctx context.Context, r Reader, actor proposals.Actor, choices []Choice, views []view, strict bool) ([]proposals.Showing, error) {
	shown, err := r.Shown(ctx, actor, chosen(choices))
	if err != nil {
		return nil, err
	}
	sets := setDigests(views)
	showings := make([]proposals.Showing, len(views))
	var moved []view
	var facts []string
	for i, v := range views {
		last, seen := shown[v.Proposal.ID]
		expect, set := choices[i].Expect, v.Proposal.ChangeSet
		switch {
		case expect != "" && (expect == v.Digest || set != "" && expect == sets[set]):
			showings[i] = proposals.ShowingExpected
		case expect == "" && seen && (last.Digest == v.Digest || last.Digest == d.beforeWaivers(v, actor, last.At)):
			showings[i] = proposals.ShowingShown
		default:
			showings[i] = proposals.ShowingNone
			if expect != "" || seen && strict {
				moved, facts = append(moved, v), append(facts, last.difference(v, expect)...)
			}
		}
	}
	if len(moved) > 0 {
		return nil, differs(moved, facts)
	}
	return showings, nil
}

// shownOrAccepted refuses to approve several proposals at once when the user was not shown
// all of them and did not accept that. A single one passes: the decision records how it
// was known.
func shownOrAccepted(choices []Choice, views []view, showings []proposals.Showing) error {
	var names []string
	lookFirst := ""
	for i, v := range views {
		if len(views) > 1 && showings[i] == proposals.ShowingNone && !choices[i].Unseen {
			names = append(names, v.Proposal.Name())
			lookFirst = cmp.Or(lookFirst, lookAt(v.Proposal))
		}
	}
	if len(names) == 0 {
		return nil
	}
	if rest := len(names) - mostSteps; rest > 0 {
		names = append(names[:mostSteps], fmt.Sprintf("%d more", rest))
	}
	return fmt.Errorf("%w: %s; read it with toolcrib show %s and pass its digest with --expect, or approve it unread with --unseen",
		ErrUnseen, strings.Join(names, ", "), lookFirst)
}

// beforeWaivers is the digest of v without what actor has waived since a time:
// actor knows of that.
func (d *deciding) beforeWaivers(v view, actor proposals.Actor, since time.Time) string {
	waivers := slices.DeleteFunc(slices.Clone(v.Waivers), func(w history.Waiver) bool { return w.By == actor.String() && w.At.After(since) })
	if len(waivers) == len(v.Waivers) {
		return v.Digest
	}
	v.Standing = stand(v.Assessment.Report.Findings, waivers, v.Proposal.Revision, d.stamp())
	return d.digest(v)
}

// Shown records that actor was shown dossiers; an approval without a digest then
// applies to exactly that content. Only users approve, so it records nothing for
// anybody else, nor for closed proposals.
func (d *reading) Shown(ctx context.Context, actor proposals.Actor, ds ...Dossier) error {
	if actor.Kind != proposals.User || d.dryRun {
		return nil
	}
	now := make([]Shown, 0, len(ds))
	ids := make([]proposals.ID, 0, len(ds))
	for _, o := range ds {
		if o.Proposal.State.Open() {
			now, ids = append(now, d.shownOf(o)), append(ids, o.Proposal.ID)
		}
	}
	before, err := read(ctx, d.office, func(r Reader) (map[proposals.ID]Shown, error) { return r.Shown(ctx, actor, ids) })
	if err != nil {
		return err
	}
	now = slices.DeleteFunc(now, func(s Shown) bool {
		known, ok := before[s.Proposal]
		return ok && known.Digest == s.Digest && known.Revision == s.Revision
	})
	if len(now) == 0 {
		return nil
	}
	return d.store.Remember(ctx, actor, now)
}

// shownOf returns the state that a dossier shows.
func (d *reading) shownOf(o Dossier) Shown {
	s := Shown{Proposal: o.Proposal.ID, Digest: o.Digest, At: d.stamp()}
	var a Assessment
	if latest := o.Assessment(); latest != nil {
		a = *latest
	}
	s.ShownParts = shownParts(o.Proposal, a, o.Standing, o.Members, o.Rendered)
	return s
}

// difference names what of v differs from s, which is zero if nothing was shown. expect is
// the digest that was asked for, "" for none: without a change, nobody was shown that.
func (s Shown) difference(v view, expect string) []string {
	if s.Proposal != "" {
		if facts := s.changes(v); len(facts) > 0 {
			return facts
		}
	}
	if expect != "" {
		return []string{fmt.Sprintf("the expected digest %q is not its review digest; it is mistyped, or of an earlier state", cutTo(expect, 12))}
	}
	return []string{"something you were shown has changed since"}
}

// differs is the refusal of a decision about proposals of which something moved.
func differs(moved []view, facts []string) error {
	var unique []string
	for _, f := range facts {
		// A member's own new revision is also news to the other members.
		if !slices.ContainsFunc(unique, func(u string) bool { return strings.HasPrefix(u, f) }) {
			unique = append(slices.DeleteFunc(unique, func(u string) bool { return strings.HasPrefix(f, u) }), f)
		}
	}
	p := moved[0].Proposal
	return fmt.Errorf("%s: %w: %s; look again: toolcrib show %s", p.Name(), ErrDigest, strings.Join(unique, "; "), lookAt(p))
}

// Choice is one proposal that the user decides about. Expect, when set, is the
// review digest of the proposal or of its change set as the user saw it. Without
// it, an approval applies to the content that Desk.Shown recorded. Unseen accepts that
// the user was shown nothing of it, which an approval of several proposals requires.
type Choice struct {
	ID     proposals.ID
	Expect string
	Unseen bool
}

// chosen returns the proposals that are decided about.
func chosen(choices []Choice) []proposals.ID {
	ids := make([]proposals.ID, len(choices))
	for i, c := range choices {
		ids[i] = c.ID
	}
	return ids
}
