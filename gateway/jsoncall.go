package gateway

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/prompt/toolcall"
	"toolcrib/registry/jsondoc"
)

// ParseJSON reads the call that a model's whole answer is, in the strict JSON
// protocol: the form, one object, a tool that the caller's agent has, the
// nonce of the turn, arguments that fit the tool's schema. The error is an
// *Error with the protocol's code for the first of these that fails.
func (g *Gateway) ParseJSON(ctx context.Context, c Caller, answer, nonce string) (ParsedCall, error) {
	call, err := toolcall.Parse(answer)
	if err != nil {
		return ParsedCall{}, protocolError(err)
	}
	_, e, err := g.lookup(ctx, c, call.Tool)
	var refused *Error
	switch {
	case errors.As(err, &refused) && refused.Code == CodeNotAllowed:
		// What the agent does not have is not there for its model.
		return ParsedCall{}, unknown(call.Tool)
	case err != nil:
		return ParsedCall{}, err
	}
	if err := call.Verify(func(string) bool { return true }, nonce); err != nil {
		return ParsedCall{}, protocolError(err)
	}
	if err := g.fit(e.Live, call.Args); err != nil {
		return ParsedCall{}, err
	}
	return ParsedCall{Tool: e.Live, Name: call.Tool, Args: jsondoc.Canonical(call.Args)}, nil
}

// protocolError gives an error of the protocol its code.
func protocolError(err error) error {
	code := toolcall.Code(err)
	if code == "" {
		return err
	}
	return &Error{Code: Code(code), Message: fmt.Sprintf("The answer is not a call: %v.", err)}
}
