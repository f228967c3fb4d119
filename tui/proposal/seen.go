package proposal

import (
	"slices"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/wording"
)

// Seen records which parts of each proposal were on the screen. It outlives their
// pages.
type Seen struct {
	of     map[proposals.ID]*reading
	sheets map[proposals.ID]sheet
}

// sheet is a page, besides its own, on which a proposal was shown: that of its change set,
// or the queue with a pane about it.
type sheet struct {
	dossier review.Dossier
	unseen  func() int // rows that have not been on the screen
}

// NewSeen returns a store of nothing seen.
func NewSeen() *Seen { return &Seen{map[proposals.ID]*reading{}, map[proposals.ID]sheet{}} }

// Sheet has another page count for the proposals on it: who has seen all of its rows has
// read each of them.
func (s *Seen) Sheet(ds []review.Dossier, unseen func() int) {
	for _, d := range ds {
		s.sheets[d.Proposal.ID] = sheet{d, unseen}
	}
}

// onSheet reports whether a proposal was read on the page of its change set, as it was
// shown last.
func (s *Seen) onSheet(id proposals.ID) bool {
	sh, ok := s.sheets[id]
	if r := s.of[id]; r != nil && r.dossier.Digest != sh.dossier.Digest && !r.sameText(sh.dossier) {
		return false
	}
	return ok && sh.unseen() == 0
}

// sameText reports whether another dossier has the text that the page shows, against the
// same version, where no finding is about hidden characters: a waiver that was given or
// ended on the page changes the digest, and nothing that was read.
func (r *reading) sameText(other review.Dossier) bool {
	hidden := slices.ContainsFunc(r.dossier.Standing, func(s review.Standing) bool { return !visible.Clean(s.Passage) })
	was, is := other.Proposal, r.dossier.Proposal
	return !hidden && was.Revision == is.Revision && was.BaseVersion == is.BaseVersion && was.LiveVersion == is.LiveVersion && contentOf(other) == r.hash
}

// reading records which parts of a proposal the user has read.
type reading struct {
	made     comparison
	list     *difflist.List
	pager    *pager.Pager // of the diff against the base
	read     int          // row of the list, unified, up to which everything was seen
	dossier  review.Dossier
	hash     string             // of its content (contentOf)
	finds    [2]*pager.Pager    // that quote passages: of the overview and the assessment
	passages map[pager.Text]int // how many bytes of each quoted line have to be seen
}

// unseen names the unread parts that have to be read.
func (r *reading) unseen() []string {
	if r == nil || r.list == nil || r.made.new != r.hash {
		return []string{"the diff"} // there is none yet, or it is of an earlier revision
	}
	return append(r.list.Unseen(r.pager), r.unseenFindings()...)
}

// seenAll reports whether unseen names nothing. It stops at the first unread part,
// and does not check a read part again.
func (r *reading) seenAll() bool {
	var missing bool
	r.read, missing = r.list.FirstUnseen(r.pager, false, r.read)
	return !missing && len(r.unseenFindings()) == 0
}

// unseenFindings names the findings about hidden characters that have not been
// on the screen.
func (r *reading) unseenFindings() []string {
	var names []string
	for _, s := range r.dossier.Standing {
		if visible.Clean(s.Passage) {
			continue
		}
		if !r.sawPassage(s) {
			names = append(names, s.Rule+" in "+wording.Place(s.Path))
		}
	}
	return names
}

// sawPassage reports whether every line of the passage of a finding was on the
// screen, up to its end.
func (r *reading) sawPassage(s review.Standing) bool {
	id := findingID(s)
	for n := range passageLines(s) {
		need, laid := r.passages[id+pager.Text(n)]
		if !laid || !r.finds[0].Seen(id+pager.Text(n), need) && !r.finds[1].Seen(id+pager.Text(n), need) {
			return false
		}
	}
	return true
}

// Unread names what of some proposals has not been on the screen.
func (s *Seen) Unread(ps []proposals.Proposal) []string {
	var names []string
	for _, p := range ps {
		missing := s.of[p.ID].unseen()
		if len(missing) == 0 || s.onSheet(p.ID) {
			continue
		}
		prefix := ""
		if len(ps) > 1 {
			prefix = wording.Reference(p) + " "
		}
		names = append(names, prefix+wording.Joined(missing))
	}
	return names
}

// progress counts the parts of some proposals that have to be on the screen, and those
// that were.
func (s *Seen) progress(ps []proposals.Proposal) (read, of int) {
	for _, p := range ps {
		r := s.of[p.ID]
		parts := 1
		if r != nil && r.list != nil && r.made.new == r.hash {
			parts = len(r.list.Fields())
			for _, f := range r.dossier.Standing {
				if !visible.Clean(f.Passage) {
					parts++
				}
			}
		}
		of += parts
		if s.onSheet(p.ID) {
			read += parts
			continue
		}
		read += max(0, parts-len(r.unseen()))
	}
	return read, of
}

// first returns the first of some proposals of which something has not been on the
// screen.
func (s *Seen) first(ps []proposals.Proposal) (proposals.Proposal, bool) {
	for _, p := range ps {
		if r := s.of[p.ID]; !s.onSheet(p.ID) && (r == nil || r.list == nil || !r.seenAll()) {
			return p, true
		}
	}
	return proposals.Proposal{}, false
}

// Lacks returns how a proposal, read now, differs from what was on the screen: an
// unread part, or a change since. It is "" for neither.
func (s *Seen) Lacks(d review.Dossier) string {
	if sh, ok := s.sheets[d.Proposal.ID]; ok && sh.dossier.Digest == d.Digest && sh.unseen() == 0 {
		return ""
	}
	switch r := s.of[d.Proposal.ID]; {
	case r == nil || r.list == nil:
		return ": the diff"
	case r.dossier.Digest != d.Digest || r.made.new != r.hash:
		return " has changed since you read it"
	case !r.seenAll():
		return ": " + wording.Joined(r.unseen())
	}
	return ""
}

// choices ties proposals to the review digests that were shown last. A proposal
// that was never shown keeps the dialog locked.
func (s *Seen) choices(ps []proposals.Proposal) []review.Choice {
	choices := make([]review.Choice, len(ps))
	for i, p := range ps {
		choices[i] = review.Choice{ID: p.ID, Expect: "nothing was shown"}
		if d, ok := s.last(p.ID); ok {
			choices[i].Expect = d.Digest
		}
	}
	return choices
}

// dossiers returns the dossiers of some proposals that were shown last.
func (s *Seen) dossiers(ps []proposals.Proposal) []review.Dossier {
	var out []review.Dossier
	for _, p := range ps {
		if d, ok := s.last(p.ID); ok {
			out = append(out, d)
		}
	}
	return out
}

// last returns the dossier of a proposal that was shown last.
func (s *Seen) last(id proposals.ID) (review.Dossier, bool) {
	if r := s.of[id]; r != nil {
		return r.dossier, true
	}
	sh, ok := s.sheets[id]
	return sh.dossier, ok
}

// comparison names the two definitions to compare, and how many unchanged lines to
// show. It identifies a diff.
type comparison struct {
	from     string // the old side: a version or a revision, whose content never changes
	new      string // content hash
	revision int    // on the new side
	context  int
}

// contentOf returns a hash of everything that the diff of a proposal shows.
func contentOf(d review.Dossier) string {
	before, after := d.Tests()
	return d.Revision.Draft.Definition.Hash() + registry.HashBytes(slices.Concat(before, after))
}
