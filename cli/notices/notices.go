// Package notices sends a notice to a program or a URL when a proposal or a call waits for the user. It finds out what
// to send by reading the event log, so commands do not have to wait until a notice is sent.
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

// Kind is the kind of event that a notice reports.
type Kind string

// Kinds of notices.
const (
	UserReview      Kind = "user_review"      // a revision of a proposal waits for the user
	ApprovalMissing Kind = "approval_missing" // an owner approved a proposal, and approvals of other owners are missing
	Stale           Kind = "stale"            // an open proposal is outdated, because another change to its subject was approved
	CallWaiting     Kind = "call_waiting"     // a call needs the user's approval
)

// Kinds returns all kinds of notices.
func Kinds() []Kind { return []Kind{UserReview, ApprovalMissing, Stale, CallWaiting} }

// Notice is the document that is sent to a receiver. If the receiver does not confirm a notice, the notice is sent
// again with the same id.
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

	// WaitsFor lists the owners who have not approved yet.
	WaitsFor []string `json:"waits_for,omitempty"`

	Call      string     `json:"call,omitempty"`
	Agent     string     `json:"agent,omitempty"`
	User      string     `json:"user,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// Log provides the events of a log, and the proposals and calls that the events refer to.
type Log interface {
	EventsAfter(ctx context.Context, seq int64, limit int) ([]history.Event, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	Pending(ctx context.Context, id string) (gateway.Pending, error)
}

// Sender sends notices to a receiver. body is the notice n as JSON.
type Sender interface {
	Send(ctx context.Context, n Notice, body []byte) error
}

// Courier sends the notices of a log to a receiver. It stores its progress in a file in the folder State. Another
// process can continue where this process stopped.
type Courier struct {
	Log    Log
	Sender Sender
	Events []Kind // kinds of notices to send; empty means all kinds
	State  string
	Now    func() time.Time
	// Since is the time of the first event to send notices about if no progress is stored for the log.
	Since time.Time
}

// page is the number of events to read with each query.
const page = 500

// Deliver sends the notices that are due, in the order of the log. If it cannot send a notice, it stops and returns an
// error. An old notice that could not be sent for a long time is dropped instead (see giveUp).
func (c *Courier) Deliver(ctx context.Context) error {
	first, err := c.Log.EventsAfter(ctx, 0, 1)
	if err != nil || len(first) == 0 {
		return err
	}
	genesis := first[0].Hash
	var so progress
	text, err := os.ReadFile(c.file(genesis))
	known := !errors.Is(err, fs.ErrNotExist) // whether progress is stored for this log
	if err == nil {
		err = json.Unmarshal(text, &so)
	}
	if err != nil && known {
		return fmt.Errorf("%s: %w; remove this file, and notices start again with the next event", c.file(genesis), err)
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

// event sends the notices of the event e. If a notice cannot be sent, event returns an error, or drops the notice if
// the conditions in giveUp are met.
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

// of returns the notices of the event e. It omits notices about proposals and calls that have been decided since the
// event.
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
			return nil, nil //nolint:nilerr // the event is not the approval of a proposal
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
		return nil, nil // events with other acts cause no notice
	}
}

// askCall is the act of an event that is logged when a call needs the user's approval. The id of the event is the id
// of the call.
const askCall = proposals.Act("ask-call")

func about(k Kind, p proposals.Proposal) Notice {
	return Notice{
		Event: k, Proposal: string(p.ID), Issue: p.Issue, Revision: p.Revision, Title: p.Title, Author: p.Author.String(), Subject: p.Subject.String(),
	}
}

// progress describes how far the notices of a log were sent to a receiver.
type progress struct {
	Seq int64 `json:"seq"` // sequence number of the last event whose notices were sent or dropped
	// FailingSince is the time of the first failure since the last successful delivery, or zero.
	FailingSince time.Time `json:"failing_since,omitzero"`
}

// giveUp is the time after which a notice can be dropped. A notice is dropped if its event is older than giveUp and the
// receiver has accepted nothing for at least this time. Otherwise, a notice that the receiver never accepts would block
// all later notices.
const giveUp = 24 * time.Hour

func (c *Courier) file(genesis string) string { return filepath.Join(c.State, genesis+".json") }

func (c *Courier) save(genesis string, p progress) error {
	return atomicfile.WriteJSON(c.file(genesis), p)
}

// Command sends notices by running a program without a shell. The program reads the notice from standard input.
type Command struct {
	Args []string
	Dir  string
}

// maxOutput is the maximum number of bytes to read from the program or from the response to a request.
const maxOutput = 64 << 10

// Send implements Sender.
func (c Command) Send(ctx context.Context, _ Notice, body []byte) error {
	if _, err := proc.Exchange(ctx, c.Args, c.Dir, append(body, '\n'), maxOutput); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	return nil
}

// Webhook sends notices as HTTP POST requests to a URL, signed with a shared secret.
type Webhook struct {
	URL    string
	Secret string
	Now    func() time.Time
}

// HTTP headers of a notice. The signature has the form "t=SECONDS,v1=HEX". SECONDS is the Unix time, and HEX is the
// HMAC-SHA256 of the time, a full stop, and the body.
const (
	SignatureHeader = "Toolcrib-Signature"
	EventHeader     = "Toolcrib-Event"
	DeliveryHeader  = "Toolcrib-Delivery"
)

// Send implements Sender. A response with a status other than 2xx is an error. Send does not follow redirects,
// because the user configured only this URL.
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

// Sign returns the signature of the timestamp and body as hexadecimal digits. The timestamp is the Unix time in
// seconds.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
