package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// Pending is a call that requires user approval. What was asked never changes:
// an answer is about exactly these arguments for exactly this version.
type Pending struct {
	Seq         int64  // its place, counted from 1
	ID          string // UUIDv7
	Caller      Caller
	Tool        registry.Subject
	Version     int
	ContentHash string
	Args        json.RawMessage // canonical
	Said        CallContext     // by the caller: nobody checked it
	Digest      string          // of everything above and ExpiresAt; what an answer can be bound to
	AskedAt     time.Time
	ExpiresAt   time.Time

	InForce int      // the version of the tool that is in force now; 0 when it is not in use any more
	Answer  *Answer  // nil while nobody answered
	Outcome *Outcome // nil until it ran
}

// Answer is the user's word on a pending call. A yes is the claim to run it as
// well: there is at most one answer, so it runs at most once.
type Answer struct {
	ID       string // UUIDv7
	Approved bool
	Digest   string
	Reason   string // of a no
	By       proposals.Actor
	At       time.Time
	Call     string // the call that carries it out; "" for a no
	// Signature is the hash of the signed statement; "" for none.
	Signature string
}

// PendingState is where a pending call stands.
type PendingState string

// The states of a pending call.
const (
	PendingWaiting     PendingState = "waiting"     // for the user
	PendingOutdated    PendingState = "outdated"    // the definition changed before anybody answered
	PendingExpired     PendingState = "expired"     // nobody answered in time
	PendingRefused     PendingState = "refused"     // the user said no
	PendingRunning     PendingState = "running"     // the user said yes, and it is being carried out
	PendingDone        PendingState = "done"        // it ran
	PendingFailed      PendingState = "failed"      // it was carried out and did not succeed
	PendingInterrupted PendingState = "interrupted" // the program ended while it was carried out: it may have run or not, and never runs again
)

// lateness sets how long after its time-outs a call that says nothing still
// counts as running.
const lateness = 10 * time.Second

// stateAt returns the state of p at a time. runFor is how long a call may take.
func (p Pending) stateAt(now time.Time, runFor time.Duration) PendingState {
	switch {
	case p.Answer == nil && p.InForce != p.Version:
		return PendingOutdated
	case p.Answer == nil && !now.Before(p.ExpiresAt):
		return PendingExpired
	case p.Answer == nil:
		return PendingWaiting
	case !p.Answer.Approved:
		return PendingRefused
	case p.Outcome != nil && p.Outcome.Code == "":
		return PendingDone
	case p.Outcome != nil:
		return PendingFailed
	case p.Caller.guarded() && now.Before(p.ExpiresAt), // its client may call again until then
		now.Before(p.Answer.At.Add(runFor + lateness)):
		return PendingRunning
	}
	return PendingInterrupted
}

// State returns the state of a pending call.
func (g *Gateway) State(p Pending) PendingState {
	return p.stateAt(g.stamp(), g.providers.limit+g.gate.timeout)
}

// digest seals what an answer is about.
func (p Pending) digest() (string, error) {
	b, err := jsondoc.Marshal(struct {
		Format    string           `json:"format"`
		ID        string           `json:"id"`
		Caller    Caller           `json:"caller"`
		Tool      registry.Subject `json:"tool"`
		Version   int              `json:"version"`
		Hash      string           `json:"hash"`
		Args      json.RawMessage  `json:"args"`
		Said      json.RawMessage  `json:"said,omitempty"`
		ExpiresAt time.Time        `json:"expires_at"`
	}{"toolcrib pending call 1", p.ID, p.Caller, p.Tool, p.Version, p.ContentHash, p.Args, p.Said.Encode(), p.ExpiresAt})
	return registry.HashBytes(b), err
}

// PendingQuery selects pending calls for a page, the newest first.
type PendingQuery struct {
	Waiting bool   // only those that wait for the user at Now
	Agent   string // "" for all
	User    string // "" for all
	Before  int64  // only those before this place; 0 for all
	Limit   int    // 1 to review.MaxPage
	Now     time.Time
}

// wait turns a call that requires approval into a pending one. The same
// call that waits already is not asked about twice.
func (g *Gateway) wait(ctx context.Context, p *prepared) error {
	id := g.newID()
	return g.write(ctx, p, g.ledger.Durable, func(tx LedgerTx) error {
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil {
			return err
		}
		if !p.waits { // the user's own tier or the tool changed meanwhile
			return g.enter(ctx, tx, p)
		}
		pending := Pending{
			ID: id, Caller: p.call.Caller, Tool: p.tool.Subject, Version: p.tool.Version, ContentHash: p.tool.ContentHash,
			Args: p.args, Said: p.said, AskedAt: p.call.At, ExpiresAt: p.call.At.Add(g.pendingFor),
		}
		var err error
		if pending.Digest, err = pending.digest(); err != nil {
			return err
		}
		waiting, err := tx.PendingList(ctx, PendingQuery{
			Waiting: true, Agent: pending.Caller.Agent, User: pending.Caller.User, Limit: g.maxPending, Now: p.call.At,
		})
		if err != nil {
			return err
		}
		for _, other := range waiting {
			if other.same(pending) {
				p.call.Pending = other.ID
				p.refused = asked(other)
				return g.enter(ctx, tx, p)
			}
		}
		if len(waiting) >= g.maxPending {
			p.refused = &Error{
				Code:    CodePendingFull,
				Message: fmt.Sprintf("%d calls of %s already wait for the user, which is the limit; wait for answers.", len(waiting), jsondoc.Quote(pending.Caller.Agent)),
			}
			return g.enter(ctx, tx, p)
		}
		if err := tx.AddPending(ctx, pending); err != nil {
			return err
		}
		p.call.Pending = pending.ID
		p.refused = asked(pending)
		return g.enter(ctx, tx, p)
	})
}

// same reports whether p and other ask for the same. What the caller says about
// it may differ: the user has the first of them to look at.
func (p Pending) same(other Pending) bool {
	return p.Caller == other.Caller && p.Tool == other.Tool && p.ContentHash == other.ContentHash && string(p.Args) == string(other.Args)
}

func asked(p Pending) error {
	if p.Caller.guarded() {
		return &Error{
			Code: CodeApprovalRequired, Pending: p.ID,
			Message: fmt.Sprintf("%s requires user approval. Call it again with the same arguments once the user has approved it, before %s.", p.Tool, p.ExpiresAt.Format(time.RFC3339)),
		}
	}
	return &Error{
		Code: CodeApprovalRequired, Pending: p.ID,
		Message: fmt.Sprintf("%s requires user approval. Pending call %s expires at %s; do not retry, poll its outcome.", p.Tool, p.ID, p.ExpiresAt.Format(time.RFC3339)),
	}
}

// Pending returns pending calls, the newest first. The Seq of the last one
// continues the list.
func (g *Gateway) Pending(ctx context.Context, q PendingQuery) ([]Pending, error) {
	q.Now = g.stamp()
	var list []Pending
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		var err error
		list, err = r.PendingList(ctx, q)
		return err
	})
	return list, err
}

// PendingCall returns one pending call, by its id or a unique prefix of it.
func (g *Gateway) PendingCall(ctx context.Context, ref string) (Pending, error) {
	var p Pending
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		var err error
		p, err = r.Pending(ctx, ref)
		return err
	})
	return p, err
}

// Outcome returns the outcome of an agent's own pending call: the result, or an
// *Error with CodeApprovalRequired while it waits or runs. Calls of others are
// unknown to it.
func (g *Gateway) Outcome(ctx context.Context, c Caller, id string) (Result, error) {
	p, err := g.PendingCall(ctx, id)
	if err != nil && !errors.Is(err, proposals.ErrNotFound) && !errors.Is(err, review.ErrAmbiguous) {
		return Result{}, err
	}
	if err != nil || p.ID != id || p.Caller.Actor != c.Actor || p.Caller.Agent != c.Agent || p.Caller.User != c.User {
		return Result{}, fmt.Errorf("the pending call %s: %w", jsondoc.Quote(id), proposals.ErrNotFound)
	}
	state := g.State(p)
	fail := func(code Code, format string, args ...any) (Result, error) {
		return Result{}, &Error{Code: code, Message: fmt.Sprintf("%s: %s", p.Tool, fmt.Sprintf(format, args...)), Pending: p.ID}
	}
	switch state {
	case PendingWaiting:
		return fail(CodeApprovalRequired, "it waits for user approval until %s.", p.ExpiresAt.Format(time.RFC3339))
	case PendingRunning:
		return fail(CodeApprovalRequired, "the user approved it, and it is running.")
	case PendingOutdated:
		return fail(CodeApprovalOutdated, "its definition changed before the user answered; call it again.")
	case PendingExpired:
		return fail(CodeApprovalExpired, "nobody answered before %s; call it again if it is still needed.", p.ExpiresAt.Format(time.RFC3339))
	case PendingRefused:
		return fail(CodeApprovalRefused, "the user refused it: %s", visible.Line(p.Answer.Reason))
	case PendingInterrupted:
		return fail(CodeInterrupted, "toolcrib exited during the call. It may have run; it is not run again.")
	case PendingFailed:
		return Result{}, p.failure()
	case PendingDone:
	}
	return Result{
		Call: p.Answer.Call, Tool: p.Tool, Version: p.Version, Output: p.Outcome.Output, At: p.Answer.At, Duration: p.Outcome.Duration,
	}, nil
}

// failure is the error that a pending call ended with.
func (p Pending) failure() error {
	e := Error{Code: p.Outcome.Code, Message: fmt.Sprintf("%s failed with %s.", p.Tool, p.Outcome.Code), Pending: p.ID}
	var kept struct {
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
		Request string          `json:"approval_request_id"`
		Answer  json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(p.Outcome.Output, &kept); err == nil && kept.Message != "" {
		e.Message, e.Details, e.ApprovalRequest, e.Answer = kept.Message, kept.Details, kept.Request, kept.Answer
	}
	return &e
}
