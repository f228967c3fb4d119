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

// together moves the members of each change set to where the first of them
// stands: they are approved together or not at all.
func together(ps []proposals.Proposal) []proposals.Proposal {
	members := map[string][]proposals.Proposal{}
	for _, p := range ps {
		if p.ChangeSet != "" {
			members[p.ChangeSet] = append(members[p.ChangeSet], p)
		}
	}
	if len(members) == 0 {
		return ps
	}
	out := make([]proposals.Proposal, 0, len(ps))
	for _, p := range ps {
		if p.ChangeSet == "" {
			out = append(out, p)
			continue
		}
		out = append(out, members[p.ChangeSet]...)
		delete(members, p.ChangeSet)
	}
	return out
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
