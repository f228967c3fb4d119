// This file reads the numbers of added and removed lines that the list shows for each proposal.

package queue

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
)

// extents caches the numbers of changed lines of listed proposals, keyed by revision.
type extents struct {
	read      func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error)
	known     map[revision]review.Extent
	requested map[revision]bool
}

type revision struct {
	id     proposals.ID
	number int
}

// maxMeasured is the maximum number of cached revisions.
const maxMeasured = 5000

func (e *extents) get(p proposals.Proposal) (review.Extent, bool) {
	found, ok := e.known[revision{p.ID, p.Revision}]
	return found, ok
}

// measure returns a command that reads the missing numbers of the given rows. It returns nil if no numbers are
// missing.
func (e *extents) measure(ctx context.Context, visible []rows.Row, page screen.Page) tea.Cmd {
	var of []revision
	var ids []proposals.ID
	for _, r := range visible {
		p := r.First()
		key := revision{p.ID, p.Revision}
		if _, known := e.known[key]; known || e.requested[key] || r.Folded() { // a folded set has no such numbers
			continue
		}
		if e.requested == nil {
			e.requested = map[revision]bool{}
		}
		e.requested[key] = true
		of, ids = append(of, key), append(ids, p.ID)
	}
	if len(ids) == 0 || e.read == nil {
		return nil
	}
	return func() tea.Msg {
		found, _ := e.read(ctx, ids) // on an error, the column stays empty
		return screen.Then{Page: page, Do: func() tea.Cmd {
			if e.known == nil || len(e.known)+len(found) > maxMeasured {
				e.known = map[revision]review.Extent{}
			}
			for _, r := range of {
				if extent, ok := found[r.id]; ok { // a revision without a result stays in requested and is not read again
					e.known[r] = extent
					delete(e.requested, r)
				}
			}
			return nil
		}}
	}
}
