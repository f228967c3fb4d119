package evalgate

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// question is the request to a gate. The content of said is the caller's word and
// was not checked; the rest comes from toolcrib.
type question struct {
	Call        string                `json:"call"`
	At          time.Time             `json:"at"`
	Tool        string                `json:"tool"`    // the id
	Subject     registry.Subject      `json:"subject"` // the tool in its layer
	Version     int                   `json:"version"`
	ContentHash string                `json:"content_hash"`
	Description string                `json:"description"`
	Category    string                `json:"category,omitempty"`
	Tier        registry.Tier         `json:"tier,omitempty"` // level of abstraction
	Cost        registry.Cost         `json:"cost,omitempty"`
	Approval    registry.ApprovalTier `json:"approval"` // the tier that applied to the call
	Limits      *limits               `json:"limits,omitempty"`
	Nth         int                   `json:"nth_of_day"`
	Annotations *registry.Annotations `json:"annotations,omitempty"`
	Actor       string                `json:"actor"`
	Agent       string                `json:"agent"`
	User        string                `json:"user"`
	Customer    string                `json:"customer"`
	Args        json.RawMessage       `json:"args"`
	Said        json.RawMessage       `json:"said,omitempty"` // a gateway.CallContext
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
		Actor: in.Caller.Actor.String(), Agent: in.Caller.Agent, User: in.Caller.User, Customer: in.Caller.Customer, Args: in.Args, Said: in.Said.Encode(),
	}
	if t.Limits != nil {
		q.Limits = &limits{t.Limits.CooldownSeconds, t.Limits.DailyLimit}
	}
	return json.Marshal(q)
}

// maxAnswer is the longest answer of a gate in bytes.
const maxAnswer = 64 << 10

// ErrAnswer is wrapped when a gate answered with something that is not an answer:
// neither a yes nor a no.
var ErrAnswer = errors.New(`it did not answer with {"approved": true or false, "reason": "…"}`)

func decode(b []byte) (gateway.GateAnswer, error) {
	if len(b) > maxAnswer {
		return gateway.GateAnswer{}, fmt.Errorf("%w: it has more than %d bytes", ErrAnswer, maxAnswer)
	}
	// encoding/json takes the last of two keys, and one in capitals: a gate that
	// repeats its input could be made to approve.
	n, err := jsondoc.Parse(b, jsondoc.Limits{Bytes: maxAnswer, Depth: jsondoc.DefaultLimits.Depth})
	if err != nil {
		return gateway.GateAnswer{}, ErrAnswer
	}
	yes := n.Get("approved")
	if n.Kind != jsondoc.Object || yes == nil || yes.Kind != jsondoc.Bool {
		return gateway.GateAnswer{}, ErrAnswer
	}
	a := gateway.GateAnswer{Approved: yes.Text == "true"}
	if reason := n.Get("reason"); reason != nil && reason.Kind == jsondoc.String {
		a.Reason = reason.Text
	}
	return a, nil
}
