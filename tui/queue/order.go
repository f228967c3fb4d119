package queue

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
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

// sort goes on to the next order of the whole list, or to the one before, and
// to its beginning.
func (q *Page) sort(step int) screen.Action {
	return func() (screen.Intent, tea.Cmd) {
		all := review.Orders()
		q.order = all[(slices.Index(all, q.order)+step+len(all))%len(all)]
		return screen.Sayf(screen.Remark, "%s", orderName(q.order)), q.restart()
	}
}

// arranged returns proposals as they are listed. In the order of time, and of
// findings, the members of each change set stand where the first of them does:
// they are approved together or not at all. By name, everything stands under its
// name.
func (q *Page) arranged(ps []proposals.Proposal) []proposals.Proposal {
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
