// This file defines the JSON format of requests and responses, and implements both types of gates.

package evalgate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os/exec"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/proc"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// question is the request to a gate. CallContext contains statements of the caller about the call, which are not
// verified.
type question struct {
	Call        string                `json:"call"`
	At          time.Time             `json:"at"`
	Tool        string                `json:"tool"`    // id of the tool
	Subject     registry.Subject      `json:"subject"` // subject of the tool, including its layer
	Version     int                   `json:"version"`
	ContentHash string                `json:"content_hash"`
	Description string                `json:"description"`
	Category    string                `json:"category,omitempty"`
	Tier        registry.Tier         `json:"tier,omitempty"` // level of abstraction of the tool
	Cost        registry.Cost         `json:"cost,omitempty"`
	Approval    registry.ApprovalTier `json:"approval"` // approval tier that applied to the call
	Limits      *limits               `json:"limits,omitempty"`
	Nth         int                   `json:"nth_of_day"`
	Annotations *registry.Annotations `json:"annotations,omitempty"`
	Actor       string                `json:"actor"`
	Agent       string                `json:"agent"`
	User        string                `json:"user"`
	Customer    string                `json:"customer"`
	Args        json.RawMessage       `json:"args"`
	CallContext json.RawMessage       `json:"said,omitempty"` // encoded gateway.CallContext
}

type limits struct {
	Cooldown int `json:"cooldown_seconds"`
	Daily    int `json:"daily_limit"`
}

func encode(in gateway.Invocation) ([]byte, error) {
	t := in.Tool.Definition.Tool
	q := question{
		Call: in.Call, At: in.At, Tool: t.ID, Subject: in.Tool.Subject, Version: in.Tool.Version, ContentHash: in.Tool.ContentHash,
		Description: t.Description, Category: t.Category, Tier: t.Tier, Cost: t.Cost, Approval: in.Tier, Nth: in.Nth, Annotations: t.Annotations,
		Actor: in.Caller.Actor.String(), Agent: in.Caller.Agent, User: in.Caller.User, Customer: in.Caller.Customer, Args: in.Args, CallContext: in.CallContext.Encode(),
	}
	if t.Limits != nil {
		q.Limits = &limits{t.Limits.CooldownSeconds, t.Limits.DailyLimit}
	}
	return json.Marshal(q)
}

// maxAnswer is the maximum size of a gate's response, in bytes.
const maxAnswer = 64 << 10

// ErrAnswer indicates a malformed response, which neither approves nor refuses the call.
var ErrAnswer = errors.New(`the response is not {"approved": true or false, "reason": "…"}`)

func decode(b []byte) (gateway.GateAnswer, error) {
	if len(b) > maxAnswer {
		return gateway.GateAnswer{}, fmt.Errorf("%w: more than %d bytes", ErrAnswer, maxAnswer)
	}
	// Do not use encoding/json, which accepts duplicate keys and ignores case. A gate that repeats its input in the
	// response could then be tricked into an approval.
	n, err := jsondoc.Parse(b, jsondoc.Limits{Bytes: maxAnswer, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil {
		return gateway.GateAnswer{}, ErrAnswer
	}
	yes := n.Get("approved")
	if n.Kind != jsondoc.Object || yes == nil || yes.Kind != jsondoc.Bool {
		return gateway.GateAnswer{}, ErrAnswer
	}
	return gateway.GateAnswer{Approved: yes.Text == "true", Reason: n.Get("reason").AsString()}, nil
}

// Command is a gate that is a program. The program reads the request from standard input and writes the response to
// standard output. If the exit status is not 0, the gate has failed. When the program exits, its child processes are
// killed.
type Command struct {
	Args []string // program and arguments
	Dir  string   // working directory
}

var _ gateway.Gate = Command{}

// Ask implements gateway.Gate.
func (c Command) Ask(ctx context.Context, in gateway.Invocation) (gateway.GateAnswer, error) {
	q, err := encode(in)
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	out, err := proc.Exchange(ctx, c.Args, c.Dir, q, maxAnswer+1) // a larger limit than decode has, because decode must detect a response that is too long
	if err != nil {
		// The error must not contain the path of the program, because the agent may see it.
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return gateway.GateAnswer{}, fmt.Errorf("the program of the gate exited with %s", exit.ProcessState)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			return gateway.GateAnswer{}, errors.New("the program of the gate was not found")
		}
		return gateway.GateAnswer{}, errors.New("cannot run the program of the gate")
	}
	return decode(out.Stdout)
}

// HTTP is a gate at a URL. It posts the request. If the response is a redirect or has a status other than 200, the gate
// has failed.
type HTTP struct {
	URL    string
	Token  string // bearer token; "" for no token
	Client *http.Client
}

var _ gateway.Gate = HTTP{}

// NewHTTP returns a gate at url. If token is not "", every request to the gate contains it as a bearer token.
func NewHTTP(url, token string) HTTP {
	return HTTP{URL: url, Token: token, Client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}}
}

var errRedirect = errors.New("the gate redirects to another address")

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
	case err != nil: // the error must not contain the address of the gate, because the agent may see it
		why, _ := gateway.NotReached(err)
		return gateway.GateAnswer{}, errors.New(why)
	}
	defer res.Body.Close() //nolint:errcheck // the body has been read
	if res.StatusCode != http.StatusOK {
		return gateway.GateAnswer{}, fmt.Errorf("%w: status %d", ErrAnswer, res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return gateway.GateAnswer{}, err
	}
	return decode(b)
}
