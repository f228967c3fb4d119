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

// Config has the settings for hubs.
type Config struct {
	Timeout  time.Duration      // limit for the whole response; 0 means DefaultTimeout
	MaxBytes int64              // limit of a response; 0 means DefaultMaxBytes
	Tokens   map[string]string  // bearer tokens by host ("hub.example:8443"), sent to that host only
	Headers  map[string]Headers // additional headers by host
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

// New returns a Hub with the given settings.
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

// Close closes idle connections.
func (h *Hub) Close() { h.client.CloseIdleConnections() }

// maxRedirects limits the number of redirects.
const maxRedirects = 3

// errRedirect reports a redirect that is not followed.
var errRedirect = errors.New("it redirects to an address that was not approved")

// errLong reports that a response exceeds the limit.
var errLong = errors.New("the response is too long")

// sameHost allows redirects that keep the host, the scheme and the method.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme || next.Method != first.Method {
		return errRedirect
	}
	return nil
}

// call is the request to a hub. The ids of mission and conversation, and everything
// in Said of the context, come from the caller and are not verified.
type call struct {
	Tool         string          `json:"tool"` // wire name or id
	Agent        string          `json:"agent_id"`
	Customer     string          `json:"customer_id"`
	User         string          `json:"user_id"`
	Mission      string          `json:"mission_id"`
	Conversation string          `json:"conversation_id"`
	Inputs       json.RawMessage `json:"inputs"`
	Context      requestContext  `json:"context"`
}

// requestContext is the context of a call.
type requestContext struct {
	Call    string       `json:"call_id"`
	At      time.Time    `json:"at"`
	Actor   string       `json:"actor"`
	Layer   string       `json:"layer"`
	Version int          `json:"tool_version"`
	Hash    string       `json:"tool_hash"`
	Local   bool         `json:"local"`
	Said    *callContext `json:"said,omitempty"` // nil if the caller sent none
}

// callContext is the caller's own, unverified description of the call.
type callContext struct {
	UserMessage string          `json:"user_message,omitempty"`
	ChatID      string          `json:"chat_id,omitempty"`
	Confidence  json.RawMessage `json:"confidence,omitempty"`
	Context     json.RawMessage `json:"context,omitempty"`
}

// newCall returns the request for an invocation.
func newCall(name string, in gateway.Invocation) call {
	c := call{
		Tool: name, Agent: in.Caller.Agent, Customer: in.Caller.Customer, User: in.Caller.User,
		Mission: in.Said.MissionID, Conversation: in.Said.ConversationID, Inputs: in.Args,
		Context: requestContext{
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

// Run implements gateway.Provider. Results that are not objects are wrapped as
// {"result": …}; the output schema describes the result itself. Error codes of the
// hub are passed on, except those reserved for the gateway.
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

// post sends a call and returns the response.
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

// Headers maps names of headers to values. In a value, $agent, $customer, $user,
// $mission, $conversation, $call, and $tool are replaced by values of the call, and
// $$ by a dollar sign.
type Headers map[string]string

// reserved returns the headers that toolcrib sets and those of the connection.
func reserved() []string {
	return []string{
		"Accept", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
		"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	}
}

// Check returns the reason why the headers cannot be sent, or nil.
func (h Headers) Check() error {
	for name, value := range h {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name):
			return fmt.Errorf("%q is not a header name", name)
		case slices.Contains(reserved(), canonical):
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
			return fmt.Errorf("%s contains the unknown $%s; use $agent, $customer, $user, $mission, $conversation, $call, or $tool, and $$ for a dollar sign", name, unknown[0])
		}
	}
	return nil
}

// set adds the headers for a call to a request. It percent-encodes values of the
// call that are not visible ASCII.
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

// value returns the value of a $name in a header.
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
