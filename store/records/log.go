// Package records stores the append-only records about proposals: the audit log, assessments, waivers, decisions,
// comments, and signed statements. The audit log refers to all other records.
package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

func eventColumns(e *history.Event) table.Columns {
	return table.Columns{
		table.Col("seq", &e.Seq), table.Col("id", &e.ID), table.Col("at", table.Time(&e.At)), table.Col("actor", &e.Actor), table.Col("act", &e.Act), table.Col("subject", &e.Subject),
		table.Col("proposal", &e.Proposal), table.Col("revision", &e.Revision), table.Col("record", &e.Record), table.Col("data", table.JSON(&e.Data)), table.Col("prev_hash", &e.PrevHash),
		table.Col("hash", &e.Hash),
	}
}

// EventTable describes the audit log. Its rows form a hash chain.
var EventTable = table.Of("events", eventColumns)

// Log reads and appends to the audit log.
type Log struct{ *session.Session }

// AppendEvent appends an event.
func (s Log) AppendEvent(ctx context.Context, e history.Event) error {
	return s.AppendEvents(ctx, []history.Event{e})
}

// AppendEvents implements review.RecordWriter.
func (s Log) AppendEvents(ctx context.Context, events []history.Event) error {
	ends, err := EndsOf(ctx, s.Session)
	if err != nil {
		return err
	}
	now := *ends
	var rows []table.Columns
	for _, e := range events {
		e.Seq, e.PrevHash = now.event+1, now.hash
		if e.Data == nil {
			e.Data = json.RawMessage("{}")
		}
		if e.Data, err = s.Witness.Sign(e); err != nil {
			return err
		}
		e.Hash = e.Sum()
		rows = append(rows, eventColumns(&e))
		now.event, now.hash = e.Seq, e.Hash
		if e.Act == proof.ActSigners {
			now.signers = e.Hash
		}
	}
	if err := table.InsertAll(ctx, s, "events", rows); err != nil {
		return fmt.Errorf("event %d: %w", ends.event+1, err)
	}
	*ends = now
	for _, e := range events {
		s.WroteEvent(EventTable.Name, now.event, now.hash, e.Act)
	}
	return nil
}

// AppendWithData adds the JSON encoding of data to e, and appends e.
func (s Log) AppendWithData(ctx context.Context, e history.Event, data map[string]any) error {
	b, err := jsondoc.Marshal(data)
	if err != nil {
		return err
	}
	e.Data = b
	return s.AppendEvent(ctx, e)
}

// AppendRecord appends v to the sealed table t. It then adds a reference to the seal of v and the JSON encoding of
// data to e, and appends e.
func AppendRecord[T any](ctx context.Context, s *session.Session, t table.Table[T], v T, e history.Event, data map[string]any) error {
	var err error
	if e.Record, err = t.Append(ctx, s, v); err != nil {
		return err
	}
	return Log{Session: s}.AppendWithData(ctx, e, data)
}

// RecentWrites implements review.RecordReader. The query repeats the conditions of a partial index on the actor and
// the act.
func (s Log) RecentWrites(ctx context.Context, agent proposals.Actor, from, to time.Time, limit int) ([]time.Time, error) {
	query, args := `SELECT at FROM events WHERE substr(actor, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment')
		AND actor = $1 AND at > $2 AND at <= $3 ORDER BY at DESC LIMIT $4`, []any{agent.String(), history.Timestamp(from), history.Timestamp(to), limit}
	if agent == (proposals.Actor{}) {
		// No index contains the writes of all agents by time. Read the log backwards to the start of the period.
		query, args = `SELECT at FROM events WHERE seq > coalesce((SELECT seq FROM events WHERE at <= $1 ORDER BY seq DESC LIMIT 1), 0)
			AND substr(`+s.Hints.Unindexed("actor")+`, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment') AND at > $1 AND at <= $2 ORDER BY seq DESC LIMIT $3`,
			[]any{history.Timestamp(from), history.Timestamp(to), limit}
	}
	return table.All(ctx, s, table.Reading(func(at *time.Time) table.Columns { return table.Columns{table.Col("at", table.Time(at))} }), query, args...)
}

// AuditLog reads pages of the audit log.
type AuditLog struct{ Pool *session.Pool }

// EventQuery selects a page of events, newest first.
type EventQuery struct {
	Proposal string // return only events of this proposal; "" for all
	Subject  string // return only events of this subject; "" for all
	Before   int64  // return only events with lower sequence numbers; 0 for all
	Limit    int
}

// Events returns a page of the audit log.
func (db AuditLog) Events(ctx context.Context, q EventQuery) ([]history.Event, error) {
	query, args := "WHERE (seq < ? OR 0 = ?)", []any{q.Before, q.Before}
	if q.Proposal != "" {
		query, args = query+" AND proposal = ? AND proposal <> ''", append(args, q.Proposal)
	}
	if q.Subject != "" {
		query, args = query+" AND subject = ? AND subject <> ''", append(args, q.Subject)
	}
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]history.Event, error) {
		return EventTable.All(ctx, s, engine.Numbered(query+" ORDER BY seq DESC LIMIT ?"), append(args, q.Limit)...)
	})
}

// EventsAfter returns at most limit events with sequence numbers above seq, oldest first.
func (db AuditLog) EventsAfter(ctx context.Context, seq int64, limit int) ([]history.Event, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]history.Event, error) {
		return EventTable.All(ctx, s, "WHERE seq > $1 ORDER BY seq LIMIT $2", seq, limit)
	})
}

// WroteHere implements review.RecordReader.
func (s Log) WroteHere(ctx context.Context, id proposals.ID, revision int, author proposals.Actor) (bool, error) {
	accounts, err := table.All(ctx, s, scanAccount, `SELECT data FROM events WHERE proposal = $1 AND proposal <> '' AND revision = $2 AND actor = $3
		AND act IN ('draft', 'revise', 'submit')`, id, revision, author.String())
	return slices.ContainsFunc(accounts, s.Witness.In(ctx).Same), err
}

// scanAccount scans the data of an event and returns the account that it contains.
func scanAccount(row table.Scanner) (history.Account, error) {
	var data string
	if err := row.Scan(&data); err != nil {
		return history.Account{}, err
	}
	var has struct {
		Account history.Account `json:"account"`
	}
	return has.Account, json.Unmarshal([]byte(data), &has)
}

// ends contains the last rows of the tables that an approval appends to. A transaction reads these rows once,
// with a single statement, and updates ends when it appends rows.
type ends struct {
	read                bool
	Versions, decisions int64
	event               int64
	hash                string // hash of the last event
	signers             string // hash of the last event that recorded signers, or ""
}

// EndsOf returns the last rows of the tables for the current transaction of s. The first call in a transaction reads
// these rows from the database.
func EndsOf(ctx context.Context, s *session.Session) (*ends, error) {
	e := session.PerTransaction[ends](s)
	if e.read {
		return e, nil
	}
	err := s.Row(ctx, `SELECT coalesce((SELECT max(seq) FROM versions), 0), coalesce((SELECT max(seq) FROM decisions), 0),
		coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), ''), coalesce((`+LastSigners+`), '')`,
		nil, &e.Versions, &e.decisions, &e.event, &e.hash, &e.signers)
	e.read = err == nil
	return e, err
}
