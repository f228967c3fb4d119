// This file executes calls: each call passes the gates, a provider runs it, and the call log records its outcome.

package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/semaphore"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/impact"
)

// Execute passes a call through every gate in order and then runs the call at its provider. The error is an *Error if a
// gate refused the call or the provider failed. Any other error indicates that a lookup or a write failed, or that ctx
// is done. Execute logs every call, including refused calls. As an exception, if a name in c cannot be stored, Execute
// does not log the call and returns review.ErrText.
func (g *Gateway) Execute(ctx context.Context, c Caller, r Request) (Result, error) {
	a, err := g.Admit(ctx, c, r)
	if err != nil {
		return Result{}, err
	}
	return g.perform(ctx, a)
}

// Admitted is a logged call that has passed every gate. The caller of Admit must run the call and then pass the
// Admitted to Conclude.
type Admitted struct {
	call *prepared
	in   Invocation
}

// Tool returns the live version of the called tool.
func (a *Admitted) Tool() registry.Live { return a.in.Tool }

// Admit passes a call through every gate but does not run the call, which is the task of the caller. Admit returns the
// same errors as Execute.
func (g *Gateway) Admit(ctx context.Context, c Caller, r Request) (*Admitted, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	p, err := g.prepare(ctx, c, r)
	if err == nil {
		err = g.record(ctx, p)
	}
	switch {
	case err != nil:
		return nil, err
	case p.refused != nil:
		return nil, p.refused
	}
	return g.passGate(ctx, p)
}

// prepared is the state of a call that is passing through the gates.
type prepared struct {
	name       string          // name of the tool in the request
	args       json.RawMessage // arguments in canonical form
	object     *jsondoc.Node   // parsed form of args
	unreadable error           // *Error with the reason why args cannot be parsed, or nil
	context    CallContext
	decline    func(registry.Live) *Error
	answers    string // id of the approved pending call that this call executes; "" for none

	set       *toolset
	call      Call
	tool      registry.Live // zero if no tool was found
	early     error         // *Error of a gate that does not require a transaction, or nil
	changed   error         // *Error of the provider if the tool differs from the definition with the hash changedOf, or nil
	changedOf string
	refused   error // *Error of the gate that refused the call, or nil
	waits     bool  // the call requires user approval
	tier      registry.ApprovalTier
	warnings  []string
}

// prepare looks up the tool of a call and passes the call through the first three gates: the tool is registered, the
// agent has the tool, and the arguments are valid. It uses the cached tools of the agent if possible; admit later
// checks that these are current. The error reports a failed lookup. If a gate refuses the call, prepare stores the
// refusal in the result.
func (g *Gateway) prepare(ctx context.Context, c Caller, r Request) (*prepared, error) {
	p := &prepared{name: r.Tool, context: r.CallContext, decline: r.Decline, call: Call{ID: g.newID(), At: g.stamp(), Caller: c, Name: forLog(r.Tool, 128), Command: forLog(r.Command, 1000)}}
	if p.object, p.unreadable = readArguments(r.Args, c); p.unreadable == nil {
		p.args = jsondoc.Canonical(p.object)
		p.call.ArgsHash = registry.HashBytes(p.args)
	}
	if set, ok := g.toolsets.cache.get(keyOf(c)); ok {
		if e, ok := set.names.get(r.Tool); ok {
			return p, g.setTool(p, set, e, nil)
		}
	}
	set, e, err := g.toolsets.lookup(ctx, c, r.Tool)
	return p, g.setTool(p, set, e, err)
}

// setTool sets the tool of p and passes p through the first three gates. e and err are the result of a lookup of the
// tool in set. If err is an error other than an *Error, the lookup failed. In that case, setTool returns err without
// changing p, because the transaction may be retried.
func (g *Gateway) setTool(p *prepared, set *toolset, e registry.Entry, err error) error {
	var refused *Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	p.set, p.tool, p.early = set, registry.Live{}, nil
	p.call.Tool, p.call.Version, p.call.ContentHash, p.call.Annotations = registry.Subject{}, 0, "", nil
	var declined *Error
	if t := e.Definition.Tool; t != nil {
		if p.decline != nil {
			declined = p.decline(e.Live)
		}
		p.tool = e.Live
		p.call.Tool, p.call.Version, p.call.ContentHash, p.call.Annotations = e.Subject, e.Version, e.ContentHash, g.hints(t)
	}
	switch {
	case refused != nil:
		p.early = err
	case e.Definition.Tool.Kind != registry.ActionTool:
		p.early = &Error{Code: CodeNotCallable, Message: fmt.Sprintf("%s is a prompt tool and cannot be run. Use describe_tool to read the prompt.", e.Subject)}
	case declined != nil:
		p.early = declined
	case p.unreadable != nil:
		p.early = p.unreadable
	case len(p.context.problems(jsondoc.Root)) > 0:
		p.early = &Error{Code: CodeArguments, Message: "The call context is not valid: " + p.context.problems(jsondoc.Root)[0].String() + "."}
	case !p.call.Caller.isGuarded(): // a guarded server validates the arguments itself, as it would without a guard
		p.early = g.schemas.validate(e.Live, p.object)
	}
	return nil
}

// hintsOf returns the approved annotations of a tool for the call log. If the annotations do not specify whether the
// tool is destructive, hintsOf marks a tool of a destructive category as destructive.
func hintsOf(t *registry.Tool) *registry.Annotations {
	var a registry.Annotations
	if t.Annotations != nil {
		a = *t.Annotations
	}
	if destroys := true; a.Destructive == nil && t.IsDestructive() {
		a.Destructive = &destroys
	}
	if a == (registry.Annotations{}) {
		return nil
	}
	return &a
}

// record passes a prepared call through the gates that depend on earlier calls, and appends the call to the log. Both
// steps are part of the same transaction, so concurrent calls cannot exceed a limit.
func (g *Gateway) record(ctx context.Context, p *prepared) error {
	if p.early != nil && p.call.Caller.isGuarded() {
		err := g.ledger.View(ctx, func(r LedgerReader) error { return g.admit(ctx, r, p) })
		if err == nil && p.refused != nil {
			g.recordRefused(ctx, *p)
			return nil
		}
	}
	err := g.write(ctx, p, g.ledger.Log, func(tx LedgerTx) error {
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil || p.waits {
			return err
		}
		return g.addCall(ctx, tx, p)
	})
	if err == nil && p.waits {
		if p.call.Caller.isGuarded() {
			if approved, err := g.resumeApproved(ctx, p); approved || err != nil {
				return err
			}
		}
		if p.changed, p.changedOf = g.providers.changed(ctx, p.tool), p.tool.ContentHash; p.changed != nil { // do not ask the user to approve a call that cannot run
			return g.record(ctx, p)
		}
		return g.wait(ctx, p)
	}
	if err != nil {
		return g.admitUnlogged(ctx, p, err)
	}
	return nil
}

// recordRefused logs a refused guarded call. It waits at most 100 ms for the write, because another process may hold
// the write lock of the database. If necessary, the write continues in the background.
func (g *Gateway) recordRefused(ctx context.Context, p prepared) {
	done := make(chan struct{})
	g.refusals.Go(func() {
		defer close(done)
		err := g.write(context.WithoutCancel(ctx), &p, g.ledger.Log, func(tx LedgerTx) error {
			if err := g.admit(ctx, tx.LedgerReader, &p); err != nil || p.refused == nil {
				return err // if err is nil, the tool has been approved since the refusal
			}
			return g.addCall(ctx, tx, &p)
		})
		if err != nil {
			g.warnUnlogged(&p, "The refusal could not be recorded", err)
		}
	})
	select {
	case <-done:
	case <-time.After(100 * time.Millisecond):
	}
}

// ErrNotLogged indicates that a guarded call was refused because it could not be logged.
var ErrNotLogged = errors.New("the call was not run, because it cannot be logged")

// write runs fn in a write transaction of the ledger. transaction is the method of the ledger that write calls: Log or
// Durable. Because the client is waiting, the transaction of a guarded call has the timeout g.logWithin. If the timeout
// expires, write returns ErrNotLogged.
func (g *Gateway) write(ctx context.Context, p *prepared, transaction func(context.Context, func(LedgerTx) error) error, fn func(LedgerTx) error) error {
	if !p.call.Caller.isGuarded() {
		return transaction(ctx, fn)
	}
	limited, cancel := context.WithTimeout(ctx, g.logWithin)
	defer cancel()
	err := transaction(limited, fn)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: the database was in use by another process for %s; try again when the database is free", ErrNotLogged, g.logWithin)
	}
	return err
}

// addCall appends p to the call log. If a gate refused p, addCall also appends the outcome. If the number of an agent's
// refused calls exceeds a limit, further refused calls are counted but not appended.
func (g *Gateway) addCall(ctx context.Context, tx LedgerTx, p *prepared) error {
	if p.refused != nil {
		if write, err := tx.CountRefused(ctx, p.call, codeOf(p.refused), g.maxRefused); err != nil || !write {
			return err
		}
	}
	if err := tx.AddCall(ctx, p.call); err != nil {
		return err
	}
	if p.refused == nil {
		return nil
	}
	if err := g.addChange(ctx, tx, p, p.refused, p.call.At); err != nil {
		return err
	}
	return tx.AddOutcome(ctx, p.call.ID, Outcome{Code: codeOf(p.refused), At: p.call.At})
}

// admit checks the approval tier, the cooldown, and the daily limit, and stores the result in p. If the registry has
// changed since prepare, admit first repeats the gates of prepare. It runs in the transaction that records the call,
// which may be retried.
func (g *Gateway) admit(ctx context.Context, r LedgerReader, p *prepared) error {
	set, err := g.toolsets.current(ctx, r, p.set)
	if err != nil {
		return err
	}
	if set != p.set {
		e, err := set.find(ctx, r, p.name)
		if err := g.setTool(p, set, e, err); err != nil {
			return err
		}
	}
	p.refused, p.waits, p.call.Nth, p.call.Pending = p.early, false, 0, p.answers
	if p.refused == nil && p.changedOf == p.tool.ContentHash {
		p.refused = p.changed
	}
	if p.refused != nil {
		return nil
	}
	if p.tier, err = tierOf(ctx, r, p.call.Caller, p.tool); err != nil {
		return err
	}
	if p.tier == registry.RequiresApproval && p.answers == "" {
		p.waits = true
		return nil
	}
	return limit(ctx, r, p)
}

// admitUnlogged decides whether a call may run although it could not be logged. cause is the error of the log. A
// guarded call must not run, because the log must contain every call of the server. Any other call may run if it
// requires no approval, its tool has no limit, and all gates can be checked. admitUnlogged returns nil if the call may
// run, and also if a gate has refused the call.
func (g *Gateway) admitUnlogged(ctx context.Context, p *prepared, cause error) error {
	if errors.Is(cause, ErrContradiction) || ctx.Err() != nil {
		return cause
	}
	err := g.ledger.View(ctx, func(r LedgerReader) error { return g.admit(ctx, r, p) })
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case p.refused != nil:
	case p.call.Caller.isGuarded() && !errors.Is(cause, ErrNotLogged):
		return fmt.Errorf("%w: %w", ErrNotLogged, cause)
	case p.call.Caller.isGuarded(), p.waits, limited(p.tool):
		return cause
	}
	g.warnUnlogged(p, "The call could not be recorded", cause)
	return nil
}

// warnUnlogged adds a warning to p about a call or an outcome that is missing in the call log. problem is the beginning
// of the warning. warnUnlogged also passes the warning and the cause to g.warn.
func (g *Gateway) warnUnlogged(p *prepared, problem string, cause error) {
	p.warnings = append(p.warnings, problem+" in the call log.")
	g.warn(fmt.Sprintf("%s in the call log (call %s of %s): %v", problem, p.call.ID, p.call.Tool, cause))
}

// codeOf returns the code of err if err is an *Error with a code, and otherwise CodeProvider.
func codeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok && e.Code != "" {
		return e.Code
	}
	return CodeProvider
}

// guardedToolset returns the approved tools, prompts, and instructions of the server key.server.
func guardedToolset(ctx context.Context, r impact.ToolReader, key toolsetKey, state int64) (*toolset, error) {
	lives, err := r.FromServer(ctx, key.server)
	if err != nil {
		return nil, err
	}
	set := &toolset{key: key, state: state, allowed: map[registry.Subject]registry.Choice{}}
	for _, e := range registry.Visible(lives, key.layer.View()) {
		t := e.Definition.Tool
		if t == nil || t.Source == nil || !e.Active() {
			continue
		}
		if t.Kind == registry.ServerText {
			set.spoken = append(set.spoken, GuardedTool{Name: t.OriginName(), Hash: t.Source.Hash})
		}
		if t.Source.Type != registry.SourceMCP || t.Kind != registry.ActionTool {
			continue
		}
		set.allowed[e.Subject] = registry.Choice{Entry: e, In: true}
		set.entries = append(set.entries, e)
	}
	slices.SortFunc(set.entries, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	return set, nil
}

// GuardedTools contains the approved tools and texts of a guarded server in a state of the registry.
type GuardedTools struct {
	State int64
	Tools []GuardedTool
	Texts []GuardedTool // prompts and instructions
}

// GuardedTool identifies an approved tool or text of a guarded server.
type GuardedTool struct {
	Name string // name on the server
	Hash string // pin: the hash of the canonical form of the approved JSON
	// Source is the origin of a tool. It specifies the parts that are excluded from the pin. It is nil for texts.
	Source *registry.Source
}

// Guarded returns the approved tools and texts of the server c.Server.
func (g *Gateway) Guarded(ctx context.Context, c Caller) (GuardedTools, error) {
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return GuardedTools{}, err
	}
	out := GuardedTools{State: set.state, Texts: set.spoken}
	for _, e := range set.entries {
		t := e.Definition.Tool
		out.Tools = append(out.Tools, GuardedTool{Name: t.OriginName(), Hash: t.Source.Hash, Source: t.Source})
	}
	return out, nil
}

// resumeApproved looks for an approved pending call that is identical to the guarded call p and has not run. If such a
// call exists, resumeApproved logs p as the execution of the pending call and returns true. In this case, p receives
// the call id in the user's answer. Because call ids are unique in the log, each answer permits a single call.
func (g *Gateway) resumeApproved(ctx context.Context, p *prepared) (approved bool, err error) {
	var found *Pending
	like := Pending{Caller: p.call.Caller, Tool: p.tool.Subject, ContentHash: p.tool.ContentHash, Args: p.args}
	err = g.ledger.View(ctx, func(r LedgerReader) error {
		list, err := r.PendingList(ctx, PendingQuery{Agent: p.call.Caller.Agent, User: p.call.Caller.User, Limit: g.maxPending, Now: p.call.At})
		for _, other := range list {
			if other.Answer != nil && other.Answer.Approved && other.Outcome == nil && p.call.At.Before(other.ExpiresAt) && other.same(like) {
				found = &other
			}
		}
		return err
	})
	if err != nil || found == nil {
		return false, err
	}
	id := p.call.ID
	p.answers, p.call.ID = found.ID, found.Answer.Call
	err = g.write(ctx, p, g.ledger.Durable, func(tx LedgerTx) error {
		if err := g.admit(ctx, tx.LedgerReader, p); err != nil {
			return err
		}
		if p.refused != nil { // for example because of a limit; the approval remains valid, and the refusal is logged as a separate call
			p.call.ID, p.call.Pending = id, ""
		}
		return g.addCall(ctx, tx, p)
	})
	if errors.Is(err, ErrContradiction) { // another process has just run the approved call
		p.answers, p.call.ID, p.call.Pending = "", id, ""
		return false, nil
	}
	return err == nil, err
}

// MaxOutput is the maximum size of a result, in bytes.
const MaxOutput = 4 << 20

// passGate submits a logged call to the eval gate. If the gate refuses the call, passGate records the outcome and
// returns the refusal.
func (g *Gateway) passGate(ctx context.Context, p *prepared) (*Admitted, error) {
	in := Invocation{
		Call: p.call.ID, Caller: p.call.Caller, Tool: p.tool, Args: p.args, At: p.call.At, CallContext: p.context, Tier: p.tier, Nth: p.call.Nth,
	}
	if profile := p.set.profile.Definition.Agent; profile != nil {
		in.Features = profile.Features
	}
	warning, err := g.gate.check(ctx, in, p.tier)
	if warning != "" {
		p.warnings = append(p.warnings, warning)
		g.warn(warning)
	}
	if err != nil {
		g.conclude(ctx, p, outcomeOf(Output{}, err), err)
		return nil, err
	}
	return &Admitted{call: p, in: in}, nil
}

// perform runs an admitted call at its provider and records the outcome.
func (g *Gateway) perform(ctx context.Context, a *Admitted) (Result, error) {
	p := a.call
	res := Result{Call: p.call.ID, Tool: p.tool.Subject, Version: p.tool.Version, At: p.call.At}
	began := g.now()
	output, err := g.providers.run(ctx, a.in)
	res.Duration = max(g.now().Sub(began), 0)
	o := outcomeOf(output, err)
	o.Duration = res.Duration
	if p.call.Pending != "" {
		o.Output = output.Object
		if err != nil {
			o.Output = failure(err)
		}
	}
	g.conclude(ctx, p, o, err)
	res.Warnings = p.warnings
	if err != nil {
		return Result{}, err
	}
	res.Output, res.Answer = output.Object, output.Answer
	return res, nil
}

// providers runs each call at the provider that the tool's definition specifies.
type providers struct {
	byType  map[registry.ProviderType]Provider
	limit   time.Duration // time limit of a call
	schemas *schemas
}

// run runs a call at its provider.
func (p providers) run(ctx context.Context, in Invocation) (Output, error) {
	var kind registry.ProviderType
	if named := in.Tool.Definition.Tool.Provider; named != nil {
		kind = named.Type
	}
	provider := p.byType[kind]
	if provider == nil {
		message := fmt.Sprintf("%s needs a provider of type %s, but no such provider is configured.", in.Tool.Subject, kind)
		if kind == "" {
			message = fmt.Sprintf("%s cannot run, because its definition specifies no provider; propose a change that adds a provider.", in.Tool.Subject)
		}
		return Output{}, &Error{Code: CodeNotConnected, Message: message, NotRun: true}
	}
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	back := func() {}
	if kind != registry.ProviderBuiltin {
		back = semaphore.Outside(ctx)
	}
	output, err := provider.Run(limited, in)
	back()
	switch {
	case err == nil:
		if err := checkOutput(in.Tool, output.Object); err != nil {
			return Output{}, err
		}
		if err := p.schemas.conforms(in.Tool, output.Structured); err != nil {
			return Output{}, err
		}
		return output, nil
	case errors.As(err, new(*Error)):
		return Output{}, err
	case ctx.Err() != nil:
		return Output{}, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return Output{}, &Error{Code: CodeTimeout, Message: fmt.Sprintf("%s did not answer within %s.", in.Tool.Subject, p.limit)}
	}
	return Output{}, &Error{Code: CodeProvider, Message: fmt.Sprintf("%s failed: %s.", in.Tool.Subject, jsondoc.Printable(err.Error()))}
}

// checkOutput returns an *Error if the output of a tool is not a JSON object, is not valid UTF-8, or is too large.
func checkOutput(tool registry.Live, output json.RawMessage) error {
	switch {
	case len(output) > MaxOutput:
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("the response of %s has %d bytes; the limit is %d.", tool.Subject, len(output), MaxOutput)}
	case !bytes.HasPrefix(bytes.TrimSpace(output), []byte("{")) || !json.Valid(output):
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("the response of %s is not a JSON object.", tool.Subject)}
	case !utf8.Valid(output):
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("the response of %s is not valid UTF-8.", tool.Subject)}
	}
	return nil
}

// conclude records the outcome of a call, even if ctx is done because the caller has disconnected. failed is the error
// of the call, or nil. If the outcome cannot be recorded, conclude only adds a warning to p.
func (g *Gateway) conclude(ctx context.Context, p *prepared, o Outcome, failed error) {
	o.At = g.stamp()
	write := g.ledger.Log
	if p.call.Pending != "" {
		write = g.ledger.Durable
	}
	ctx = context.WithoutCancel(ctx)
	err := write(ctx, func(tx LedgerTx) error {
		if err := g.addChange(ctx, tx, p, failed, o.At); err != nil {
			return err
		}
		return tx.AddOutcome(ctx, p.call.ID, o)
	})
	if err != nil {
		g.warnUnlogged(p, "The outcome could not be recorded", err)
	}
}

// addChange appends an event to the audit log if failed has the code CodeChanged, which indicates that the tool differs
// from its approved definition.
func (g *Gateway) addChange(ctx context.Context, tx LedgerTx, p *prepared, failed error, at time.Time) error {
	e, ok := errors.AsType[*Error](failed)
	if !ok || e.Code != CodeChanged {
		return nil
	}
	return tx.AddChange(ctx, Change{ID: g.newID(), Tool: p.tool.Subject, Version: p.tool.Version, Details: e.Details, By: p.call.Caller.Actor, At: at})
}

// changed returns a refusal if the provider reports that a tool differs from its approved definition. Otherwise, it
// returns nil, even if the provider cannot check the tool at this time, because the provider checks the tool again when
// the call runs.
func (p providers) changed(ctx context.Context, tool registry.Live) error {
	named := tool.Definition.Tool.Provider
	if named == nil {
		return nil
	}
	checker, ok := p.byType[named.Type].(Checker)
	if !ok {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	defer semaphore.Outside(ctx)()
	if err := checker.Check(limited, tool); errors.Is(err, CodeChanged) {
		return err
	}
	return nil
}

// maxNoted is the maximum length of Outcome.Message, in characters.
const maxNoted = 500

// outcomeOf returns the outcome of a call for the call log. It contains the hash, the size, and the message of output,
// or the code and the message of failed if failed is not nil.
func outcomeOf(output Output, failed error) Outcome {
	var o Outcome
	switch {
	case errors.Is(failed, context.Canceled), errors.Is(failed, context.DeadlineExceeded):
		o.Code = CodeCanceled
		return o
	case failed != nil:
		o.Code = codeOf(failed)
		o.Message = plaintext.Clip(visible.Line(failed.Error()), maxNoted)
		if e, ok := errors.AsType[*Error](failed); ok {
			o.ApprovalRequest, o.NotRun = e.ApprovalRequest, e.NotRun
		}
		return o
	}
	o.OutputHash, o.OutputBytes = registry.HashBytes(output.Object), len(output.Object)
	for _, doc := range []json.RawMessage{output.Answer, output.Object} {
		var says struct {
			Message json.RawMessage `json:"message"`
		}
		var text string
		if json.Unmarshal(doc, &says) == nil && json.Unmarshal(says.Message, &text) == nil && text != "" {
			o.Message = plaintext.Clip(visible.Line(text), maxNoted)
			break
		}
	}
	return o
}

// failureRecord is the stored output of a pending call that failed.
type failureRecord struct {
	Code    Code            `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"`
	Request string          `json:"approval_request_id,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

// failure returns the JSON form of the failureRecord for err.
func failure(err error) json.RawMessage {
	doc := failureRecord{Code: codeOf(err), Message: err.Error()}
	if e, ok := errors.AsType[*Error](err); ok {
		doc.Details, doc.Request, doc.Answer = e.Details, e.ApprovalRequest, e.Answer
	}
	b, marshalErr := json.Marshal(doc)
	if marshalErr != nil {
		return nil // the provider's details are not valid JSON; the code is also in the outcome
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// Caller identifies the caller of a lookup or a call.
type Caller struct {
	Actor    proposals.Actor  // actor in the call log
	Agent    string           // agent that calls the tools: an id in the view of Layer, or a subject
	Layer    registry.Layer   // layer that determines the view, which contains the agent and the tools
	Where    registry.Context // context that selects the agent's tools
	User     string           // user of the call; determines the data and the limits
	Customer string           // customer, for a hub; "" for none
	// Server is the name of the MCP server if the caller is a guard, or "" if the caller is an agent. A guard can call
	// the approved tools of the server by their names on the server.
	Server string `json:",omitempty"`
}

// Guarded returns a copy of c for calls through the guard of the given server. Such calls have no agent profile.
func (c Caller) Guarded(server string) Caller {
	c.Server, c.Agent = server, GuardPrefix+server
	return c
}

// GuardPrefix precedes the server's name in the Agent field of a guarded caller.
const GuardPrefix = "guard:"

func (c Caller) isGuarded() bool { return c.Server != "" }

// Request is a requested call before any check.
type Request struct {
	Tool        string          // id, alias, or wire name
	Args        json.RawMessage // a JSON object; nil means an empty object
	CallContext CallContext     // description of the call by the caller, not verified
	// Command is the command or the URL of the guarded server, for the log.
	Command string
	// Decline lets the caller refuse the call. It is called with the live definition of the tool, in the transaction
	// that logs the call, and returns the refusal, or nil to accept the definition. For example, a guard refuses a call
	// if the server lists a different definition. A nil Decline accepts every definition.
	Decline func(registry.Live) *Error
}

// Invocation is a call that has passed all gates before its recipient, which is a provider or the eval gate.
type Invocation struct {
	Call        string // UUIDv7
	Caller      Caller
	Tool        registry.Live   // the live definition
	Args        json.RawMessage // an object that conforms to the input schema
	At          time.Time
	CallContext CallContext           // description of the call by the caller, not verified
	Tier        registry.ApprovalTier // tier that applied to the call
	Nth         int                   // number of this call among the user's calls of the tool on this day (UTC)
	// Features are the agent's feature flags for applications.
	Features map[string]bool
}

// Provider runs the tools of a provider type.
type Provider interface {
	// Run runs a call and stops when ctx is done. To return an error with a code, Run returns an *Error. Unless ctx is
	// done, the gateway converts any other error to an *Error with CodeProvider or CodeTimeout.
	Run(ctx context.Context, in Invocation) (Output, error)
}

// Checker is a Provider that can check whether a tool still matches its approved definition.
type Checker interface {
	// Check compares the tool with its approved definition without calling the tool. If they differ, Check returns an
	// *Error with CodeChanged.
	Check(ctx context.Context, tool registry.Live) error
}

// Output is the answer of a provider to a call. The provider is not trusted, so the gateway validates the output.
type Output struct {
	Object json.RawMessage // result: a JSON object of at most MaxOutput bytes
	// Structured is the part of the answer that must conform to the tool's output schema. It may be nil.
	Structured json.RawMessage
	// Answer is a JSON object with the fields of the provider's answer that are not part of the result. It may be nil.
	Answer json.RawMessage
}

// Result is the result of a call. The gateway sets Call, Tool, Version, At, and Duration.
type Result struct {
	Call     string // UUIDv7
	Tool     registry.Subject
	Version  int
	Output   json.RawMessage // an object
	Answer   json.RawMessage // an object with the fields of the provider's answer that are not part of Output, or nil
	Warnings []string        // for example, that the eval gate did not answer
	At       time.Time
	Duration time.Duration // of the provider
}

// NotReached returns the reason why a request failed on the network. The reason omits the address, because agents must
// not see it. sure is true if the request was certainly not delivered. In that case, the call has not run.
func NotReached(err error) (reason string, sure bool) {
	op, ok := errors.AsType[*net.OpError](err)
	dialing := ok && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case errors.As(err, new(*net.DNSError)):
		return "the host name cannot be resolved", true
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "the certificate was not accepted", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused", dialing
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time", dialing
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was lost", dialing
	}
	return "the connection failed", dialing
}
