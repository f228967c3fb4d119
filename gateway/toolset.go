package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/turns"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/impact"
)

// toolsetKey identifies the tools of an agent in one state of the registry.
type toolsetKey struct {
	agent  string
	server string // behind a guard, whose tools they are; "" for an agent
	layer  registry.Layer
	where  registry.Context
}

// toolset is the tools of an agent as of one state of the registry.
type toolset struct {
	key   toolsetKey
	state int64
	// hash names the content: the same hash, the same tools.
	hash    string
	allowed map[registry.Subject]registry.Choice
	entries []registry.Entry // in catalog order
	missing error            // why there are none
	spoken  []GuardedTool    // the prompts and the instructions of a guarded server
	profile registry.Live    // the agent; zero when it is not there
	names   cache[string, registry.Entry]

	tagsOnce sync.Once
	tagged   map[string][]tag // by prefix
}

func keyOf(c Caller) toolsetKey {
	where := c.Where
	where.IncludeDeferred = true // deferred tools can still be found and called
	return toolsetKey{agent: c.Agent, server: c.Server, layer: c.Layer, where: where}
}

// toolsets has the tools of each caller in the newest state of the registry that somebody
// asked about.
type toolsets struct {
	ledger Ledger
	warn   func(string)
	cache  cache[toolsetKey, *toolset]
}

// of returns the caller's tools, as of the state that it carries; a transaction that
// acts on them asks for the current ones.
func (t *toolsets) of(ctx context.Context, c Caller) (*toolset, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	var set *toolset
	err := t.ledger.View(ctx, func(r LedgerReader) (err error) {
		set, err = t.current(ctx, r, &toolset{key: keyOf(c), state: -1})
		return err
	})
	return set, err
}

// current returns the tools that known has, as they are in the snapshot of r: known
// itself when nothing was approved since.
func (t *toolsets) current(ctx context.Context, r impact.ToolReader, known *toolset) (*toolset, error) {
	state, err := r.State(ctx)
	if err != nil || state == known.state {
		return known, err
	}
	if set, ok := t.cache.get(known.key); ok && set.state == state {
		return set, nil
	}
	set, err := t.resolve(ctx, r, known.key, state)
	if err == nil {
		t.cache.put(known.key, set)
	}
	return set, err
}

func (t *toolsets) resolve(ctx context.Context, r impact.ToolReader, key toolsetKey, state int64) (*toolset, error) {
	if key.server != "" {
		return guarded(ctx, r, key, state)
	}
	set := &toolset{key: key, state: state, allowed: map[registry.Subject]registry.Choice{}}
	profile, res, err := impact.Toolset(ctx, r, key.agent, key.layer, key.where)
	set.profile = profile
	switch {
	case errors.Is(err, proposals.ErrNotFound), errors.Is(err, registry.ErrNoTools), errors.Is(err, registry.ErrUnknownList):
		set.missing = err
	case err != nil:
		return nil, err
	}
	var content strings.Builder
	for _, choice := range res.Choices {
		if !choice.In {
			continue
		}
		set.allowed[choice.Entry.Subject] = choice
		set.entries = append(set.entries, choice.Entry)
		content.WriteString(choice.Entry.Subject.String() + " " + choice.Entry.ContentHash + "\n")
	}
	for _, w := range res.Warnings {
		t.warn(w + "; it is skipped")
	}
	set.hash = registry.HashBytes([]byte(content.String()))
	return set, nil
}

// maxName is the longest name that any host gives a tool, in bytes.
const maxName = 128

// lookup returns the caller's tools, and the one that a name means, as find does.
func (t *toolsets) lookup(ctx context.Context, c Caller, name string) (set *toolset, e registry.Entry, err error) {
	if err := c.Check(); err != nil {
		return nil, e, err
	}
	err = t.ledger.View(ctx, func(r LedgerReader) (err error) {
		if set, err = t.current(ctx, r, &toolset{key: keyOf(c), state: -1}); err == nil {
			e, err = set.find(ctx, r, name)
		}
		return err
	})
	return set, e, err
}

// find returns the tool that a name means in the state of set, or an *Error: unknown,
// ambiguous, or not the agent's. Any other error is a failure to look.
func (s *toolset) find(ctx context.Context, r impact.ToolReader, name string) (registry.Entry, error) {
	if e, ok := s.names.get(name); ok {
		return e, nil
	}
	if s.key.server != "" {
		return s.own(name)
	}
	if name == "" || len(name) > maxName || plaintext.Problem(name) != "" {
		return registry.Entry{}, unknown(name)
	}
	found, err := impact.Named(ctx, r, name, s.key.layer)
	if err != nil {
		return registry.Entry{}, err
	}
	if i := slices.IndexFunc(found, registry.Entry.Active); i < 0 && len(found) > 0 {
		return registry.Entry{}, deactivated(name, found[0])
	}
	found = slices.DeleteFunc(found, func(e registry.Entry) bool { return !e.Active() })
	if len(found) == 0 {
		return registry.Entry{}, unknown(name)
	}
	own := nearest(name, slices.DeleteFunc(slices.Clone(found), func(e registry.Entry) bool {
		_, ok := s.allowed[e.Subject]
		return !ok
	}))
	switch len(own) {
	case 0:
		return found[0], s.notAllowed(name, found)
	case 1:
		e := s.allowed[own[0].Subject].Entry
		s.names.put(name, e)
		return e, nil
	}
	return registry.Entry{}, ambiguous(name, own)
}

// nearest returns those of found that have a name as their wire name, all of them
// when none has: an upstream name counts for less.
func nearest(name string, found []registry.Entry) []registry.Entry {
	own := slices.DeleteFunc(slices.Clone(found), func(e registry.Entry) bool { return e.Definition.Tool.WireName() != name })
	if len(own) > 0 {
		return own
	}
	return found
}

func unknown(name string) error {
	message := fmt.Sprintf("No active tool is called %s", jsondoc.Quote(name))
	switch successor, retired := shipped.Retired(name); {
	case retired && successor != "":
		message += fmt.Sprintf("; that name is retired, its successor is %s", successor)
	case retired:
		message += "; that name is retired and nothing took its place"
	default:
		message += "; search the tools you have"
	}
	return &Error{Code: CodeUnknown, Message: message + "."}
}

// deactivated tells a name that was taken out of use from one that never was.
func deactivated(name string, e registry.Entry) error {
	if e.Refused != nil {
		return &Error{Code: CodeUnknown, Message: fmt.Sprintf("%s is not in use: %s.", jsondoc.Quote(name), jsondoc.Printable(e.Refused.Error()))}
	}
	message := fmt.Sprintf("%s is deactivated in version %d of %s", jsondoc.Quote(name), e.Version, e.Subject)
	if successor, _ := shipped.Retired(name); successor != "" {
		message += "; its successor is " + successor
	}
	return &Error{Code: CodeUnknown, Message: message + "."}
}

func (s *toolset) notAllowed(name string, found []registry.Entry) error {
	message := fmt.Sprintf("%s does not have the tool %s", jsondoc.Quote(s.key.agent), jsondoc.Quote(name))
	if len(found) == 1 {
		message += " (" + found[0].Subject.String() + ")"
	}
	if s.missing != nil {
		return &Error{Code: CodeNotAllowed, Message: message + ": " + jsondoc.Printable(s.missing.Error()) + "."}
	}
	available := s.available()
	message += "; it has " + strings.Join(available, ", ")
	if more := len(s.entries) - len(available); more > 0 {
		message += fmt.Sprintf(" and %d more, which search_tools finds", more)
	}
	details, err := json.Marshal(map[string]any{"available": available})
	if err != nil {
		return err
	}
	return &Error{Code: CodeNotAllowed, Message: message + ". A proposal can change its allow-list.", Details: details}
}

// maxAvailable limits how many tools a refusal names.
const maxAvailable = 20

// available are the names of the first tools of the set, as the prompt has them.
func (s *toolset) available() []string {
	names := make([]string, min(len(s.entries), maxAvailable))
	for i := range names {
		names[i] = s.entries[i].Definition.Tool.WireName()
	}
	return names
}

// ambiguous names the ids of all tools that have the name.
func ambiguous(name string, found []registry.Entry) error {
	slices.SortFunc(found, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	ids := make([]string, len(found))
	for i, e := range found {
		ids[i] = e.Subject.ID
	}
	details, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return err
	}
	return &Error{
		Code:    CodeAmbiguous,
		Message: fmt.Sprintf("%d upstream tools are called %s: %s. Use an id.", len(ids), jsondoc.Quote(name), strings.Join(ids, ", ")),
		Details: details,
	}
}

// Gate is the eval gate: it is asked about each call of a tool that requires
// it, after everything else let the call pass.
type Gate interface {
	// Ask returns what the gate says of a call. An error is a gate that
	// failed, and not a no. Ask stops when ctx ends.
	Ask(ctx context.Context, in Invocation) (GateAnswer, error)
}

// GateAnswer is a gate's word on one call.
type GateAnswer struct {
	Approved bool
	Reason   string
}

// errNoGate refuses a call of a tool that requires the gate where none is
// configured.
var errNoGate = errors.New("no eval gate is configured")

// evalGate is the eval gate with what holds when it does not answer.
type evalGate struct {
	gate    Gate // nil for none
	timeout time.Duration
	closed  bool // nothing that requires it runs without it
}

// pass asks the gate. A gate that failed or is late lets the call pass
// with a warning, unless the call must not run without a yes: it is
// destructive, it needs the user's approval, or the configuration is closed.
func (g evalGate) pass(ctx context.Context, in Invocation, tier registry.ApprovalTier) (warning string, err error) {
	if !in.Tool.Definition.Tool.RequiresGate {
		return "", nil
	}
	answer, err := g.ask(ctx, in)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		problem := fmt.Sprintf("The eval gate did not answer for %s (%s)", in.Tool.Subject, jsondoc.Printable(err.Error()))
		if why := g.closedFor(in.Tool, tier); why != "" {
			return "", &Error{Code: CodeGateUnavailable, Message: fmt.Sprintf("%s, and %s; try again when it does.", problem, why), NotRun: true}
		}
		return problem + "; the call ran without its yes.", nil
	case !answer.Approved:
		reason := plaintext.Clip(visible.Line(answer.Reason), MaxReason)
		if reason == "" {
			reason = "it gave no reason"
		}
		return "", &Error{Code: CodeGateRefused, Message: fmt.Sprintf("The eval gate refused the call of %s: %s.", in.Tool.Subject, reason)}
	}
	return "", nil
}

// closedFor returns why a call must not run without the gate's yes, "" when it
// may.
func (g evalGate) closedFor(tool registry.Live, tier registry.ApprovalTier) string {
	switch {
	case tool.Definition.Tool.IsDestructive():
		return "a destructive tool does not run without it"
	case tier == registry.RequiresApproval:
		return "a tool that requires approval does not run without it"
	case g.closed:
		return "the configuration lets nothing run without it"
	}
	return ""
}

// ask asks the gate and waits no longer than its time-out, also for a gate
// that does not look at its context.
func (g evalGate) ask(ctx context.Context, in Invocation) (GateAnswer, error) {
	if g.gate == nil {
		return GateAnswer{}, errNoGate
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	type reply struct {
		answer GateAnswer
		err    error
	}
	done := make(chan reply, 1)
	defer turns.Outside(ctx)()
	go func() {
		answer, err := g.gate.Ask(ctx, in)
		done <- reply{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return GateAnswer{}, fmt.Errorf("it did not answer within %s", g.timeout)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return GateAnswer{}, fmt.Errorf("it did not answer within %s", g.timeout)
	}
}
