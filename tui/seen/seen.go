// Package seen records which parts of proposals were on the screen: an approval is locked
// until everything was.
package seen

import (
	"slices"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/quotes"
	"toolcrib/tui/wording"
)

// Record has the parts of each proposal that were on the screen. It outlives their
// pages.
type Record struct {
	of     map[proposals.ID]*Reading
	sheets map[proposals.ID]sheet
}

// sheet is a page, besides its own, on which a proposal was shown: that of its change set,
// or the queue with a pane about it.
type sheet struct {
	dossier review.Dossier
	unseen  func() int // rows that have not been on the screen
}

// New returns a record of nothing seen.
func New() *Record { return &Record{map[proposals.ID]*Reading{}, map[proposals.ID]sheet{}} }

// Sheet has another page count for the proposals on it: who has seen all of its rows has
// read each of them.
func (s *Record) Sheet(ds []review.Dossier, unseen func() int) {
	for _, d := range ds {
		s.sheets[d.Proposal.ID] = sheet{d, unseen}
	}
}

// onSheet reports whether a proposal was read on the page of its change set, as it was
// shown last.
func (s *Record) onSheet(id proposals.ID) bool {
	sh, ok := s.sheets[id]
	if r := s.of[id]; r != nil && r.dossier.Digest != sh.dossier.Digest && !r.sameText(sh.dossier) {
		return false
	}
	return ok && sh.unseen() == 0
}

// sameText reports whether another dossier has the text that the page shows, against the
// same version, where no finding is about hidden characters: a waiver that was given or
// ended on the page changes the digest, and nothing that was read.
func (r *Reading) sameText(other review.Dossier) bool {
	hidden := slices.ContainsFunc(r.dossier.Standing, func(s review.Standing) bool { return !visible.Clean(s.Passage) })
	was, is := other.Proposal, r.dossier.Proposal
	return !hidden && was.Revision == is.Revision && was.BaseVersion == is.BaseVersion && was.LiveVersion == is.LiveVersion && ContentOf(other) == r.hash
}

// Reading records which parts of a proposal the user has read.
type Reading struct {
	Made     Comparison
	List     *difflist.List
	Pager    *pager.Pager       // of the diff against the base
	Findings [2]*pager.Pager    // that quote passages: of the overview and the assessment
	Passages map[pager.Text]int // how many bytes of each quoted line have to be seen
	read     int                // row of the list, unified, up to which everything was seen
	dossier  review.Dossier
	hash     string // of its content (ContentOf)
}

// Of returns what was read of a proposal, nil before it was shown.
func (s *Record) Of(id proposals.ID) *Reading { return s.of[id] }

// Show records that a dossier, with the hash of its content, is on its page. findings are
// the texts that quote passages where it was not shown before.
func (s *Record) Show(d review.Dossier, hash string, findings [2]*pager.Pager) {
	r := s.of[d.Proposal.ID]
	if r == nil {
		r = &Reading{Findings: findings, Passages: map[pager.Text]int{}}
		s.of[d.Proposal.ID] = r
	}
	r.dossier, r.hash = d, hash
}

// Dossier returns what was shown last.
func (r *Reading) Dossier() review.Dossier { return r.dossier }

// SetDiff has the diff against the base be what has to be read.
func (r *Reading) SetDiff(made Comparison, list *difflist.List, p *pager.Pager) {
	r.Made, r.List, r.Pager, r.read = made, list, p, 0
}

// unseen names the unread parts that have to be read.
func (r *Reading) unseen() []string {
	if r == nil || r.List == nil || r.Made.New != r.hash {
		return []string{"the diff"} // there is none yet, or it is of an earlier revision
	}
	return append(r.List.Unseen(r.Pager), r.unseenFindings()...)
}

// All reports whether unseen names nothing. It stops at the first unread part,
// and does not check a read part again.
func (r *Reading) All() bool {
	var missing bool
	r.read, missing = r.List.FirstUnseen(r.Pager, false, r.read)
	return !missing && len(r.unseenFindings()) == 0
}

// unseenFindings names the findings about hidden characters that have not been
// on the screen.
func (r *Reading) unseenFindings() []string {
	var names []string
	for _, s := range r.dossier.Standing {
		if visible.Clean(s.Passage) {
			continue
		}
		if !r.Saw(s) {
			names = append(names, s.Rule+" in "+wording.Place(s.Path))
		}
	}
	return names
}

// Saw reports whether every line of the passage of a finding was on the
// screen, up to its end.
func (r *Reading) Saw(s review.Standing) bool {
	id := quotes.FindingID(s)
	for n := range quotes.PassageLines(s) {
		need, laid := r.Passages[id+pager.Text(n)]
		if !laid || !r.Findings[0].Seen(id+pager.Text(n), need) && !r.Findings[1].Seen(id+pager.Text(n), need) {
			return false
		}
	}
	return true
}

// Unread names what of some proposals has not been on the screen.
func (s *Record) Unread(ps []proposals.Proposal) []string {
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

// Progress counts the parts of some proposals that have to be on the screen, and those
// that were.
func (s *Record) Progress(ps []proposals.Proposal) (read, of int) {
	for _, p := range ps {
		r := s.of[p.ID]
		parts := 1
		if r != nil && r.List != nil && r.Made.New == r.hash {
			parts = len(r.List.Fields())
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

// First returns the first of some proposals of which something has not been on the
// screen.
func (s *Record) First(ps []proposals.Proposal) (proposals.Proposal, bool) {
	for _, p := range ps {
		if r := s.of[p.ID]; !s.onSheet(p.ID) && (r == nil || r.List == nil || !r.All()) {
			return p, true
		}
	}
	return proposals.Proposal{}, false
}

// Lacks returns how a proposal, read now, differs from what was on the screen: an
// unread part, or a change since. It is "" for neither.
func (s *Record) Lacks(d review.Dossier) string {
	if sh, ok := s.sheets[d.Proposal.ID]; ok && sh.dossier.Digest == d.Digest && sh.unseen() == 0 {
		return ""
	}
	switch r := s.of[d.Proposal.ID]; {
	case r == nil || r.List == nil:
		return ": the diff"
	case r.dossier.Digest != d.Digest || r.Made.New != r.hash:
		return " has changed since you read it"
	case !r.All():
		return ": " + wording.Joined(r.unseen())
	}
	return ""
}

// Choices ties proposals to the review digests that were shown last. A proposal
// that was never shown keeps the dialog locked.
func (s *Record) Choices(ps []proposals.Proposal) []review.Choice {
	choices := make([]review.Choice, len(ps))
	for i, p := range ps {
		choices[i] = review.Choice{ID: p.ID, Expect: "nothing was shown"}
		if d, ok := s.last(p.ID); ok {
			choices[i].Expect = d.Digest
		}
	}
	return choices
}

// Dossiers returns the dossiers of some proposals that were shown last.
func (s *Record) Dossiers(ps []proposals.Proposal) []review.Dossier {
	var out []review.Dossier
	for _, p := range ps {
		if d, ok := s.last(p.ID); ok {
			out = append(out, d)
		}
	}
	return out
}

// last returns the dossier of a proposal that was shown last.
func (s *Record) last(id proposals.ID) (review.Dossier, bool) {
	if r := s.of[id]; r != nil {
		return r.dossier, true
	}
	sh, ok := s.sheets[id]
	return sh.dossier, ok
}

// Comparison names the two definitions to compare, and how many unchanged lines to
// show. It identifies a diff.
type Comparison struct {
	From     string // the old side: a version or a revision, whose content never changes
	New      string // content hash
	Revision int    // on the new side
	Context  int
}

// ContentOf returns a hash of everything that the diff of a proposal shows.
func ContentOf(d review.Dossier) string {
	before, after := d.Tests()
	return d.Revision.Draft.Definition.Hash() + registry.HashBytes(slices.Concat(before, after))
}
