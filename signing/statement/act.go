// This file defines the acts of statements.

package statement

import (
	"strings"
	"time"

	"toolcrib/internal/lists"
)

// Verdict is the kind of an act.
type Verdict string

// The verdicts. Approved, NeedsChanges, and Rejected are the verdicts of a Decision.
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

// acts maps each verdict to a function that returns an empty act for the decoder.
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

// Act is the content of a statement. It is a *Decision, *Waiver, *CallAnswer, *Tier, or
// *Signers.
type Act interface {
	verdict() Verdict
	lines(c *codec)
}

// VerdictOf returns the verdict of an act.
func VerdictOf(a Act) Verdict { return a.verdict() }

// Decision approves, sends back, or rejects one or more proposals. Several proposals form
// a change set, or are decided together.
type Decision struct {
	Verdict Verdict // Approved, NeedsChanges, or Rejected
	Set     string  // name of the change set; "" if the items are not exactly one change set
	Items   []Item
}

// Item is a proposal in a decision. Version, Previous, and Sum describe the version that
// an approval creates. They are empty for other verdicts.
type Item struct {
	Proposal     string // UUID
	Revision     int
	Subject      string // such as "tool:user/scene_pacer"
	ContentHash  string
	ReviewDigest string
	Version      int    // 0 unless the verdict is Approved
	Previous     string // hash of the previous version; "" for the first version
	Sum          string // sum of the version without its signature; "" unless the verdict is Approved
}

func (d *Decision) verdict() Verdict { return d.Verdict }

func (d *Decision) lines(c *codec) {
	c.require(d.Verdict == Approved || d.Verdict == NeedsChanges || d.Verdict == Rejected, "verdict", "%s is not the verdict of a decision", d.Verdict)
	n := len(d.Items)
	c.line("set", text("name", setName, &d.Set), number("number of items", 1, &n))
	c.require(n <= MaxItems, "number of items", "must not exceed %d", MaxItems)
	if c.reading {
		d.Items = nil // grows line by line, because the number in the input is not trusted
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
	Rule        string    // such as "S104"
	PassageHash string    // hash of the passage
	Path        string    // hash of the path of the field, as returned by Text
	Field       string    // hash of the keys of all findings in the field
	Expires     time.Time // zero if Ended, or if the waiver never expires
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

// CallAnswer approves or refuses a pending call.
type CallAnswer struct {
	Approved    bool
	Pending     string // UUID
	Tool        string
	Version     int
	ContentHash string
	Digest      string // digest of the caller, the arguments, and the expiry of the call
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

// Tier sets the approval tier of tools for the calls of one user.
type Tier struct {
	Tier  string // "auto_approve" or "requires_approval"; "" removes the user's setting
	User  string // hash of the user, as returned by Text
	Tools []string
}

func (*Tier) verdict() Verdict { return TierSet }

func (t *Tier) lines(c *codec) {
	n := len(t.Tools)
	c.line("tier", text("tier", tierName, &t.Tier), text("hash of the user", hash, &t.User), number("number of tools", 1, &n))
	c.require(n <= MaxItems, "number of tools", "must not exceed %d", MaxItems)
	if c.reading {
		t.Tools = nil // grows line by line, because the number in the input is not trusted
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

// Signers is the act that makes a state of the signers file the current state.
type Signers struct {
	Number   int    // number of the state, counted from 1
	Previous string // digest of the previous state; "" for the first state
	State    string // digest of the state
}

func (*Signers) verdict() Verdict { return SignersChanged }

func (s *Signers) lines(c *codec) {
	c.line("signers", number("number", 1, &s.Number), text("previous state", optionalHash, &s.Previous), text("state", hash, &s.State))
	c.require((s.Number == 1) == (s.Previous == ""), "previous state", `must be "-" for state 1 and only for state 1`)
	c.require(s.Previous != s.State, "state", "must differ from the previous state")
}

// About returns keys for the objects of the act: the subjects of approved versions, the
// tiers of tools, findings, or the signers. If several acts have the same key, only the
// newest act is in force. About returns nil for acts without such an object. The triggers
// of the store use the same keys.
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
