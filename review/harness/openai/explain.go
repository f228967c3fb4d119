package openai

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

var (
	errNoCompletion = errors.New("the answer is not a chat completion; check the address of the endpoint")
	errTooLarge     = errors.New("the answer is too large")
)

// refused explains why a response that is not 200 OK holds no answer.
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
		return fmt.Errorf("the endpoint redirects, which is not followed (%s)", said)
	}
	return fmt.Errorf("the endpoint failed (%s)", said)
}

// unreached explains why there was no response.
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
	return fmt.Errorf("the connection to %s broke: %s", host, c.printable(err.Error()))
}

// printable returns s safe to show, and without the API key, which a server
// may repeat.
func (c *Client) printable(s string) string {
	if c.config.APIKey != "" {
		s = strings.ReplaceAll(s, c.config.APIKey, "[API key]")
	}
	return jsondoc.Printable(s)
}
