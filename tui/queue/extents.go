package queue

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
)

// extents are how much the proposals on the screen change, by the revision that was
// read.
type extents struct {
	known  map[revision]review.Extent
	asking map[revision]bool
}

type revision struct {
	id     proposals.ID
	number int
}

// Measured answers how much some proposals change.
type Measured struct {
	of    []revision
	found map[proposals.ID]review.Extent
	err   error
}

// maxMeasured is how many extents are kept.
const maxMeasured = 5000

func (e *extents) of(p proposals.Proposal) (review.Extent, bool) {
	found, ok := e.known[revision{p.ID, p.Revision}]
	return found, ok
}

// take takes in what was read; what could not be read is not asked for again.
func (e *extents) take(msg Measured) {
	if e.known == nil || len(e.known)+len(msg.found) > maxMeasured {
		e.known = map[revision]review.Extent{}
	}
	for _, r := range msg.of {
		if found, ok := msg.found[r.id]; ok {
			e.known[r] = found
			delete(e.asking, r)
		}
	}
}

// measure reads how much the rows on the screen change that were not read before.
func (q *Page) measure() tea.Cmd {
	if q.Extents == nil {
		return nil
	}
	var of []revision
	var ids []proposals.ID
	for i := q.list.top; i < q.list.top+q.list.height; i++ {
		r, ok := q.list.At(i)
		if !ok || r.Folded() { // a set counts its members instead
			continue
		}
		p := r.First()
		key := revision{p.ID, p.Revision}
		if _, known := q.known[key]; known || q.asking[key] {
			continue
		}
		if q.asking == nil {
			q.asking = map[revision]bool{}
		}
		q.asking[key] = true
		of, ids = append(of, key), append(ids, p.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	read, ctx := q.Extents, q.ctx
	return func() tea.Msg {
		found, err := read(ctx, ids)
		return Measured{of, found, err}
	}
}
