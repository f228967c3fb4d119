// This file defines the JSON documents that the calls commands print.

package calls

import (
	"cmp"
	"encoding/json"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/signature"
	"toolcrib/gateway"
	"toolcrib/internal/lists"
)

// docCall is the result of a call.
type docCall struct {
	output.Head
	Call     string          `json:"call"`
	Tool     string          `json:"tool"`
	Version  int             `json:"version"`
	Output   json.RawMessage `json:"output"`
	Answer   json.RawMessage `json:"answer,omitempty"` // the provider's response, without the output
	Warnings []string        `json:"warnings"`
	At       time.Time       `json:"at"`
	Micros   int64           `json:"duration_us"`
}

// docPending is a call that needs a user's approval. If a user has answered the call, docPending also contains the
// answer and the outcome.
type docPending struct {
	ID          string          `json:"id"`
	State       string          `json:"state"`
	Tool        string          `json:"tool"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	InForce     int             `json:"version_in_force"`
	Args        json.RawMessage `json:"args"`
	Said        json.RawMessage `json:"said,omitempty"` // context that the caller provided; not verified
	Digest      string          `json:"digest"`
	Actor       string          `json:"actor"`
	Agent       string          `json:"agent"`
	User        string          `json:"user"`
	Customer    string          `json:"customer,omitempty"`
	Layer       string          `json:"layer"`
	AskedAt     time.Time       `json:"asked_at"`
	ExpiresAt   time.Time       `json:"expires_at"`
	AnsweredBy  string          `json:"answered_by,omitempty"`
	AnsweredAt  *time.Time      `json:"answered_at,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	Call        string          `json:"call,omitempty"`
	Code        string          `json:"code,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

func newDocPending(g *command.OpenGateway, p gateway.Pending) docPending {
	d := docPending{
		ID: p.ID, State: string(g.State(p)), Tool: p.Tool.String(), Version: p.Version, ContentHash: p.ContentHash, InForce: p.InForce, Args: p.Args,
		Said:   p.CallContext.Encode(),
		Digest: p.Digest, Actor: p.Caller.Actor.String(), Agent: p.Caller.Agent, User: p.Caller.User, Customer: p.Caller.Customer,
		Layer: string(p.Caller.Layer), AskedAt: p.AskedAt, ExpiresAt: p.ExpiresAt,
	}
	if a := p.Answer; a != nil {
		d.AnsweredBy, d.AnsweredAt, d.Reason, d.Call = a.By.String(), &a.At, a.Reason, a.Call
	}
	if o := p.Outcome; o != nil {
		d.Code, d.Output = string(o.Code), o.Output
	}
	return d
}

type docPendingList struct {
	output.Head
	Pending []docPending `json:"pending"`
	Next    int64        `json:"next,omitempty"`
}

type docPendingOne struct {
	output.Head
	Pending docPending `json:"pending"`
}

// docAudit is an entry of the call log. Code is "ok" if the call succeeded, and "" if its outcome is unknown.
type docAudit struct {
	Seq         int64     `json:"seq"`
	Call        string    `json:"call"`
	At          time.Time `json:"at"`
	Actor       string    `json:"actor"`
	Agent       string    `json:"agent"`
	User        string    `json:"user"`
	Customer    string    `json:"customer,omitempty"`
	Layer       string    `json:"layer"`
	Name        string    `json:"name"`
	Tool        string    `json:"tool"`
	Version     int       `json:"version"`
	ContentHash string    `json:"content_hash"`
	Annotations *docHints `json:"annotations"` // annotations of the tool, including those implied by its category; null if the tool has no annotations
	ArgsHash    string    `json:"args_hash"`
	Pending     string    `json:"pending,omitempty"`
	Nth         int       `json:"nth_of_day"`
	Code        string    `json:"code"`
	Micros      int64     `json:"duration_us"`
	// OutputHash is the SHA-256 of the output.
	OutputHash      string `json:"output_hash,omitempty"`
	OutputBytes     int    `json:"output_bytes,omitempty"`
	Message         string `json:"message,omitempty"`
	ApprovalRequest string `json:"approval_request_id,omitempty"`
	NotRun          bool   `json:"not_run,omitempty"` // whether the call was rejected before it ran
	Command         string `json:"command,omitempty"` // command line or URL of the server behind a guard, without secrets
}

func newDocAudit(c gateway.Call) docAudit {
	d := docAudit{
		Seq: c.Seq, Call: c.ID, At: c.At, Actor: c.Caller.Actor.String(), Agent: c.Caller.Agent, User: c.Caller.User, Customer: c.Caller.Customer,
		Layer: string(c.Caller.Layer), Name: c.Name, Tool: c.Tool.String(), Version: c.Version, ContentHash: c.ContentHash,
		Annotations: (*docHints)(c.Annotations), ArgsHash: c.ArgsHash, Pending: c.Pending, Nth: c.Nth, Command: c.Command,
	}
	if o := c.Outcome; o != nil {
		d.Code, d.Micros = string(cmp.Or(o.Code, gateway.CodeOK)), o.Duration.Microseconds()
		d.OutputHash, d.OutputBytes, d.Message, d.ApprovalRequest, d.NotRun = o.OutputHash, o.OutputBytes, o.Message, o.ApprovalRequest, o.NotRun
	}
	return d
}

// docHints lists the annotations of a tool. A field is nil if the tool does not set the annotation.
type docHints struct {
	ReadOnly             *bool `json:"read_only,omitempty"`
	Destructive          *bool `json:"destructive,omitempty"`
	Idempotent           *bool `json:"idempotent,omitempty"`
	RequiresConfirmation *bool `json:"requires_confirmation,omitempty"`
	OpenWorld            *bool `json:"open_world,omitempty"`
}

type docAuditList struct {
	output.Head
	Calls []docAudit `json:"calls"`
	Next  int64      `json:"next,omitempty"`
	// Counted contains the numbers of refused calls that are not in the log, because the log stores only a limited
	// number of refused calls for each agent, user, and hour. Only the first page of a list contains Counted.
	Counted []gateway.Refusals `json:"counted,omitempty"`
}

// docTier is a user's choice of an approval tier for a tool.
type docTier struct {
	Tool string     `json:"tool"`
	User string     `json:"user"`
	Tier string     `json:"tier"` // "default" if the user withdrew an earlier choice
	By   string     `json:"by,omitempty"`
	At   *time.Time `json:"at,omitempty"`
}

func newDocTier(o gateway.Override) docTier {
	d := docTier{Tool: o.Tool.String(), User: o.User, Tier: cmp.Or(string(o.Tier), signature.DefaultTier), By: o.By.String()}
	if o.At.IsZero() { // the user has never chosen a tier for this tool
		d.By = ""
	} else {
		d.At = &o.At
	}
	return d
}

type docTierList struct {
	output.Head
	Tiers     []docTier           `json:"tiers"`
	Unchanged []docTier           `json:"unchanged"`
	Fixed     []gateway.FixedTier `json:"fixed"` // selected tools that have a fixed tier
	DryRun    bool                `json:"dry_run,omitempty"`
}

func newDocTierList(c gateway.TierChange, dryRun bool) docTierList {
	return docTierList{
		Head: output.NewHead("tier.list"), Tiers: lists.Map(c.Set, newDocTier), Unchanged: lists.Map(c.Same, newDocTier), DryRun: dryRun,
		Fixed: append([]gateway.FixedTier{}, c.Fixed...),
	}
}
