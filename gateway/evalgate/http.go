package evalgate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"toolcrib/gateway"
)

// HTTP is a gate at an address: it is posted the question and answers with
// status 200. Any other status is a gate that failed, and so is a redirect.
type HTTP struct {
	URL    string
	Token  string // a bearer token; "" for none
	Client *http.Client
}

var _ gateway.Gate = HTTP{}

// NewHTTP returns the gate at an address. token is sent with every question,
// "" for none.
func NewHTTP(url, token string) HTTP {
	return HTTP{URL: url, Token: token, Client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}}
}

var errRedirect = errors.New("it redirects to another address")

// Ask implements gateway.Gate.
func (h HTTP) Ask(ctx context.Context, in gateway.Invocation) (gateway.GateAnswer, error) {
	q, err := encode(in)
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(q))
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	if h.Token != "" {
		req.Header.Set("Authorization", "Bearer "+h.Token)
	}
	res, err := h.Client.Do(req)
	switch {
	case errors.Is(err, errRedirect):
		return gateway.GateAnswer{}, errRedirect
	case err != nil: // without the address of the gate, because the agent may see it
		why, _ := gateway.Unreached(err)
		return gateway.GateAnswer{}, errors.New(why)
	}
	defer res.Body.Close() //nolint:errcheck // the body was read
	if res.StatusCode != http.StatusOK {
		return gateway.GateAnswer{}, fmt.Errorf("%w: status %d", ErrAnswer, res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	return decode(b)
}
