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
	request       string                     // the hub's id of the approval that it waits for
	rest          map[string]json.RawMessage // other fields, for the caller
}

// failure is the error in an answer.
type failure struct {
	code, message string
	details       json.RawMessage
}

// maxRequest is the longest approval id that is passed on, in characters.
const maxRequest = 200

// errForm reports that an answer is none.
var errForm = errors.New("not a document of the form {success, tool, result or error}")

// parse reads an answer. Keys are case-sensitive and count once: a hub that
// repeats its input must not be made to answer something else.
func parse(body []byte) (answer, error) {
	fields, err := object(body)
	if err != nil {
		return answer{}, err
	}
	a := answer{result: fields["result"], rest: fields}
	read := func(key string, dst any) {
		if err == nil && !null(fields[key]) && json.Unmarshal(fields[key], dst) != nil {
			err = fmt.Errorf("%w: its %s cannot be read", errForm, key)
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
		return a, fmt.Errorf("%w: its approval_request_id has more than %d characters", errForm, maxRequest)
	}
	if problem := plaintext.Problem(a.request); problem != "" {
		return a, fmt.Errorf("%w: its approval_request_id %s", errForm, problem)
	}
	delete(fields, "success")
	delete(fields, "tool")
	if a.success != nil && *a.success && !a.needsApproval {
		delete(fields, "result") // it is the output
	}
	return a, nil
}

// object reads the members of a JSON object without looking into them: an answer
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
			return nil, fmt.Errorf("%w: it has the key %s twice", errForm, jsondoc.Quote(name))
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

// text returns a string, or anything else as its JSON.
func text(raw json.RawMessage) string {
	var s string
	if null(raw) || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// read makes a result or an error of an answer.
func read(in gateway.Invocation, name string, body []byte, status int) (gateway.Output, error) {
	a, err := parse(body)
	switch {
	case err == nil && a.tool != "" && a.tool != name:
		return gateway.Output{}, failed(in, fmt.Sprintf("it answered for the tool %s", jsondoc.Quote(a.tool)))
	case err == nil && a.needsApproval:
		return gateway.Output{}, a.pending(in)
	case err == nil && a.success != nil && *a.success && (a.failure != nil || status < 200 || status > 299):
		return gateway.Output{}, failed(in, fmt.Sprintf("it reported success together with status %d and an error", status))
	case err == nil && a.success != nil && *a.success:
		out, err := wrapped(a.result)
		return gateway.Output{Object: out, Structured: a.result, Answer: a.others()}, err
	case err == nil && a.success != nil && a.failure != nil:
		return gateway.Output{}, a.refusal(in)
	}
	return gateway.Output{}, noAnswer(in, status, err)
}

// pending reports that the hub waits for an approval of its own.
func (a answer) pending(in gateway.Invocation) error {
	message := fmt.Sprintf("The hub of %s waits for an approval of its own before it runs the call", in.Tool.Subject)
	if a.request != "" {
		message += ", which it calls " + jsondoc.Quote(a.request)
	}
	message += ". The call is not done; do not retry, and tell the user."
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

// refusal is the error that a hub answers with.
func (a answer) refusal(in gateway.Invocation) error {
	code := gateway.Code(a.failure.code)
	message := fmt.Sprintf("The hub of %s: %s", in.Tool.Subject, plaintext.Clip(visible.Line(a.failure.message), maxMessage))
	if !code.Foreign() {
		message += fmt.Sprintf(" (its code %s is not handed on)", jsondoc.Quote(a.failure.code))
		code = gateway.CodeProvider
	}
	return &gateway.Error{Code: code, Message: message, Details: a.failure.details, ApprovalRequest: a.request, Answer: a.others()}
}

// others returns the fields for the caller besides result and error, nil for none.
func (a answer) others() json.RawMessage {
	if len(a.rest) == 0 {
		return nil
	}
	b, err := json.Marshal(a.rest)
	if err != nil {
		return nil // each of them was read from JSON
	}
	return b
}

// noAnswer describes why a hub gave no answer. The status decides whether it is
// worth to try again, and whether the user has to act.
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
		err = fmt.Errorf("%w: it lacks success, or reports a failure without an error", errForm)
	}
	return failed(in, fmt.Sprintf("it answered with status %d and %s", status, jsondoc.Printable(err.Error())))
}

// unreached reports that a hub did not answer, and not where it is.
func unreached(in gateway.Invocation, err error) error {
	why, sure := gateway.Unreached(err)
	message := fmt.Sprintf("The hub of %s is not available: %s", in.Tool.Subject, why)
	if sure {
		message += ". Nothing was run; try again later."
	} else {
		message += ". It may have run the call or not; look before you call again."
	}
	return &gateway.Error{Code: gateway.CodeUnavailable, Message: message, NotRun: sure}
}

// maxMessage limits how much of a hub's message is passed on, in characters.
const maxMessage = 1_000

// wrapped returns a result as the object that it is, or in one.
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
