package toolcall

import "errors"

// Errors of a call. Their texts are the codes of the protocol; the
// errors that wrap them describe the fault in words that are safe to show to
// people and to the model.
var (
	// ErrInvalidFormat reports that the answer is not one object of the call form.
	ErrInvalidFormat = errors.New("tool_call_invalid_format")
	// ErrMultiple reports that the answer is several objects.
	ErrMultiple = errors.New("tool_call_multiple")
	// ErrUnknownTool reports that no tool has that name.
	ErrUnknownTool = errors.New("tool_call_unknown_tool")
	// ErrInvalidArgs reports that the arguments are not an object, or do not fit the
	// tool's schema.
	ErrInvalidArgs = errors.New("tool_call_invalid_args")
	// ErrNonceInvalid reports that the nonce is missing or not that of the turn.
	ErrNonceInvalid = errors.New("tool_call_nonce_invalid")
)

// Code returns the code of the protocol that err wraps, "" for another error.
func Code(err error) string {
	for _, code := range []error{ErrInvalidFormat, ErrMultiple, ErrUnknownTool, ErrInvalidArgs, ErrNonceInvalid} {
		if errors.Is(err, code) {
			return code.Error()
		}
	}
	return ""
}
