// Package seen records which parts of proposals were on screen. An approval is locked until all parts were.
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

// Record has the parts of each proposal that were on screen. It outlives the pages.
type Record struct {
	readings map[proposals.ID]*Reading
	views    map[proposals.ID]view
}

// view is another page that showed a proposal: the page of its change set, or the queue with its side pane.
type view struct {
	dossier review.Dossier
	unread  func(id proposals.ID) (unread, missing []string)
}

// New returns an empty record.
func New() *Record { return &Record{map[proposals.ID]*Reading{}, map[proposals.ID]view{}} }

// AddView registers another page that shows ds. unread returns the unread parts of a proposal, and the parts that must
// be on screen even if the user approves without reading.
func (s *Record) AddView(ds []review.Dossier, unread func(id proposals.ID) (unread, missing []string)) {
	for _, d := range ds {
		s.views[d.Proposal.ID] = view{d, unread}
	}
}

// Progress describes which parts of a proposal have been on screen.
type Progress struct {
	Parts     int    // parts to read: fields, or files with new bytes
	Known     int    // files that were approved before, or are read in another member of the set
	KnownFrom string // one subject that has those files
	ByHash    int    // files that are accepted by hash
	// Unread lists the parts that were not on screen. Missing lists the parts that must be on screen in any case:
	// findings, and content that changed since.
	Unread, Missing []string
}

// Progress returns how much of the current revision of a proposal was on screen.
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
		p.Missing = []string{"what has changed since you read it"}
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

// Missing returns the parts that must be on screen before a proposal can be approved without reading: findings and
// facts.
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

// sameText reports whether two dossiers have the same text against the same version and no finding about hidden
// characters. Granting or ending a waiver changes the digest but not the text that was read.
func sameText(a, b review.Dossier) bool {
	hidden := slices.ContainsFunc(b.Standing, func(s review.Standing) bool { return !visible.Clean(s.Passage) })
	was, is := a.Proposal, b.Proposal
	return !hidden && was.Revision == is.Revision && was.BaseVersion == is.BaseVersion && was.LiveVersion == is.LiveVersion && ContentHash(a) == ContentHash(b)
}

// Reading records which parts of a proposal the user has read.
type Reading struct {
	Comparison Comparison
	List       *difflist.List
	Pager      *pager.Pager         // shows the diff against the base
	Findings   [2]*pager.Pager      // texts that quote passages: overview and assessment
	Passages   map[pager.TextID]int // number of bytes of each quoted line to read
	dossier    review.Dossier
	hash       string // of the content (ContentHash)
}

// Reading returns the reading of a proposal, or nil before it was shown.
func (s *Record) Reading(id proposals.ID) *Reading { return s.readings[id] }

// Show records that a dossier and the hash of its content are on the proposal's page. findings are the texts that
// quote passages; they are used only the first time.
func (s *Record) Show(d review.Dossier, hash string, findings [2]*pager.Pager) {
	r := s.readings[d.Proposal.ID]
	if r == nil {
		r = &Reading{Findings: findings, Passages: map[pager.TextID]int{}}
		s.readings[d.Proposal.ID] = r
	}
	r.dossier, r.hash = d, hash
}

// Dossier returns the dossier that was shown last.
func (r *Reading) Dossier() review.Dossier { return r.dossier }

// SetDiff sets the diff that has to be read.
func (r *Reading) SetDiff(c Comparison, list *difflist.List, p *pager.Pager) {
	r.Comparison, r.List, r.Pager = c, list, p
}

// FirstUnseen returns the first part that was not on screen: a row of the diff, or else a finding about hidden
// characters. It returns -1 and nil if everything was.
func (r *Reading) FirstUnseen() (row int, finding *review.Standing) {
	if row, ok := r.List.FirstUnseen(r.Pager); ok {
		return row, nil
	}
	if unseen := r.unseenFindings(false); len(unseen) > 0 {
		return -1, &unseen[0]
	}
	return -1, nil
}

// unseenFindings returns the findings that were not on screen: all of them, or only those about hidden characters.
func (r *Reading) unseenFindings(all bool) []review.Standing {
	return lists.Filter(r.dossier.Standing, func(s review.Standing) bool { return (all || !visible.Clean(s.Passage)) && !r.hasSeen(s) })
}

func findingName(s review.Standing) string { return s.Rule + " in " + wording.FieldName(s.Path) }

// hasSeen reports whether every line of a finding's passage was on screen up to its end.
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

// Comparison identifies a diff by the two definitions and the number of unchanged lines.
type Comparison struct {
	From     string // the old side: a version or a revision, whose content never changes
	New      string // hash of the new content
	Revision int    // of the new side
	Context  int
}

// SkipReasons returns, by path, why files of a proposal need not be read.
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
