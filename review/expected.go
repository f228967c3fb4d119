package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
)

// Showing describes how a decider knew the decided content.
type Showing string

// The ways to know it.
const (
	ShowingExpected Showing = "expected"  // the decision named the review digest
	ShowingShown    Showing = "shown"     // it was the last that the decider was shown
	ShowingNone     Showing = "not_shown" // the decider was shown something else, or nothing
)

// showings returns for each choice how actor knows its content, and refuses those
// whose digest is another than expected. strict also refuses content that differs
// from what actor was shown last; content that actor was never shown passes,
// unless other members of its change set were.
func (d *Desk) showings(ctx context.Context, r Reader, actor proposals.Actor, choices []Choice, views []view, strict bool) ([]Showing, error) {
	shown, err := r.Shown(ctx, actor, chosen(choices))
	if err != nil {
		return nil, err
	}
	sets := setDigests(views)
	showings := make([]Showing, len(views))
	known := map[string]bool{} // change sets of which something was shown
	var moved []view
	var facts []string
	for i, v := range views {
		last, seen := shown[v.Proposal.ID]
		expect, set := choices[i].Expect, v.Proposal.ChangeSet
		switch {
		case expect != "" && (expect == v.Digest || set != "" && expect == sets[set]):
			showings[i] = ShowingExpected
		case expect == "" && seen && (last.Digest == v.Digest || last.Digest == d.beforeWaivers(v, actor, last.At)):
			showings[i] = ShowingShown
		default:
			showings[i] = ShowingNone
			if expect != "" || seen && strict {
				moved, facts = append(moved, v), append(facts, last.difference(v, expect)...)
			}
		}
		known[set] = known[set] || expect != "" || seen
	}
	for i, v := range views {
		_, seen := shown[v.Proposal.ID]
		if strict && v.Proposal.ChangeSet != "" && known[v.Proposal.ChangeSet] && choices[i].Expect == "" && !seen {
			moved, facts = append(moved, v), append(facts, fmt.Sprintf("you were not shown %s, a member of change set %q", name(v.Proposal), v.Proposal.ChangeSet))
		}
	}
	if len(moved) > 0 {
		return nil, differs(moved, facts)
	}
	return showings, nil
}

// beforeWaivers is the digest of v without what actor has waived since a time:
// actor knows of that.
func (d *Desk) beforeWaivers(v view, actor proposals.Actor, since time.Time) string {
	waivers := slices.DeleteFunc(slices.Clone(v.Waivers), func(w history.Waiver) bool { return w.By == actor.String() && w.At.After(since) })
	if len(waivers) == len(v.Waivers) {
		return v.Digest
	}
	v.Standing = stand(v.Assessment.Report.Findings, waivers, v.Proposal.Revision, d.stamp())
	return d.digest(v)
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
	return fmt.Errorf("%s: %w: %s; look again: toolcrib show %s", name(p), ErrDigest, strings.Join(unique, "; "), lookAt(p))
}

// lookAt returns the argument of `toolcrib show` for p and all proposals that are
// decided together with it.
func lookAt(p proposals.Proposal) string {
	if p.ChangeSet != "" {
		return "'" + changeSetRef + p.ChangeSet + "'"
	}
	return Reference(p)
}

// setDigests returns the digests of the change sets of views, by name.
func setDigests(views []view) map[string]string {
	members := map[string][]string{}
	for _, v := range views {
		if set := v.Proposal.ChangeSet; set != "" {
			members[set] = append(members[set], v.Digest)
		}
	}
	digests := map[string]string{}
	for set, of := range members {
		digests[set] = setDigest(set, of)
	}
	return digests
}

// setDigest seals a change set as a whole: the review digests of those members
// that are decided together. It is "" while one of them has none.
func setDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}
