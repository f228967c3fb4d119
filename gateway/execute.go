package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/impact"
)

// Execute runs a call through every gate, in their order, and at its provider. The
// error is an *Error when a gate refused or the provider failed; any other is a
// failure to look or to record, or the end of ctx. Every call leaves a row in the
// audit, also one that is refused; of a caller that cannot be written down there is
// none, and the error is review.ErrText.
func (g *Gateway) Execute(ctx context.Context, c Caller, r Request) (Result, error) {
	a, err := g.Admit(ctx, c, r)
	if err != nil {
		return Result{}, err
	}
	return g.perform(ctx, a)
}

// Admitted is a recorded call that every gate let pass. Whoever runs it concludes it.
type Admitted struct {
	call *prepared
	in   Invocation
}

// Tool returns the approved definition that is called.
func (a *Admitted) Tool() registry.Live { return a.in.Tool }

// Admit takes a call through every gate, for a caller that runs it itself. The error
// is that of Execute.
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
	return g.pass(ctx, p)
}

// prepared is a call on its way through the gates.
type prepared struct {
	name       string          // as it was called
	args       json.RawMessage // canonical
	object     *jsondoc.Node   // args, read
	unreadable error           // why args cannot be read: an *Error
	said       CallContext
	decline    func(registry.Live) *Error
	answers    string // the pending call that the user said yes to; "" for none

	set       *toolset
	call      Call
	tool      registry.Live // zero when none was found
	early     error         // what a gate said that needs no transaction: an *Error
	changed   error         // what the provider said of the tool with the content changedOf
	changedOf string
	refused   error // what any gate said: an *Error
	waits     bool  // it requires user approval
	tier      registry.ApprovalTier
	warnings  []string
}

// prepare takes a call past the gates registered, allowed and arguments, as its
// agent's tools were when they were last resolved: admit compares. The error is a
// failure to look; what a gate says is in the answer.
func (g *Gateway) prepare(ctx context.Context, c Caller, r Request) (*prepared, error) {
	p := &prepared{name: r.Tool, said: r.Said, decline: r.Decline, call: Call{ID: g.newID(), At: g.stamp(), Caller: c, Name: logged(r.Tool, maxLogged), Command: logged(r.Command, maxCommand)}}
	if p.object, p.unreadable = readArguments(r.Args, c); p.unreadable == nil {
		p.args = jsondoc.Canonical(p.object)
		p.call.ArgsHash = registry.HashBytes(p.args)
	}
	if set, ok := g.toolsets.cache.get(keyOf(c)); ok {
		if e, ok := set.names.get(r.Tool); ok {
			return p, g.aim(p, set, e, nil)
		}
	}
	set, e, err := g.toolsets.lookup(ctx, c, r.Tool)
	return p, g.aim(p, set, e, err)
}

// aim makes a call one of the tool that was found in set, if it was found. It
// leaves the call unchanged if the lookup failed: the transaction may be tried
// again.
func (g *Gateway) aim(p *prepared, set *toolset, e registry.Entry, err error) error {
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
		p.early = &Error{Code: CodeNotCallable, Message: fmt.Sprintf("%s is a prompt tool and cannot be run. Use describe_tool to read it.", e.Subject)}
	case declined != nil:
		p.early = declined
	case p.unreadable != nil:
		p.early = p.unreadable
	case len(p.said.problems(jsondoc.Root)) > 0:
		p.early = &Error{Code: CodeArguments, Message: "The call context is not valid: " + p.said.problems(jsondoc.Root)[0].String() + "."}
	case !p.call.Caller.guarded(): // a guarded server checks its own arguments, as without a guard
		p.early = g.schemas.fit(e.Live, p.object)
	}
	return nil
}

// hintsOf are the annotations of a tool as the audit keeps them: as approved, with
// what its category implies where it says nothing.
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

// record checks a prepared call against the gates that depend on earlier calls,
// and appends it in the same transaction, so that no two calls take the same place
// below a limit.
func (g *Gateway) record(ctx context.Context, p *prepared) error {
	if p.early != nil && p.call.Caller.guarded() {
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
		return g.enter(ctx, tx, p)
	})
	if err == nil && p.waits {
		if p.call.Caller.guarded() {
			if approved, err := g.resume(ctx, p); approved || err != nil {
				return err
			}
		}
		if p.changed, p.changedOf = g.providers.changed(ctx, p.tool), p.tool.ContentHash; p.changed != nil { // nobody approves a call that cannot be made
			return g.record(ctx, p)
		}
		return g.wait(ctx, p)
	}
	if err != nil {
		return g.withoutLog(ctx, p, err)
	}
	return nil
}

// refusedWithin is how long the refusal of a guarded call waits for its log.
const refusedWithin = 100 * time.Millisecond

// recordRefused logs a guarded call that is refused whoever else writes. It returns when that
// is done, or soon: nobody has to wait for the lock of the database to be told no.
func (g *Gateway) recordRefused(ctx context.Context, p prepared) {
	done := make(chan struct{})
	g.refusals.Go(func() {
		defer close(done)
		err := g.write(context.WithoutCancel(ctx), &p, g.ledger.Log, func(tx LedgerTx) error {
			if err := g.admit(ctx, tx.LedgerReader, &p); err != nil || p.refused == nil {
				return err // approved a moment later
			}
			return g.enter(ctx, tx, &p)
		})
		if err != nil {
			g.unlogged(&p, "The refusal could not be recorded", err)
		}
	})
	select {
	case <-done:
	case <-time.After(refusedWithin):
	}
}

// ErrNotLogged is wrapped by the refusal of a guarded call that cannot be logged.
var ErrNotLogged = errors.New("cannot log the call, so it was not made")

// write runs fn in a write transaction of the ledger. A guarded call waits at most
// g.logWithin for it: its client waits, and the call is refused then.
func (g *Gateway) write(ctx context.Context, p *prepared, transaction func(context.Context, func(LedgerTx) error) error, fn func(LedgerTx) error) error {
	if !p.call.Caller.guarded() {
		return transaction(ctx, fn)
	}
	limited, cancel := context.WithTimeout(ctx, g.logWithin)
	defer cancel()
	err := transaction(limited, fn)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: the database was in use by another process for %s; try again when it is free", ErrNotLogged, g.logWithin)
	}
	return err
}

// enter appends the call, and its outcome when a gate refused it. Who is refused
// again and again fills the audit with no more than the number of times.
func (g *Gateway) enter(ctx context.Context, tx LedgerTx, p *prepared) error {
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
	if err := g.tellChange(ctx, tx, p, p.refused, p.call.At); err != nil {
		return err
	}
	return tx.AddOutcome(ctx, p.call.ID, Outcome{Code: codeOf(p.refused), At: p.call.At})
}

// admit asks the gates approval tier, cooldown and daily limit, and those that prepare
// asked once more when something was approved since: in the transaction that records
// the call nothing else can be. It may run several times for a call and leaves what
// it found in p.
func (g *Gateway) admit(ctx context.Context, r LedgerReader, p *prepared) error {
	set, err := g.toolsets.current(ctx, r, p.set)
	if err != nil {
		return err
	}
	if set != p.set {
		e, err := set.find(ctx, r, p.name)
		if err := g.aim(p, set, e, err); err != nil {
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

// withoutLog decides about a call that could not be written down. It is refused behind a
// guard, whose log is to have every call of its server. For every other caller a
// failing log does not stop a call; a gate that cannot be asked does, and so does a
// limit that could not be counted.
func (g *Gateway) withoutLog(ctx context.Context, p *prepared, cause error) error {
	if errors.Is(cause, ErrContradiction) || ctx.Err() != nil {
		return cause
	}
	err := g.ledger.View(ctx, func(r LedgerReader) error { return g.admit(ctx, r, p) })
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case p.refused != nil:
	case p.call.Caller.guarded() && !errors.Is(cause, ErrNotLogged):
		return fmt.Errorf("%w: %w", ErrNotLogged, cause)
	case p.call.Caller.guarded(), p.waits, limited(p.tool):
		return cause
	}
	g.unlogged(p, "The call could not be recorded", cause)
	return nil
}

// unlogged notes that the audit lacks something about a call.
func (g *Gateway) unlogged(p *prepared, what string, cause error) {
	p.warnings = append(p.warnings, what+" in the audit.")
	g.warn(fmt.Sprintf("%s in the audit (call %s of %s): %v", what, p.call.ID, p.call.Tool, cause))
}

// codeOf returns the code of a refusal or failure.
func codeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) && e.Code != "" {
		return e.Code
	}
	return CodeProvider
}

// guarded returns the approved tools of one MCP server.
func guarded(ctx context.Context, r impact.ToolReader, key toolsetKey, state int64) (*toolset, error) {
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

// own returns the tool of a guarded server that has a name there, or an *Error.
func (s *toolset) own(name string) (registry.Entry, error) {
	for _, e := range s.entries {
		if e.Definition.Tool.OriginName() == name {
			s.names.put(name, e)
			return e, nil
		}
	}
	return registry.Entry{}, &Error{Code: CodeUnknown, NotRun: true, Message: fmt.Sprintf(
		"%s is not an approved tool of the server %s. toolcrib status shows the user what waits, and where to review it", jsondoc.Quote(name), s.key.server)}
}

// GuardedTools are the approved tools of a guarded server in one state of the registry.
type GuardedTools struct {
	State int64
	Tools []GuardedTool
	Texts []GuardedTool // its prompts and instructions, by their names among its texts
}

// GuardedTool is an approved tool or text as its server has it.
type GuardedTool struct {
	Name string // on the server
	Hash string // of its JSON in canonical form: the pin
	// Source of a tool has the parts that its pin excludes.
	Source *registry.Source
}

// Guarded returns the approved tools of the server of a caller.
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

// resume makes a guarded call the one that the user approved when the client made it
// before, if there is one that has not run. It reports whether the call was written.
// The id that the answer names is given to one call, so it runs at most once.
func (g *Gateway) resume(ctx context.Context, p *prepared) (approved bool, err error) {
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
		if p.refused != nil { // a limit, say: the approval stays, and the refusal is a call of its own
			p.call.ID, p.call.Pending = id, ""
		}
		return g.enter(ctx, tx, p)
	})
	if errors.Is(err, ErrContradiction) { // somebody made it a moment ago
		p.answers, p.call.ID, p.call.Pending = "", id, ""
		return false, nil
	}
	return err == nil, err
}
