// The records of the gateway, and limits that depend on them.

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
)

// Ledger stores the gateway's records.
type Ledger interface {
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(LedgerReader) error) error
	// Log runs fn in one write transaction. If Log returns nil, the transaction survives the end of the process, but
	// a power loss may revert the last transactions. If it returns an error, the transaction was rolled back.
	Log(ctx context.Context, fn func(LedgerTx) error) error
	// Durable is like Log for records that must survive a power loss: pending calls and the user's answers.
	Durable(ctx context.Context, fn func(LedgerTx) error) error
}

// ErrContradiction is returned by a Ledger that refuses a record because of its content, such as a call without an
// approval.
var ErrContradiction = errors.New("the call log contradicts the approved version")

// LedgerReader reads one snapshot: calls, signatures, and the live registry.
type LedgerReader struct {
	CallReader
	proof.SignatureReader
	impact.ToolReader
}

// CallReader reads calls, pending calls, and the tiers that users set.
type CallReader interface {
	// Use returns a user's previous use of a tool, for the limits.
	Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (Use, error)
	// NotRun returns the number of calls on the day of now that passed the limits but certainly did not run.
	NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error)
	// Override returns the user's own tier of a tool, or "".
	Override(ctx context.Context, user string, tool registry.Subject) (registry.ApprovalTier, error)
	// Overrides returns the tiers that a user has set, by tool.
	Overrides(ctx context.Context, user string) ([]Override, error)
	// Pending returns a pending call by its id or a unique prefix of it. It returns proposals.ErrNotFound for an
	// unknown call and review.ErrAmbiguous for an ambiguous prefix.
	Pending(ctx context.Context, ref string) (Pending, error)
	// PendingList returns pending calls, the newest first.
	PendingList(ctx context.Context, q PendingQuery) ([]Pending, error)
	// Calls returns calls, the newest first.
	Calls(ctx context.Context, q CallQuery) ([]Call, error)
	// Refusals returns the hours in which some refused calls were only counted, the newest first.
	Refusals(ctx context.Context, q RefusalQuery) ([]Refusals, error)
}

// LedgerTx reads and appends in one transaction.
type LedgerTx struct {
	LedgerReader
	CallWriter
	proof.SignatureWriter
}

// CallWriter appends records of calls. Records are never changed.
type CallWriter interface {
	// AddCall appends a call before it runs, or when it is refused.
	AddCall(ctx context.Context, c Call) error
	// CountRefused counts a refused call, and reports whether to append it as well. It returns true for the first
	// calls of an agent and user in each hour (UTC), up to most.
	CountRefused(ctx context.Context, c Call, code Code, most int) (write bool, err error)
	// AddOutcome appends the outcome of a call.
	AddOutcome(ctx context.Context, call string, o Outcome) error
	// AddPending appends a call that waits for the user, and its event.
	AddPending(ctx context.Context, p Pending) error
	// AddAnswer appends the user's answer to a pending call, and its event. It returns proposals.ErrConflict if the
	// call already has an answer.
	AddAnswer(ctx context.Context, pending string, a Answer) error
	// AddOverride appends the user's tier of a tool, and its event.
	AddOverride(ctx context.Context, o Override) error
	// AddChange appends an event about a tool that differs from its approved definition, unless the tool's latest
	// event is the same.
	AddChange(ctx context.Context, c Change) error
}

// Use is a user's use of a tool, counting calls that passed the limits.
type Use struct {
	Last  time.Time // time of the latest; zero for none
	Today int       // calls on the day of now, UTC
}

// Call is an entry of the call log.
type Call struct {
	Seq         int64 // counted from 1
	ID          string
	At          time.Time
	Caller      Caller
	Name        string           // name in the request; untrusted, at most 128 characters
	Tool        registry.Subject // zero if no tool was found
	Version     int
	ContentHash string
	Annotations *registry.Annotations // approved annotations with the defaults of the category; nil for none, or if they are not logged
	Command     string                // command or URL of the server behind a guard, without secrets; untrusted
	ArgsHash    string                // SHA-256 of the canonical arguments; "" if they could not be parsed
	Pending     string                // pending call that this call created or executes
	Nth         int                   // number on the user's day; 0 if it did not pass the limits
	Outcome     *Outcome              // nil while the call runs, or if the program ended before the outcome was known
}

// Outcome is the outcome of a call.
type Outcome struct {
	Code     Code // "" if the call succeeded
	At       time.Time
	Duration time.Duration   // of the provider
	Output   json.RawMessage // only stored for pending calls

	OutputHash      string // SHA-256 of the result; "" for none
	OutputBytes     int    // size of the result
	Message         string // from the provider; untrusted, on one line, at most maxNoted characters
	ApprovalRequest string // the provider's id of its pending approval
	NotRun          bool   // the call certainly did not run
}

// Refusals contains the numbers of refused calls of an agent for a user in an hour (UTC). Written is the number of calls
// with an entry in the call log, and Counted the number of further calls.
type Refusals struct {
	Agent    string    `json:"agent"`
	User     string    `json:"user"`
	Hour     time.Time `json:"hour"` // start of the hour
	Written  int       `json:"written"`
	Counted  int       `json:"counted"`
	LastAt   time.Time `json:"last_at"`
	LastCode Code      `json:"last_code"`
}

// RefusalQuery selects hours in which some refused calls were only counted.
type RefusalQuery struct {
	Agent string // "" for all
	User  string // "" for all
	Limit int    // 1 to review.MaxPage
}

// Override is a tier that a user has set for a tool. An empty Tier removes the setting.
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
	By      proposals.Actor // actor that encountered the change
	At      time.Time
}

// CallQuery selects calls for a page, the newest first: by their start or, with only a Code, by their end.
type CallQuery struct {
	Agent  string           // "" for all
	User   string           // "" for all
	Tool   registry.Subject // zero for all
	Code   Code             // "" for all; CodeOK for calls that succeeded
	Hint   string           // key of an annotation that must be true; "" for all
	Before int64            // only earlier calls; 0 for all
	Limit  int              // 1 to review.MaxPage
}

// CodeOK selects the calls that succeeded.
const CodeOK Code = "ok"

// limited reports whether a tool has a cooldown or a daily limit.
func limited(tool registry.Live) bool {
	t := tool.Definition.Tool
	return t != nil && t.Limits != nil && (t.Limits.CooldownSeconds > 0 || t.Limits.DailyLimit > 0)
}

// limit checks the cooldown and the daily limit, and assigns the call its number on the user's day, which begins at
// midnight UTC. A numbered call counts against the daily limit unless it certainly did not run. It always counts for
// the cooldown.
func limit(ctx context.Context, r LedgerReader, p *prepared) error {
	now := p.call.At
	use, err := r.Use(ctx, p.call.Caller.User, p.tool.Subject, now)
	if err != nil {
		return err
	}
	limits := registry.Limits{}
	if l := p.tool.Definition.Tool.Limits; l != nil {
		limits = *l
	}
	again := use.Last.Add(time.Duration(limits.CooldownSeconds) * time.Second)
	if limits.CooldownSeconds > 0 && !use.Last.IsZero() && now.Before(again) {
		p.refused, err = limitError(CodeCooldown, again, fmt.Sprintf("%s requires %d seconds between calls; call it again at %s.",
			p.tool.Subject, limits.CooldownSeconds, again.Format(time.RFC3339)))
		return err
	}
	counted := use.Today
	if limits.DailyLimit > 0 && counted >= limits.DailyLimit {
		free, err := r.NotRun(ctx, p.call.Caller.User, p.tool.Subject, now)
		if err != nil {
			return err
		}
		counted -= free
	}
	if limits.DailyLimit > 0 && counted >= limits.DailyLimit {
		again = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
		p.refused, err = limitError(CodeDailyLimit, again, fmt.Sprintf("%s was called %d times today, which is its daily limit; call it again at %s.",
			p.tool.Subject, limits.DailyLimit, again.Format(time.RFC3339)))
		return err
	}
	p.call.Nth = use.Today + 1
	return nil
}

func limitError(code Code, again time.Time, message string) (refused *Error, err error) {
	details, err := json.Marshal(map[string]any{"retry_at": again.UTC()})
	return &Error{Code: code, Message: message, Details: details}, err
}

// lateOutcomes are outcomes of calls that the callers ran themselves. They are written together after lateFor,
// because a transaction costs more CPU time than the rest of a guarded call, mostly for writing pages that the next
// outcome would change again. The call itself is written before it runs, so that a crash loses only the outcome, and
// the call is shown as interrupted.
type lateOutcomes struct {
	writing sync.Mutex // held while outcomes are written, so that the last Flush waits for them

	mu    sync.Mutex
	waits []lateOutcome
	timer *time.Timer
}

type lateOutcome struct {
	call    *prepared
	outcome Outcome
}

// lateFor is the delay before outcomes are written.
const lateFor = 100 * time.Millisecond

// add queues an outcome and schedules flush after lateFor. It reports whether the queue is full.
func (l *lateOutcomes) add(o lateOutcome, flush func()) (full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = append(l.waits, o)
	if l.timer == nil {
		l.timer = time.AfterFunc(lateFor, flush)
	} else if len(l.waits) == 1 {
		l.timer.Reset(lateFor)
	}
	return len(l.waits) >= 256
}

// putBack returns outcomes that could not be written to the front of the queue.
func (l *lateOutcomes) putBack(late []lateOutcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = append(late, l.waits...)
	l.timer.Reset(lateFor)
}

// Conclude records the outcome of an admitted call that the caller ran. o.Duration is its duration. The outcome is
// written together with others after a short delay, or once the database is no longer locked. Flush writes queued
// outcomes. A failed write is reported as a warning.
func (g *Gateway) Conclude(ctx context.Context, a *Admitted, o Outcome) {
	o.Message, o.At = plaintext.Clip(visible.Line(o.Message), maxNoted), g.stamp()
	full := g.late.add(lateOutcome{a.call, o}, func() { g.flush(context.Background(), g.late.putBack) })
	if full || a.call.call.Pending != "" { // the user has approved the call
		g.flush(ctx, g.late.putBack)
	}
}

// Flush writes the queued outcomes. It warns about outcomes that it cannot write because another process uses the
// database for too long.
func (g *Gateway) Flush(ctx context.Context) {
	g.refusals.Wait()
	g.flush(ctx, func(late []lateOutcome) {
		for _, l := range late {
			g.warnUnlogged(l.call, "The outcome could not be recorded", errors.New("the database was in use by another process"))
		}
	})
}

// flush writes the queued outcomes. If another process uses the database for too long, it passes them to locked.
func (g *Gateway) flush(ctx context.Context, locked func([]lateOutcome)) {
	g.late.writing.Lock()
	defer g.late.writing.Unlock()
	g.late.mu.Lock()
	late := g.late.waits
	g.late.waits = nil
	g.late.mu.Unlock()
	if len(late) == 0 {
		return
	}
	write := g.ledger.Log
	if slices.ContainsFunc(late, func(l lateOutcome) bool { return l.call.call.Pending != "" }) {
		write = g.ledger.Durable
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.logWithin)
	defer cancel()
	err := write(limited, func(tx LedgerTx) error {
		for _, l := range late {
			if err := tx.AddOutcome(limited, l.call.call.ID, l.outcome); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil && limited.Err() != nil:
		locked(late)
	case err != nil:
		for _, l := range late { // one of them cannot be written
			g.conclude(ctx, l.call, l.outcome, nil)
		}
	}
}
