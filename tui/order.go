package tui

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// order is how a queue of one chunk is sorted. Longer ones are newest first:
// any other order would need all of them.
type order int

const (
	newestFirst order = iota
	oldestFirst
	worstFirst
	bySubject
	orders
)

func (o order) String() string {
	switch o {
	case oldestFirst:
		return "oldest first"
	case worstFirst:
		return "worst finding first"
	case bySubject:
		return "by subject"
	case newestFirst, orders:
	}
	return "newest first"
}

func (o order) sort(ps []proposals.Proposal) {
	switch o {
	case oldestFirst:
		slices.Reverse(ps)
	case worstFirst:
		slices.SortStableFunc(ps, func(a, b proposals.Proposal) int {
			return cmp.Or(
				cmp.Compare(b.Summary.Blocks, a.Summary.Blocks),
				cmp.Compare(rules.Severity(b.Summary.Worst).Rank(), rules.Severity(a.Summary.Worst).Rank()),
				cmp.Compare(b.Summary.Findings, a.Summary.Findings),
			)
		})
	case bySubject:
		slices.SortStableFunc(ps, func(a, b proposals.Proposal) int { return strings.Compare(a.Subject.String(), b.Subject.String()) })
	case newestFirst, orders:
	}
}
