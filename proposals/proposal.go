package proposals

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/registry"
)

// ID is the UUIDv7 of a proposal in its lower-case text form.
type ID string

// Recommendation is the advice of the Chief of Staff.
type Recommendation string

// The recommendations.
const (
	RecommendApprove      Recommendation = "approve"
	RecommendNeedsChanges Recommendation = "needs_changes"
	RecommendReject       Recommendation = "reject"
)

// Recommendations lists every recommendation, the best first.
func Recommendations() []Recommendation {
	return []Recommendation{RecommendApprove, RecommendNeedsChanges, RecommendReject}
}

// Lower returns the worse of two recommendations; none ("") counts as best.
func (r Recommendation) Lower(other Recommendation) Recommendation {
	if all := Recommendations(); slices.Index(all, other) > slices.Index(all, r) {
		return other
	}
	return r
}

// Proposal is a candidate change as the queue shows it; its revisions have the
// content.
type Proposal struct {
	ID          ID
	Type        Type
	Subject     registry.Subject
	Title       string
	State       State
	Revision    int    // the current one, counted from 1
	ContentHash string // of the current revision's definition
	BaseVersion int    // of the current revision
	Author      Actor
	ChangeSet   string // "" when it stands alone
	Issue       int    // number of its issue, 0 until it is submitted
	Summary     Summary
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// LiveVersion is the subject's version in force when the proposal was
	// read, 0 when there is none.
	LiveVersion int
	// Approvals is how far the approvals had come then; nil unless the policy names
	// the owners of its subject.
	Approvals *Approvals
}

// Approvals is how far the approvals of a proposal have come that needs those of
// named owners.
type Approvals struct {
	Required int      // how many
	Given    []string // principals whose approvals count
	WaitsFor []string // principals whose approvals would help
	Text     string   // "1 of 2, waits for user:ada"
}

// WaitsForOthers reports whether the approval of user would not help the proposal,
// while that of other users would.
func (p Proposal) WaitsForOthers(user Actor) bool {
	return p.State == UserReview && p.Approvals != nil && len(p.Approvals.WaitsFor) > 0 &&
		!slices.Contains(p.Approvals.WaitsFor, user.String())
}

// MinPrefix is how much of an id names its object: less would soon be that of another,
// and a slip of the finger would decide something.
const MinPrefix = 8

// ShortID returns the beginning of an id, of at least so many characters, that names
// it: digits alone would be a number.
func ShortID(id string, least int) string {
	n := max(least, MinPrefix)
	for n < len(id) && strings.Trim(id[:n], "0123456789") == "" {
		n++
	}
	return id[:min(n, len(id))]
}

// Handle returns how commands and messages name the proposal: "#" and its number,
// or its id before it has one.
func (p Proposal) Handle() string {
	if p.Issue > 0 {
		return "#" + strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// Stale reports whether the live version moved past the base while the
// proposal was open.
func (p Proposal) Stale() bool { return p.State.Open() && p.LiveVersion != p.BaseVersion }

// Summary is the assessment of the current revision in a few figures; the zero
// value while there is none.
type Summary struct {
	Recommendation Recommendation
	Findings       int
	Blocks         int    // findings that block and are not waived
	Warns          int    // findings that warn and are not waived
	Worst          string // severity of the worst finding, "" for none
	// WaivedUntil is when the first of the waivers that Blocks counts on runs
	// out; the zero time when none does.
	WaivedUntil time.Time
}

// Revision is one immutable state of a proposal's content.
type Revision struct {
	Proposal    ID
	Number      int // counted from 1
	Draft       Draft
	ContentHash string // of the definition; "" when there is none yet
	Author      Actor
	CreatedAt   time.Time

	// Text is Draft in canonical form, as stored; "" before it is stored.
	Text string
}

// Canonical returns the draft in canonical form: the stored one, if it is stored.
func (r Revision) Canonical() string {
	if r.Text != "" {
		return r.Text
	}
	return string(r.Draft.Canonical())
}
