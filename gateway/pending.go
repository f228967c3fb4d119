// This file implements pending calls, which wait for the user's approval.

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
)

// Pending is a call that requires user approval. The caller, the arguments, and the version of the tool never change,
// because the user's answer applies to exactly this call.
type Pending struct {
	Seq         int64  // number, counted from 1
	ID          string // UUIDv7
	Caller      Caller
	Tool        registry.Subject
	Version     int
	ContentHash string
	Args        json.RawMessage // canonical
	CallContext CallContext     // description of the call by the caller, not verified
	Digest      string          // hash of the call (see Pending.digest); the user's answer contains it
	AskedAt     time.Time
	ExpiresAt   time.Time

	InForce int      // live version of the tool; 0 if the tool is no longer in use
	Answer  *Answer  // nil until the user answers
	Outcome *Outcome // nil until the call has run
}

// Answer is the user's decision on a pending call. A pending call has at most one answer. An approval contains the id
// of the only execution that it permits. Therefore, a pending call runs at most once.
type Answer struct {
	ID       string // UUIDv7
	Approved bool
	Digest   string
	Reason   string // reason for a refusal; "" for an approval
	By       proposals.Actor
	At       time.Time
	Call     string // id of the call that executes the pending call; "" for a refusal
	// Signature is the hash of the signed statement; "" for none.
	Signature string
}

// PendingState is the state of a pending call.
type PendingState string

// States of a pending call.
const (
	PendingWaiting     PendingState = "waiting"     // has no answer yet
	PendingOutdated    PendingState = "outdated"    // the tool's definition changed before the user answered
	PendingExpired     PendingState = "expired"     // expired without an answer
	PendingRefused     PendingState = "refused"     // refused by the user
	PendingRunning     PendingState = "running"     // approved by the user, and running
	PendingDone        PendingState = "done"        // ran and succeeded
	PendingFailed      PendingState = "failed"      // ran and failed
	PendingInterrupted PendingState = "interrupted" // approved, but toolcrib exited during the call; the call may have run and never runs again
)

// State returns the current state of p. An approved call without an outcome is PendingRunning at first. It becomes
// PendingInterrupted when the time since the approval exceeds the timeouts of the provider and the eval gate by 10
// seconds. A guarded call is PendingRunning at least until it expires, because the client can repeat the call until
// then.
func (g *Gateway) State(p Pending) PendingState {
	switch now := g.stamp(); {
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
	case p.Caller.isGuarded() && now.Before(p.ExpiresAt), // until then, the client can repeat the call
		now.Before(p.Answer.At.Add(g.providers.limit + g.gate.timeout + 10*time.Second)):
		return PendingRunning
	}
	return PendingInterrupted
}

// digest returns the hash of the fields of p that an answer covers.
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
	}{"toolcrib pending call 1", p.ID, p.Caller, p.Tool, p.Version, p.ContentHash, p.Args, p.CallContext.Encode(), p.ExpiresAt})
	return registry.HashBytes(b), err
}

// PendingQuery selects a page of pending calls, the newest first.
type PendingQuery struct {
	Waiting bool   // only calls that are in the state PendingWaiting at Now
	Agent   string // "" for all
	User    string // "" for all
	Before  int64  // only calls with a Seq less than Before; 0 for all
	Limit   int    // 1 to review.MaxPage
	Now     time.Time
}

// wait refuses a call that requires approval and stores it as a pending call. If the same call is already waiting, wait
// stores nothing, and the refusal contains the id of the existing pending call.
func (g *Gateway) wait(ctx context.Context, p *prepared) error {
	id := g.newID()
	return g.write(ctx, p, g.ledger.Durable, func(tx LedgerTx) error {
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil {
			return err
		}
		if !p.waits { // the tier or the tool has changed since the first check, so the call does not require approval
			return g.addCall(ctx, tx, p)
		}
		pending := Pending{
			ID: id, Caller: p.call.Caller, Tool: p.tool.Subject, Version: p.tool.Version, ContentHash: p.tool.ContentHash,
			Args: p.args, CallContext: p.context, AskedAt: p.call.At, ExpiresAt: p.call.At.Add(g.pendingFor),
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
		switch same := slices.IndexFunc(waiting, pending.same); {
		case same >= 0:
			p.call.Pending, p.refused = waiting[same].ID, approvalRequired(waiting[same])
		case len(waiting) >= g.maxPending:
			p.refused = &Error{
				Code:    CodePendingFull,
				Message: fmt.Sprintf("%d calls of %s are already waiting for the user, which is the limit; wait until the user has answered.", len(waiting), jsondoc.Quote(pending.Caller.Agent)),
			}
		default:
			if err := tx.AddPending(ctx, pending); err != nil {
				return err
			}
			p.call.Pending, p.refused = pending.ID, approvalRequired(pending)
		}
		return g.addCall(ctx, tx, p)
	})
}

// same reports whether p and other have the same caller, tool, definition, and arguments. It ignores the call contexts;
// the user reviews the call context of the first call.
func (p Pending) same(other Pending) bool {
	return p.Caller == other.Caller && p.Tool == other.Tool && p.ContentHash == other.ContentHash && string(p.Args) == string(other.Args)
}

// approvalRequired returns the refusal of a call that waits for the user as the pending call p.
func approvalRequired(p Pending) error {
	message := fmt.Sprintf("%s requires user approval. Pending call %s expires at %s; do not retry the call; poll for its outcome.", p.Tool, p.ID, p.ExpiresAt.Format(time.RFC3339))
	if p.Caller.isGuarded() {
		message = fmt.Sprintf("%s requires user approval. After the user has approved the call, and before %s, call the tool again with the same arguments.", p.Tool, p.ExpiresAt.Format(time.RFC3339))
	}
	return &Error{Code: CodeApprovalRequired, Pending: p.ID, Message: message}
}

// Pending returns the pending calls that q selects, the newest first. To read the next page, set PendingQuery.Before to
// the Seq of the last call.
func (g *Gateway) Pending(ctx context.Context, q PendingQuery) ([]Pending, error) {
	q.Now = g.stamp()
	return view(ctx, g.ledger, func(r LedgerReader) ([]Pending, error) { return r.PendingList(ctx, q) })
}

// PendingCall returns the pending call with an id that equals or begins with ref. If several ids begin with ref, it
// returns review.ErrAmbiguous.
func (g *Gateway) PendingCall(ctx context.Context, ref string) (Pending, error) {
	return view(ctx, g.ledger, func(r LedgerReader) (Pending, error) { return r.Pending(ctx, ref) })
}

// Outcome returns the result of the pending call with the given id. While the call is waiting or running, it returns an
// *Error with CodeApprovalRequired. If c is not the caller of the pending call, it returns proposals.ErrNotFound.
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
		return fail(CodeApprovalRequired, "the call waits for user approval until %s.", p.ExpiresAt.Format(time.RFC3339))
	case PendingRunning:
		return fail(CodeApprovalRequired, "the user approved the call, and the call is running.")
	case PendingOutdated:
		return fail(CodeApprovalOutdated, "the definition of the tool changed before the user answered; call the tool again.")
	case PendingExpired:
		return fail(CodeApprovalExpired, "the user did not answer before %s; if the call is still needed, call the tool again.", p.ExpiresAt.Format(time.RFC3339))
	case PendingRefused:
		return fail(CodeApprovalRefused, "the user refused the call: %s", visible.Line(p.Answer.Reason))
	case PendingInterrupted:
		return fail(CodeInterrupted, "toolcrib exited during the call. The call may have run; toolcrib does not repeat it.")
	case PendingFailed:
		e := Error{Code: p.Outcome.Code, Message: fmt.Sprintf("%s failed with %s.", p.Tool, p.Outcome.Code), Pending: p.ID}
		var kept failureRecord
		if err := json.Unmarshal(p.Outcome.Output, &kept); err == nil && kept.Message != "" {
			e.Message, e.Details, e.ApprovalRequest, e.Answer = kept.Message, kept.Details, kept.Request, kept.Answer
		}
		return Result{}, &e
	case PendingDone:
	}
	return Result{
		Call: p.Answer.Call, Tool: p.Tool, Version: p.Version, Output: p.Outcome.Output, At: p.Answer.At, Duration: p.Outcome.Duration,
	}, nil
}

// MaxReason is the maximum length of the reason for a refusal, in characters.
const MaxReason = 2_000

// Approve approves the pending call with the given id and runs the call. expect is the digest of the call that the user
// has seen. If the digest of the stored call differs, Approve returns review.ErrDigest. If expect is "", Approve does
// not compare digests.
//
// The call runs at most once, because the approval and the start of the call are recorded in a single transaction
// before the call runs, and because a pending call has at most one answer. If toolcrib exits during the call, the state
// of the call is PendingInterrupted, and the call does not run again. If a gate such as the cooldown or the daily limit
// refuses the call, Approve returns the refusal without recording the approval, and the call continues to wait for an
// answer. For a guarded call, Approve only records the approval; the call runs when the client repeats it.
func (g *Gateway) Approve(ctx context.Context, actor proposals.Actor, id, expect string) (Result, error) {
	return g.Unsigned().Approve(ctx, actor, id, expect)
}

// Answering performs an action of the user: an answer to a pending call or a choice of approval tiers. The action may
// be signed.
type Answering struct {
	gateway *Gateway
	signed  *proof.Signed
}

// Signed returns an Answering that performs the action in s. The user has signed the statement in s, which
// PrepareAnswer or PrepareTiers returned.
func (g *Gateway) Signed(s proof.Signed) Answering { return Answering{g, &s} }

// Unsigned returns an Answering for unsigned actions.
func (g *Gateway) Unsigned() Answering { return Answering{gateway: g} }

// Approve is like Gateway.Approve.
func (a Answering) Approve(ctx context.Context, actor proposals.Actor, id, expect string) (Result, error) {
	if err := proposals.Authorize(actor, proposals.ActApproveCall, proposals.Actor{}); err != nil {
		return Result{}, err
	}
	p, err := a.claim(ctx, actor, id, expect)
	if err != nil {
		return Result{}, err
	}
	if p.call.Caller.isGuarded() {
		return Result{
			Call: p.call.ID, Tool: p.tool.Subject, Version: p.tool.Version, At: p.call.At, Output: []byte(`{}`),
			Warnings: []string{"The call runs if the client repeats it before the pending call expires."},
		}, nil
	}
	admitted, err := a.gateway.passGate(ctx, p)
	if err != nil {
		return Result{}, err
	}
	return a.gateway.perform(ctx, admitted)
}

// claim records that the actor approves a pending call, and returns the call that executes the pending call.
func (a Answering) claim(ctx context.Context, actor proposals.Actor, id, expect string) (*prepared, error) {
	g := a.gateway
	pending, err := g.PendingCall(ctx, id)
	if err != nil {
		return nil, err
	}
	known, err := g.toolsets.of(ctx, pending.Caller)
	if err != nil {
		return nil, err
	}
	p := &prepared{set: known, answers: pending.ID, args: pending.Args, context: pending.CallContext, call: Call{
		ID: g.newID(), At: g.stamp(), Caller: pending.Caller, Name: pending.Tool.ID, Tool: pending.Tool, Version: pending.Version,
		ContentHash: pending.ContentHash, ArgsHash: registry.HashBytes(pending.Args), Pending: pending.ID,
	}}
	answer := Answer{ID: g.newID(), Approved: true, Digest: pending.Digest, By: actor, At: p.call.At, Call: p.call.ID}
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		now, err := g.open(ctx, tx.LedgerReader, actor, proposals.ActApproveCall, pending.ID, expect)
		if err != nil {
			return err
		}
		if p.set, err = g.toolsets.current(ctx, tx, known); err != nil {
			return err
		}
		e := p.set.allowed[pending.Tool].Entry
		if e.Definition.Tool == nil || e.Version != now.Version || e.ContentHash != now.ContentHash {
			return fmt.Errorf("%s: %w: the definition that the agent %s uses for %s changed or was removed; the agent must call the tool again", now.ID, review.ErrStale, now.Caller.Agent, now.Tool)
		}
		p.tool, p.call.Annotations = e.Live, g.hints(e.Definition.Tool)
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil {
			return err
		}
		if p.refused != nil {
			return p.refused
		}
		if err := a.sign(ctx, tx, actor, now, &answer); err != nil {
			return err
		}
		if err := tx.AddAnswer(ctx, pending.ID, answer); err != nil {
			return err
		}
		if p.call.Caller.isGuarded() { // do not log the call yet; only the guard can reach the server, and the guard runs the call later
			return nil
		}
		return tx.AddCall(ctx, p.call)
	})
	return p, err
}

// open returns the pending call with the given id. It returns an error if the actor is not allowed to perform act, or
// if the call is not waiting. If expect is not "", it also returns an error if the digest of the call differs from
// expect.
func (g *Gateway) open(ctx context.Context, tx LedgerReader, actor proposals.Actor, act proposals.Act, id, expect string) (Pending, error) {
	if err := proposals.Authorize(actor, act, proposals.Actor{}); err != nil {
		return Pending{}, err
	}
	p, err := tx.Pending(ctx, id)
	if err != nil {
		return p, err
	}
	digest, err := p.digest()
	if err != nil {
		return p, err
	}
	switch {
	case digest != p.Digest:
		return p, fmt.Errorf("the pending call %s: %w: the call differs from the recorded call", p.ID, proposals.ErrTampered)
	case expect != "" && !strings.EqualFold(expect, p.Digest):
		return p, fmt.Errorf("%s: %w: the call differs from the call that was shown; run toolcrib calls show again", p.ID, review.ErrDigest)
	}
	switch g.State(p) {
	case PendingWaiting:
		return p, nil
	case PendingExpired:
		return p, fmt.Errorf("%s: %w: the call expired at %s; the agent must call the tool again", p.ID, review.ErrStale, p.ExpiresAt.Format("2006-01-02 15:04:05 UTC"))
	case PendingOutdated:
		return p, fmt.Errorf("%s: %w: %s is no longer at version %d; the agent must call the tool again", p.ID, review.ErrStale, p.Tool, p.Version)
	case PendingRefused, PendingRunning, PendingDone, PendingFailed, PendingInterrupted:
	}
	word := "refused"
	if p.Answer.Approved {
		word = "approved"
	}
	return p, fmt.Errorf("%s: %w: %s has already %s the call", p.ID, proposals.ErrConflict, p.Answer.By, word)
}

// Refuse refuses the pending call with the given id. The agent receives the reason, which must not be empty.
func (g *Gateway) Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (Pending, error) {
	return g.Unsigned().Refuse(ctx, actor, id, reason)
}

// Refuse is like Gateway.Refuse.
func (a Answering) Refuse(ctx context.Context, actor proposals.Actor, id, reason string) (Pending, error) {
	g := a.gateway
	if err := proposals.Authorize(actor, proposals.ActRefuseCall, proposals.Actor{}); err != nil {
		return Pending{}, err
	}
	reason, err := checkReason(reason)
	if err != nil {
		return Pending{}, err
	}
	var p Pending
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		found, err := tx.Pending(ctx, id)
		if err != nil {
			return err
		}
		if p, err = g.open(ctx, tx.LedgerReader, actor, proposals.ActRefuseCall, found.ID, ""); err != nil {
			return err
		}
		answer := Answer{ID: g.newID(), Digest: p.Digest, Reason: reason, By: actor, At: g.stamp()}
		if err := a.sign(ctx, tx, actor, p, &answer); err != nil {
			return err
		}
		p.Answer = &answer
		return tx.AddAnswer(ctx, p.ID, answer)
	})
	return p, err
}

// checkReason returns the reason for a refusal without surrounding white space. It returns an error if the reason is
// empty or invalid.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return "", fmt.Errorf("%w: give a reason for the refusal; the agent receives the reason", review.ErrNoReason)
	}
	return reason, CheckReason(reason)
}

// PrepareAnswer returns the statement that the actor must sign to approve or refuse a pending call. Pass the signed
// statement to Gateway.Signed, and call Approve or Refuse on the result. For expect, see Approve.
func (g *Gateway) PrepareAnswer(ctx context.Context, actor proposals.Actor, id, expect string, approve bool, reason string) ([]byte, error) {
	act := proposals.ActApproveCall
	if !approve {
		act = proposals.ActRefuseCall
		var err error
		if reason, err = checkReason(reason); err != nil {
			return nil, err
		}
	}
	return view(ctx, g.ledger, func(r LedgerReader) ([]byte, error) {
		found, err := r.Pending(ctx, id)
		if err != nil {
			return nil, err
		}
		p, err := g.open(ctx, r, actor, act, found.ID, expect)
		if err != nil {
			return nil, err
		}
		return g.signing.Prepare(ctx, r, actor, g.stamp(), p.StatementAct(approve), reason)
	})
}

// StatementAct returns the content of the statement that approves or refuses p.
func (p Pending) StatementAct(approved bool) *statement.CallAnswer {
	return &statement.CallAnswer{
		Approved: approved, Pending: p.ID, Tool: p.Tool.String(), Version: p.Version, ContentHash: p.ContentHash, Digest: p.Digest,
	}
}

// sign verifies that a.signed is the signed statement of the given answer to p, records the statement, and stores its
// hash in the answer. It does not set answer.At to the time of the statement, because the call runs at the time
// answer.At.
func (a Answering) sign(ctx context.Context, tx LedgerTx, actor proposals.Actor, p Pending, answer *Answer) error {
	signed, err := a.gateway.signing.Open(ctx, tx, actor, a.signed)
	if err != nil {
		return err
	}
	if err := signed.Match(p.StatementAct(answer.Approved), answer.Reason); err != nil {
		return err
	}
	answer.Signature = signed.Hash()
	return a.gateway.signing.Record(ctx, tx, signed)
}

// PrepareTiers returns the statement that the actor must sign to make the choice c. Pass the signed statement to
// Gateway.Signed, and call SetTiers with the same choice on the result.
func (g *Gateway) PrepareTiers(ctx context.Context, actor proposals.Actor, c TierChoice) ([]byte, error) {
	return view(ctx, g.ledger, func(r LedgerReader) ([]byte, error) {
		change, err := g.tierChange(ctx, r, actor, c)
		if err != nil {
			return nil, err
		}
		return g.signing.Prepare(ctx, r, actor, g.stamp(), tierAct(c, change.Set), "")
	})
}

// tierAct returns the content of the statement that makes the choice c and sets the tiers in set.
func tierAct(c TierChoice, set []Override) *statement.Tier {
	tools := lists.Map(set, func(o Override) string { return o.Tool.String() })
	return &statement.Tier{Tier: string(c.Tier), User: statement.Text(c.User), Tools: tools}
}

// StatementAct returns the content of a statement that sets only the tier in o. The signed statement may also set the
// tiers of other tools.
func (o Override) StatementAct() *statement.Tier {
	return tierAct(TierChoice{User: o.User, Tier: o.Tier}, []Override{o})
}
