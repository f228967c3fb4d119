package audit

import (
	"hash/maphash"
	"maps"
)

// conclude holds every proposal against what was gathered of it.
func (q *queue) conclude(a *Audit) error {
	hash := func(text string) uint64 { return maphash.String(a.seed, text) }
	e := expected{none: hash(""), open: hash("open"), closed: hash("closed"), chief: hash("chief"), user: hash("user")}
	written := int64(0)
	for i := range q.proposals {
		p := &q.proposals[i]
		if wrong := e.wrong(p, written); wrong != "" {
			return unsound("%s of a proposal is not what the records say", wrong)
		}
		written = p.written
	}
	counted := maps.Clone(a.facts.Counters)
	maps.DeleteFunc(counted, func(_ string, n int64) bool { return n == 0 })
	if !maps.Equal(counted, q.states) {
		return unsound("the counters are not the numbers of proposals")
	}
	return nil
}

// expected are hashes of the words that an issue may have.
type expected struct{ none, open, closed, chief, user uint64 }

// wrong names what does not agree, "" when all does.
func (e expected) wrong(p *proposal, written int64) string {
	shown, assessed := p.shown, p.assessed
	if p.waived { // the desk counts what its waivers leave
		shown.blocks, assessed.blocks = 0, 0
	}
	to := moves[p.act].to
	if p.act == actRevise && p.issue == 0 {
		to = draft
	}
	switch {
	case !p.agreed || p.last != p.revision:
		return "the last revision"
	case p.written <= written:
		return "the place"
	case (p.state == approved) != p.approved:
		return "the approval"
	case shown != assessed || !p.waived && p.until != e.none:
		return "the assessment"
	case p.act == 0 || to != p.state || p.acted != p.updated:
		return "the state"
	case p.number != p.issue:
		return "the issue"
	case p.issue > 0 && (!p.entitled || p.submissions != 1):
		return "the title of the issue"
	case p.issue > 0 && e.issueOf(p) != [2]uint64{p.status, p.assignee}:
		return "the status of the issue"
	}
	return ""
}

// issueOf returns the status and the assignee that the issue of a proposal has.
func (e expected) issueOf(p *proposal) [2]uint64 {
	switch p.state {
	case approved, rejected, withdrawn:
		return [2]uint64{e.closed, e.none}
	case chiefReview:
		return [2]uint64{e.open, e.chief}
	case userReview:
		return [2]uint64{e.open, e.user}
	case needsChanges:
		return [2]uint64{e.open, p.author}
	default:
		return [2]uint64{e.open, e.none}
	}
}
