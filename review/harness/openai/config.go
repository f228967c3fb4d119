// This file validates the configuration of the client, describes errors, and decides about retries.

package openai

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

// Config contains the address of the endpoint, the name of the model, and the limits for requests.
type Config struct {
	BaseURL string // such as https://api.openai.com/v1 or http://localhost:11434/v1
	Model   string
	APIKey  string // "" for servers without authentication

	// Timeout is the time limit for an answer, including all attempts. 0 means DefaultTimeout.
	Timeout time.Duration
	// Retries is the maximum number of further attempts after a failed connection or a temporary error. It must be at
	// most MaxRetries.
	Retries int
	// RetryDelay is the maximum delay between two attempts. 0 means DefaultRetryDelay. If the endpoint requests a
	// longer delay, the client makes no further attempt.
	RetryDelay time.Duration
	// MaxAnswer is the maximum size of an answer in bytes. 0 means harness.MaxAnswer.
	MaxAnswer int
	// Transport performs the requests. nil means a transport that connects directly, without a proxy.
	Transport http.RoundTripper
}

// Defaults and limits of a Config.
const (
	DefaultTimeout    = 60 * time.Second
	DefaultRetryDelay = 4 * time.Second
	MaxRetries        = 5
)

// ErrConfig indicates that a Config is not valid.
var ErrConfig = errors.New("the model is not configured")

// check sets the defaults of c, validates c, and returns the URL of the endpoint.
func (c *Config) check() (*url.URL, error) {
	c.Timeout, c.RetryDelay, c.MaxAnswer = cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.RetryDelay, DefaultRetryDelay), cmp.Or(c.MaxAnswer, harness.MaxAnswer)
	u, err := url.Parse(c.BaseURL)
	switch {
	case c.BaseURL == "":
		return nil, fmt.Errorf("%w: its address is missing", ErrConfig)
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: expected an http or https address", ErrConfig)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%w: expected an address without a user, a query, or a fragment", ErrConfig)
	case c.APIKey != "" && u.Scheme == "http" && !nearby(u.Hostname()):
		return nil, fmt.Errorf("%w: the API key would travel unencrypted to %s; use https", ErrConfig, jsondoc.Quote(u.Host))
	case c.Model == "":
		return nil, fmt.Errorf("%w: its name is missing", ErrConfig)
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%w: the API key contains a space or a control character", ErrConfig)
	case c.Timeout < 0, c.RetryDelay < 0, c.MaxAnswer < 0, c.Retries < 0, c.Retries > MaxRetries:
		return nil, fmt.Errorf("%w: times and sizes must be above 0, and retries between 0 and %d", ErrConfig, MaxRetries)
	}
	return u, nil
}

// nearby reports whether host is this machine or belongs to a private network.
func nearby(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

var (
	errNoCompletion = errors.New("the answer is not a chat completion; check the address of the endpoint")
	errTooLarge     = errors.New("the answer is too large")
)

// refused returns the error for a response with a status other than 200.
func (c *Client) refused(status int, body []byte) error {
	said := fmt.Sprintf("%d %s", status, http.StatusText(status))
	var refusal struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &refusal) == nil && refusal.Error.Message != "" {
		said += ": " + c.printable(refusal.Error.Message)
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the endpoint refused the API key (%s)", said)
	case http.StatusNotFound:
		return fmt.Errorf("the endpoint does not know this address or model (%s)", said)
	case http.StatusTooManyRequests:
		return fmt.Errorf("the endpoint limits the request rate (%s); try again later", said)
	}
	if status < http.StatusBadRequest {
		return fmt.Errorf("the endpoint redirects to another address; toolcrib does not follow redirects (%s)", said)
	}
	return fmt.Errorf("the endpoint failed (%s)", said)
}

// unreached returns the error for a request that received no response. err is the error of the HTTP client.
func (c *Client) unreached(err error) error {
	var name *net.DNSError
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	host := jsondoc.Quote(c.address.Host)
	switch {
	case errors.As(err, &name):
		return fmt.Errorf("%w: the host in %s does not resolve", harness.ErrNotConnected, host)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: the certificate of %s is not valid: %s", harness.ErrNotConnected, host, c.printable(certificate.Err.Error()))
	case errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w: no connection to %s", harness.ErrNotConnected, host)
	case errors.Is(err, errTooLarge):
		return errTooLarge
	}
	return fmt.Errorf("the connection to %s was lost: %s", host, c.printable(err.Error()))
}

// printable returns s in a form that is safe to display. It removes the API key, because a server may repeat the key
// in an error message.
func (c *Client) printable(s string) string {
	if c.config.APIKey != "" {
		s = strings.ReplaceAll(s, c.config.APIKey, "[API key]")
	}
	return jsondoc.Printable(s)
}

// firstPause is the delay before the second attempt. It doubles with each further attempt, but never exceeds
// Config.RetryDelay.
const firstPause = 500 * time.Millisecond

// pause reports whether there should be another attempt, and returns the delay before it. attempt is the number of the
// last attempt, counted from 0. response is nil if the last attempt received no response.
func (c *Client) pause(attempt int, response *http.Response) (time.Duration, bool) {
	if attempt >= c.config.Retries || response != nil && !retryable(response) {
		return 0, false
	}
	if response != nil { // the endpoint can request a delay in seconds or until a date (RFC 9110, section 10.2.3)
		value := response.Header.Get("Retry-After")
		if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
			wait := time.Duration(seconds) * time.Second
			return wait, wait <= c.config.RetryDelay
		}
		if at, err := http.ParseTime(value); err == nil {
			wait := max(0, time.Until(at))
			return wait, wait <= c.config.RetryDelay
		}
	}
	wait := min(firstPause<<attempt, c.config.RetryDelay)
	return wait - rand.N(wait/4+1), true // the random delay prevents clients that failed together from retrying together
}

// retryable reports whether the same request may succeed later. OpenAI's servers state this in the header
// X-Should-Retry.
func retryable(response *http.Response) bool {
	switch response.Header.Get("X-Should-Retry") {
	case "true":
		return true
	case "false":
		return false
	}
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return response.StatusCode >= http.StatusInternalServerError
}

// sleep waits for d. It returns false if ctx was done before d elapsed.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
