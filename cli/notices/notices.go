// Package notices notifies a program or a web address that a proposal or a call waits for the user. It reads the log
// after the commit, so that no command waits for a notice.
package notices

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/proc"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Kind is the event that a notice reports.
type Kind string

// The kinds of notices.
const (
	UserReview      Kind = "user_review"      // a revision of a proposal waits for the user
	ApprovalMissing Kind = "approval_missing" // an owner has approved, other owners have not
	Stale           Kind = "stale"            // another version of its subject was approved
	CallWaiting     Kind = "call_waiting"     // a call needs the user's approval
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{UserReview, ApprovalMissing, Stale, CallWaiting} }

// Notice is the document that is sent. A notice may be sent again if its delivery was not confirmed; its id is then the
// same.
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

	// WaitsFor lists the owners who can give a missing approval.
	WaitsFor []string `json:"waits_for,omitempty"`

	Call      string     `json:"call,omitempty"`
	Agent     string     `json:"agent,omitempty"`
	User      string     `json:"user,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// Log provides the log, and the proposals and calls that its events refer to.
type Log interface {
	EventsAfter(ctx context.Context, after int64, limit int) ([]history.Event, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	Pending(ctx context.Context, id string) (gateway.Pending, error)
}

// Sender sends a notice as JSON.
type Sender interface {
	Send(ctx context.Context, n Notice, body []byte) error
}

// Courier sends the notices of one log to one receiver. It stores its progress in a file in the folder State, so that
// the next process can continue.
type Courier struct {
	Log    Log
	Sender Sender
	Events []Kind // empty means all
	State  string
	Now    func() time.Time
	// Since excludes older notices if the log is new.
	Since time.Time
}

// page is the number of events read per query.
const page = 500

// Deliver sends the notices that are due, in log order. It stops at the first one that fails, unless it drops that
// notice. In a new log, it skips notices older than Since.
func (c *Courier) Deliver(ctx context.Context) error {
	first, err := c.Log.EventsAfter(ctx, 0, 1)
	if err != nil || len(first) == 0 {
		return err
	}
	genesis := first[0].Hash
	var so progress
	text, err := os.ReadFile(c.file(genesis))
	known := !errors.Is(err, fs.ErrNotExist) // whether the log is not new
	if err == nil {
		err = json.Unmarshal(text, &so)
	}
	if err != nil && known {
		return fmt.Errorf("%s: %w; remove it, and notices start with the next event", c.file(genesis), err)
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

// event sends the notices of an event. It drops one that is older than giveUp if the receiver has failed for as long.
func (c *Courier) event(ctx context.Context, e history.Event, so *progress) error {
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
		if err := c.Sender.Send(ctx, n, visible.JSON(body)); err == nil {
			so.FailingSince = time.Time{}
		} else {
			if so.FailingSince.IsZero() {
				so.FailingSince = c.Now().UTC()
			}
			if c.Now().Sub(so.FailingSince) < giveUp || c.Now().Sub(e.At) < giveUp {
				return err
			}
		}
	}
	return nil
}

// of returns the notices of an event, except those about proposals and calls that have been decided in the meantime.
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
			return nil, nil //nolint:nilerr // not the approval of a proposal
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
		return nil, nil // no other act causes a notice
	}
}

// askCall is the act of the event that a call waits for the user. The event contains the call's id.
const askCall = proposals.Act("ask-call")

func about(k Kind, p proposals.Proposal) Notice {
	return Notice{
		Event: k, Proposal: string(p.ID), Issue: p.Issue, Revision: p.Revision, Title: p.Title, Author: p.Author.String(), Subject: p.Subject.String(),
	}
}

// progress describes how far the notices of a log have been sent to a receiver.
type progress struct {
	Seq int64 `json:"seq"` // the last event whose notices are sent or given up
	// FailingSince is set while the receiver accepts no notices.
	FailingSince time.Time `json:"failing_since,omitzero"`
}

// giveUp limits the retries of a notice. A notice older than giveUp is dropped if the receiver has also accepted no
// notice for that long. Otherwise, a notice that is never accepted would block the others.
const giveUp = 24 * time.Hour

func (c *Courier) file(genesis string) string { return filepath.Join(c.State, genesis+".json") }

func (c *Courier) save(genesis string, p progress) error {
	return atomicfile.WriteJSON(c.file(genesis), p)
}

// Command runs a program without a shell and writes the notice to its standard input.
type Command struct {
	Args []string
	Dir  string
}

// maxOutput limits the output read from the program, in bytes.
const maxOutput = 64 << 10

// Send implements Sender.
func (c Command) Send(ctx context.Context, _ Notice, body []byte) error {
	if _, err := proc.Exchange(ctx, c.Args, c.Dir, append(body, '\n'), maxOutput); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	return nil
}

// Webhook posts notices to an address and signs them with a shared secret.
type Webhook struct {
	URL    string
	Secret string
	Now    func() time.Time
}

// The HTTP headers of a notice. The signature is "t=SECONDS,v1=HEX", with the Unix time and the HMAC-SHA256 of the
// time, a full stop, and the body.
const (
	SignatureHeader = "Toolcrib-Signature"
	EventHeader     = "Toolcrib-Event"
	DeliveryHeader  = "Toolcrib-Delivery"
)

// Send implements Sender. Only a 2xx status counts as delivery. Send does not follow redirects, because only this
// address was configured.
func (w Webhook) Send(ctx context.Context, n Notice, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(w.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "toolcrib")
	req.Header.Set(EventHeader, string(n.Event))
	req.Header.Set(DeliveryHeader, n.ID)
	req.Header.Set(SignatureHeader, "t="+at+",v1="+Sign(w.Secret, at, body))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxOutput))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%s answered %s", w.URL, resp.Status)
	}
	return nil
}

// Sign returns the signature of a body sent at a given time.
func Sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
