package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/turns"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// MaxOutput is the largest result, in bytes.
const MaxOutput = 4 << 20

// pass asks the eval gate about a recorded call, whose outcome it records when the
// gate refuses.
func (g *Gateway) pass(ctx context.Context, p *prepared) (*Admitted, error) {
	in := Invocation{
		Call: p.call.ID, Caller: p.call.Caller, Tool: p.tool, Args: p.args, At: p.call.At, Said: p.said, Tier: p.tier, Nth: p.call.Nth,
	}
	warning, err := g.gate.pass(ctx, in, p.tier)
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

// perform runs an admitted call at its provider, and records its outcome.
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

// providers run the calls, by the type of the tool's provider.
type providers struct {
	byType  map[registry.ProviderType]Provider
	limit   time.Duration // of a call
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
		return Output{}, &Error{Code: CodeNotConnected, Message: notConnected(in.Tool, kind), NotRun: true}
	}
	limited, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	back := func() {}
	if kind != registry.ProviderBuiltin {
		back = turns.Outside(ctx)
	}
	output, err := provider.Run(limited, in)
	back()
	var known *Error
	switch {
	case err == nil:
		if err := checkOutput(in.Tool, output.Object); err != nil {
			return Output{}, err
		}
		if err := p.schemas.conforms(in.Tool, output.Structured); err != nil {
			return Output{}, err
		}
		return output, nil
	case errors.As(err, &known):
		return Output{}, err
	case ctx.Err() != nil:
		return Output{}, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return Output{}, &Error{Code: CodeTimeout, Message: fmt.Sprintf("%s did not answer within %s.", in.Tool.Subject, p.limit)}
	}
	return Output{}, &Error{Code: CodeProvider, Message: fmt.Sprintf("%s failed: %s.", in.Tool.Subject, jsondoc.Printable(err.Error()))}
}

func notConnected(tool registry.Live, kind registry.ProviderType) string {
	if kind == "" {
		return fmt.Sprintf("%s names no provider, so there is nothing to run it; a proposal can give it one.", tool.Subject)
	}
	return fmt.Sprintf("%s runs at a provider of type %s, and none is connected here.", tool.Subject, kind)
}

// checkOutput refuses a result that is not an object, not text, or too large.
func checkOutput(tool registry.Live, output json.RawMessage) error {
	switch {
	case len(output) > MaxOutput:
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("%s answered with %d bytes; the limit is %d.", tool.Subject, len(output), MaxOutput)}
	case !bytes.HasPrefix(bytes.TrimSpace(output), []byte("{")) || !json.Valid(output):
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("the answer of %s is not a JSON object.", tool.Subject)}
	case !utf8.Valid(output):
		return &Error{Code: CodeProvider, Message: fmt.Sprintf("the answer of %s is not valid UTF-8.", tool.Subject)}
	}
	return nil
}

// conclude records the outcome of a call, even when the caller went away. An error
// of recording does not change the outcome.
func (g *Gateway) conclude(ctx context.Context, p *prepared, o Outcome, failed error) {
	o.At = g.stamp()
	write := g.ledger.Log
	if p.call.Pending != "" {
		write = g.ledger.Durable
	}
	ctx = context.WithoutCancel(ctx)
	err := write(ctx, func(tx LedgerTx) error {
		if err := g.tellChange(ctx, tx, p, failed, o.At); err != nil {
			return err
		}
		return tx.AddOutcome(ctx, p.call.ID, o)
	})
	if err != nil {
		g.unlogged(p, "The outcome could not be recorded", err)
	}
}

// tellChange tells in the audit log that a call failed because its tool is not what
// was approved.
func (g *Gateway) tellChange(ctx context.Context, tx LedgerTx, p *prepared, failed error, at time.Time) error {
	var e *Error
	if !errors.As(failed, &e) || e.Code != CodeChanged {
		return nil
	}
	return tx.AddChange(ctx, Change{ID: g.newID(), Tool: p.tool.Subject, Version: p.tool.Version, Details: e.Details, By: p.call.Caller.Actor, At: at})
}

// changed returns the refusal of a tool that is not the approved one any more, nil
// when it is or nobody can tell now: every call is checked again when it runs.
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
	defer turns.Outside(ctx)()
	if err := checker.Check(limited, tool); errors.Is(err, CodeChanged) {
		return err
	}
	return nil
}

// maxNoted limits how much of a provider's message the audit keeps, in characters.
const maxNoted = 500

// outcomeOf returns the audit record of a provider's answer: hash, size, and
// message of the output, or the message of the error.
func outcomeOf(output Output, failed error) Outcome {
	var o Outcome
	var e *Error
	switch {
	case errors.Is(failed, context.Canceled), errors.Is(failed, context.DeadlineExceeded):
		o.Code = CodeCanceled
		return o
	case failed != nil:
		o.Code = codeOf(failed)
		o.Message = plaintext.Clip(visible.Line(failed.Error()), maxNoted)
		if errors.As(failed, &e) {
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

// failure returns the record of a pending call that failed when it ran.
func failure(err error) json.RawMessage {
	doc := struct {
		Code    Code            `json:"code"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details,omitempty"`
		Request string          `json:"approval_request_id,omitempty"`
		Answer  json.RawMessage `json:"answer,omitempty"`
	}{Code: codeOf(err), Message: err.Error()}
	var e *Error
	if errors.As(err, &e) {
		doc.Details, doc.Request, doc.Answer = e.Details, e.ApprovalRequest, e.Answer
	}
	b, marshalErr := json.Marshal(doc)
	if marshalErr != nil {
		return nil // the details of a provider that are no JSON: the code is in the row
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// Caller is on whose behalf something is looked up or called.
type Caller struct {
	Actor    proposals.Actor  // who calls, as the audit has it
	Agent    string           // whose tools may be called: an id in the view of Layer, or a subject
	Layer    registry.Layer   // the view
	Where    registry.Context // where the agent works
	User     string           // whose data and whose limits
	Customer string           // whose hub; "" for none
	// Server is the MCP server behind a guard: its approved tools can be called, by the
	// names that they have there. "" for an agent's tools.
	Server string `json:",omitempty"`
}

// Guarded returns the caller for calls behind the guard of a server, which have no
// agent profile.
func (c Caller) Guarded(server string) Caller {
	c.Server, c.Agent = server, GuardPrefix+server
	return c
}

// GuardPrefix begins what stands for the agent in calls behind a guard.
const GuardPrefix = "guard:"

func (c Caller) guarded() bool { return c.Server != "" }

// Request is one call as it came in.
type Request struct {
	Tool string          // id, alias or wire name
	Args json.RawMessage // an object; nil for an empty one
	Said CallContext     // by the caller
	// Command is the command or the URL of the server behind a guard, for the log.
	Command string
	// Decline returns why the caller does not run a tool with this approved definition
	// whatever the gates say, such as another definition on its server; nil if it does.
	// It is asked about the definition in force in the transaction that logs the call.
	// A nil Decline declines nothing.
	Decline func(registry.Live) *Error
}

// Invocation is a call on its way to the provider: every gate let it pass.
type Invocation struct {
	Call   string // UUIDv7
	Caller Caller
	Tool   registry.Live   // the approved definition that is in force
	Args   json.RawMessage // an object that fits the tool's input schema
	At     time.Time
	Said   CallContext           // by the caller: nobody checked it
	Tier   registry.ApprovalTier // that applied to the call
	Nth    int                   // of the user's day
}

// Provider runs tools of one provider type.
type Provider interface {
	// Run runs a call. The error is an *Error if the provider has a code for it; any
	// other error becomes CodeProvider. Run stops when ctx ends.
	Run(ctx context.Context, in Invocation) (Output, error)
}

// Checker is a Provider that can check whether a tool is still the approved one.
type Checker interface {
	// Check returns an *Error with CodeChanged when it is not. It calls nothing.
	Check(ctx context.Context, tool registry.Live) error
}

// Output is the answer of a provider. It is untrusted: the gateway looks at
// it before anybody else does.
type Output struct {
	Object json.RawMessage // the result, an object of at most MaxOutput bytes
	// Structured is the part of it that the tool's output schema describes;
	// nil when there is none.
	Structured json.RawMessage
	// Answer is an object with the other fields of the provider's answer; nil for
	// none.
	Answer json.RawMessage
}

// Result is the result of a call. Call, Tool, Version, At and Duration are the
// gateway's own, whatever the provider says of itself.
type Result struct {
	Call     string // UUIDv7
	Tool     registry.Subject
	Version  int
	Output   json.RawMessage // an object
	Answer   json.RawMessage // an object: what else the provider answered with; nil for nothing
	Warnings []string        // such as an eval gate that did not answer
	At       time.Time
	Duration time.Duration // of the provider
}

// Unreached returns in a few words why something at an address did not answer,
// without the address, which agents must not learn. sure reports that the request
// did not get there, so that nothing of it was done.
func Unreached(err error) (why string, sure bool) {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	dialing := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
	switch {
	case errors.As(err, &name):
		return "its name cannot be resolved", true
	case errors.As(err, &certificate):
		return "its certificate is not accepted", true
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused", dialing
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time", dialing
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection broke off", dialing
	}
	return "the connection failed", dialing
}
