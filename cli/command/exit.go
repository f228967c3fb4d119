// This file maps errors to exit codes and documents.

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/bundle"
	"toolcrib/review/proof"
	"toolcrib/signing/checkpoint"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
	"toolcrib/store"
	"toolcrib/store/transfer"
)

// Failure is the JSON document that describes an error.
type Failure struct {
	output.Head
	Code     string              `json:"code"`
	Message  string              `json:"message"`
	Problems []output.DocProblem `json:"problems,omitempty"`
	// Pending and Details are set for calls that a gate refused or that failed.
	Pending string          `json:"pending,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	// ApprovalRequest is set if the provider itself requires an approval. It is the provider's id for this approval.
	// Answer contains the other fields of the provider's response.
	ApprovalRequest string          `json:"approval_request_id,omitempty"`
	Answer          json.RawMessage `json:"answer,omitempty"`
}

// Exit codes. They have the same meaning for all commands.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitConflict    = 4
	ExitRefused     = 5
	ExitFindings    = 6
	exitInterrupted = 130
)

// outcome contains the JSON code and the exit code for errors that match target.
type outcome struct {
	target error
	Code   string // code in the JSON document
	exit   int
}

// outcomes maps errors to outcomes. For an error that matches several entries, the first of these entries applies. The
// last entry matches all errors.
var outcomes = []outcome{
	// Errors about the command line, and refused requests.
	{context.Canceled, "interrupted", exitInterrupted},
	{process.ErrUsage, "usage", ExitUsage},
	{registry.ErrSubject, "usage", ExitUsage},
	{proposals.ErrActor, "usage", ExitUsage},
	{filter.ErrSyntax, "filter", ExitUsage},
	{review.ErrAmbiguous, "ambiguous", ExitUsage},
	{review.ErrNoReason, "reason_missing", ExitUsage},
	{review.ErrText, "text", ExitUsage},
	{review.ErrOpinion, "opinion", ExitUsage},
	{proposals.ErrNotFound, "not_found", ExitNotFound},
	{ErrNoContent, "not_found", ExitNotFound},
	{store.ErrNoDatabase, "no_database", ExitNotFound},
	{proposals.ErrAuthority, "not_allowed", ExitRefused},
	{review.ErrLocked, "locked", ExitRefused},
	{review.ErrBlocked, "blocked", ExitRefused},
	{review.ErrUnlisted, "unknown_allow_list", ExitRefused},
	{proposals.ErrFourEyes, "four_eyes", ExitRefused},
	{proposals.ErrApprovals, "approvals_missing", ExitRefused},
	{review.ErrLimit, "limit", ExitRefused},
	{review.ErrPace, "pace", ExitRefused},
	{review.ErrRepeated, "rejected_before", ExitRefused},
	{review.ErrChangeSet, "change_set", ExitRefused},
	{review.ErrNotWaivable, "not_waivable", ExitRefused},
	{review.ErrNotWaived, "not_waived", ExitRefused},
	{review.ErrUnseen, "unseen", ExitRefused},
	{review.ErrNoExpect, "expect_missing", ExitRefused},
	{proof.ErrUnsigned, "signature_missing", ExitRefused},
	{review.ErrDigest, "digest_differs", ExitConflict},
	{transfer.ErrOther, "other_content", ExitConflict},
	{review.ErrStale, "stale", ExitConflict},
	{proposals.ErrUnchanged, "unchanged", ExitConflict},
	{proposals.ErrNotStale, "unchanged", ExitConflict},
	{review.ErrMerge, "merge_conflict", ExitConflict},
	{review.ErrReadOnly, "read_only", ExitFailed},
	{proposals.ErrConflict, "conflict", ExitConflict},

	// Errors about signatures, keys, documents, and the database.
	{proof.ErrSignature, "signature", ExitRefused},
	{proof.ErrSigners, "signers", ExitRefused},
	{signers.ErrNoFile, "no_signers", ExitNotFound},
	{signers.ErrFile, "signers", ExitRefused},
	{sshsig.ErrKey, "key", ExitRefused},
	{keys.ErrNoKey, "no_key", ExitRefused},
	{keys.ErrRefused, "key_refused", ExitRefused},
	{statement.ErrMalformed, "malformed", ExitFailed},
	{bundle.ErrMalformed, "malformed", ExitFailed},
	{proposals.ErrState, "state", ExitConflict},
	{settings.ErrUntrusted, "untrusted", ExitRefused},
	{ErrRemote, "not_offered", ExitRefused},
	{settings.ErrNoTrust, "not_found", ExitNotFound},
	{checkpoints.ErrNoKey, "not_found", ExitNotFound},
	{checkpoint.ErrUnsigned, "unsigned", ExitRefused},
	{checkpoints.ErrNotExtended, "not_extended", ExitFindings},
	{checkpoint.ErrMalformed, "malformed", ExitFailed},
	{process.ErrNoHome, "no_home", ExitFailed},
	{output.ErrMalformed, "malformed", ExitFailed},
	{review.ErrIncomplete, "incomplete", ExitFailed},
	{review.ErrExcess, "excess", ExitFailed},
	{proposals.ErrTampered, "tampered", ExitFailed},
	{registry.ErrNoTools, "no_tools", ExitFailed},
	{registry.ErrUnknownList, "unknown_allow_list", ExitFailed},
	{store.ErrNewer, "newer_database", ExitFailed},
	{store.ErrNumbering, "unknown_schema", ExitFailed},
	{store.ErrGone, "database_gone", ExitFailed},
	{store.ErrForeign, "foreign_database", ExitFailed},
	{store.ErrDamaged, "damaged", ExitFailed},
	{store.ErrBusy, "busy", ExitFailed},
	{store.ErrLost, "no_connection", ExitFailed},
	{gateway.ErrContradiction, "contradiction", ExitFailed},
	{nil, "failed", ExitFailed},
}

// OutcomeOf returns the outcome for err. If err is a gateway.Error with a code, this code determines the outcome.
func OutcomeOf(err error) outcome {
	if refused, ok := errors.AsType[*gateway.Error](err); ok && refused.Code != "" {
		o := outcome{Code: string(refused.Code), exit: ExitRefused}
		switch refused.Code {
		case gateway.CodeUnknown:
			o.exit = ExitNotFound
		case gateway.CodeAmbiguous:
			o.exit = ExitUsage
		case gateway.CodeApprovalExpired, gateway.CodeApprovalOutdated:
			o.exit = ExitConflict
		case gateway.CodeNotAllowed, gateway.CodeNotCallable, gateway.CodeApprovalRequired, gateway.CodeApprovalRefused, gateway.CodePendingFull,
			gateway.CodeCooldown, gateway.CodeDailyLimit, gateway.CodeGateRefused, gateway.CodeGateUnavailable, gateway.CodeChanged, gateway.CodeProviderApproval:
		default: // the call is invalid, or the provider failed
			o.exit = ExitFailed
		}
		return o
	}
	var o outcome
	for _, o = range outcomes {
		if errors.Is(err, o.target) {
			break
		}
	}
	return o
}

// Report prints err to standard error, as JSON if asJSON is set, and returns the exit code for err. It prints nothing
// if err is nil or only specifies an exit code.
func Report(env process.Env, asJSON bool, err error) int {
	switch {
	case err == nil, errors.Is(err, process.ErrPrinted):
		return ExitOK
	case errors.Is(err, process.ErrFindings):
		return ExitFindings
	}
	if child, ok := errors.AsType[process.ExitStatus](err); ok {
		return int(child)
	}
	o := OutcomeOf(err)
	refused, ofCall := errors.AsType[*gateway.Error](err)
	if !asJSON {
		fmt.Fprintf(env.Err, "toolcrib: %s\n", visible.Text(output.IndentRest(output.Sentence(err))))
		if ofCall && refused.Code == gateway.CodeApprovalRequired {
			fmt.Fprintf(env.Err, "toolcrib: Review the call with `toolcrib calls show %s`.\n", visible.Line(refused.Pending))
		}
		return o.exit
	}
	doc := Failure{Head: output.NewHead("error"), Code: o.Code, Message: output.Sentence(err), Problems: output.ProblemsOf(err)}
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

// ErrNoContent indicates that a subject has no definition.
var ErrNoContent = errors.New("no definition")
