package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
)

// Calls is the database as the gateway keeps its calls in it.
type Calls struct{ db *DB }

var _ gateway.Ledger = Calls{}

// Calls returns the gateway's side of the database.
func (db *DB) Calls() Calls { return Calls{db} }

// View implements gateway.Ledger.
func (c Calls) View(ctx context.Context, fn func(gateway.LedgerReader) error) error {
	return c.db.view(ctx, func(s *session) error { return fn(newCallSession(s)) })
}

// Log implements gateway.Ledger. Its connection has synchronous=NORMAL: a
// commit is in the log file of the engine when it returns, and on the disk with
// the next Durable or the next checkpoint.
func (c Calls) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.db.log(ctx, func(s *session) error { return fn(newCallSession(s)) }))
}

// Durable implements gateway.Ledger.
func (c Calls) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.db.update(ctx, func(s *session) error { return fn(newCallSession(s)) }))
}

// recordRefused marks the error of a record that a trigger or constraint refused,
// as opposed to a file that cannot be written.
func recordRefused(err error) error {
	if errors.Is(err, ErrRefused) {
		return fmt.Errorf("%w: %w", gateway.ErrContradiction, err)
	}
	return err
}

// callSession is a session as the gateway uses it.
type callSession struct {
	review.SignatureWriter // s
	review.ToolReader      // s
	s                      *session
}

func newCallSession(s *session) callSession { return callSession{s, s, s} }

var _ gateway.LedgerTx = callSession{}

// Use implements gateway.LedgerReader.
func (c callSession) Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (gateway.Use, error) {
	var u gateway.Use
	var last string
	err := c.s.Row(ctx, `SELECT
		coalesce((SELECT max(nth) FROM calls WHERE "user" = $1 AND tool = $2 AND substr(at, 1, 10) = $3 AND nth > 0), 0),
		coalesce((SELECT at FROM calls WHERE "user" = $1 AND tool = $2 AND nth > 0 ORDER BY substr(at, 1, 10) DESC, nth DESC LIMIT 1), '')`,
		[]any{user, tool.String(), now.UTC().Format(time.DateOnly)}, &u.Today, &last)
	if err != nil || last == "" {
		return u, err
	}
	return u, into(&u.Last, history.ParseTimestamp, last)
}

// NotRun implements gateway.LedgerReader.
func (c callSession) NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error) {
	var n int
	err := c.s.Row(ctx, `SELECT count(*) FROM calls c CROSS JOIN call_outcomes o
		WHERE c."user" = $1 AND c.tool = $2 AND substr(c.at, 1, 10) = $3 AND c.nth > 0 AND o.call = c.id AND o.not_run = 1`,
		[]any{user, tool.String(), now.UTC().Format(time.DateOnly)}, &n)
	return n, err
}

// The chained tables of calls: their columns in the order in which the hash
// covers them, after the name of the format.
const (
	callFormat  = "toolcrib call 1"
	callColumns = `seq, id, at, actor, agent, layer, "user", customer, name, tool, version, content_hash, annotations, args_hash, pending, nth, prev_hash, hash`

	outcomeFormat  = "toolcrib call outcome 1"
	outcomeColumns = "seq, call, at, code, duration_us, output, output_hash, output_bytes, message, approval_request, not_run, prev_hash, hash"
)

// AddCall implements gateway.LedgerTx.
func (c callSession) AddCall(ctx context.Context, call gateway.Call) error {
	annotations := ""
	if call.Annotations != nil {
		b, err := json.Marshal(call.Annotations)
		if err != nil {
			return err
		}
		annotations = string(b)
	}
	by := call.Caller
	return c.s.link(ctx, callTable, callColumns, callFormat, []string{
		call.ID, history.Timestamp(call.At), by.Actor.String(), by.Agent, string(by.Layer), by.User, by.Customer, call.Name, call.Tool.String(),
		strconv.Itoa(call.Version), call.ContentHash, annotations, call.ArgsHash, call.Pending, strconv.Itoa(call.Nth),
	})
}

// AddOutcome implements gateway.LedgerTx.
func (c callSession) AddOutcome(ctx context.Context, call string, o gateway.Outcome) error {
	return c.s.link(ctx, outcomeTable, outcomeColumns, outcomeFormat, []string{
		call, history.Timestamp(o.At), string(o.Code), strconv.FormatInt(o.Duration.Microseconds(), 10), string(o.Output),
		o.OutputHash, strconv.Itoa(o.OutputBytes), o.Message, o.ApprovalRequest, flag(o.NotRun),
	})
}

// link appends a row to a table that is one chain. Its columns are seq, those
// of fields, prev_hash and hash.
func (s *session) link(ctx context.Context, table, columns, format string, fields []string) error {
	var seq int64
	var prev string
	err := s.Row(ctx, "SELECT seq, hash FROM "+table+" ORDER BY seq DESC LIMIT 1", nil, &seq, &prev)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	seq++
	sealed := append(append([]string{format, strconv.FormatInt(seq, 10)}, fields...), prev)
	args := make([]any, 0, len(fields)+3)
	args = append(args, seq)
	for _, f := range fields {
		args = append(args, f)
	}
	seal := history.Seal(sealed...)
	args = append(args, prev, seal)
	_, err = s.Exec(ctx, "INSERT INTO "+table+" ("+columns+") VALUES ("+placeholders(1, len(fields)+3)+")", args...)
	if err != nil {
		return fmt.Errorf("%s %d: %w", table, seq, err)
	}
	s.chained = chainedRow{table, seq, seal}
	return nil
}
