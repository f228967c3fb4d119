package proposals

import (
	"fmt"
	"strings"
	"time"

	"toolcrib/registry"
)

// Verdict is the outcome of a decision.
type Verdict string

// The verdicts.
const (
	VerdictApproved     Verdict = "approved"
	VerdictEndorsed     Verdict = "endorsed" // an approval that requires further ones
	VerdictNeedsChanges Verdict = "needs_changes"
	VerdictRejected     Verdict = "rejected"
)

// VerdictOf returns the verdict of a deciding act, and "" for other acts.
func VerdictOf(act Act) Verdict {
	return map[Act]Verdict{
		ActApprove: VerdictApproved, ActEndorse: VerdictEndorsed, ActRequestChanges: VerdictNeedsChanges, ActReject: VerdictRejected,
	}[act]
}

// Decision is a user's decision about one revision.
type Decision struct {
	ID           string // UUIDv7
	Proposal     ID
	Issue        int // number of the proposal
	Subject      registry.Subject
	Revision     int
	ContentHash  string
	Verdict      Verdict
	Note         string // the reason; optional only for approvals
	By           Actor
	At           time.Time
	Assessment   string // id of the assessment on which it is based
	ReviewDigest string // digest of the content shown to the decider
	Version      int    // resulting version, 0 unless approved
	VersionHash  string // hash of that version, "" unless approved
	// Unassigned reports, for a new decision, that no agent has the tool. It is not
	// stored.
	Unassigned bool
	Signature  string // hash of the signed statement; "" if unsigned
	Shown      Showing
	Reading    Reading
	// Members is the seal of the change set of an approval that requires further
	// ones, or "" for a single proposal.
	Members string
	// Approvals is, for a new decision, the progress of the approvals, or nil if
	// one sufficed. It is not stored.
	Approvals *Approvals
}

// Reading counts the parts of a proposal that its decider had read. The zero value
// is recorded where all of it was shown and nothing was left out.
type Reading struct {
	Read   int `json:"read,omitempty"`   // parts that were shown: a tool, or files of a folder
	Unread int `json:"unread,omitempty"` // parts that were accepted unread
	// Known are the files that were read elsewhere: approved before, or in the same change set.
	Known  int      `json:"known,omitempty"`
	ByHash []string `json:"by_hash,omitempty"` // files of data, accepted by their hash
	Source string   `json:"source,omitempty"`  // where unread content came from
}

// IsZero reports whether there is nothing to record.
func (r Reading) IsZero() bool { return r.Unread+r.Known+len(r.ByHash) == 0 }

// String returns the counts for people, "" for the zero value: "read 2/2 · 52 read
// elsewhere · 4 data files by hash".
func (r Reading) String() string {
	if r.IsZero() {
		return ""
	}
	parts := []string{fmt.Sprintf("read %d/%d", r.Read, r.Read+r.Unread)}
	if r.Known > 0 {
		parts = append(parts, fmt.Sprintf("%d read elsewhere", r.Known))
	}
	if n := len(r.ByHash); n == 1 {
		parts = append(parts, "1 data file by hash")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d data files by hash", n))
	}
	if r.Source != "" {
		parts = append(parts, "from "+r.Source)
	}
	return strings.Join(parts, " · ")
}

// Showing describes how the decider had seen the content.
type Showing string

// The kinds of Showing.
const (
	ShowingExpected Showing = "expected"  // the decision contained the review digest
	ShowingShown    Showing = "shown"     // the decider had been shown it last
	ShowingNone     Showing = "not_shown" // the decider had been shown something else, or nothing
)

// Progress describes which approvals, including this decision, a proposal has and which are missing.
func (d Decision) Progress() string {
	if d.Approvals == nil {
		return "its change set waits for owners of other members"
	}
	if len(d.Approvals.WaitsFor) == 0 && d.Verdict == VerdictEndorsed {
		return d.Approvals.Text + "; its change set waits for owners of other members"
	}
	return d.Approvals.Text
}
