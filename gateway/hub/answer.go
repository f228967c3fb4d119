package hub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// answer is the response of a hub:
//
//	{success, tool, result | error{code, message, details}, requires_approval?, approval_request_id?}
type answer struct {
	success       *bool
	tool          string
	result        json.RawMessage
	failure       *failure
	needsApproval bool
	request       string                     // the hub's id of a pending approval
	rest          map[string]json.RawMessage // other fields, which are passed to the caller
}

// failure is the error in a response.
type failure struct {
	code, message string
	details       json.RawMessage
}

// maxRequest limits an approval id that is passed on, in characters.
const maxRequest = 200

// errForm reports a malformed response.
var errForm = errors.New("not a document of the form {success, tool, result or error}")

// parse parses a response. Keys are case-sensitive and must be unique: otherwise,
// input that a hub repeats could change the meaning of its response.
func parse(body []byte) (answer, error) {
	fields, err := object(body)
	if err != nil {
		return answer{}, err
	}
	a := answer{result: fields["result"], rest: fields}
	read := func(key string, dst any) {
		if err == nil && !null(fields[key]) && json.Unmarshal(fields[key], dst) != nil {
			err = fmt.Errorf("%w: its %s has the wrong type", errForm, key)
		}
	}
	read("success", &a.success)
	read("tool", &a.tool)
	read("requires_approval", &a.needsApproval)
	read("approval_request_id", &a.request)
	if err != nil {
		return a, err
	}
	if raw := fields["error"]; !null(raw) {
		own, err := object(raw)
		if err != nil {
			return a, err
		}
		a.failure = &failure{text(own["code"]), text(own["message"]), nil}
		if !null(own["details"]) {
			a.failure.details = own["details"]
		}
		for _, key := range []string{"code", "message", "details"} {
			delete(own, key)
		}
		if len(own) == 0 {
			delete(fields, "error")
		}
	}
	if utf8.RuneCountInString(a.request) > maxRequest {
		return a, fmt.Errorf("%w: its approval_request_id is longer than %d characters", errForm, maxRequest)
	}
	if problem := plaintext.Problem(a.request); problem != "" {
		return a, fmt.Errorf("%w: its approval_request_id %s", errForm, problem)
	}
	delete(fields, "success")
	delete(fields, "tool")
	if a.success != nil && *a.success && !a.needsApproval {
		delete(fields, "result") // returned as the output
	}
	return a, nil
}

// object returns the members of a JSON object without parsing their values, which
// may have megabytes.
func object(raw []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errForm
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, errForm
		}
		name, _ := key.(string)
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("%w: duplicate key %s", errForm, jsondoc.Quote(name))
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, errForm
		}
		members[name] = value
	}
	if _, err := d.Token(); err != nil || len(bytes.TrimSpace(raw[d.InputOffset():])) > 0 {
		return nil, errForm
	}
	return members, nil
}

func null(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// text returns a string value, and other values as JSON.
func text(raw json.RawMessage) string {
	var s string
	if null(raw) || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// read converts a response to an output or an error.
func read(in gateway.Invocation, name string, body []byte, status int) (gateway.Output, error) {
	a, err := parse(body)
	switch {
	case err == nil && a.tool != "" && a.tool != name:
		return gateway.Output{}, failed(in, fmt.Sprintf("it answered for another tool, %s", jsondoc.Quote(a.tool)))
	case err == nil && a.needsApproval:
		return gateway.Output{}, a.pending(in)
	case err == nil && a.success != nil && *a.success && (a.failure != nil || status < 200 || status > 299):
		return gateway.Output{}, failed(in, fmt.Sprintf("it reported success, but with status %d or an error", status))
	case err == nil && a.success != nil && *a.success:
		out, err := wrapped(a.result)
		return gateway.Output{Object: out, Structured: a.result, Answer: a.others()}, err
	case err == nil && a.success != nil && a.failure != nil:
		return gateway.Output{}, a.refusal(in)
	}
	return gateway.Output{}, noAnswer(in, status, err)
}

// pending returns the error for a call that waits for an approval in the hub.
func (a answer) pending(in gateway.Invocation) error {
	message := fmt.Sprintf("The hub of %s requires an approval of its own before it runs the call", in.Tool.Subject)
	if a.request != "" {
		message += ", with the id " + jsondoc.Quote(a.request)
	}
	message += ". The call did not run yet; do not retry it, and tell the user."
	e := &gateway.Error{Code: gateway.CodeProviderApproval, ApprovalRequest: a.request, Answer: a.others()}
	said := text(a.rest["message"])
	if a.failure != nil {
		e.Details = a.failure.details
		if a.failure.message != "" {
			said = a.failure.message
		}
	}
	if said != "" {
		message += " It says: " + plaintext.Clip(visible.Line(said), maxMessage)
	}
	e.Message = message
	return e
}

// refusal returns the error that a hub reported.
func (a answer) refusal(in gateway.Invocation) error {
	code := gateway.Code(a.failure.code)
	message := fmt.Sprintf("The hub of %s: %s", in.Tool.Subject, plaintext.Clip(visible.Line(a.failure.message), maxMessage))
	if !code.Foreign() {
		message += fmt.Sprintf(" (its code %s is reserved and was replaced)", jsondoc.Quote(a.failure.code))
		code = gateway.CodeProvider
	}
	return &gateway.Error{Code: code, Message: message, Details: a.failure.details, ApprovalRequest: a.request, Answer: a.others()}
}

// others returns the other fields as JSON, or nil.
func (a answer) others() json.RawMessage {
	if len(a.rest) == 0 {
		return nil
	}
	b, err := json.Marshal(a.rest)
	if err != nil {
		return nil // cannot fail: all values are JSON
	}
	return b
}

// noAnswer returns the error for a missing response. Depending on the status, the
// call can be retried or the user has to act.
func noAnswer(in gateway.Invocation, status int, err error) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return &gateway.Error{
			Code: gateway.CodeCredentials, NotRun: true,
			Message: fmt.Sprintf("The hub of %s refused the credentials (status %d). Nothing was run; ask the user to connect it again.", in.Tool.Subject, status),
		}
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &gateway.Error{
			Code:    gateway.CodeUnavailable,
			Message: fmt.Sprintf("The hub of %s is unavailable (status %d); try again later.", in.Tool.Subject, status),
		}
	}
	if err == nil {
		err = fmt.Errorf("%w: success is missing, or a failure has no error", errForm)
	}
	return failed(in, fmt.Sprintf("it answered with status %d and %s", status, jsondoc.Printable(err.Error())))
}

// unreached returns the error for an unreachable hub, without its address.
func unreached(in gateway.Invocation, err error) error {
	why, sure := gateway.Unreached(err)
	message := fmt.Sprintf("The hub of %s is not available: %s", in.Tool.Subject, why)
	if sure {
		message += ". Nothing was run; try again later."
	} else {
		message += ". The call may have run; check before you retry it."
	}
	return &gateway.Error{Code: gateway.CodeUnavailable, Message: message, NotRun: sure}
}

// maxMessage limits a hub's message that is passed on, in characters.
const maxMessage = 1_000

// wrapped returns result if it is an object, and otherwise an object that contains
// it.
func wrapped(result json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(result)
	switch {
	case len(trimmed) == 0:
		return json.RawMessage("{}"), nil
	case trimmed[0] == '{':
		return trimmed, nil
	}
	return json.Marshal(map[string]json.RawMessage{"result": trimmed})
}

func failed(in gateway.Invocation, why string) error {
	return &gateway.Error{Code: gateway.CodeProvider, Message: fmt.Sprintf("The hub of %s failed: %s.", in.Tool.Subject, why)}
}
