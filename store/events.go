package store

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
	ends, err := tails(ctx, s.session)
	if err != nil {
		return err
	}
	now := *ends
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
		now.event, now.hash = e.Seq, e.Hash
		if e.Act == proof.ActSigners {
			now.signers = e.Hash
		}
	}
	if err := insertAll(ctx, s, "events", rows); err != nil {
		return fmt.Errorf("event %d: %w", ends.event+1, err)
	}
	*ends = now
	for _, e := range events {
		s.wroteEvent(eventTable, now.event, now.hash, e.Act)
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
			AND substr(`+s.hints.Unindexed("actor")+`, 1, 6) = 'agent:' AND act IN ('draft', 'revise', 'comment') AND at > $1 AND at <= $2 ORDER BY seq DESC LIMIT $3`,
			[]any{history.Timestamp(from), history.Timestamp(to), limit}
	}
	return all(ctx, s, reading(func(at *time.Time) columns { return columns{col("at", asTime(at))} }), query, args...)
}

// logPages are the pages of the logs.
type logPages struct{ pool *connections }

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
	return viewed(ctx, db.pool, func(s *session) ([]history.Event, error) {
		return all(ctx, s, reading(eventColumns), engine.Numbered(query+" ORDER BY seq DESC LIMIT ?"), append(args, q.Limit)...)
	})
}

// EventsAfter returns the next events of the audit log, the oldest first.
func (db logPages) EventsAfter(ctx context.Context, after int64, limit int) ([]history.Event, error) {
	return viewed(ctx, db.pool, func(s *session) ([]history.Event, error) {
		return all(ctx, s, reading(eventColumns), selectEvents+"WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit)
	})
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

// eventTable is the name of the log.
const eventTable = "events"
