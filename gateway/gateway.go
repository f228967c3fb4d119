// This file defines the gateway, its configuration, and its error codes.

package gateway

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"toolcrib/prompt/toolcall"
	"toolcrib/registry"
	"toolcrib/review/proof"
)

// Config configures a gateway.
type Config struct {
	Ledger    Ledger
	Index     Index // nil disables search
	Providers map[registry.ProviderType]Provider

	Gate        Gate          // eval gate; nil for none
	GateTimeout time.Duration // 0 means DefaultGateTimeout
	GateClosed  bool          // refuse calls if the eval gate does not respond

	PendingFor time.Duration // time after which a pending call expires; 0 means DefaultPendingFor
	MaxPending int           // maximum number of waiting calls for each agent and user; 0 means DefaultMaxPending
	MaxRefused int           // maximum number of refused calls that are logged per hour for each agent and user; further refused calls are only counted; 0 means DefaultMaxRefused
	NoHints    bool          // do not log the annotations of called tools
	RunFor     time.Duration // time limit of a provider; 0 means DefaultRunFor

	Signatures proof.Policy // policy for signatures of the user's answers and tiers

	Now   func() time.Time
	NewID func() string // returns a new UUIDv7
	Warn  func(string)  // called with warnings about calls that ran despite a problem; may be nil
}

// Defaults of a Config.
const (
	DefaultGateTimeout = 2 * time.Second
	DefaultPendingFor  = 24 * time.Hour
	DefaultMaxPending  = 50
	DefaultMaxRefused  = 10_000
	DefaultRunFor      = time.Minute
)

// Gateway finds and runs tools for agents. It is safe for concurrent use.
type Gateway struct {
	ledger    Ledger
	index     Index
	providers providers
	gate      evalGate

	pendingFor time.Duration
	maxPending int
	maxRefused int
	logWithin  time.Duration                              // time limit for logging a guarded call; a call that exceeds the limit is refused
	hints      func(*registry.Tool) *registry.Annotations // annotations that are logged with a call
	signing    proof.Signing

	now   func() time.Time
	newID func() string
	warn  func(string)

	late     lateOutcomes
	refusals sync.WaitGroup // counts running recordRefused goroutines

	toolsets toolsets
	schemas  *schemas
}

// New returns a gateway.
func New(c Config) (*Gateway, error) {
	if c.Ledger == nil || c.Now == nil || c.NewID == nil {
		return nil, errors.New("a gateway needs a ledger, a clock and a source of ids")
	}
	g := &Gateway{
		ledger: c.Ledger, index: c.Index, schemas: &schemas{}, hints: hintsOf,
		gate:       evalGate{c.Gate, positive(c.GateTimeout, DefaultGateTimeout), c.GateClosed},
		pendingFor: positive(c.PendingFor, DefaultPendingFor),
		maxPending: positive(c.MaxPending, DefaultMaxPending), maxRefused: positive(c.MaxRefused, DefaultMaxRefused),
		logWithin: 3 * time.Second,
		signing:   proof.NewSigning(proof.NewTrust(c.Signatures, nil), c.Now, c.NewID), now: c.Now, newID: c.NewID, warn: c.Warn,
	}
	if g.warn == nil {
		g.warn = func(string) {}
	}
	if c.NoHints {
		g.hints = func(*registry.Tool) *registry.Annotations { return nil }
	}
	g.toolsets.ledger, g.toolsets.warn = g.ledger, g.warn
	g.providers = providers{maps.Clone(c.Providers), positive(c.RunFor, DefaultRunFor), g.schemas}
	return g, nil
}

func positive[T time.Duration | int](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// stamp returns the current time, truncated to microseconds, which is the resolution of stored times.
func (g *Gateway) stamp() time.Time { return g.now().UTC().Truncate(time.Microsecond) }

// NoticeKind is the kind of a Notice.
type NoticeKind string

// Kinds of notices.
const (
	NoticeApproval     NoticeKind = "approval"     // a version has gone live
	NoticeDeactivation NoticeKind = "deactivation" // a version that deactivates its subject has gone live
	NoticePending      NoticeKind = "pending_call" // a call waits for the user
	NoticeAnswer       NoticeKind = "call_answer"  // the user has answered a pending call
)

// Notice describes an event in the audit log to running applications.
type Notice struct {
	Seq     int64 // number of the event in the audit log
	At      time.Time
	Kind    NoticeKind
	Subject registry.Subject // subject that changed, or the tool of the call
	Version int

	ContentHash string // content hash of the live version; "" for calls
	Pending     string // id of the pending call, or ""
	Caller      Caller // caller of the pending call; zero for versions
	Approved    bool   // the user approved the call; only with NoticeAnswer
}

// cache stores values that are expensive to compute. A full cache evicts a random value before it stores another value.
// The zero value of a cache is empty and ready to use.
type cache[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	return v, ok
}

func (c *cache[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[K]V{}
	}
	if _, ok := c.values[key]; !ok && len(c.values) >= 256 {
		for other := range c.values {
			delete(c.values, other)
			break
		}
	}
	c.values[key] = v
}

// Code identifies the reason why a call was refused or failed. Codes are stable, because programs rely on them. Hubs
// and upstream servers define additional codes.
//
// A Code is an error. For example, errors.Is(err, CodeCooldown) reports whether err has the code CodeCooldown.
type Code string

// Codes of the gateway, in the order of the gates.
const (
	CodeFormat           Code = "tool_call_invalid_format"     // the model's answer is not a JSON object in the form of a call
	CodeMultiple         Code = "tool_call_multiple"           // the model's answer consists of several objects
	CodeNonce            Code = "tool_call_nonce_invalid"      // the nonce in the call is not the nonce of the turn
	CodeUnknown          Code = "tool_call_unknown_tool"       // no active tool has the name
	CodeAmbiguous        Code = "tool_ambiguous"               // several tools have the wire name
	CodeNotAllowed       Code = "tool_not_allowed"             // the agent does not have the tool
	CodeNotCallable      Code = "tool_not_callable"            // the tool is a prompt tool, which cannot be run
	CodeArguments        Code = "tool_call_invalid_args"       // the arguments do not conform to the schema
	CodeApprovalRequired Code = "approval_required"            // the call waits for user approval as a pending call
	CodeApprovalRefused  Code = "approval_refused"             // the user refused the call
	CodeApprovalExpired  Code = "approval_expired"             // the call expired without an answer
	CodeApprovalOutdated Code = "approval_outdated"            // the definition changed before the answer
	CodePendingFull      Code = "too_many_pending"             // too many calls are already waiting for the user
	CodeCooldown         Code = "cooldown_active"              // the cooldown after the previous call is not over
	CodeDailyLimit       Code = "daily_limit_reached"          // the user has made the maximum number of calls on this day (UTC)
	CodeGateRefused      Code = "gate_refused"                 // the eval gate refused the call
	CodeGateUnavailable  Code = "gate_unavailable"             // the eval gate did not respond, and the call must not run without its approval
	CodeChanged          Code = "definition_changed"           // the upstream definition differs from the approved definition
	CodeNotConnected     Code = "INTEGRATION_NOT_CONNECTED"    // no provider is configured for the tool
	CodeTimeout          Code = "provider_timeout"             // the provider did not respond in time
	CodeResult           Code = "tool_result_invalid"          // the result does not conform to the approved output schema
	CodeProviderApproval Code = "provider_approval_required"   // the provider requires an additional approval
	CodeUnavailable      Code = "provider_unavailable"         // the provider cannot be reached, or requests a later retry
	CodeCredentials      Code = "provider_credentials_refused" // the provider refused the credentials; the user must connect it again
	CodeProvider         Code = "provider_failed"              // the provider reported an error without a code, or its response is invalid
	CodeCanceled         Code = "canceled"                     // the caller disconnected during the call
	CodeInterrupted      Code = "interrupted"                  // toolcrib exited during the call; the call may have run and is not repeated
)

// Error returns the code.
func (c Code) Error() string { return string(c) }

// Error is the error of a call that was refused or failed. Message is for the agent and contains the reason and the
// remedy.
type Error struct {
	Code    Code
	Message string
	Details json.RawMessage // additional information for the agent, as JSON; nil for none
	Pending string          // id of the pending call; "" if there is none

	// With CodeProviderApproval, ApprovalRequest is the id of the approval at the provider. It is "" if the provider
	// did not return an id.
	ApprovalRequest string
	Answer          json.RawMessage // an object with the fields of the provider's answer that are not in the fields above, or nil
	// NotRun is true if the call certainly did not run. Such a call does not count against the daily limit.
	NotRun bool
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// Is reports whether target is an error of package toolcall with the code of e.
func (e *Error) Is(target error) bool {
	code := toolcall.Code(target)
	return code != "" && Code(code) == e.Code
}

// Foreign reports whether a provider may return the code c. c must have the form of a code and must not be reserved for
// the gateway.
func (c Code) Foreign() bool {
	switch c {
	case CodeUnknown, CodeAmbiguous, CodeNotAllowed, CodeNotCallable, CodeApprovalRequired, CodeApprovalRefused, CodeApprovalExpired,
		CodeApprovalOutdated, CodePendingFull, CodeCooldown, CodeDailyLimit, CodeGateRefused, CodeGateUnavailable, CodeChanged, CodeResult, CodeProviderApproval,
		CodeCanceled, CodeInterrupted, CodeOK:
		return false
	default: // codes that are not reserved
	}
	return c != "" && len(c) <= 64 && !strings.ContainsFunc(string(c), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	})
}
