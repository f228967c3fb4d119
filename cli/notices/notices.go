// Package notices tells a program or an address that a proposal or a call waits for
// the user. It reads the log after it is committed, so that nothing waits for it.
package notices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Kind is the event that a notice is about.
type Kind string

// The kinds of notices.
const (
	UserReview Kind = "user_review" // a revision of a proposal waits for the user
	// ApprovalMissing is sent when an owner approved and others have to.
	ApprovalMissing Kind = "approval_missing"
	Stale           Kind = "stale"        // another version of its subject went live
	CallWaiting     Kind = "call_waiting" // a call needs the user's approval
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{UserReview, ApprovalMissing, Stale, CallWaiting} }

// Notice is the document that is sent. A receiver that gets an id twice has got one
// notice: what could not be confirmed is sent again.
type Notice struct {
	Schema int       `json:"schema"`
	Kind   string    `json:"kind"` // "notice"
	ID     string    `json:"id"`
	Event  Kind      `json:"event"`
	At     time.Time `json:"at"`

	Proposal string `json:"proposal,omitempty"`
	Issue    int    `json:"issue,omitempty"`
	Revision int    `json:"revision,omitempty"`
	Title    string `json:"title,omitempty"`
	Author   string `json:"author,omitempty"`
	Subject  string `json:"subject"`

	// WaitsFor has the owners whose approval would help, of an approval that is missing.
	WaitsFor []string `json:"waits_for,omitempty"`

	Call      string     `json:"call,omitempty"`
	Agent     string     `json:"agent,omitempty"`
	User      string     `json:"user,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// Log is the log with the proposals and calls of its events.
type Log interface {
	EventsAfter(ctx context.Context, after int64, limit int) ([]history.Event, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	Pending(ctx context.Context, id string) (gateway.Pending, error)
}

// Sender sends one notice, as JSON.
type Sender interface {
	Send(ctx context.Context, n Notice, body []byte) error
}

// Courier sends the notices of one log to one receiver. What is sent is kept in a file of the folder
// State: the next process goes on there, and sends again what failed.
type Courier struct {
	Log    Log
	Sender Sender
	Events []Kind // none means all
	State  string
	Now    func() time.Time
	// Since is where a log begins that is seen for the first time.
	Since time.Time
}

// page is how many events are read at once.
const page = 500

// Deliver sends due notices, in the order of the log, and stops at the first that
// is not received, unless it is given up. Of a log that it sees for the first
// time, notices older than Since count as sent.
func (c *Courier) Deliver(ctx context.Context) error {
	genesis, err := c.genesis(ctx)
	if err != nil || genesis == "" {
		return err
	}
	so, known, err := c.load(genesis)
	if err != nil {
		return err
	}
	for {
		events, err := c.Log.EventsAfter(ctx, so.Seq, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if known || !e.At.Before(c.Since) {
				if err := c.event(ctx, e, &so); err != nil {
					return errors.Join(err, c.save(genesis, so))
				}
			}
			so.Seq = e.Seq
		}
		if len(events) < page {
			return c.save(genesis, so)
		}
	}
}

func (c *Courier) genesis(ctx context.Context) (string, error) {
	first, err := c.Log.EventsAfter(ctx, 0, 1)
	if err != nil || len(first) == 0 {
		return "", err
	}
	return first[0].Hash, nil
}

// event sends the notices of an event, and keeps those not received in so.
func (c *Courier) event(ctx context.Context, e history.Event, so *Progress) error {
	all, err := c.of(ctx, e)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, n := range all {
		if len(c.Events) > 0 && !slices.Contains(c.Events, n.Event) {
			continue
		}
		n.Schema, n.Kind, n.At = 1, "notice", e.At
		n.ID = fmt.Sprintf("%s-%d", e.ID, i)
		body, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if err = c.Sender.Send(ctx, n, visible.JSON(body)); err == nil {
			so.Failing = nil
		} else if !so.failed(n, err, c.Now()) {
			return err
		}
	}
	return nil
}

// of returns the notices of an event that still need somebody, not those decided
// or answered meanwhile.
func (c *Courier) of(ctx context.Context, e history.Event) ([]Notice, error) {
	switch proposals.Act(e.Act) {
	case proposals.ActAssess, proposals.ActEndorse:
		p, err := c.Log.Proposal(ctx, proposals.ID(e.Proposal))
		if err != nil || p.State != proposals.UserReview || p.Revision != e.Revision {
			return nil, err
		}
		if proposals.Act(e.Act) == proposals.ActAssess {
			return []Notice{about(UserReview, p)}, nil
		}
		var data struct {
			Approvals struct {
				WaitsFor []string `json:"waits_for"`
			} `json:"approvals"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return nil, err
		}
		n := about(ApprovalMissing, p)
		n.WaitsFor = data.Approvals.WaitsFor
		return []Notice{n}, nil
	case proposals.ActApprove:
		subject, err := registry.ParseSubject(e.Subject)
		if err != nil {
			return nil, nil //nolint:nilerr // an approval of something else than a proposal
		}
		open, err := c.Log.OpenOn(ctx, subject)
		var all []Notice
		for _, p := range open {
			if p.Stale() && string(p.ID) != e.Proposal {
				all = append(all, about(Stale, p))
			}
		}
		return all, err
	case askCall:
		p, err := c.Log.Pending(ctx, e.ID)
		if err != nil || p.Answer != nil || !p.ExpiresAt.After(c.Now()) {
			return nil, err
		}
		return []Notice{{
			Event: CallWaiting, Subject: p.Tool.String(), Call: p.ID, Agent: p.Caller.Agent, User: p.Caller.User, ExpiresAt: &p.ExpiresAt,
		}}, nil
	default:
		return nil, nil // nothing waits after any other act
	}
}

// askCall is the act of a call that begins to wait. The event has the id of the call.
const askCall = proposals.Act("ask-call")

func about(k Kind, p proposals.Proposal) Notice {
	return Notice{
		Event: k, Proposal: string(p.ID), Issue: p.Issue, Revision: p.Revision, Title: p.Title, Author: p.Author.String(), Subject: p.Subject.String(),
	}
}
