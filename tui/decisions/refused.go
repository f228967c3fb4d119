// This file determines which proposals of a batch cannot be decided, and offers ways to decide on the rest.

package decisions

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// refusal is a proposal that cannot be decided, with the reason.
type refusal struct {
	dossier review.Dossier
	why     string
}

// refused returns the proposals of the batch that the actor cannot decide.
func (b *batch) refused(actor proposals.Actor) []refusal {
	var out []refusal
	for _, d := range b.dossiers {
		why := wording.Cannot(actor, b.act, d.Proposal)
		if b.act == proposals.ActApprove {
			alone := d
			alone.Members = nil // the other members are in the batch too, and are checked separately
			again := "; in a shell, toolcrib review " + review.Reference(d.Proposal) + " --again reviews it again"
			if set := d.Proposal.ChangeSet; set != "" { // all members of a set have the same hint, so byReason can group them
				again = "; in a shell, toolcrib review 'set:" + set + "' --again reviews the set again"
			}
			why = strings.Join(wording.Obstacles(alone, wording.Remedies{Assess: again}), "; ")
		}
		if why != "" {
			out = append(out, refusal{d, why})
		}
	}
	return out
}

// maxListed is the maximum number of proposals that are listed below one reason.
const maxListed = 8

// namesOf joins the references and subjects of refused proposals.
func namesOf(refused []refusal) string {
	var names []string
	for _, r := range refused[:min(len(refused), maxListed)] {
		names = append(names, wording.Reference(r.dossier.Proposal)+" "+r.dossier.Proposal.Subject.ID)
	}
	if n := len(refused) - maxListed; n > 0 {
		names = append(names, strconv.Itoa(n)+" more")
	}
	return wording.Enumerate(names)
}

// byReason groups refusals with the same reason.
func byReason(refused []refusal) [][]refusal {
	var list [][]refusal
	for _, r := range refused {
		i := slices.IndexFunc(list, func(o []refusal) bool { return o[0].why == r.why })
		if i < 0 {
			i, list = len(list), append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}

// remedy describes a move of proposals to another change set. After the move, the user can approve the rest
// of a set.
type remedy struct {
	verb, done string
	set        string // change set to which the proposals are moved; "" for none
	moved      []proposals.ID
}

// remedy returns a move after which the user can approve the rest of a change set. It moves the blocked
// members out of the set or, if a member was rejected, moves all other members to a new set. It returns
// false if neither helps.
func (b *batch) remedy(refused []refusal) (remedy, bool) {
	if b.act != proposals.ActApprove || len(b.dossiers) < 2 || !b.oneSet() {
		return remedy{}, false
	}
	set := b.dossiers[0].Proposal.ChangeSet
	way, rejected := remedy{}, false
	for _, d := range b.dossiers {
		if d.Proposal.State == proposals.Rejected {
			rejected = true
			continue
		}
		out := slices.ContainsFunc(refused, func(r refusal) bool { return r.dossier.Proposal.ID == d.Proposal.ID })
		outdated := slices.ContainsFunc(d.Obstacles, func(o error) bool { return errors.Is(o, review.ErrOutdated) })
		if out && (outdated || d.Proposal.State != proposals.UserReview) {
			return remedy{}, false // only an assessment or the author can unblock the member
		}
		if out {
			way.moved = append(way.moved, d.Proposal.ID)
		}
	}
	switch n := strconv.Itoa(len(way.moved)); {
	case rejected && len(way.moved) > 0:
		way.set = set + "-rest"
		way.verb, way.done = "continue with the other "+n+" as the set "+way.set, "Moved "+n+" to the set "+way.set+NextHint
	case rejected || len(way.moved) == len(b.dossiers) || len(way.moved) == 0:
		return remedy{}, false
	default:
		way.verb = "leave " + n + " out of the set " + set
		way.done = "Left out of the set " + set + ": " + namesOf(refused) + ". Press a to approve the rest"
	}
	return way, true
}

// withSets returns the IDs of the refused proposals. For an approval, it adds the other members of their
// change sets.
func (b *batch) withSets(refused []refusal) []proposals.ID {
	var ids []proposals.ID
	for _, d := range b.dossiers {
		p := d.Proposal
		if slices.ContainsFunc(refused, func(r refusal) bool {
			q := r.dossier.Proposal
			return q.ID == p.ID || b.act == proposals.ActApprove && q.ChangeSet != "" && q.ChangeSet == p.ChangeSet
		}) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// findingsLabel summarizes the open findings of a proposal, worst first.
func findingsLabel(th theme.Theme, d review.Dossier) (draw.Safe, theme.Style) {
	sums := review.OpenByRule(d.Standing)
	if len(sums) == 0 {
		return "no open findings", th.Faint
	}
	_, style := labels.Severity(th, sums[0].Severity)
	var words draw.Safe
	for len(sums) > 0 {
		n := 1
		for n < len(sums) && sums[n].Severity == sums[0].Severity {
			n++
		}
		if words != "" {
			words += "; "
		}
		sign, _ := labels.Severity(th, sums[0].Severity)
		words += sign + " " + draw.Escape(wording.Rules(sums[:n]))
		sums = sums[n:]
	}
	return words, style
}
