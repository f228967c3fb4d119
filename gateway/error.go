package gateway

import (
	"encoding/json"

	"toolcrib/prompt/toolcall"
)

// Code explains why a call did not run or did not succeed. Codes are stable:
// programs rely on them. Hubs and upstream servers add their own.
//
// A Code is an error, so that errors.Is(err, CodeCooldown) asks for it.
type Code string

// The codes, in the order of the gates.
const (
	CodeFormat           Code = "tool_call_invalid_format"     // the answer is not one object of the call form
	CodeMultiple         Code = "tool_call_multiple"           // the answer is several objects
	CodeNonce            Code = "tool_call_nonce_invalid"      // the nonce is not that of the turn
	CodeUnknown          Code = "tool_call_unknown_tool"       // no active tool has that name
	CodeAmbiguous        Code = "tool_ambiguous"               // several tools go by that wire name; their ids tell them apart
	CodeNotAllowed       Code = "tool_not_allowed"             // the agent does not have it
	CodeNotCallable      Code = "tool_not_callable"            // a prompt tool: text, nothing to run
	CodeArguments        Code = "tool_call_invalid_args"       // the arguments do not fit the schema
	CodeApprovalRequired Code = "approval_required"            // it waits for user approval as a pending call
	CodeApprovalRefused  Code = "approval_refused"             // the user said no
	CodeApprovalExpired  Code = "approval_expired"             // nobody answered in time
	CodeApprovalOutdated Code = "approval_outdated"            // the definition changed before anybody answered
	CodePendingFull      Code = "too_many_pending"             // too many calls wait for the user already
	CodeCooldown         Code = "cooldown_active"              // too soon after the call before
	CodeDailyLimit       Code = "daily_limit_reached"          // no more today (UTC)
	CodeGateRefused      Code = "gate_refused"                 // the eval gate said no
	CodeGateUnavailable  Code = "gate_unavailable"             // the eval gate did not answer, and the call must not run without it
	CodeChanged          Code = "definition_changed"           // upstream differs from the approved definition
	CodeNotConnected     Code = "INTEGRATION_NOT_CONNECTED"    // nothing is configured that could run it
	CodeTimeout          Code = "provider_timeout"             // the provider did not answer in time
	CodeResult           Code = "tool_result_invalid"          // what the provider answered does not fit the approved output schema
	CodeProviderApproval Code = "provider_approval_required"   // the provider waits for an approval of its own before it runs the call
	CodeUnavailable      Code = "provider_unavailable"         // it cannot be reached, or asks to come back later
	CodeCredentials      Code = "provider_credentials_refused" // it does not accept the credentials; the user has to connect it again
	CodeProvider         Code = "provider_failed"              // the provider answered with an error that has no code, or not at all
	CodeCanceled         Code = "canceled"                     // the caller went away while it ran
	CodeInterrupted      Code = "interrupted"                  // the program ended while it ran: it may have run or not, and is not run again
)

// Error returns the code.
func (c Code) Error() string { return string(c) }

// Error is a call that was refused or failed. Its message is one sentence for the
// agent, with the reason and the remedy.
type Error struct {
	Code    Code
	Message string
	Details json.RawMessage // of a hub or server; nil for none
	Pending string          // the id of the pending call, with CodeApprovalRequired

	// ApprovalRequest is the provider's own id of its pending approval, with
	// CodeProviderApproval; "" when it gave none.
	ApprovalRequest string
	Answer          json.RawMessage // an object: what else the provider answered with; nil for nothing
	// NotRun reports that nothing was run: such a call gives its place of the day
	// back.
	NotRun bool
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// Is reports whether the protocol's own error has the same code, so that a
// call is refused in one vocabulary wherever it is read.
func (e *Error) Is(target error) bool {
	code := toolcall.Code(target)
	return code != "" && Code(code) == e.Code
}

// maxForeign is the longest code of a provider's own, in bytes.
const maxForeign = 64

// Foreign reports whether c may be the code of a provider: it has the form of a
// code and is none of the gateway's own.
func (c Code) Foreign() bool {
	switch c {
	case CodeUnknown, CodeAmbiguous, CodeNotAllowed, CodeNotCallable, CodeApprovalRequired, CodeApprovalRefused, CodeApprovalExpired,
		CodeApprovalOutdated, CodePendingFull, CodeCooldown, CodeDailyLimit, CodeGateRefused, CodeGateUnavailable, CodeChanged, CodeResult, CodeProviderApproval,
		CodeCanceled, CodeInterrupted, CodeOK:
		return false
	default: // the protocol's codes and those of providers may come from anywhere
	}
	if c == "" || len(c) > maxForeign {
		return false
	}
	for _, r := range c {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.' {
			return false
		}
	}
	return true
}
