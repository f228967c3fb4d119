package hub

import (
	"bytes"
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

	"golang.org/x/net/http/httpguts"

	"toolcrib/gateway"
)

// Config is how hubs are talked to.
type Config struct {
	Timeout  time.Duration      // for the whole answer; 0 means DefaultTimeout
	MaxBytes int64              // of an answer; 0 means DefaultMaxBytes
	Tokens   map[string]string  // bearer tokens by host ("hub.example:8443"); no other host is given them
	Headers  map[string]Headers // more headers by host
}

// Defaults of a Config.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = gateway.MaxOutput
)

// Hub is the provider of tools of type http. It is safe for concurrent use.
type Hub struct {
	config Config
	client *http.Client
}

var _ gateway.Provider = (*Hub)(nil)

// New returns a hub.
func New(c Config) *Hub {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	return &Hub{config: c, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: sameHost,
	}}
}

// Close closes the connections that nobody uses.
func (h *Hub) Close() { h.client.CloseIdleConnections() }

// maxRedirects limits how often an answer may be somewhere else on the same host.
const maxRedirects = 3

// errRedirect reports that a hub sent the call elsewhere.
var errRedirect = errors.New("it redirects to an address that was not approved")

// errLong reports that an answer is longer than one may be.
var errLong = errors.New("the answer is too long")

// sameHost lets a call follow a redirect that keeps its host, its scheme and
// its method.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme || next.Method != first.Method {
		return errRedirect
	}
	return nil
}

// call is the request that a hub is posted. The ids of mission and conversation are the
// caller's word, as is everything in the context's said.
type call struct {
	Tool         string          `json:"tool"` // the wire name, or the id
	Agent        string          `json:"agent_id"`
	Customer     string          `json:"customer_id"`
	User         string          `json:"user_id"`
	Mission      string          `json:"mission_id"`
	Conversation string          `json:"conversation_id"`
	Inputs       json.RawMessage `json:"inputs"`
	Context      surroundings    `json:"context"`
}

// surroundings is the context of a call that a hub may use.
type surroundings struct {
	Call    string       `json:"call_id"`
	At      time.Time    `json:"at"`
	Actor   string       `json:"actor"`
	Layer   string       `json:"layer"`
	Version int          `json:"tool_version"`
	Hash    string       `json:"tool_hash"`
	Local   bool         `json:"local"`
	Said    *callContext `json:"said,omitempty"` // nil when the caller said nothing
}

// callContext is the caller's own, unchecked description of the call.
type callContext struct {
	UserMessage string          `json:"user_message,omitempty"`
	ChatID      string          `json:"chat_id,omitempty"`
	Confidence  json.RawMessage `json:"confidence,omitempty"`
	Context     json.RawMessage `json:"context,omitempty"`
}

// newCall returns what the hub is posted about an invocation.
func newCall(name string, in gateway.Invocation) call {
	c := call{
		Tool: name, Agent: in.Caller.Agent, Customer: in.Caller.Customer, User: in.Caller.User,
		Mission: in.Said.MissionID, Conversation: in.Said.ConversationID, Inputs: in.Args,
		Context: surroundings{
			Call: in.Call, At: in.At, Actor: in.Caller.Actor.String(), Layer: string(in.Caller.Layer),
			Version: in.Tool.Version, Hash: in.Tool.ContentHash, Local: in.Caller.Where.Local,
		},
	}
	own := in.Said
	own.MissionID, own.ConversationID = "", ""
	if own.Encode() != nil {
		c.Context.Said = &callContext{own.UserMessage, own.ChatID, own.Confidence, own.Context}
	}
	return c
}

// Run implements gateway.Provider. It wraps a result that is not an object as
// {"result": …}; the output schema describes the result itself. A hub's own error
// codes are passed on, except those reserved for the gateway.
func (h *Hub) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	tool := in.Tool.Definition.Tool
	if tool.Provider == nil || tool.Provider.URL == "" {
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeNotConnected, Message: fmt.Sprintf("%s has no hub address.", in.Tool.Subject), NotRun: true}
	}
	name := tool.Provider.Name
	if name == "" {
		name = tool.WireName()
	}
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
		return gateway.Output{}, failed(in, fmt.Sprintf("it answered with more than %d bytes", h.config.MaxBytes))
	case err != nil:
		return gateway.Output{}, unreached(in, err)
	}
	return read(in, name, body, status)
}

// post sends a call and returns the answer.
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
	defer res.Body.Close() //nolint:errcheck // the body was read
	body, err = io.ReadAll(io.LimitReader(res.Body, h.config.MaxBytes+1))
	if err == nil && int64(len(body)) > h.config.MaxBytes {
		err = errLong
	}
	return body, res.StatusCode, err
}

// Headers are the values of headers by their names. In a value, $agent, $customer,
// $user, $mission, $conversation, $call, and $tool are those of the call, and $$ is
// a dollar sign.
type Headers map[string]string

// reserved lists the headers that are toolcrib's, and those of the connection.
func reserved() []string {
	return []string{
		"Accept", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
		"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	}
}

// Check returns why headers cannot be sent.
func (h Headers) Check() error {
	for name, value := range h {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name):
			return fmt.Errorf("%q is not a header name", name)
		case slices.Contains(reserved(), canonical):
			return fmt.Errorf("%s is set by toolcrib", canonical)
		case !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("the value of %s cannot stand in a header", canonical)
		}
		var unknown []string
		os.Expand(value, func(name string) string {
			if _, ok := (call{}).value(name); !ok {
				unknown = append(unknown, name)
			}
			return ""
		})
		if unknown != nil {
			return fmt.Errorf("%s has $%s; write $agent, $customer, $user, $mission, $conversation, $call, or $tool, and $$ for a dollar sign", name, unknown[0])
		}
	}
	return nil
}

// set sets the headers of a request for a call. What is not visible ASCII in the
// call's own words is percent-encoded.
func (h Headers) set(to http.Header, c call) {
	for name, value := range h {
		to.Set(name, os.Expand(value, func(name string) string {
			own, _ := c.value(name)
			if strings.ContainsFunc(own, func(r rune) bool { return r < ' ' || r > '~' || r == '%' }) {
				return url.PathEscape(own)
			}
			return own
		}))
	}
}

// value returns the value of a name in a header.
func (c call) value(name string) (value string, ok bool) {
	switch name {
	case "$":
		return "$", true
	case "agent":
		return c.Agent, true
	case "customer":
		return c.Customer, true
	case "user":
		return c.User, true
	case "mission":
		return c.Mission, true
	case "conversation":
		return c.Conversation, true
	case "call":
		return c.Context.Call, true
	case "tool":
		return c.Tool, true
	}
	return "", false
}
