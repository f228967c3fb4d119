package hub

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

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
