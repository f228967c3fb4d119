// This file defines the records of the gateway, and implements the gates that depend on the records of earlier calls.

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
	// View runs fn with a reader of a consistent snapshot.
	View(ctx context.Context, fn func(LedgerReader) error) error
	// Log runs fn in a write transaction. If Log returns nil, the transaction is committed. A crash of the process does
	// not revert the transaction, but a power loss may revert the most recent transactions. If Log returns an error,
	// the transaction was rolled back.
	Log(ctx context.Context, fn func(LedgerTx) error) error
	// Durable is like Log, but a committed transaction also survives a power loss. It is used for pending calls and the
	// user's decisions.
	Durable(ctx context.Context, fn func(LedgerTx) error) error
}

// ErrContradiction indicates that a Ledger has refused a record that contradicts other records, such as a call of a
// tool without an approved version.
var ErrContradiction = errors.New("the call log contradicts the approved version")

// LedgerReader reads calls, signatures, and the live registry in a snapshot.
type LedgerReader struct {
	CallReader
	proof.SignatureReader
	impact.ToolReader
}

// CallReader reads calls, pending calls, and the approval tiers that users have set.
type CallReader interface {
	// Use returns a summary of the user's earlier calls of a tool, which is used to check the cooldown and the daily
	// limit.
	Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (Use, error)
	// NotRun returns the number of the user's calls of a tool on the day of now (UTC) that passed the limits but
	// certainly did not run.
	NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error)
	// Override returns the tier of a tool that is set for the given user, or "" if no tier is set.
	Override(ctx context.Context, user string, tool registry.Subject) (registry.ApprovalTier, error)
	// Overrides returns the tiers that are set for the given user, in the order of the tools.
	Overrides(ctx context.Context, user string) ([]Override, error)
	// Pending returns the pending call with an id that equals or begins with ref. It returns proposals.ErrNotFound if
	// there is no such call, and review.ErrAmbiguous if there are several.
	Pending(ctx context.Context, ref string) (Pending, error)
	// PendingList returns the pending calls that q selects, the newest first.
	PendingList(ctx context.Context, q PendingQuery) ([]Pending, error)
	// Calls returns the calls that q selects, the newest first.
	Calls(ctx context.Context, q CallQuery) ([]Call, error)
	// Refusals returns the numbers of refused calls in the hours that q selects, the newest first. It omits hours in
	// which all refused calls were logged.
	Refusals(ctx context.Context, q RefusalQuery) ([]Refusals, error)
}

// LedgerTx reads and appends records in a write transaction.
type LedgerTx struct {
	LedgerReader
	CallWriter
	proof.SignatureWriter
}

// CallWriter appends records of calls. Records are never changed.
type CallWriter interface {
	// AddCall appends a call. The gateway appends a call before the call runs, or when a gate has refused the call.
	AddCall(ctx context.Context, c Call) error
	// CountRefused counts a refused call, and reports whether the caller should also append the call to the log. It
	// returns false if the number of refused calls of the agent for the user in the current hour (UTC) exceeds limit.
	CountRefused(ctx context.Context, c Call, code Code, limit int) (write bool, err error)
	// AddOutcome appends the outcome of the call with the given id.
	AddOutcome(ctx context.Context, call string, o Outcome) error
	// AddPending appends a pending call and an event about it to the audit log.
	AddPending(ctx context.Context, p Pending) error
	// AddAnswer appends the user's answer to the pending call with the given id, and an event about the answer to the
	// audit log. It returns proposals.ErrConflict if the call already has an answer.
	AddAnswer(ctx context.Context, pending string, a Answer) error
	// AddOverride appends a tier that a user has set, and an event about the tier to the audit log.
	AddOverride(ctx context.Context, o Override) error
	// AddChange appends an event about a tool that differs from its approved definition to the audit log. It does
	// nothing if the latest event of this kind about the tool has the same content.
	AddChange(ctx context.Context, c Change) error
}

// Use summarizes a user's calls of a tool that passed the limits.
type Use struct {
	Last  time.Time // time of the latest call; zero for none
	Today int       // number of calls on the current day (UTC)
}

// Call is an entry in the call log.
type Call struct {
	Seq         int64 // counted from 1
	ID          string
	At          time.Time
	Caller      Caller
	Name        string           // name in the request; untrusted, at most 128 characters
	Tool        registry.Subject // zero if no tool was found
	Version     int
	ContentHash string
	Annotations *registry.Annotations // result of hintsOf for the called version; always nil with Config.NoHints
	Command     string                // command or URL of the server behind a guard, without secrets; untrusted
	ArgsHash    string                // SHA-256 of the arguments in canonical form; "" if the arguments could not be parsed
	Pending     string                // id of the pending call that this call created, repeated, or executes; "" for none
	Nth         int                   // number of this call among the user's calls of the tool on this day (UTC); 0 if the call did not pass the limits
	Outcome     *Outcome              // nil while the call runs, or if the program exited before the outcome was known
}

// Outcome is the outcome of a call.
type Outcome struct {
	Code     Code // "" if the call succeeded
	At       time.Time
	Duration time.Duration   // of the provider
	Output   json.RawMessage // result or failureRecord; stored only for pending calls

	OutputHash      string // SHA-256 of the result; "" for none
	OutputBytes     int    // size of the result
	Message         string // from the provider; untrusted, on one line, at most maxNoted characters
	ApprovalRequest string // id of the pending approval at the provider
	NotRun          bool   // the call certainly did not run
}

// Refusals contains the numbers of refused calls of an agent for a user in an hour (UTC). Written is the number of
// calls that were logged. Counted is the number of calls that were only counted.
type Refusals struct {
	Agent    string    `json:"agent"`
	User     string    `json:"user"`
	Hour     time.Time `json:"hour"` // start of the hour
	Written  int       `json:"written"`
	Counted  int       `json:"counted"`
	LastAt   time.Time `json:"last_at"`
	LastCode Code      `json:"last_code"`
}

// RefusalQuery selects hours in which some refused calls were not logged.
type RefusalQuery struct {
	Agent string // "" for all
	User  string // "" for all
	Limit int    // 1 to review.MaxPage
}

// Override sets the approval tier of a tool for the calls of a user. An empty Tier removes an earlier Override.
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

// Change records that the upstream definition of a tool differs from the approved definition.
type Change struct {
	ID      string
	Tool    registry.Subject
	Version int
	Details json.RawMessage // an object that describes the difference
	By      proposals.Actor // actor of the call that detected the difference
	At      time.Time
}

// CallQuery selects a page of calls, the newest first. The calls are ordered by the time when they started. If only
// Code is set, they are ordered by the time when they ended.
type CallQuery struct {
	Agent  string           // "" for all
	User   string           // "" for all
	Tool   registry.Subject // zero for all
	Code   Code             // "" for all; CodeOK for calls that succeeded
	Hint   string           // key of an annotation that must be true in the approved definition; "" for all
	Before int64            // only calls with a Seq less than Before; 0 for all
	Limit  int              // 1 to review.MaxPage
}

// CodeOK is the value of CallQuery.Code that selects successful calls.
const CodeOK Code = "ok"

// limited reports whether the definition of a tool contains a cooldown or a daily limit.
func limited(tool registry.Live) bool {
	t := tool.Definition.Tool
	return t != nil && t.Limits != nil && (t.Limits.CooldownSeconds > 0 || t.Limits.DailyLimit > 0)
}

// limit checks the cooldown and the daily limit. If p passes, limit sets p.call.Nth, the number of p among the user's
// calls of the tool on this day (UTC). A call with a number counts against the daily limit unless the call certainly
// did not run. Every call with a number starts the cooldown.
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
		p.refused, err = limitError(CodeCooldown, again, fmt.Sprintf("%s requires %d s between calls; call the tool again at %s.",
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
		p.refused, err = limitError(CodeDailyLimit, again, fmt.Sprintf("%s has reached its daily limit of %d; call the tool again at %s.",
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

// lateOutcomes is a queue of outcomes of calls that callers of Admit have run. After lateFor, all queued outcomes are
// written in a single transaction. A separate transaction for each outcome would require more CPU time than the rest of
// a guarded call, mostly because consecutive outcomes change the same pages of the database. After a crash, only queued
// outcomes are missing in the log, because each call is logged before it runs.
type lateOutcomes struct {
	writing sync.Mutex // held while outcomes are written; Flush uses it to wait for a write in another goroutine

	mu    sync.Mutex
	waits []lateOutcome
	timer *time.Timer
}

type lateOutcome struct {
	call    *prepared
	outcome Outcome
}

// lateFor is the delay before queued outcomes are written.
const lateFor = 100 * time.Millisecond

// add appends an outcome to the queue and reports whether the queue is full. If the queue was empty, flush is called
// after lateFor.
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

// putBack inserts outcomes that could not be written at the front of the queue.
func (l *lateOutcomes) putBack(late []lateOutcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = append(late, l.waits...)
	l.timer.Reset(lateFor)
}

// Conclude records the outcome of an admitted call that the caller has run. The caller must set o.Duration. Conclude
// queues the outcome, and a later transaction writes all queued outcomes. If the database is locked for too long,
// another attempt follows. If a write fails for another reason, a warning is reported. Before the program exits, it
// must call Flush to write the queued outcomes.
func (g *Gateway) Conclude(ctx context.Context, a *Admitted, o Outcome) {
	o.Message, o.At = plaintext.Clip(visible.Line(o.Message), maxNoted), g.stamp()
	full := g.late.add(lateOutcome{a.call, o}, func() { g.flush(context.Background(), g.late.putBack) })
	if full || a.call.call.Pending != "" { // the user has approved this call, so the outcome must be durable
		g.flush(ctx, g.late.putBack)
	}
}

// Flush writes the queued outcomes. If another process locks the database for too long, Flush drops the outcomes and
// reports a warning for each dropped outcome.
func (g *Gateway) Flush(ctx context.Context) {
	g.refusals.Wait()
	g.flush(ctx, func(late []lateOutcome) {
		for _, l := range late {
			g.warnUnlogged(l.call, "The outcome could not be recorded", errors.New("the database was in use by another process"))
		}
	})
}

// flush writes the queued outcomes. If another process locks the database for too long, flush calls locked with the
// outcomes.
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
		for _, l := range late { // write the outcomes separately, because at least one cannot be written
			g.conclude(ctx, l.call, l.outcome, nil)
		}
	}
}
