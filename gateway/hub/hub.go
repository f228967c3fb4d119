// This file implements the provider for tools of HTTP hubs.

package hub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"toolcrib/gateway"
	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// Config contains the settings for all hubs.
type Config struct {
	Timeout  time.Duration      // time limit of the complete response; 0 means DefaultTimeout
	MaxBytes int64              // maximum size of a response; 0 means DefaultMaxBytes
	Tokens   map[string]string  // bearer tokens by host, such as "hub.example:8443"; each token is sent only to its host
	Headers  map[string]Headers // additional headers by host
}

// Defaults of a Config.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = gateway.MaxOutput
)

// Hub is the provider for tools of type http. It is safe for concurrent use.
type Hub struct {
	config Config
	client *http.Client
}

var _ gateway.Provider = (*Hub)(nil)

// New returns a Hub with the given settings.
func New(c Config) *Hub {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	return &Hub{config: c, client: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: func(next *http.Request, via []*http.Request) error { // a redirect must not change the host, the scheme, or the method
			first := via[0]
			if len(via) > 3 || next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme || next.Method != first.Method {
				return errRedirect
			}
			return nil
		},
	}}
}

// Close closes idle connections.
func (h *Hub) Close() { h.client.CloseIdleConnections() }

// errRedirect indicates a redirect that is not followed.
var errRedirect = errors.New("the hub sent a redirect to an address that is not approved")

// errLong indicates a response that exceeds Config.MaxBytes.
var errLong = errors.New("the response is too long")

// call is the JSON request to a hub. The caller provides the ids of the mission and the conversation, and
// Context.CallContext. These fields are not verified.
type call struct {
	Tool         string          `json:"tool"` // name of the tool in the hub: Provider.Name, or the wire name
	Agent        string          `json:"agent_id"`
	Customer     string          `json:"customer_id"`
	User         string          `json:"user_id"`
	Mission      string          `json:"mission_id"`
	Conversation string          `json:"conversation_id"`
	Inputs       json.RawMessage `json:"inputs"`
	Context      requestContext  `json:"context"`
}

// requestContext describes the circumstances of a call.
type requestContext struct {
	Call    string    `json:"call_id"`
	At      time.Time `json:"at"`
	Actor   string    `json:"actor"`
	Layer   string    `json:"layer"`
	Version int       `json:"tool_version"`
	Hash    string    `json:"tool_hash"`
	Local   bool      `json:"local"`
	// Features contains the agent's switches for features of the application.
	Features map[string]bool `json:"features,omitempty"`
	// CallContext is the caller's unverified description of the call, without the ids of the mission and the
	// conversation, which are separate fields of the request. It is nil if the caller did not send a description.
	CallContext json.RawMessage `json:"said,omitempty"`
}

// newCall returns the request for an invocation of the tool with the given name.
func newCall(name string, in gateway.Invocation) call {
	c := call{
		Tool: name, Agent: in.Caller.Agent, Customer: in.Caller.Customer, User: in.Caller.User,
		Mission: in.CallContext.MissionID, Conversation: in.CallContext.ConversationID, Inputs: in.Args,
		Context: requestContext{
			Call: in.Call, At: in.At, Actor: in.Caller.Actor.String(), Layer: string(in.Caller.Layer),
			Version: in.Tool.Version, Hash: in.Tool.ContentHash, Local: in.Caller.Where.Local, Features: in.Features,
		},
	}
	in.CallContext.MissionID, in.CallContext.ConversationID = "", ""
	c.Context.CallContext = in.CallContext.Encode()
	return c
}

// Run implements gateway.Provider. If a result is not an object, Run wraps it in the object {"result": …}. The output
// schema describes the unwrapped result. Run returns error codes of the hub unchanged, except codes that are reserved
// for the gateway.
func (h *Hub) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	tool := in.Tool.Definition.Tool
	if tool.Provider == nil || tool.Provider.URL == "" {
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeNotConnected, Message: fmt.Sprintf("%s has no hub address.", in.Tool.Subject), NotRun: true}
	}
	name := cmp.Or(tool.Provider.Name, tool.WireName())
	limited, cancel := context.WithTimeout(ctx, h.config.Timeout)
	defer cancel()
	body, status, err := h.post(limited, tool.Provider.URL, newCall(name, in))
	switch {
	case ctx.Err() != nil:
		return gateway.Output{}, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeTimeout, Message: fmt.Sprintf("The hub of %s did not answer within %s.", in.Tool.Subject, h.config.Timeout)}
	case errors.Is(err, errRedirect):
		return gateway.Output{}, failed(in, errRedirect.Error())
	case errors.Is(err, errLong):
		return gateway.Output{}, failed(in, fmt.Sprintf("the response is larger than %d bytes", h.config.MaxBytes))
	case err != nil:
		why, sure := gateway.NotReached(err) // without the address
		message := fmt.Sprintf("The hub of %s is not available: %s. The call may have run; check before you retry the call.", in.Tool.Subject, why)
		if sure {
			message = fmt.Sprintf("The hub of %s is not available: %s. The call did not run; try again later.", in.Tool.Subject, why)
		}
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeUnavailable, Message: message, NotRun: sure}
	}
	return read(in, name, body, status)
}

// post sends a call and returns the body and the status of the response.
func (h *Hub) post(ctx context.Context, address string, c call) (body []byte, status int, err error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(b))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if token := h.config.Tokens[req.URL.Host]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	h.config.Headers[req.URL.Host].set(req.Header, c)
	res, err := h.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close() //nolint:errcheck // the body has been read
	body, err = io.ReadAll(io.LimitReader(res.Body, h.config.MaxBytes+1))
	if err == nil && int64(len(body)) > h.config.MaxBytes {
		err = errLong
	}
	return body, res.StatusCode, err
}

// Headers maps header names to values. In a header value, $agent, $customer, $user, $mission, $conversation, $call, and
// $tool represent values of the call, and $$ represents a dollar sign.
type Headers map[string]string

// reserved contains the headers that toolcrib sets, and the headers that concern the connection.
var reserved = []string{
	"Accept", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// Check returns an error if a header cannot be sent.
func (h Headers) Check() error {
	for name, value := range h {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name):
			return fmt.Errorf("%q is not a header name", name)
		case slices.Contains(reserved, canonical):
			return fmt.Errorf("%s is reserved for toolcrib", canonical)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("the value of %s is not a valid header value", canonical)
		}
		var unknown []string
		os.Expand(value, func(name string) string {
			if _, ok := (call{}).value(name); !ok {
				unknown = append(unknown, name)
			}
			return ""
		})
		if unknown != nil {
			return fmt.Errorf("%s contains the unknown variable $%s; use $agent, $customer, $user, $mission, $conversation, $call, or $tool, and $$ for a dollar sign", name, unknown[0])
		}
	}
	return nil
}

// set adds the headers for the call c to header. It percent-encodes a value of the call if the value contains "%" or
// characters other than visible ASCII.
func (h Headers) set(header http.Header, c call) {
	for name, value := range h {
		header.Set(name, os.Expand(value, func(name string) string {
			own, _ := c.value(name)
			if strings.ContainsFunc(own, func(r rune) bool { return r < ' ' || r > '~' || r == '%' }) {
				return url.PathEscape(own)
			}
			return own
		}))
	}
}

// value returns the value of the call that $name represents in a header.
func (c call) value(name string) (value string, ok bool) {
	value, ok = map[string]string{
		"$": "$", "agent": c.Agent, "customer": c.Customer, "user": c.User, "mission": c.Mission,
		"conversation": c.Conversation, "call": c.Context.Call, "tool": c.Tool,
	}[name]
	return value, ok
}

// answer is the response of a hub:
//
//	{success, tool?, result | error{code, message, details} | error: message, requires_approval?, approval_request_id?}
type answer struct {
	success       *bool
	tool          string
	result        json.RawMessage
	failure       *failure
	needsApproval bool
	request       string                     // id of a pending approval in the hub
	rest          map[string]json.RawMessage // other fields, which are returned to the caller
}

// failure is the error in a response of a hub.
type failure struct {
	code, message string
	details       json.RawMessage
}

// maxRequest is the maximum length of a hub's approval id, in characters.
const maxRequest = 200

// errForm indicates a malformed response.
var errForm = errors.New("does not have the form {success, tool, result or error}")

// parse parses a response. Keys are case-sensitive and must be unique. Otherwise, an input that the hub repeats in the
// response could change the meaning of the response.
func parse(body []byte) (answer, error) {
	fields, err := object(body)
	if err != nil {
		return answer{}, err
	}
	a := answer{result: fields["result"], rest: fields}
	read := func(key string, dst any) {
		if err == nil && !isNull(fields[key]) && json.Unmarshal(fields[key], dst) != nil {
			err = fmt.Errorf("%w: %s has the wrong type", errForm, key)
		}
	}
	read("success", &a.success)
	read("tool", &a.tool)
	read("requires_approval", &a.needsApproval)
	read("approval_request_id", &a.request)
	if err != nil {
		return a, err
	}
	var message string // the error may be a string instead of an object
	if json.Unmarshal(fields["error"], &message) == nil && message != "" {
		a.failure = &failure{message: message}
		delete(fields, "error")
	} else if raw := fields["error"]; !isNull(raw) {
		own, err := object(raw)
		if err != nil {
			return a, err
		}
		a.failure = &failure{text(own["code"]), text(own["message"]), nil}
		if !isNull(own["details"]) {
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
		return a, fmt.Errorf("%w: approval_request_id is longer than %d characters", errForm, maxRequest)
	}
	if problem := plaintext.Problem(a.request); problem != "" {
		return a, fmt.Errorf("%w: approval_request_id %s", errForm, problem)
	}
	delete(fields, "success")
	delete(fields, "tool")
	if a.success != nil && *a.success && !a.needsApproval {
		delete(fields, "result") // Output.Object contains the result
	}
	return a, nil
}

// object returns the members of a JSON object. It does not parse the values of the members, because they may be
// megabytes long.
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

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// text returns the decoded string if raw is a JSON string, and "" if raw is null. Otherwise, it returns raw unchanged.
func text(raw json.RawMessage) string {
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// read converts a response of the hub to an output or an error. name is the name of the tool in the hub.
func read(in gateway.Invocation, name string, body []byte, status int) (gateway.Output, error) {
	a, err := parse(body)
	switch {
	case err == nil && a.tool != "" && a.tool != name:
		return gateway.Output{}, failed(in, fmt.Sprintf("the response is for a different tool, %s", jsondoc.Quote(a.tool)))
	case err == nil && a.needsApproval:
		return gateway.Output{}, a.pending(in)
	case err == nil && a.success != nil && *a.success && (a.failure != nil || status < 200 || status > 299):
		return gateway.Output{}, failed(in, fmt.Sprintf("the response reports success, but has status %d or contains an error", status))
	case err == nil && a.success != nil && *a.success:
		out, err := wrapped(a.result)
		return gateway.Output{Object: out, Structured: a.result, Answer: a.otherFields()}, err
	case err == nil && a.success != nil && a.failure != nil:
		code := gateway.Code(a.failure.code)
		message := fmt.Sprintf("The hub of %s: %s", in.Tool.Subject, plaintext.Clip(visible.Line(a.failure.message), maxMessage))
		if code == "" {
			code = gateway.CodeProvider
		} else if !code.Foreign() {
			message += fmt.Sprintf(" (the code %s of the hub is reserved and was replaced)", jsondoc.Quote(a.failure.code))
			code = gateway.CodeProvider
		}
		return gateway.Output{}, &gateway.Error{Code: code, Message: message, Details: a.failure.details, ApprovalRequest: a.request, Answer: a.otherFields()}
	}
	return gateway.Output{}, noResponse(in, status, err)
}

// pending returns the error for a call that requires an approval in the hub.
func (a answer) pending(in gateway.Invocation) error {
	message := fmt.Sprintf("The hub of %s requires an approval in the hub before it runs the call", in.Tool.Subject)
	if a.request != "" {
		message += " (approval id " + jsondoc.Quote(a.request) + ")"
	}
	message += ". The call has not run yet; do not retry it, and tell the user."
	e := &gateway.Error{Code: gateway.CodeProviderApproval, ApprovalRequest: a.request, Answer: a.otherFields()}
	reason := text(a.rest["message"])
	if a.failure != nil {
		e.Details = a.failure.details
		reason = cmp.Or(a.failure.message, reason)
	}
	if reason != "" {
		message += " Message of the hub: " + plaintext.Clip(visible.Line(reason), maxMessage)
	}
	e.Message = message
	return e
}

// otherFields returns a JSON object with the fields that parse did not interpret, or nil if parse interpreted all
// fields.
func (a answer) otherFields() json.RawMessage {
	if len(a.rest) == 0 {
		return nil
	}
	b, err := json.Marshal(a.rest)
	if err != nil {
		return nil // cannot happen, because all values are JSON
	}
	return b
}

// noResponse returns the error for a missing or malformed response. The status determines whether the error advises the
// agent to retry the call or to ask the user for help.
func noResponse(in gateway.Invocation, status int, err error) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return &gateway.Error{
			Code: gateway.CodeCredentials, NotRun: true,
			Message: fmt.Sprintf("The hub of %s refused the credentials (status %d). The call did not run; ask the user to connect the hub again.", in.Tool.Subject, status),
		}
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &gateway.Error{
			Code:    gateway.CodeUnavailable,
			Message: fmt.Sprintf("The hub of %s is unavailable (status %d); try again later.", in.Tool.Subject, status),
		}
	}
	if err == nil {
		err = fmt.Errorf("%w: the key success is missing, or success is false and the key error is missing", errForm)
	}
	return failed(in, fmt.Sprintf("the response has status %d and %s", status, jsondoc.Printable(err.Error())))
}

// maxMessage is the maximum length of a hub's message to the caller, in characters.
const maxMessage = 1_000

// wrapped returns result if it is a JSON object. Otherwise it returns an object with result as its only member.
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
