package proposals

import (
	"time"

	"toolcrib/registry"
)

// Verdict is the outcome of a decision.
type Verdict string

// The verdicts.
const (
	VerdictApproved     Verdict = "approved"
	VerdictEndorsed     Verdict = "endorsed" // an approval that waits for another
	VerdictNeedsChanges Verdict = "needs_changes"
	VerdictRejected     Verdict = "rejected"
)

// VerdictOf returns the verdict of an act that decides on a proposal, "" for another.
func VerdictOf(act Act) Verdict {
	return map[Act]Verdict{
		ActApprove: VerdictApproved, ActEndorse: VerdictEndorsed, ActRequestChanges: VerdictNeedsChanges, ActReject: VerdictRejected,
	}[act]
}

// Decision is the user's word on one revision.
type Decision struct {
	ID           string // UUIDv7
	Proposal     ID
	Issue        int // number of the proposal
	Subject      registry.Subject
	Revision     int
	ContentHash  string
	Verdict      Verdict
	Note         string // the reason; always there unless approved
	By           Actor
	At           time.Time
	Assessment   string // id of the assessment it stood on
	ReviewDigest string // of what the decider was shown
	Version      int    // the version it made, 0 unless approved
	VersionHash  string // its hash, "" unless approved
	// Unassigned says, when it was just made, that no agent has the tool; it is
	// not stored.
	Unassigned bool
	Signature  string // hash of the signed statement; "" when the decision was not signed
	Shown      Showing
	// Members seals the change set of an approval that waits for another; "" when it
	// stands alone.
	Members string
	// Approvals is, when it was just made, how far the approvals have come; nil when
	// one was enough. It is not stored.
	Approvals *Approvals
}

// Showing describes how a decider knew the decided content.
type Showing string

// The ways to know it.
const (
	ShowingExpected Showing = "expected"  // the decision named the review digest
	ShowingShown    Showing = "shown"     // it was the last that the decider was shown
	ShowingNone     Showing = "not_shown" // the decider was shown something else, or nothing
)

// Progress returns how far the approvals had come with a decision that was just
// made, and what else it waits for.
func (d Decision) Progress() string {
	if d.Approvals == nil {
		return "its change set waits for owners of other members"
	}
	if len(d.Approvals.WaitsFor) == 0 && d.Verdict == VerdictEndorsed {
		return d.Approvals.Text + "; its change set waits for owners of other members"
	}
	return d.Approvals.Text
}
