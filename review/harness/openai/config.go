package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

// Config selects the model to ask, and how patiently.
type Config struct {
	BaseURL string // such as https://api.openai.com/v1 or http://localhost:11434/v1
	Model   string
	APIKey  string // "" for servers that want none

	// Timeout bounds one answer, all attempts taken together; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// Retries sets how many attempts follow a failed connection or an answer to try
	// again later; at most MaxRetries.
	Retries int
	// RetryDelay bounds the wait between two attempts; 0 means
	// DefaultRetryDelay. An endpoint that asks for more is not asked again.
	RetryDelay time.Duration
	// MaxAnswer bounds an answer in bytes; 0 means harness.MaxAnswer.
	MaxAnswer int
	// Transport makes the requests; nil means direct connections, without a
	// proxy.
	Transport http.RoundTripper
}

// Defaults and limits of a Config.
const (
	DefaultTimeout    = 60 * time.Second
	DefaultRetryDelay = 4 * time.Second
	MaxRetries        = 5
)

// ErrConfig is wrapped by every error about a Config that cannot be used.
var ErrConfig = errors.New("the model is not configured")

// check fills in the defaults of c and returns its address.
func (c *Config) check() (*url.URL, error) {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.RetryDelay == 0 {
		c.RetryDelay = DefaultRetryDelay
	}
	if c.MaxAnswer == 0 {
		c.MaxAnswer = harness.MaxAnswer
	}
	u, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return nil, fmt.Errorf("%w: its address is missing", ErrConfig)
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: expected an http or https address", ErrConfig)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%w: expected an address without user, query and fragment", ErrConfig)
	case c.APIKey != "" && u.Scheme == "http" && !nearby(u.Hostname()):
		return nil, fmt.Errorf("%w: the API key would travel unencrypted to %s; use https", ErrConfig, jsondoc.Quote(u.Host))
	case c.Model == "":
		return nil, fmt.Errorf("%w: its name is missing", ErrConfig)
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%w: the API key contains a space or a control character", ErrConfig)
	case c.Timeout < 0, c.RetryDelay < 0, c.MaxAnswer < 0, c.Retries < 0, c.Retries > MaxRetries:
		return nil, fmt.Errorf("%w: expected times and sizes above 0 and 0 to %d retries", ErrConfig, MaxRetries)
	}
	return u, nil
}

// nearby reports whether host is this machine or on a private network.
func nearby(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}
