// This file defines the acts that a statement can contain.

package statement

import (
	"strings"
	"time"

	"toolcrib/internal/lists"
)

// Verdict is the kind of an act.
type Verdict string

// The verdicts. The first three belong to decisions about proposals.
const (
	Approved       Verdict = "approved"
	NeedsChanges   Verdict = "needs_changes"
	Rejected       Verdict = "rejected"
	Waived         Verdict = "waived"
	WaiverEnded    Verdict = "waiver_ended"
	CallApproved   Verdict = "call_approved"
	CallRefused    Verdict = "call_refused"
	TierSet        Verdict = "tier_set"
	SignersChanged Verdict = "signers_changed"
)

// acts maps each verdict to a constructor of its act, into which the decoder reads.
var acts = map[Verdict]func(Verdict) Act{
	Approved:       func(v Verdict) Act { return &Decision{Verdict: v} },
	NeedsChanges:   func(v Verdict) Act { return &Decision{Verdict: v} },
	Rejected:       func(v Verdict) Act { return &Decision{Verdict: v} },
	Waived:         func(Verdict) Act { return &Waiver{} },
	WaiverEnded:    func(Verdict) Act { return &Waiver{Ended: true} },
	CallApproved:   func(Verdict) Act { return &CallAnswer{Approved: true} },
	CallRefused:    func(Verdict) Act { return &CallAnswer{} },
	TierSet:        func(Verdict) Act { return &Tier{} },
	SignersChanged: func(Verdict) Act { return &Signers{} },
}

// Act is the content of a statement: *Decision, *Waiver, *CallAnswer, *Tier or
// *Signers.
type Act interface {
	verdict() Verdict
	lines(c *codec)
}

// VerdictOf returns the verdict of an act.
func VerdictOf(a Act) Verdict { return a.verdict() }

// Decision approves, sends back, or rejects proposals in one act: a single
// proposal, a change set, or several that are decided together.
type Decision struct {
	Verdict Verdict // Approved, NeedsChanges or Rejected
	Set     string  // name of the change set, or "" if it is not exactly one
	Items   []Item
}

// Item is a proposal of a decision. Version, Previous and Sum describe the
// version that an approval writes; they are empty for other verdicts.
type Item struct {
	Proposal     string // UUID
	Revision     int
	Subject      string // "tool:user/scene_pacer"
	ContentHash  string
	ReviewDigest string
	Version      int    // 0 unless approved
	Previous     string // hash of the previous version, "" for the first
	Sum          string // sum of the version without its signature, "" unless approved
}

func (d *Decision) verdict() Verdict { return d.Verdict }

func (d *Decision) lines(c *codec) {
	c.require(d.Verdict == Approved || d.Verdict == NeedsChanges || d.Verdict == Rejected, "verdict", "%s is not the verdict of a decision", d.Verdict)
	n := len(d.Items)
	c.line("set", text("name", setName, &d.Set), number("number of items", 1, &n))
	c.require(n <= MaxItems, "number of items", "more than %d", MaxItems)
	if c.reading {
		d.Items = nil // grows line by line, regardless of the announced number
	}
	seen := map[string]bool{}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			d.Items = append(d.Items, Item{})
		}
		item := &d.Items[i]
		item.line(c, d.Verdict)
		c.require(!seen[item.Proposal], "proposal", "duplicate %s", item.Proposal)
		seen[item.Proposal] = true
	}
}

func (i *Item) line(c *codec, v Verdict) {
	sum, least := optionalHash, 0
	if v == Approved {
		sum, least = hash, 1
	}
	c.line(
		"item", text("proposal", uuid, &i.Proposal), number("revision", 1, &i.Revision), text("subject", token, &i.Subject),
		text("content hash", hash, &i.ContentHash), text("review digest", hash, &i.ReviewDigest),
		number("version", least, &i.Version), text("previous hash", optionalHash, &i.Previous), text("version sum", sum, &i.Sum),
	)
	if v == Approved {
		c.require((i.Version == 1) == (i.Previous == ""), "previous hash", `must be "-" for version 1 and only for version 1`)
		return
	}
	c.require(i.Version == 0 && i.Previous == "" && i.Sum == "", "version", `must be "0 - -" for %s`, v)
}

// Waiver accepts one finding of a revision, or ends the waiver of that finding.
type Waiver struct {
	Ended       bool
	Proposal    string // UUID
	Revision    int
	Subject     string
	ContentHash string
	Rule        string    // "S104"
	PassageHash string    // hash of the passage
	Path        string    // hash (Text) of the path of the field
	Field       string    // hash of the keys of all findings in the field
	Expires     time.Time // zero if it never expires, and if Ended
}

func (w *Waiver) verdict() Verdict {
	if w.Ended {
		return WaiverEnded
	}
	return Waived
}

func (w *Waiver) lines(c *codec) {
	c.line(
		"finding", text("proposal", uuid, &w.Proposal), number("revision", 1, &w.Revision), text("subject", token, &w.Subject),
		text("content hash", hash, &w.ContentHash), text("rule", token, &w.Rule), text("passage hash", hash, &w.PassageHash),
		text("hash of the path", hash, &w.Path), text("hash of the field's findings", hash, &w.Field), optionalStamp("expiry", &w.Expires),
	)
	c.require(!w.Ended || w.Expires.IsZero(), "expiry", `must be "-" for %s`, WaiverEnded)
}

// CallAnswer approves or refuses a call that waits for the user.
type CallAnswer struct {
	Approved    bool
	Pending     string // UUID
	Tool        string
	Version     int
	ContentHash string
	Digest      string // digest of the call: caller, arguments, expiry
}

func (a *CallAnswer) verdict() Verdict {
	if a.Approved {
		return CallApproved
	}
	return CallRefused
}

func (a *CallAnswer) lines(c *codec) {
	c.line(
		"call", text("pending call", uuid, &a.Pending), text("tool", token, &a.Tool), number("version", 1, &a.Version),
		text("content hash", hash, &a.ContentHash), text("digest", hash, &a.Digest),
	)
}

// Tier sets the approval tier of tools for one user.
type Tier struct {
	Tier  string // "auto_approve", "requires_approval", or "" to remove the user's setting
	User  string // hash (Text) of the user to whose calls it applies
	Tools []string
}

func (*Tier) verdict() Verdict { return TierSet }

func (t *Tier) lines(c *codec) {
	n := len(t.Tools)
	c.line("tier", text("tier", tierName, &t.Tier), text("hash of the user", hash, &t.User), number("number of tools", 1, &n))
	c.require(n <= MaxItems, "number of tools", "more than %d", MaxItems)
	if c.reading {
		t.Tools = nil // grows line by line, regardless of the announced number
	}
	seen := map[string]bool{}
	for i := 0; i < n && c.err == nil; i++ {
		if c.reading {
			t.Tools = append(t.Tools, "")
		}
		tool := &t.Tools[i]
		c.line("tool", text("tool", token, tool))
		c.require(!seen[*tool], "tool", "duplicate %s", *tool)
		seen[*tool] = true
	}
}

// Signers puts a state of the signers file in force.
type Signers struct {
	Number   int    // of the state, counted from 1
	Previous string // digest of the previous state, "" for the first
	State    string // digest of the state
}

func (*Signers) verdict() Verdict { return SignersChanged }

func (s *Signers) lines(c *codec) {
	c.line("signers", number("number", 1, &s.Number), text("previous state", optionalHash, &s.Previous), text("state", hash, &s.State))
	c.require((s.Number == 1) == (s.Previous == ""), "previous state", `must be "-" for state 1 and only for state 1`)
	c.require(s.Previous != s.State, "state", "must differ from the previous state")
}

// About returns keys of the things that an act is about, if later acts with the
// same key replace it: the subject of each version that it approves, the tier of
// each tool, a finding, or the signers. It returns nil for other acts. The triggers
// of the store write the same keys.
func About(a Act) []string {
	switch act := a.(type) {
	case *Decision:
		if act.Verdict != Approved {
			return nil
		}
		return lists.Map(act.Items, func(item Item) string { return item.Subject })
	case *Tier:
		return lists.Map(act.Tools, func(tool string) string { return "tier " + tool })
	case *Waiver:
		return []string{strings.Join([]string{"finding", act.Proposal, act.Rule, act.PassageHash, act.Path}, " ")}
	case *Signers:
		return []string{"signers"}
	}
	return nil
}
