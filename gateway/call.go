package gateway

import (
	"context"
	"encoding/json"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
)

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
	// Declined is why the caller does not run the tool whatever the gates say, such as a
	// changed definition; nil for nothing. The call is refused with it.
	Declined *Error
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
