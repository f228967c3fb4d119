// Package seen records which parts of proposals have been on screen. A part is a field of a definition, or a
// file. The dialog of an approval is locked until the user has seen all required parts.
package seen

import (
	"cmp"
	"slices"
	"strconv"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/pager"
	"toolcrib/tui/quotes"
	"toolcrib/tui/wording"
)

// Record contains, for each proposal, the parts that have been on screen. It is not stored when the workbench
// ends.
type Record struct {
	readings map[proposals.ID]*Reading
	views    map[proposals.ID]view
}

// view is a place, other than the proposal page, where the user can read a proposal. It is the page of a change
// set or the side pane of the queue.
type view struct {
	dossier review.Dossier
	unread  func(id proposals.ID) (unread, missing []string)
}

// New returns an empty record.
func New() *Record { return &Record{map[proposals.ID]*Reading{}, map[proposals.ID]view{}} }

// AddView registers a place where the user can read the proposals in ds, in addition to their pages. unread
// returns the unread parts of a proposal. missing lists the parts that must be on screen even if the user
// approves unread parts.
func (s *Record) AddView(ds []review.Dossier, unread func(id proposals.ID) (unread, missing []string)) {
	for _, d := range ds {
		s.views[d.Proposal.ID] = view{d, unread}
	}
}

// Progress describes which parts of a proposal have been on screen.
type Progress struct {
	Parts     int    // number of parts that the user must read: fields, or files with new bytes
	Known     int    // number of files with the same bytes as an approved file, or as a file of another member of the change set
	KnownFrom string // subject that contains such files, or "others"
	ByHash    int    // number of data files, which the user accepts by hash
	// Unread lists the parts that have not been on screen. Missing lists the parts that must be on screen even if
	// the user approves unread parts: findings, and content that has changed since the user read it.
	Unread, Missing []string
}

// Progress returns which parts of the current revision of a proposal have been on screen.
func (s *Record) Progress(d review.Dossier) Progress {
	p := Progress{Parts: 1}
	for _, part := range d.Parts {
		switch {
		case part.As != "":
			if p.Known++; p.KnownFrom != "" && p.KnownFrom != part.As {
				part.As = "others"
			}
			p.KnownFrom = part.As
		case part.Data:
			p.ByHash++
		}
	}
	if d.Parts != nil {
		p.Parts = len(d.Parts) - p.Known - p.ByHash
	}
	p.Unread = []string{"the diff"}
	r := s.readings[d.Proposal.ID]
	switch {
	case r == nil || r.List == nil:
	case r.dossier.Digest != d.Digest || r.Comparison.New != r.hash:
		p.Missing = []string{"the changes since you read the proposal"}
	default:
		if d.Parts == nil {
			p.Parts = r.List.Required()
		}
		p.Unread, p.Missing = r.List.Unseen(r.Pager), lists.Map(r.unseenFindings(false), findingName)
	}
	if len(p.Unread)+len(p.Missing) == 0 {
		return p
	}
	if sh, ok := s.views[d.Proposal.ID]; ok && (sh.dossier.Digest == d.Digest || sameText(sh.dossier, d)) {
		if unread, missing := sh.unread(d.Proposal.ID); r == nil || r.List == nil || len(unread)+len(missing) < len(p.Unread)+len(p.Missing) {
			p.Unread, p.Missing = unread, missing
		}
	}
	return p
}

// Missing returns the parts, for example findings, that must be on screen even if the user approves unread
// parts.
func (s *Record) Missing(d review.Dossier) []string {
	if sh, ok := s.views[d.Proposal.ID]; ok && (sh.dossier.Digest == d.Digest || sameText(sh.dossier, d)) {
		_, missing := sh.unread(d.Proposal.ID)
		return missing
	}
	if r := s.readings[d.Proposal.ID]; r != nil && r.dossier.Digest == d.Digest {
		return lists.Map(r.unseenFindings(true), findingName)
	}
	return []string{"its findings"}
}

// sameText reports whether a user who has read dossier a has also read the text of dossier b. This is the case if
// both have the same text and the same base, and b has no finding about hidden characters. The digests may
// differ: for example, a waiver changes the digest, but not the text.
func sameText(a, b review.Dossier) bool {
	hidden := slices.ContainsFunc(b.Standing, func(s review.Standing) bool { return !visible.Clean(s.Passage) })
	was, is := a.Proposal, b.Proposal
	return !hidden && was.Revision == is.Revision && was.BaseVersion == is.BaseVersion && was.LiveVersion == is.LiveVersion && ContentHash(a) == ContentHash(b)
}

// Reading records which parts of a proposal's page have been on screen.
type Reading struct {
	Comparison Comparison
	List       *difflist.List
	Pager      *pager.Pager         // pager of the diff against the base of the draft
	Findings   [2]*pager.Pager      // pagers of the overview and the assessment, which quote passages
	Passages   map[pager.TextID]int // number of bytes of each quoted line that the user must see
	dossier    review.Dossier
	hash       string // content hash of the dossier, from ContentHash
}

// Reading returns the record for the page of the given proposal, or nil if the page has not been shown.
func (s *Record) Reading(id proposals.ID) *Reading { return s.readings[id] }

// Show records that the page of a proposal shows d. hash is ContentHash(d). findings are the pagers that quote
// passages; only the first call for a proposal uses them.
func (s *Record) Show(d review.Dossier, hash string, findings [2]*pager.Pager) {
	r := s.readings[d.Proposal.ID]
	if r == nil {
		r = &Reading{Findings: findings, Passages: map[pager.TextID]int{}}
		s.readings[d.Proposal.ID] = r
	}
	r.dossier, r.hash = d, hash
}

// Dossier returns the last dossier that was shown.
func (r *Reading) Dossier() review.Dossier { return r.dossier }

// SetDiff sets the diff that the user must read.
func (r *Reading) SetDiff(c Comparison, list *difflist.List, p *pager.Pager) {
	r.Comparison, r.List, r.Pager = c, list, p
}

// FirstUnseen returns the first part that has not been on screen. This is a row of the diff or, if the diff has
// been on screen, a finding about hidden characters. If there is no such part, FirstUnseen returns -1 and nil.
func (r *Reading) FirstUnseen() (row int, finding *review.Standing) {
	if row, ok := r.List.FirstUnseen(r.Pager); ok {
		return row, nil
	}
	if unseen := r.unseenFindings(false); len(unseen) > 0 {
		return -1, &unseen[0]
	}
	return -1, nil
}

// unseenFindings returns the findings that have not been on screen. Unless all is set, it returns only findings
// about hidden characters.
func (r *Reading) unseenFindings(all bool) []review.Standing {
	return lists.Filter(r.dossier.Standing, func(s review.Standing) bool { return (all || !visible.Clean(s.Passage)) && !r.hasSeen(s) })
}

func findingName(s review.Standing) string { return s.Rule + " in " + wording.FieldName(s.Path) }

// hasSeen reports whether the whole passage of a finding has been on screen.
func (r *Reading) hasSeen(s review.Standing) bool {
	id := quotes.FindingID(s)
	for n := range quotes.PassageLines(s) {
		need, laid := r.Passages[id+pager.TextID(n)]
		if !laid || !r.Findings[0].Seen(id+pager.TextID(n), need) && !r.Findings[1].Seen(id+pager.TextID(n), need) {
			return false
		}
	}
	return true
}

// Comparison identifies a diff. Diffs with equal Comparisons have the same sides and the same number of unchanged
// lines around each change.
type Comparison struct {
	From     string // name of the old side, which is a version or a revision; its content never changes
	New      string // hash of the new content
	Revision int    // revision of the new side
	Context  int
}

// SkipReasons returns the reasons why files of a proposal need not be read, keyed by the path of the file in the
// definition.
func SkipReasons(d review.Dossier) map[string]string {
	notes := map[string]string{}
	files := d.Revision.Draft.Definition.Folder()
	for _, p := range d.Parts {
		f := files.Files[p.Name]
		size := f.Size
		if f.Text != "" {
			size = int64(len(f.Text))
		}
		switch {
		case p.As != "":
			notes[jsondoc.Join("files", p.Name)] = "as in " + p.As
		case p.Data:
			notes[jsondoc.Join("files", p.Name)] = "data, " + strconv.FormatInt(size, 10) + " bytes, sha256 " + wording.Short(cmp.Or(f.SHA256, registry.HashBytes([]byte(f.Text))))
		}
	}
	return notes
}

// ContentHash returns a hash of everything that the diff of a proposal shows.
func ContentHash(d review.Dossier) string {
	before, after := d.Tests()
	return d.Revision.Draft.Definition.Hash() + registry.HashBytes(slices.Concat(before, after))
}
