package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// Ledger stores the gateway's records.
type Ledger interface {
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(LedgerReader) error) error
	// Log runs fn in one write transaction. When Log returns nil it survives
	// the end of the process; a power cut may take the last of them back. When
	// it returns an error it has left no trace.
	Log(ctx context.Context, fn func(LedgerTx) error) error
	// Durable is Log for records that must survive a power cut: pending calls
	// and the user's answers.
	Durable(ctx context.Context, fn func(LedgerTx) error) error
}

// ErrContradiction is wrapped by a Ledger that refuses a record because of its
// content, such as a call that nobody approved.
var ErrContradiction = errors.New("the call log contradicts the approved version")

// LedgerReader reads one snapshot.
type LedgerReader interface {
	review.SignatureReader
	review.ToolReader
	// Use returns how often a tool was called for a user, as far as limits ask.
	Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (Use, error)
	// NotRun counts those of the day of now that got past the limits, and of
	// which it is certain that nothing was run.
	NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error)
	// Override returns the user's own tier of a tool, "" when there is none.
	Override(ctx context.Context, user string, tool registry.Subject) (registry.ApprovalTier, error)
	// Overrides lists the tiers in force of a user, by tool.
	Overrides(ctx context.Context, user string) ([]Override, error)
	// Pending finds a pending call by its id or a unique prefix of it. What is
	// not there is review.ErrNotFound, several are review.ErrAmbiguous.
	Pending(ctx context.Context, ref string) (Pending, error)
	// PendingList returns pending calls, the newest first.
	PendingList(ctx context.Context, q PendingQuery) ([]Pending, error)
	// Calls returns calls, the newest first.
	Calls(ctx context.Context, q CallQuery) ([]Call, error)
	// Refusals returns the hours in which refused calls were only counted, the
	// newest first.
	Refusals(ctx context.Context, q RefusalQuery) ([]Refusals, error)
}

// LedgerTx reads and appends in one transaction. Nothing that was appended
// ever changes.
type LedgerTx interface {
	LedgerReader
	review.SignatureWriter
	// AddCall appends a call before it runs, or when it is refused.
	AddCall(ctx context.Context, c Call) error
	// CountRefused counts a call that is refused with a code, and reports whether to
	// append it as well, as for the first most of an agent and user in an hour of
	// UTC.
	CountRefused(ctx context.Context, c Call, code Code, most int) (write bool, err error)
	// AddOutcome appends the outcome of a call.
	AddOutcome(ctx context.Context, call string, o Outcome) error
	// AddPending appends a call that waits for the user, and its event.
	AddPending(ctx context.Context, p Pending) error
	// AddAnswer appends the user's answer to a pending call, and its event. It
	// returns review.ErrConflict when the call has an answer.
	AddAnswer(ctx context.Context, pending string, a Answer) error
	// AddOverride appends the user's tier of a tool, and its event.
	AddOverride(ctx context.Context, o Override) error
	// AddChange appends an event about a tool that differs from its approved
	// definition, unless the tool's latest event is the same.
	AddChange(ctx context.Context, c Change) error
}

// Use counts how often a tool was called for a user: calls that got past the
// limits.
type Use struct {
	Last  time.Time // the latest; zero when there is none
	Today int       // those of the day of now, UTC
}

// Call is one entry of the audit of calls.
type Call struct {
	Seq         int64 // counted from 1
	ID          string
	At          time.Time
	Caller      Caller
	Name        string           // as it was called: untrusted, at most maxLogged bytes
	Tool        registry.Subject // zero when no tool was found
	Version     int
	ContentHash string
	Annotations *registry.Annotations // as approved, with what the category implies; nil for none, or when they are not logged
	ArgsHash    string                // SHA-256 of the canonical arguments; "" when they could not be read
	Pending     string                // the pending call that it became, or that it carries out
	Nth         int                   // of the user's day; 0 when it did not get past the limits
	Outcome     *Outcome              // nil while it runs, or when the program ended before it was known
}

// Outcome is the outcome of a call.
type Outcome struct {
	Code     Code // "" when it succeeded
	At       time.Time
	Duration time.Duration   // of the provider
	Output   json.RawMessage // of a pending call that ran; no other is stored

	OutputHash      string // SHA-256 of the result; "" without one
	OutputBytes     int    // its size
	Message         string // of the provider: untrusted, on one line, at most maxNoted characters
	ApprovalRequest string // the provider's id of its pending approval
	NotRun          bool   // it is certain that nothing was run
}

// Refusals are the calls of an agent for a user that were refused in an hour.
type Refusals struct {
	Agent, User string
	Hour        time.Time // when it began, UTC
	Written     int       // those with an entry of their own in the audit
	Counted     int       // those beyond, of which only the number is kept
	LastAt      time.Time
	LastCode    Code
}

// RefusalQuery selects hours in which refused calls were only counted.
type RefusalQuery struct {
	Agent string // "" for all
	User  string // "" for all
	Limit int    // 1 to review.MaxPage
}

// Override is the user's own tier of a tool that is user_configurable. An
// empty Tier takes one back.
type Override struct {
	ID   string
	User string
	Tool registry.Subject
	Tier registry.ApprovalTier
	By   proposals.Actor
	At   time.Time
	// Signature is the hash of the signed statement; "" for none.
	Signature string
}

// Change is a tool whose upstream definition differs from the approved one.
type Change struct {
	ID      string
	Tool    registry.Subject
	Version int
	Details json.RawMessage // an object with the expected and the found values
	By      proposals.Actor // who met it
	At      time.Time
}

// CallQuery selects calls for a page, the newest first: by when they began, or
// with nothing but a Code by when they ended.
type CallQuery struct {
	Agent  string           // "" for all
	User   string           // "" for all
	Tool   registry.Subject // zero for all
	Code   Code             // "" for all; CodeOK for those that succeeded
	Hint   string           // "" for all; the key of an annotation, for tools of which it is true
	Before int64            // only calls before this one; 0 for all
	Limit  int              // 1 to review.MaxPage
}

// CodeOK selects the calls that succeeded.
const CodeOK Code = "ok"
