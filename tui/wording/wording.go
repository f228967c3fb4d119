// Package wording has the words that the workbench and the dialogue share: how
// they call a proposal, and why something cannot be done to it.
package wording

import (
	"errors"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review"
)

// Reference returns how people call a proposal: by its issue, else by the
// beginning of its id.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return "#" + strconv.Itoa(p.Issue)
	}
	return string(p.ID[:min(8, len(p.ID))])
}

// Short returns the beginning of a hash.
func Short(hash string) string { return hash[:min(12, len(hash))] }

// Count returns a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Against returns what a proposal with this base version was drafted against.
func Against(version int) string {
	if version == 0 {
		return "no earlier version"
	}
	return "version " + strconv.Itoa(version)
}

// OneLine returns an error on one line, without a final stop.
func OneLine(err error) string {
	text := strings.TrimSuffix(strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "), ".")
	if text == "" {
		return "an error without a message"
	}
	return text
}

// Standing returns why nothing can be done in a state.
func Standing(s proposals.State) string {
	switch s {
	case proposals.Drafted:
		return "it is a draft and not submitted"
	case proposals.ChiefReview:
		return "the Chief of Staff has not reviewed it yet"
	case proposals.UserReview:
		return "it waits for your decision"
	case proposals.NeedsChanges:
		return "it was sent back and not revised yet"
	case proposals.Approved:
		return "it is already approved"
	case proposals.Rejected:
		return "it is already rejected"
	case proposals.Withdrawn:
		return "it is already withdrawn"
	}
	return "it is in the state " + string(s)
}

// Cannot returns what keeps actor from an act on p, by the tables of authority
// and of states; "" for nothing.
func Cannot(actor proposals.Actor, act proposals.Act, p proposals.Proposal) string {
	if err := proposals.Authorize(actor, act, p.Author); err != nil {
		return OneLine(err)
	}
	if act == proposals.ActComment {
		return ""
	}
	if _, err := proposals.Next(p.State, act); err != nil {
		return Standing(p.State)
	}
	return ""
}

// Obstacles returns why the actor who looks at d cannot approve it. All open
// blocks are one obstacle; names lists their rules.
func Obstacles(d review.Dossier, names func([]review.RuleFindings) string) []string {
	var out []string
	for _, o := range d.Obstacles {
		switch {
		case errors.Is(o, review.ErrBlocked):
			n, blocks := 0, review.BlocksByRule(d.Standing)
			for _, b := range blocks {
				n += b.Count
			}
			out = append(out, Count(n, "blocking finding is", "blocking findings are")+" open ("+names(blocks)+")")
		case errors.Is(o, proposals.ErrState):
			out = append(out, Standing(d.Proposal.State))
		default:
			out = append(out, OneLine(o))
		}
	}
	return out
}
