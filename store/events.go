package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/proof"
)

func eventColumns(e *history.Event) columns {
	return columns{
		col("seq", &e.Seq), col("id", &e.ID), col("at", asTime(&e.At)), col("actor", &e.Actor), col("act", &e.Act), col("subject", &e.Subject),
		col("proposal", &e.Proposal), col("revision", &e.Revision), col("record", &e.Record), col("data", asJSON(&e.Data)), col("prev_hash", &e.PrevHash),
		col("hash", &e.Hash),
	}
}

// selectEvents is the beginning of a query for eventColumns.
var selectEvents = "SELECT " + eventColumns(new(history.Event)).names() + " FROM events "

// eventLog has the audit log.
type eventLog struct{ *session }

// AppendEvent appends one event.
func (s eventLog) AppendEvent(ctx context.Context, e history.Event) error {
	return s.AppendEvents(ctx, []history.Event{e})
}

// AppendEvents implements review.RecordWriter.
func (s eventLog) AppendEvents(ctx context.Context, events []history.Event) error {
	ends, err := s.tails(ctx)
	if err != nil {
		return err
	}
	now := *ends
	last := s.last
	var rows []columns
	for _, e := range events {
		e.Seq, e.PrevHash = now.event+1, now.hash
		if e.Data == nil {
			e.Data = json.RawMessage("{}")
		}
		if e.Data, err = s.witness.sign(e); err != nil {
			return err
		}
		e.Hash = e.Sum()
		rows = append(rows, eventColumns(&e))
		last, now.event, now.hash = e, e.Seq, e.Hash
		if e.Act == proof.ActSigners {
			now.signers = e.Hash
		}
	}
	if err := s.insertAll(ctx, "events", rows); err != nil {
		return fmt.Errorf("event %d: %w", ends.event+1, err)
	}
	*ends = now
	s.last, s.chained = last, chainedRow{eventTable, last.Seq, last.Hash}
	for _, e := range events {
		if !slices.Contains(s.acts, e.Act) {
			s.acts = append(s.acts, e.Act)
		}
	}
	return nil
}

// tell appends an event with its data.
func (s eventLog) tell(ctx context.Context, e history.Event, data map[string]any) error {
	b, err := jsondoc.Marshal(data)
	if err != nil {
		return err
	}
	e.Data = b
	return s.AppendEvent(ctx, e)
}

// RecentWrites implements review.RecordReader. The condition on the actor and the
// acts is the one of the index.
func (s eventLog) RecentWrites(ctx context.Context, agent proposals.Actor, from, to time.Time, limit int) ([]time.Time, error) {
	query, args := `SELECT at FROM events WHERE substr(actor, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment')
		AND actor = $1 AND at > $2 AND at <= $3 ORDER BY at DESC LIMIT $4`, []any{agent.String(), history.Timestamp(from), history.Timestamp(to), limit}
	if agent == (proposals.Actor{}) {
		// From the end of the log back to where the time begins: no index has
		// the writes of all agents by their time.
		query, args = `SELECT at FROM events WHERE seq > coalesce((SELECT seq FROM events WHERE at <= $1 ORDER BY seq DESC LIMIT 1), 0)
			AND substr(`+s.hints.unindexed("actor")+`, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment') AND at > $1 AND at <= $2 ORDER BY seq DESC LIMIT $3`,
			[]any{history.Timestamp(from), history.Timestamp(to), limit}
	}
	return all(ctx, s, reading(func(at *time.Time) columns { return columns{col("at", asTime(at))} }), query, args...)
}

// logPages are the pages of the logs.
type logPages struct{ *connections }

// EventQuery selects events for a page, the newest first.
type EventQuery struct {
	Proposal string // id; "" for all
	Subject  string // "" for all
	Before   int64  // only those before this number; 0 for all
	Limit    int
}

// Events returns a page of the audit log.
func (db logPages) Events(ctx context.Context, q EventQuery) ([]history.Event, error) {
	query, args := selectEvents+"WHERE (seq < ? OR 0 = ?)", []any{q.Before, q.Before}
	if q.Proposal != "" {
		query, args = query+" AND proposal = ? AND proposal <> ''", append(args, q.Proposal)
	}
	if q.Subject != "" {
		query, args = query+" AND subject = ? AND subject <> ''", append(args, q.Subject)
	}
	return viewed(ctx, db.connections, func(s *session) ([]history.Event, error) {
		return all(ctx, s, reading(eventColumns), numbered(query+" ORDER BY seq DESC LIMIT ?"), append(args, q.Limit)...)
	})
}

// EventsAfter returns the next events of the audit log, the oldest first.
func (db logPages) EventsAfter(ctx context.Context, after int64, limit int) ([]history.Event, error) {
	return viewed(ctx, db.connections, func(s *session) ([]history.Event, error) {
		return all(ctx, s, reading(eventColumns), selectEvents+"WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit)
	})
}

// Head returns the sequence number of the newest event, and the state of the
// registry, which grows with every approval.
func (db logPages) Head(ctx context.Context) (event, state int64, err error) {
	err = db.view(ctx, func(s *session) error {
		if err := s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &event); err != nil {
			return err
		}
		state, err = trusted{s}.State(ctx)
		return err
	})
	return event, state, err
}

// CallHash returns the hash of a call, the newest one for 0, and its number; 0
// and "" where there is none.
func (db logPages) CallHash(ctx context.Context, seq int64) (found int64, hash string, err error) {
	err = db.view(ctx, func(s *session) error {
		err := s.Row(ctx, "SELECT seq, hash FROM calls WHERE seq = $1 OR $1 = 0 ORDER BY seq DESC LIMIT 1", []any{seq}, &found, &hash)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return found, hash, err
}

// witness adds to events which account wrote them, and refuses those that name
// a user whom the account may not act as. Every act of the desk and of the
// gateway writes its event in its own transaction, so the act is refused too.
type witness struct {
	account history.Account
	users   []string // nil for all
}

// actingKey finds whom a context acts for.
type actingKey struct{}

// acting is who came in through a door of the process.
type acting struct {
	via   string
	users []string
}

// Acting returns a context whose writes are those of users who came in through a door
// of this process, such as "ssh SHA256:…", and not of the account that runs it: events
// name the door, and no other user can act.
func Acting(ctx context.Context, via string, users ...string) context.Context {
	return context.WithValue(ctx, actingKey{}, acting{via, users})
}

// in returns the witness of what a context writes.
func (w witness) in(ctx context.Context) witness {
	if a, ok := ctx.Value(actingKey{}).(acting); ok {
		w.account.Via, w.users = a.via, append([]string{}, a.users...)
	}
	return w
}

// same reports whether an account is the one that acts. The name of the machine does
// not count: whoever starts a container chooses it.
func (w witness) same(a history.Account) bool {
	now := w.account
	now.Host, a.Host = "", ""
	return now == a && now != history.Account{}
}

// WroteHere implements review.RecordReader.
func (s eventLog) WroteHere(ctx context.Context, id proposals.ID, revision int, author proposals.Actor) (bool, error) {
	accounts, err := all(ctx, s, scanAccount, `SELECT data FROM events WHERE proposal = $1 AND proposal <> '' AND revision = $2 AND actor = $3
		AND act IN ('draft', 'revise', 'submit')`, id, revision, author.String())
	return slices.ContainsFunc(accounts, s.witness.in(ctx).same), err
}

// scanAccount reads the account from the data of an event.
func scanAccount(row scanner) (history.Account, error) {
	var data string
	if err := row.Scan(&data); err != nil {
		return history.Account{}, err
	}
	var has struct {
		Account history.Account `json:"account"`
	}
	return has.Account, json.Unmarshal([]byte(data), &has)
}

// sign returns the data of e with the account in it.
func (w witness) sign(e history.Event) (json.RawMessage, error) {
	if w.users != nil && strings.HasPrefix(e.Actor, string(proposals.User)+":") && !slices.Contains(w.users, e.Actor) {
		return nil, fmt.Errorf("%s %s: %w: this account may not act as that user", e.Act, e.Actor, proposals.ErrAuthority)
	}
	if w.account == (history.Account{}) {
		return e.Data, nil
	}
	data := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("the data of a %s event: %w", e.Act, err)
	}
	account, err := json.Marshal(w.account)
	if err != nil {
		return nil, err
	}
	data["account"] = account
	return jsondoc.Marshal(data)
}
