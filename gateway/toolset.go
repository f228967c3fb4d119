// This file finds and describes the tools of an agent, compiles their schemas, and queries the eval gate.

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

	"toolcrib/internal/lists"
	"toolcrib/internal/plaintext"
	"toolcrib/internal/semaphore"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/registry/shipped"
	"toolcrib/review/impact"
)

// toolsetKey identifies a toolset.
type toolsetKey struct {
	agent  string
	server string // name of the guarded server; "" for the tools of an agent
	layer  registry.Layer
	where  registry.Context
}

// toolset contains the tools of an agent or of a guarded server in a state of the registry.
type toolset struct {
	key     toolsetKey
	state   int64
	hash    string // hash over the content hashes of all entries, for the search index
	allowed map[registry.Subject]registry.Choice
	entries []registry.Entry // in catalog order
	missing error            // reason why the agent does not have any tools, or nil
	spoken  []GuardedTool    // approved prompts and instructions of a guarded server
	profile registry.Live    // profile of the agent; zero if the agent does not exist
	names   cache[string, registry.Entry]

	tagsOnce sync.Once
	tagged   map[string][]tag // by prefix
}

func keyOf(c Caller) toolsetKey {
	where := c.Where
	where.IncludeDeferred = true // deferred tools can still be found and called
	return toolsetKey{agent: c.Agent, server: c.Server, layer: c.Layer, where: where}
}

// toolsets caches the toolset of each caller in the newest known state of the registry.
type toolsets struct {
	ledger Ledger
	warn   func(string)
	cache  cache[toolsetKey, *toolset]
}

// of returns the current toolset of c. A transaction that uses the toolset must pass it to current, because the
// registry may have changed in the meantime.
func (t *toolsets) of(ctx context.Context, c Caller) (*toolset, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	return view(ctx, t.ledger, func(r LedgerReader) (*toolset, error) {
		return t.current(ctx, r, &toolset{key: keyOf(c), state: -1})
	})
}

// current returns the toolset with the key of previous in the state of the registry that r reads. If the registry has
// not changed since previous was resolved, current returns previous.
func (t *toolsets) current(ctx context.Context, r impact.ToolReader, previous *toolset) (*toolset, error) {
	state, err := r.State(ctx)
	if err != nil || state == previous.state {
		return previous, err
	}
	if set, ok := t.cache.get(previous.key); ok && set.state == state {
		return set, nil
	}
	set, err := t.resolve(ctx, r, previous.key, state)
	if err == nil {
		t.cache.put(previous.key, set)
	}
	return set, err
}

func (t *toolsets) resolve(ctx context.Context, r impact.ToolReader, key toolsetKey, state int64) (*toolset, error) {
	if key.server != "" {
		return guardedToolset(ctx, r, key, state)
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
		t.warn(w + "; the entry is skipped")
	}
	set.hash = registry.HashBytes([]byte(content.String()))
	return set, nil
}

// lookup returns the current toolset of c, and the tool with the given name in this toolset. It returns the same errors
// as find.
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

// find returns the tool with the given name: an id, an alias, or a wire name. It returns an *Error if the name is
// unknown or ambiguous, or if the agent does not have the tool. Any other error indicates that the lookup failed.
func (s *toolset) find(ctx context.Context, r impact.ToolReader, name string) (registry.Entry, error) {
	if e, ok := s.names.get(name); ok {
		return e, nil
	}
	if s.key.server != "" { // guarded tools can only be called by their names on the server
		for _, e := range s.entries {
			if e.Definition.Tool.OriginName() == name {
				s.names.put(name, e)
				return e, nil
			}
		}
		return registry.Entry{}, &Error{Code: CodeUnknown, NotRun: true, Message: fmt.Sprintf(
			"%s is not an approved tool of the server %s. toolcrib status shows the user the waiting proposals and how to review them", jsondoc.Quote(name), s.key.server)}
	}
	if name == "" || len(name) > 128 || // the longest tool name that any client permits
		plaintext.Problem(name) != "" {
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

// nearest returns the elements of entries with the given wire name, or all entries if no element has this wire name.
// Wire names therefore have precedence over upstream names.
func nearest(wireName string, entries []registry.Entry) []registry.Entry {
	own := slices.DeleteFunc(slices.Clone(entries), func(e registry.Entry) bool { return e.Definition.Tool.WireName() != wireName })
	if len(own) > 0 {
		return own
	}
	return entries
}

func unknown(name string) error {
	message := fmt.Sprintf("No active tool is called %s", jsondoc.Quote(name))
	switch successor, retired := shipped.Retired(name); {
	case retired && successor != "":
		message += fmt.Sprintf("; this name is retired, and the successor of the tool is %s", successor)
	case retired:
		message += "; this name is retired, and the tool has no successor"
	default:
		message += "; search for another tool"
	}
	return &Error{Code: CodeUnknown, Message: message + "."}
}

// deactivated returns the error for a lookup of the inactive tool e by the given name.
func deactivated(name string, e registry.Entry) error {
	if e.Refused != nil {
		return &Error{Code: CodeUnknown, Message: fmt.Sprintf("%s is not in use: %s.", jsondoc.Quote(name), jsondoc.Printable(e.Refused.Error()))}
	}
	message := fmt.Sprintf("%s is deactivated in version %d of %s", jsondoc.Quote(name), e.Version, e.Subject)
	if successor, _ := shipped.Retired(name); successor != "" {
		message += "; the successor of the tool is " + successor
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
	shown := s.entries[:min(len(s.entries), 20)]
	available := lists.Map(shown, func(e registry.Entry) string { return e.Definition.Tool.WireName() }) // the names that the agent's prompt contains
	message += "; the agent has " + strings.Join(available, ", ")
	if more := len(s.entries) - len(shown); more > 0 {
		message += fmt.Sprintf(" and %d more, which search_tools finds", more)
	}
	details, err := json.Marshal(map[string]any{"available": available})
	if err != nil {
		return err
	}
	return &Error{Code: CodeNotAllowed, Message: message + ". A proposal can change the agent's allow-list.", Details: details}
}

// ambiguous returns an error about a name that several tools have. The error lists the ids of these tools.
func ambiguous(name string, matches []registry.Entry) error {
	slices.SortFunc(matches, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	ids := lists.Map(matches, func(e registry.Entry) string { return e.Subject.ID })
	details, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return err
	}
	return &Error{
		Code:    CodeAmbiguous,
		Message: fmt.Sprintf("%d upstream tools are called %s: %s. Use one of these ids.", len(ids), jsondoc.Quote(name), strings.Join(ids, ", ")),
		Details: details,
	}
}

// Gate is the eval gate. It approves or refuses calls of tools with RequiresGate that have passed all earlier gates.
type Gate interface {
	// Ask returns the gate's decision on a call, and stops when ctx is done. An error indicates that the gate did not
	// make a decision.
	Ask(ctx context.Context, in Invocation) (GateAnswer, error)
}

// GateAnswer is the decision of the eval gate on a call.
type GateAnswer struct {
	Approved bool
	Reason   string
}

// evalGate is the eval gate, with the policy for calls without a decision of the gate.
type evalGate struct {
	gate    Gate // nil for none
	timeout time.Duration
	closed  bool // whether calls without a decision are refused
}

// check queries the eval gate if the tool requires the gate. It returns an error if the gate refuses the call. If the
// gate fails or exceeds the timeout, check returns an error for calls of destructive tools, for calls that required
// approval, and, if g.closed is true, for all calls. Any other call may run, and check returns a warning.
func (g evalGate) check(ctx context.Context, in Invocation, tier registry.ApprovalTier) (warning string, err error) {
	if !in.Tool.Definition.Tool.RequiresGate {
		return "", nil
	}
	answer, err := g.ask(ctx, in)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		problem := fmt.Sprintf("The eval gate did not make a decision on the call of %s (%s)", in.Tool.Subject, jsondoc.Printable(err.Error()))
		why := ""
		switch {
		case in.Tool.Definition.Tool.IsDestructive():
			why = "a destructive tool does not run without a decision"
		case tier == registry.RequiresApproval:
			why = "a tool that requires approval does not run without a decision"
		case g.closed:
			why = "the configuration requires a decision for every call"
		default:
			return problem + "; the call ran without the approval of the gate.", nil
		}
		return "", &Error{Code: CodeGateUnavailable, Message: fmt.Sprintf("%s, and %s; try again later.", problem, why), NotRun: true}
	case !answer.Approved:
		reason := cmp.Or(plaintext.Clip(visible.Line(answer.Reason), MaxReason), "no reason given")
		return "", &Error{Code: CodeGateRefused, Message: fmt.Sprintf("The eval gate refused the call of %s: %s.", in.Tool.Subject, reason)}
	}
	return "", nil
}

// ask calls g.gate.Ask. It returns an error after g.timeout, even if the gate ignores its context.
func (g evalGate) ask(ctx context.Context, in Invocation) (GateAnswer, error) {
	if g.gate == nil {
		return GateAnswer{}, errors.New("no eval gate is configured")
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	type reply struct {
		answer GateAnswer
		err    error
	}
	done := make(chan reply, 1)
	defer semaphore.Outside(ctx)()
	go func() {
		answer, err := g.gate.Ask(ctx, in)
		done <- reply{answer, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return GateAnswer{}, fmt.Errorf("the gate did not answer within %s", g.timeout)
		}
		return r.answer, r.err
	case <-ctx.Done():
		return GateAnswer{}, fmt.Errorf("the gate did not answer within %s", g.timeout)
	}
}

// Index ranks the texts of tools by their relevance to a query.
type Index interface {
	// Rank returns the indexes of at most limit texts that match the query, the best match first. key identifies the
	// list of texts that texts returns. Rank calls texts only if the list with this key is not indexed yet.
	Rank(ctx context.Context, key string, texts func() []Text, query string, limit int) ([]int, error)
}

// Text is the searchable text of a tool. The fields have different weights in a search.
type Text struct {
	Names string // wire name, id, aliases, and display name
	Short string // short description and category
	Long  string // rest of the description
}

// Hit is a search result.
type Hit struct {
	Tool     registry.Subject
	Wire     string // wire name, for calls
	Name     string // display name
	Kind     registry.ToolKind
	Category string
	Short    string // at most registry.MaxShortDescription characters
	Deferred bool   // whether the agent's prompt omits the tool
	Approval registry.ApprovalTier
}

// Limits of a search.
const (
	DefaultHits = 10
	MaxHits     = 100
)

// Search returns the tools of the caller's agent that match the query, the best match first. Deferred tools are
// included. If query is empty, Search returns all tools in the order of the catalog. It returns at most limit tools; 0
// means DefaultHits, and the maximum is MaxHits.
func (g *Gateway) Search(ctx context.Context, c Caller, query string, limit int) ([]Hit, error) {
	limit = min(max(cmp.Or(limit, DefaultHits), 1), MaxHits)
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return nil, err
	}
	if set.missing != nil {
		return nil, set.missing
	}
	order := make([]int, min(limit, len(set.entries)))
	for i := range order {
		order[i] = i
	}
	if query = plaintext.CutBytes(query, 1_000); query != "" {
		if g.index == nil {
			return nil, errors.New("this gateway has no search index")
		}
		order, err = g.index.Rank(ctx, set.hash, set.texts, query, limit)
		if err != nil {
			return nil, err
		}
		order = set.exactFirst(query, order, limit)
	}
	hits := make([]Hit, len(order))
	err = g.ledger.View(ctx, func(r LedgerReader) error {
		for i, at := range order {
			e := set.entries[at]
			tier, err := tierOf(ctx, r, c, e.Live)
			if err != nil {
				return err
			}
			t := e.Definition.Tool
			hits[i] = Hit{
				Tool: e.Subject, Wire: t.WireName(), Name: t.Name, Kind: t.Kind, Category: t.Category, Short: short(*t),
				Deferred: t.DeferLoading, Approval: tier,
			}
		}
		return nil
	})
	return hits, err
}

// short returns a single-line description of a tool, derived from the description or, if it is empty, from the usage
// notes.
func short(t registry.Tool) string {
	if s := t.Short(); s != "" {
		return s
	}
	return registry.Tool{Description: t.UsageNotes}.Short()
}

// texts returns the searchable texts of s.entries, in the same order.
func (s *toolset) texts() []Text {
	texts := make([]Text, len(s.entries))
	for i, e := range s.entries {
		t := e.Definition.Tool
		texts[i].Names = t.ID + "\n" + t.Name + "\n" + t.WireName()
		for _, alias := range t.Aliases {
			texts[i].Names += "\n" + alias
		}
		texts[i].Short = short(*t) + "\n" + t.Category
		texts[i].Long = t.Description + "\n" + t.UsageNotes + "\n" + t.Goals + "\n" + t.Archetype
	}
	return texts
}

// exactFirst returns at most limit indexes of s.entries: first the tools with a name that equals the query, and then
// the tools in order.
func (s *toolset) exactFirst(query string, order []int, limit int) []int {
	var exact []int
	for i, e := range s.entries {
		t := e.Definition.Tool
		if t.ID == query || t.WireName() == query || t.OriginName() == query || slices.Contains(t.Aliases, query) {
			exact = append(exact, i)
		}
	}
	exact = lists.Union(exact, order)
	return exact[:min(len(exact), limit)]
}

// Tools returns the profile of the caller's agent and the agent's tools in the order of the catalog. Deferred tools are
// included. If the agent does not exist or does not have any tools, the result is empty, and the error is nil.
func (g *Gateway) Tools(ctx context.Context, c Caller) (registry.Live, []registry.Entry, error) {
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return registry.Live{}, nil, err
	}
	return set.profile, slices.Clone(set.entries), nil
}

// Description is the result of Describe.
type Description struct {
	Tool     registry.Live
	Why      string // reason why the agent has the tool
	Approval registry.ApprovalTier
}

// Describe returns the complete definition of the tool with the given id, alias, or wire name. It returns an *Error if
// the tool does not exist, the name is ambiguous, or the caller's agent does not have the tool.
func (g *Gateway) Describe(ctx context.Context, c Caller, name string) (Description, error) {
	set, e, err := g.toolsets.lookup(ctx, c, name)
	if err != nil {
		return Description{}, err
	}
	tier, err := view(ctx, g.ledger, func(r LedgerReader) (registry.ApprovalTier, error) { return tierOf(ctx, r, c, e.Live) })
	return Description{Tool: e.Live, Why: set.allowed[e.Subject].Why(), Approval: tier}, err
}

// tierOf returns the approval tier that applies if c calls the given tool. If the tier of the tool is overridable, a
// guarded call requires approval only if the user has set the tier to requires_approval. Otherwise, the client is
// responsible for prompting its user.
func tierOf(ctx context.Context, r LedgerReader, c Caller, tool registry.Live) (registry.ApprovalTier, error) {
	t := tool.Definition.Tool
	if !t.Approval.Overridable() || t.NeedsConfirmation() {
		return t.EffectiveTier(""), nil
	}
	override, err := r.Override(ctx, c.User, tool.Subject)
	if err != nil {
		return "", err
	}
	if override == "" && c.isGuarded() {
		override = registry.AutoApprove
	}
	return t.EffectiveTier(override), nil
}

// toolSchemas contains the compiled schemas of a tool. Schemas that are missing in the definition are nil.
type toolSchemas struct {
	input, output *schemaguard.Schema
}

// schemas caches the compiled schemas of tools.
type schemas struct {
	cache cache[string, *toolSchemas] // keyed by content hash
}

// compiled returns the compiled schemas of a tool. If a schema cannot be compiled, it returns an *Error, because
// arguments or results cannot be validated without the schema.
func (c *schemas) compiled(tool registry.Live) (*toolSchemas, error) {
	if s, ok := c.cache.get(tool.ContentHash); ok {
		return s, nil
	}
	t, s := tool.Definition.Tool, &toolSchemas{}
	var err error
	if len(t.InputSchema) > 0 {
		if s.input, err = schemaguard.Compile(t.InputSchema); err != nil {
			return nil, &Error{Code: CodeArguments, Message: fmt.Sprintf("The input schema of %s cannot be used, so the tool cannot be called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	if len(t.OutputSchema) > 0 {
		if s.output, err = schemaguard.Compile(t.OutputSchema); err != nil {
			return nil, &Error{Code: CodeResult, Message: fmt.Sprintf("The output schema of %s cannot be used, so toolcrib could not validate a result; the tool was not called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	c.cache.put(tool.ContentHash, s)
	return s, nil
}

// conforms validates the structured part of a result against the tool's output schema. If the tool has an output
// schema, the structured part is required (Model Context Protocol, server/tools, "Output Schema"). For hubs and
// built-in tools, the structured part is the whole result.
func (c *schemas) conforms(tool registry.Live, structured json.RawMessage) error {
	s, err := c.compiled(tool)
	if err != nil || s.output == nil {
		return err
	}
	var wrong error = jsondoc.Problems{{Path: jsondoc.Root, Message: "the structured result that the schema requires is missing"}}
	if len(structured) > 0 {
		var n *jsondoc.Node
		n, wrong = jsondoc.Parse(structured, jsondoc.Limits{Bytes: MaxOutput, Depth: jsondoc.DefaultLimits.Depth})
		if wrong == nil {
			wrong = s.output.Validate(n)
		}
	}
	if wrong == nil {
		return nil
	}
	told, details, err := explain(wrong)
	if err != nil {
		return err
	}
	return &Error{
		Code:    CodeResult,
		Message: fmt.Sprintf("%s ran, but the result does not conform to the approved output schema and is withheld: %s. Do not repeat the call; the tool could act twice.", tool.Subject, told),
		Details: details,
	}
}

// Maximum sizes of the parts of an error about invalid arguments or an invalid result.
const (
	maxListed   = 5   // maximum number of problems in the message
	maxDetailed = 50  // maximum number of problems in the details
	maxQuoted   = 300 // maximum length of a path or a message, in characters
)

// ArgumentProblem is the JSON form of a problem of invalid arguments or of an invalid result, in Error.Details.
type ArgumentProblem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// explain describes the problems of an error. The message contains at most maxListed problems. The details contain at
// most maxDetailed problems, as JSON.
func explain(wrong error) (message string, details json.RawMessage, err error) {
	var ps jsondoc.Problems
	if !errors.As(wrong, &ps) {
		ps.Add(jsondoc.Root, "%s", jsondoc.Printable(wrong.Error()))
	}
	list := []ArgumentProblem{}
	for i, p := range ps[:min(len(ps), maxDetailed)] {
		p.Path, p.Message = plaintext.Clip(p.Path, maxQuoted), plaintext.Clip(p.Message, maxQuoted)
		list = append(list, ArgumentProblem{p.Path, p.Message})
		switch {
		case i == 0:
			message = p.String()
		case i < maxListed:
			message += "; " + p.String()
		case i == maxListed:
			message += fmt.Sprintf("; and %d more", len(ps)-maxListed)
		}
	}
	details, err = json.Marshal(map[string]any{"problems": list})
	return message, details, err
}
