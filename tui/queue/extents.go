// The size of each listed proposal's change, shown as added and removed lines.

package queue

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
)

// extents caches the size of the changes of listed proposals, by revision.
type extents struct {
	known     map[revision]review.Extent
	requested map[revision]bool
}

type revision struct {
	id     proposals.ID
	number int
}

// maxMeasured is the maximum number of cached extents.
const maxMeasured = 5000

func (e *extents) get(p proposals.Proposal) (review.Extent, bool) {
	found, ok := e.known[revision{p.ID, p.Revision}]
	return found, ok
}

// store caches the extents that were read. A revision whose extent could not be read is not requested again.
func (e *extents) store(of []revision, found map[proposals.ID]review.Extent) {
	if e.known == nil || len(e.known)+len(found) > maxMeasured {
		e.known = map[revision]review.Extent{}
	}
	for _, r := range of {
		if extent, ok := found[r.id]; ok {
			e.known[r] = extent
			delete(e.requested, r)
		}
	}
}

// measure reads the missing extents of the visible rows.
func (q *Page) measure() tea.Cmd {
	if q.Extents == nil {
		return nil
	}
	var of []revision
	var ids []proposals.ID
	for i := q.list.top; i < q.list.top+q.list.height; i++ {
		r, ok := q.list.At(i)
		if !ok || r.Folded() { // a folded set counts its members instead
			continue
		}
		p := r.First()
		key := revision{p.ID, p.Revision}
		if _, known := q.known[key]; known || q.requested[key] {
			continue
		}
		if q.requested == nil {
			q.requested = map[revision]bool{}
		}
		q.requested[key] = true
		of, ids = append(of, key), append(ids, p.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	read, ctx := q.Extents, q.ctx
	return func() tea.Msg {
		found, _ := read(ctx, ids) // rows without an extent leave the column empty
		return screen.Then{Page: q, Do: func() tea.Cmd {
			q.store(of, found)
			return nil
		}}
	}
}
