package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
)

// hourForm is how an hour of UTC is stored: the beginning of its timestamps.
const hourForm = "2006-01-02T15"

// CountRefused implements gateway.LedgerTx.
func (c callSession) CountRefused(ctx context.Context, call gateway.Call, code gateway.Code, most int) (bool, error) {
	by := call.Caller
	key := []any{by.Agent, by.User, call.At.UTC().Format(hourForm)}
	written := 0
	err := c.s.Row(ctx, `SELECT written FROM call_refusals WHERE agent = $1 AND "user" = $2 AND hour = $3`, key, &written)
	first := errors.Is(err, sql.ErrNoRows)
	if err != nil && !first {
		return false, err
	}
	write := written < most
	add := 0
	if write {
		add = 1
	}
	query := `UPDATE call_refusals SET written = written + $4, counted = counted + $5, last_at = $6, last_code = $7 WHERE agent = $1 AND "user" = $2 AND hour = $3`
	if first {
		query = `INSERT INTO call_refusals (agent, "user", hour, written, counted, last_at, last_code) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	}
	_, err = c.s.Exec(ctx, query, append(key, add, 1-add, history.Timestamp(call.At), string(code))...)
	return write, err
}

// Refusals implements gateway.LedgerReader.
func (c callSession) Refusals(ctx context.Context, q gateway.RefusalQuery) ([]gateway.Refusals, error) {
	query, args := `SELECT agent, "user", hour, written, counted, last_at, last_code FROM call_refusals WHERE counted > 0`, []any{}
	if q.Agent != "" {
		query, args = query+" AND "+c.s.hints.unindexed("agent")+" = ?", append(args, q.Agent)
	}
	if q.User != "" {
		query, args = query+" AND "+c.s.hints.unindexed(`"user"`)+" = ?", append(args, q.User)
	}
	return all(ctx, c.s, scanRefusals, numbered(query+" ORDER BY hour DESC LIMIT ?"), append(args, q.Limit)...)
}

func scanRefusals(row scanner) (gateway.Refusals, error) {
	var r gateway.Refusals
	var hour, last string
	if err := row.Scan(&r.Agent, &r.User, &hour, &r.Written, &r.Counted, &last, &r.LastCode); err != nil {
		return r, err
	}
	var err error
	if r.Hour, err = time.Parse(hourForm, hour); err != nil {
		return r, err
	}
	return r, into(&r.LastAt, history.ParseTimestamp, last)
}
