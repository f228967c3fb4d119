package guard

import (
	"context"
	"encoding/json"
	"time"

	"toolcrib/registry/wire"
)

// Crib is toolcrib as a guard needs it: what was approved, where changes are
// proposed, and the gates and the log of calls.
type Crib interface {
	// Approved returns the approved tools of the server. The error says, for the person
	// at the client, why nobody knows them; then nothing is listed and nothing called.
	Approved(ctx context.Context) (Approved, error)
	// Wait returns when something may have been approved in any process; seen is its
	// last result, 0 at first.
	Wait(ctx context.Context, seen int64) int64
	// Observe proposes what differs from the approved tools, and texts, in what the
	// server lists.
	Observe(ctx context.Context, l Listing) error
	// Admit takes a call through the gates and writes it down. It compares what the server
	// lists with the definition that is approved in the moment when it writes, which may be
	// newer than the last result of Approved. Another error than a *Refusal is a failure
	// to ask the gates.
	Admit(ctx context.Context, c Call) (Admitted, error)
}

// Approved are the approved tools of a server in one state of the registry.
type Approved struct {
	State int64
	Tools map[string]Tool // by their name on the server
	// Texts are the prompts and the instructions, by wire.PromptName and
	// wire.InstructionsName.
	Texts map[string]wire.ServerText
}

// Tool is an approved tool.
type Tool struct {
	Hash string          // of the canonical form of Raw
	Raw  json.RawMessage // exactly the approved JSON
}

// Listing is a complete list of the server's tools.
type Listing struct {
	Server       json.RawMessage // serverInfo as the server gave it; nil when it gave none
	Protocol     string          // the revision; "" when it is not known
	Capabilities json.RawMessage // that the client declares; nil when it declares none
	Tools        []json.RawMessage
	Texts        []json.RawMessage // of prompts and instructions; nil when they are not reviewed
}

// Call is a tools/call of the client.
type Call struct {
	Client string          // the client's name for itself; "" when it gave none
	Tool   string          // the server's name of it
	Args   json.RawMessage // nil for none
	// Listed is the hash of what the server lists under the name, "" for nothing or for
	// two tools of one name. The call passes only if the approved definition has it.
	Listed string
}

// Admitted is a call that is written down and may run.
type Admitted interface {
	// Conclude writes down the outcome, once.
	Conclude(o Outcome)
}

// Outcome is how a call ended.
type Outcome struct {
	End     End
	Took    time.Duration
	Hash    string // SHA-256 of the result; "" without one
	Bytes   int    // its size
	Message string // of the server about a failure
}

// End is how a call ended.
type End int

// The ends of a call.
const (
	Succeeded End = iota
	Failed        // by what the server answered
	Canceled      // by the client
	Lost          // the server ended before it answered
)

// Refusal is a call that a gate refused.
type Refusal struct {
	Code    string
	Message string // for the model and for the person at the client
	Pending string // the call that waits for the user; "" for none
	Unknown bool   // no approved tool has the name
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }
