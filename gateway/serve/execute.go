package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
)

// docRun is the result of a call.
type docRun struct {
	Call       string          `json:"call"`
	Tool       string          `json:"tool"`
	Version    int             `json:"version"`
	At         time.Time       `json:"at"`
	DurationMS float64         `json:"duration_ms"` // of the provider
	Output     json.RawMessage `json:"output"`
	Answer     json.RawMessage `json:"answer,omitempty"` // what else the provider answered with
	Warnings   []string        `json:"warnings,omitempty"`
}

// docCall is the body of a call: a tool with its arguments, or the id of a call
// that waited for the user.
type docCall struct {
	Tool        string          `json:"tool"`
	Args        json.RawMessage `json:"args"`
	User        string          `json:"user"`
	CallContext json.RawMessage `json:"call_context"`
	Pending     string          `json:"pending"`
}

// execute is POST /v1/agents/{id}/execute: a call through every gate.
func (s *Server) execute(q *request) error {
	if err := q.own(); err != nil {
		return err
	}
	in, err := readCall(q.r)
	if err != nil {
		return err
	}
	caller, err := q.forUser(in.User)
	if err != nil {
		return err
	}
	var r gateway.Result
	if in.Pending != "" {
		r, err = s.config.Gateway.Outcome(q.r.Context(), caller, in.Pending)
	} else {
		call := gateway.Request{Tool: in.Tool, Args: in.Args}
		if call.Said, err = gateway.ParseCallContext(in.CallContext); err != nil {
			return err
		}
		r, err = s.config.Gateway.Execute(q.r.Context(), caller, call)
	}
	s.metrics.called(err)
	if err != nil {
		return err
	}
	return answer(q.w, docRun{
		Call: r.Call, Tool: r.Tool.String(), Version: r.Version, At: r.At, DurationMS: float64(r.Duration.Microseconds()) / 1000,
		Output: r.Output, Answer: r.Answer, Warnings: r.Warnings,
	})
}

// readCall reads the body of a call, strictly.
func readCall(r *http.Request) (docCall, error) {
	var in docCall
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return in, err
	}
	n, err := jsondoc.Parse(text, jsondoc.Limits{Bytes: maxBody, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil {
		return in, err
	}
	ps := jsondoc.Bind(n, jsondoc.Root, &in)
	switch {
	case len(ps) > 0:
	case in.Pending != "" && (in.Tool != "" || in.Args != nil || in.CallContext != nil):
		ps.Append(jsondoc.Problem{Path: "pending", Message: "cannot be combined with a call: it polls the outcome of a pending one"})
	case in.Pending == "" && in.Tool == "":
		ps.Append(jsondoc.Problem{Path: "tool", Message: "missing"})
	}
	return in, ps.Err()
}
