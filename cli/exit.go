package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolcrib/cli/checkpoints"
	"toolcrib/gateway"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
	"toolcrib/store"
	"toolcrib/store/transfer"
)

// The exit codes. They mean the same for every command.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitConflict    = 4
	exitRefused     = 5
	exitFindings    = 6
	exitInterrupted = 130
)

// errUsage is wrapped by errors about the command line itself.
var errUsage = errors.New("usage")

// usagef returns an error about the command line.
func usagef(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), hide(errUsage))
}

// hide returns err without its words.
func hide(err error) error { return hidden{err} }

// hidden is an error that can be found but adds no words.
type hidden struct{ error }

func (hidden) Error() string   { return "" }
func (h hidden) Unwrap() error { return h.error }

// errFindings ends a command that did its work and found something. What it
// found is printed already.
var errFindings = errors.New("findings")

// exitStatus ends a command with the exit status of a program that it ran.
type exitStatus int

// Error names the status.
func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// outcome is how an error leaves the process.
type outcome struct {
	target error
	code   string // in JSON
	exit   int
}

// requestOutcomes translates errors about the command line and refused requests.
func requestOutcomes() []outcome {
	return []outcome{
		{context.Canceled, "interrupted", exitInterrupted},
		{errUsage, "usage", exitUsage},
		{registry.ErrSubject, "usage", exitUsage},
		{proposals.ErrActor, "usage", exitUsage},
		{filter.ErrSyntax, "filter", exitUsage},
		{review.ErrAmbiguous, "ambiguous", exitUsage},
		{review.ErrNoReason, "reason_missing", exitUsage},
		{review.ErrText, "text", exitUsage},
		{review.ErrOpinion, "opinion", exitUsage},
		{proposals.ErrNotFound, "not_found", exitNotFound},
		{errNoContent, "not_found", exitNotFound},
		{store.ErrNoDatabase, "no_database", exitNotFound},
		{proposals.ErrAuthority, "not_allowed", exitRefused},
		{review.ErrLocked, "locked", exitRefused},
		{review.ErrBlocked, "blocked", exitRefused},
		{proposals.ErrFourEyes, "four_eyes", exitRefused},
		{proposals.ErrApprovals, "approvals_missing", exitRefused},
		{review.ErrLimit, "limit", exitRefused},
		{review.ErrPace, "pace", exitRefused},
		{review.ErrRepeated, "rejected_before", exitRefused},
		{review.ErrChangeSet, "change_set", exitRefused},
		{review.ErrNotWaivable, "not_waivable", exitRefused},
		{review.ErrNotWaived, "not_waived", exitRefused},
		{review.ErrNoExpect, "expect_missing", exitRefused},
		{review.ErrUnsigned, "signature_missing", exitRefused},
		{review.ErrDigest, "digest_differs", exitConflict},
		{transfer.ErrOther, "other_content", exitConflict},
		{review.ErrStale, "stale", exitConflict},
		{proposals.ErrUnchanged, "unchanged", exitConflict},
		{proposals.ErrNotStale, "unchanged", exitConflict},
		{review.ErrMerge, "merge_conflict", exitConflict},
		{review.ErrReadOnly, "read_only", exitFailed},
		{proposals.ErrConflict, "conflict", exitConflict},
	}
}

// dataOutcomes translates all other errors, most of them about signatures, keys,
// documents, and the database.
func dataOutcomes() []outcome {
	return []outcome{
		{review.ErrSignature, "signature", exitRefused},
		{review.ErrSigners, "signers", exitRefused},
		{signers.ErrNoFile, "no_signers", exitNotFound},
		{signers.ErrFile, "signers", exitRefused},
		{sshsig.ErrKey, "key", exitRefused},
		{keys.ErrNoKey, "no_key", exitRefused},
		{keys.ErrRefused, "key_refused", exitRefused},
		{statement.ErrMalformed, "malformed", exitFailed},
		{bundle.ErrMalformed, "malformed", exitFailed},
		{proposals.ErrState, "state", exitConflict},
		{errUntrusted, "untrusted", exitRefused},
		{errRemote, "not_offered", exitRefused},
		{errNoTrust, "not_found", exitNotFound},
		{checkpoints.ErrNoKey, "not_found", exitNotFound},
		{checkpoint.ErrUnsigned, "unsigned", exitRefused},
		{checkpoints.ErrNotExtended, "not_extended", exitFindings},
		{checkpoint.ErrProof, "proof", exitFindings},
		{checkpoint.ErrMalformed, "malformed", exitFailed},
		{errNoHome, "no_home", exitFailed},
		{errMalformed, "malformed", exitFailed},
		{review.ErrIncomplete, "incomplete", exitFailed},
		{review.ErrExcess, "excess", exitFailed},
		{proposals.ErrTampered, "tampered", exitFailed},
		{registry.ErrNoTools, "no_tools", exitFailed},
		{registry.ErrUnknownList, "unknown_allow_list", exitFailed},
		{store.ErrNewer, "newer_database", exitFailed},
		{store.ErrNumbering, "unknown_schema", exitFailed},
		{store.ErrGone, "database_gone", exitFailed},
		{store.ErrForeign, "foreign_database", exitFailed},
		{store.ErrDamaged, "damaged", exitFailed},
		{store.ErrBusy, "busy", exitFailed},
		{store.ErrLost, "no_connection", exitFailed},
		{gateway.ErrContradiction, "contradiction", exitFailed},
		{nil, "failed", exitFailed},
	}
}

// callOutcome translates what a gate or a provider said of a call.
func callOutcome(e *gateway.Error) outcome {
	o := outcome{code: string(e.Code), exit: exitRefused}
	switch e.Code {
	case gateway.CodeUnknown:
		o.exit = exitNotFound
	case gateway.CodeAmbiguous:
		o.exit = exitUsage
	case gateway.CodeApprovalExpired, gateway.CodeApprovalOutdated:
		o.exit = exitConflict
	case gateway.CodeNotAllowed, gateway.CodeNotCallable, gateway.CodeApprovalRequired, gateway.CodeApprovalRefused, gateway.CodePendingFull,
		gateway.CodeCooldown, gateway.CodeDailyLimit, gateway.CodeGateRefused, gateway.CodeGateUnavailable, gateway.CodeChanged, gateway.CodeProviderApproval:
	default: // the form of the call, and whatever the provider says
		o.exit = exitFailed
	}
	return o
}

// outcomeOf returns the outcome of an error: the first whose target it is.
func outcomeOf(err error) outcome {
	var refused *gateway.Error
	if errors.As(err, &refused) && refused.Code != "" {
		return callOutcome(refused)
	}
	var o outcome
	for _, o = range slices.Concat(requestOutcomes(), dataOutcomes()) {
		if o.target != nil && errors.Is(err, o.target) {
			break
		}
	}
	return o
}

// report prints err the way the caller asked for and returns the exit code.
func report(env Env, asJSON bool, err error) int {
	switch {
	case err == nil, errors.Is(err, errPrinted):
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	}
	var child exitStatus
	if errors.As(err, &child) {
		return int(child)
	}
	o := outcomeOf(err)
	var refused *gateway.Error
	ofCall := errors.As(err, &refused)
	if !asJSON {
		fmt.Fprintf(env.Err, "toolcrib: %s\n", visible.Text(belongs(sentence(err))))
		if ofCall && refused.Code == gateway.CodeApprovalRequired {
			fmt.Fprintf(env.Err, "toolcrib: Review it with `toolcrib calls show %s`.\n", visible.Line(refused.Pending))
		}
		return o.exit
	}
	doc := docError{docHead: head("error"), Code: o.code, Message: sentence(err), Problems: problemsOf(err)}
	if ofCall {
		doc.Pending, doc.ApprovalRequest = refused.Pending, refused.ApprovalRequest
		if json.Valid(refused.Answer) {
			doc.Answer = refused.Answer
		}
		if json.Valid(refused.Details) {
			doc.Details = refused.Details
		}
	}
	b, jsonErr := json.Marshal(doc)
	if jsonErr != nil {
		panic(fmt.Sprintf("cli: an error does not marshal: %v", jsonErr))
	}
	fmt.Fprintf(env.Err, "%s\n", visible.JSON(b))
	return o.exit
}
