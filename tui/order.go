package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
)

// orderName returns how a list is sorted.
func orderName(o review.Order) string {
	switch o {
	case review.ByOldest:
		return "oldest first"
	case review.ByRisk:
		return "worst finding first"
	case review.BySubject:
		return "by subject"
	case review.ByAuthor:
		return "by author"
	case review.ByNewest:
	}
	return "newest first"
}

// sortBy goes on to the next order of the whole list, or to the one before, and
// to its beginning.
func sortBy(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		all := review.Orders()
		m.queue.order = all[(slices.Index(all, m.queue.order)+step+len(all))%len(all)]
		m.say(remark, "%s", orderName(m.queue.order))
		return m.queue.restart(m)
	}
}

// arranged returns proposals as they are listed. In the order of time, and of
// findings, the members of each change set stand where the first of them does:
// they are approved together or not at all. By name, everything stands under its
// name.
func (q *queuePage) arranged(ps []proposals.Proposal) []proposals.Proposal {
	switch q.order {
	case review.BySubject, review.ByAuthor:
		return ps
	case review.ByNewest, review.ByOldest, review.ByRisk:
	}
	if q.backward {
		ps = slices.Clone(ps)
		slices.Reverse(ps)
		ps = together(ps)
		slices.Reverse(ps)
		return ps
	}
	return together(ps)
}

// together moves the members of each change set to where the first of them
// stands.
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
