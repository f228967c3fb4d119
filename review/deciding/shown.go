// This file compares the content that a user was shown with the current content of a proposal.

package deciding

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/inspection"
)

// changes describes the differences between s, the content that a user was shown, and v, the current content. It
// includes the changes of other members of the change set.
func changes(s review.Shown, v inspection.View) []string {
	p := v.Proposal
	now := review.NewShownParts(p, v.Assessment, v.Standing, v.ChangeSet.Members, v.Rendered)
	var facts []string
	known := lists.Index(s.Members, func(m review.ShownMember) (proposals.ID, review.ShownMember) { return m.ID, m })
	for _, m := range now.Members {
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
	switch {
	case now.Revision != s.Revision || now.ContentHash != s.ContentHash:
		return append([]string{newRevision(p.Name(), s.Revision, now.Revision) + " by " + v.Revision.Author.String()}, facts...)
	case s.Assessment == "" && now.Assessment != "":
		return append(facts, p.Name()+" was not assessed yet")
	}
	if now.RulesVersion != s.RulesVersion {
		facts = append(facts, p.Name()+" was assessed with other rules or another configuration")
	}
	if added := newFindings(now.Findings, s.Findings); len(added) > 0 {
		facts = append(facts, p.Name()+" has new or changed findings: "+ruleNames(added))
	} else if gone := newFindings(s.Findings, now.Findings); len(gone) > 0 {
		facts = append(facts, p.Name()+" lost findings: "+ruleNames(gone))
	}
	if now.Recommendation != s.Recommendation {
		facts = append(facts, fmt.Sprintf("the recommendation for %s is now %s, but it was %s", p.Name(), now.Recommendation, s.Recommendation))
	}
	if now.Rendered != s.Rendered {
		facts = append(facts, p.Name()+" now changes other channel prompts, or changes them in another way")
	}
	if len(facts) == 0 && now.Assessment != s.Assessment {
		facts = append(facts, p.Name()+" was assessed again")
	}
	return facts
}

func newRevision(name string, shown, now int) string {
	return fmt.Sprintf("%s is at revision %d, but you were shown revision %d", name, now, shown)
}

// newFindings returns the elements of findings that earlier does not contain.
func newFindings(findings, earlier []review.ShownFinding) []review.ShownFinding {
	return slices.DeleteFunc(slices.Clone(findings), func(f review.ShownFinding) bool { return slices.Contains(earlier, f) })
}

// ruleNames lists the distinct rules of findings for an error message. It lists at most mostNames rules.
func ruleNames(findings []review.ShownFinding) string {
	return lists.First(lists.Union(nil, lists.Map(findings, func(f review.ShownFinding) string { return f.Rule })), mostNames)
}

// mostNames is the maximum number of names that an error lists.
const mostNames = 5

// shownTo returns, for each choice, whether actor was shown the current content. It returns an error if an expected
// digest differs from the current digest. If strict is true, it also returns an error if the content has changed since
// actor last saw it. shownTo accepts content that actor never saw; approvable checks such content.
func (d *Decider) shownTo(ctx context.Context, r review.Reader, actor proposals.Actor, choices []review.Choice, views []inspection.View, strict bool) ([]proposals.Showing, error) {
	shown, err := r.Shown(ctx, actor, chosen(choices))
	if err != nil {
		return nil, err
	}
	members, sets := map[string][]string{}, map[string]string{} // keyed by change set: digests of the members, and digest of the change set
	for _, v := range views {
		if set := v.Proposal.ChangeSet; set != "" {
			members[set] = append(members[set], v.Digest)
		}
	}
	for set, digests := range members {
		sets[set] = inspection.SetDigest(set, digests)
	}
	showings := make([]proposals.Showing, len(views))
	var moved []inspection.View
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
			if expect == "" && (!seen || !strict) {
				continue
			}
			var news []string
			if last.Proposal != "" {
				news = changes(last, v)
			}
			switch {
			case len(news) > 0:
			case expect != "": // actor was never shown the proposal
				news = []string{fmt.Sprintf("the expected digest %q is not the review digest; use the digest that toolcrib show prints now", review.Shorten(expect, 12))}
			default:
				news = []string{"the content has changed since it was shown to you"}
			}
			moved, facts = append(moved, v), append(facts, news...)
		}
	}
	if len(moved) == 0 {
		return showings, nil
	}
	var unique []string
	for _, f := range facts {
		// The other members of a change set also report a new revision of a member.
		if !slices.ContainsFunc(unique, func(u string) bool { return strings.HasPrefix(u, f) }) {
			unique = append(slices.DeleteFunc(unique, func(u string) bool { return strings.HasPrefix(f, u) }), f)
		}
	}
	p := moved[0].Proposal
	return nil, fmt.Errorf("%s: %w: %s; read it again: toolcrib show %s", p.Name(), review.ErrDigest, strings.Join(unique, "; "), review.ShowArgument(p))
}

// approvable returns a summary of the read and unread parts of each proposal. Shown content counts as read, except for
// the number of parts that the choice declares unread. Only new, imported definitions may have parts that are declared
// unread. If the user approves several proposals, approvable rejects each proposal that the user was not shown, unless
// the choice accepts unseen content. It accepts a single proposal even if the user was not shown the proposal; the
// decision records this.
func approvable(ctx context.Context, r review.Reader, choices []review.Choice, views []inspection.View, showings []proposals.Showing) ([]proposals.Reading, error) {
	if err := checkChangeSets(views); err != nil {
		return nil, err
	}
	var names, commands []string
	for i, v := range views {
		if len(views) > 1 && showings[i] == proposals.ShowingNone && !choices[i].Unseen {
			names = append(names, v.Proposal.Name())
			if show := "toolcrib show " + review.ShowArgument(v.Proposal); !slices.Contains(commands, show) {
				commands = append(commands, show)
			}
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("%w: %s; read the output of %s and pass its digest with --expect, or approve unread with --unseen",
			review.ErrUnseen, lists.First(names, mostNames), lists.First(commands, mostNames))
	}
	cache := inspection.NewCache(r, nil)
	read := make([]proposals.Reading, len(views))
	for i, v := range views {
		p, n := v.Proposal, 1
		parts, err := cache.Parts(ctx, v)
		if err != nil {
			return nil, err
		}
		if parts != nil {
			n = 0
		}
		for _, part := range parts {
			switch {
			case part.As != "":
				read[i].Known++
			case part.Data:
				read[i].ByHash = append(read[i].ByHash, part.Name)
			default:
				n++
			}
		}
		unread := choices[i].Unread
		if showings[i] == proposals.ShowingNone {
			unread = n
		}
		switch {
		case unread < 0 || unread > n:
			return nil, fmt.Errorf("%s: %w: the proposal has only %d parts, so the number of unread parts cannot be %d", p.Name(), proposals.ErrConflict, n, unread)
		case choices[i].Unread > 0 && p.Type != proposals.New:
			return nil, fmt.Errorf("%s: %w: a change of a live definition cannot be approved unread; read the proposal with toolcrib show %s", p.Name(), review.ErrUnseen, review.ShowArgument(p))
		case choices[i].Unread > 0 && !review.MayBeUnread(p, v.Revision.Draft.Definition):
			return nil, fmt.Errorf("%s: %w: only an imported definition can be approved unread; read the proposal with toolcrib show %s", p.Name(), review.ErrUnseen, review.ShowArgument(p))
		}
		if read[i].Read, read[i].Unread = n-unread, unread; unread > 0 {
			showings[i] = proposals.ShowingNone
			d := v.Revision.Draft
			if t := d.Definition.Tool; t != nil && t.Source != nil {
				read[i].Source = t.Source.Type + " " + t.Source.Ref
			} else if d.Definition.Folder() != nil {
				read[i].Source = strings.TrimSuffix(d.Rationale, ".") // the rationale contains the path of the imported folder
			}
		}
	}
	return read, nil
}

// beforeWaivers returns the digest of v without the waivers that actor gave after start. The actor knows these waivers,
// so they do not make shown content outdated.
func (d *Decider) beforeWaivers(v inspection.View, actor proposals.Actor, start time.Time) string {
	waivers := slices.DeleteFunc(slices.Clone(v.Waivers), func(w history.Waiver) bool { return w.By == actor.String() && w.At.After(start) })
	if len(waivers) == len(v.Waivers) {
		return v.Digest
	}
	v.Standing = review.ApplyWaivers(v.Assessment.Report.Findings, waivers, v.Proposal.Revision, d.records.Time())
	return d.inspector.Digest(v)
}

// chosen returns the ids of the chosen proposals.
func chosen(choices []review.Choice) []proposals.ID {
	return lists.Map(choices, func(c review.Choice) proposals.ID { return c.ID })
}

// checkInteraction returns an error if the user saw the proposals separately, but approving them together would change
// a prompt in a way that no single approval would.
func (d *Decider) checkInteraction(ctx context.Context, r *inspection.Cache, actor proposals.Actor, views []inspection.View, showings []proposals.Showing) error {
	var parts []impact.Part
	var of []inspection.View
	known := false
	for i, complete := range d.inspector.Complete(actor, views) {
		v := views[i]
		if !complete {
			continue
		}
		then, err := r.After(ctx, v)
		if err != nil {
			return err
		}
		group := "set:" + v.Proposal.ChangeSet
		if v.Proposal.ChangeSet == "" {
			group = string(v.Proposal.ID)
		}
		parts, of = append(parts, impact.Part{Subject: v.Proposal.Subject, Group: group, Then: then, Prompts: v.Prompts}), append(of, v)
		known = known || showings[i] != proposals.ShowingNone
	}
	if !known {
		return nil
	}
	which, reached, err := r.Live.Interaction(ctx, parts)
	if err != nil || which == "" {
		return err
	}
	names := lists.Map(reached, func(i int) string { return of[i].Proposal.Name() })
	return fmt.Errorf("%w: together, %s change the prompt %s in a way that no single proposal does, and you were not shown that change; approve the proposals one at a time, and review a proposal again if its approval is refused",
		review.ErrDigest, lists.First(names, mostNames), which)
}
