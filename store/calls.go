package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Calls is the database as the gateway keeps its calls in it.
type Calls struct{ db *DB }

var _ gateway.Ledger = Calls{}

// Calls returns the gateway's side of the database.
func (db *DB) Calls() Calls { return Calls{db} }

// View implements gateway.Ledger.
func (c Calls) View(ctx context.Context, fn func(gateway.LedgerReader) error) error {
	return c.db.view(ctx, func(s *session) error { return fn(newCallTx(s)) })
}

// Log implements gateway.Ledger. Its connection has synchronous=NORMAL: a
// commit is in the log file of the engine when it returns, and on the disk with
// the next Durable or the next checkpoint.
func (c Calls) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.db.log(ctx, func(s *session) error { return fn(newCallTx(s)) }))
}

// Durable implements gateway.Ledger.
func (c Calls) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.db.update(ctx, func(s *session) error { return fn(newCallTx(s)) }))
}

// recordRefused marks the error of a record that a trigger or constraint refused,
// as opposed to a file that cannot be written.
func recordRefused(err error) error {
	if errors.Is(err, ErrRefused) {
		return fmt.Errorf("%w: %w", gateway.ErrContradiction, err)
	}
	return err
}

// callTables have the calls of the gateway, their outcomes, and the user's answers.
type callTables struct{ *session }

// callTx is a session as the gateway uses it.
type callTx struct {
	callTables
	liveTables
	signatureTables
	trusted
}

var _ gateway.LedgerTx = callTx{}

func newCallTx(s *session) callTx {
	return callTx{callTables{s}, liveTables{s}, signatureTables{s}, trusted{s}}
}

// Use implements gateway.LedgerReader.
func (c callTables) Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (gateway.Use, error) {
	var u gateway.Use
	var last string
	err := c.Row(ctx, `SELECT
		coalesce((SELECT max(nth) FROM calls WHERE "user" = $1 AND tool = $2 AND substr(at, 1, 10) = $3 AND nth > 0), 0),
		coalesce((SELECT at FROM calls WHERE "user" = $1 AND tool = $2 AND nth > 0 ORDER BY substr(at, 1, 10) DESC, nth DESC LIMIT 1), '')`,
		[]any{user, tool.String(), now.UTC().Format(time.DateOnly)}, &u.Today, &last)
	if err != nil || last == "" {
		return u, err
	}
	return u, into(&u.Last, history.ParseTimestamp, last)
}

// NotRun implements gateway.LedgerReader.
func (c callTables) NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error) {
	var n int
	err := c.Row(ctx, `SELECT count(*) FROM calls c CROSS JOIN call_outcomes o
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
func (c callTables) AddCall(ctx context.Context, call gateway.Call) error {
	annotations := ""
	if call.Annotations != nil {
		b, err := json.Marshal(call.Annotations)
		if err != nil {
			return err
		}
		annotations = string(b)
	}
	by := call.Caller
	return c.link(ctx, callTable, callColumns, callFormat, []string{
		call.ID, history.Timestamp(call.At), by.Actor.String(), by.Agent, string(by.Layer), by.User, by.Customer, call.Name, call.Tool.String(),
		strconv.Itoa(call.Version), call.ContentHash, annotations, call.ArgsHash, call.Pending, strconv.Itoa(call.Nth),
	})
}

// AddOutcome implements gateway.LedgerTx.
func (c callTables) AddOutcome(ctx context.Context, call string, o gateway.Outcome) error {
	return c.link(ctx, outcomeTable, outcomeColumns, outcomeFormat, []string{
		call, history.Timestamp(o.At), string(o.Code), strconv.FormatInt(o.Duration.Microseconds(), 10), string(o.Output),
		o.OutputHash, strconv.Itoa(o.OutputBytes), o.Message, o.ApprovalRequest, flag(o.NotRun),
	})
}

// link appends a row to a table that is one chain. Its columns are seq, those
// of fields, prev_hash and hash.
func (c callTables) link(ctx context.Context, table, columns, format string, fields []string) error {
	var seq int64
	var prev string
	err := c.Row(ctx, "SELECT seq, hash FROM "+table+" ORDER BY seq DESC LIMIT 1", nil, &seq, &prev)
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
	_, err = c.Exec(ctx, "INSERT INTO "+table+" ("+columns+") VALUES ("+placeholders(1, len(fields)+3)+")", args...)
	if err != nil {
		return fmt.Errorf("%s %d: %w", table, seq, err)
	}
	c.chained = chainedRow{table, seq, seal}
	return nil
}

// callFields are the columns of a call, c, and of its outcome, o.
const callFields = `SELECT c.seq, c.id, c.at, c.actor, c.agent, c.layer, c."user", c.customer, c.name, c.tool, c.version, c.content_hash, c.annotations,
	c.args_hash, c.pending, c.nth, ` + outcomeFields + " "

// outcomeFields are the columns of an outcome, o, that may not be there.
const outcomeFields = `o.code, coalesce(o.at, ''), coalesce(o.duration_us, 0), coalesce(o.output, ''), coalesce(o.output_hash, ''),
	coalesce(o.output_bytes, 0), coalesce(o.message, ''), coalesce(o.approval_request, ''), coalesce(o.not_run, 0)`

// outcomeRow takes what outcomeFields reads.
type outcomeRow struct {
	code       sql.NullString
	at, output string
	micros     int64
	outcome    gateway.Outcome
}

func (r *outcomeRow) fields() []any {
	o := &r.outcome
	return []any{&r.code, &r.at, &r.micros, &r.output, &o.OutputHash, &o.OutputBytes, &o.Message, &o.ApprovalRequest, &o.NotRun}
}

// read returns the outcome, nil when there is none.
func (r *outcomeRow) read() (*gateway.Outcome, error) {
	if !r.code.Valid {
		return nil, nil //nolint:nilnil // no outcome yet is an answer, not an error
	}
	o := r.outcome
	o.Code, o.Duration = gateway.Code(r.code.String), time.Duration(r.micros)*time.Microsecond
	if r.output != "" {
		o.Output = json.RawMessage(r.output)
	}
	return &o, into(&o.At, history.ParseTimestamp, r.at)
}

// flag writes a bool as it is stored.
func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func scanCall(row scanner) (gateway.Call, error) {
	var c gateway.Call
	var at, actor, tool, annotations string
	var ended outcomeRow
	err := row.Scan(append([]any{
		&c.Seq, &c.ID, &at, &actor, &c.Caller.Agent, &c.Caller.Layer, &c.Caller.User, &c.Caller.Customer, &c.Name, &tool, &c.Version,
		&c.ContentHash, &annotations, &c.ArgsHash, &c.Pending, &c.Nth,
	}, ended.fields()...)...)
	if err != nil {
		return c, err
	}
	errs := []error{into(&c.At, history.ParseTimestamp, at), into(&c.Caller.Actor, parseActor, actor)}
	if tool != "" {
		errs = append(errs, into(&c.Tool, registry.ParseSubject, tool))
	}
	if annotations != "" {
		errs = append(errs, into(&c.Annotations, parseAnnotations, annotations))
	}
	c.Outcome, err = ended.read()
	return c, errors.Join(append(errs, err)...)
}

func parseAnnotations(s string) (*registry.Annotations, error) {
	var a registry.Annotations
	err := json.Unmarshal([]byte(s), &a)
	return &a, err
}

// Calls implements gateway.LedgerReader. The most selective condition uses an
// index, so that a page costs the same however many calls there are; the others,
// with "+" to avoid indexes, only leave rows out.
func (c callTables) Calls(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	var where []string
	var args []any
	indexed := q.Code != gateway.CodeInterrupted // calls without an outcome are fewer than any other choice
	and := func(column string, value any) {
		if !indexed {
			column = c.hints.unindexed(column)
		}
		where, args = append(where, column+" = ?"), append(args, value)
		indexed = false
	}
	if q.User != "" {
		and(`c."user"`, q.User)
	}
	if q.Agent != "" {
		and("c.agent", q.Agent)
	}
	if q.Tool != (registry.Subject{}) {
		where = append(where, "c.tool <> ''")
		and("c.tool", q.Tool.String())
	}
	if q.Hint != "" {
		where, args = append(where, "instr(c.annotations, ?) > 0"), append(args, jsondoc.Quote(q.Hint)+":true")
	}
	if q.Code != "" && q.Code != gateway.CodeInterrupted && len(where) == 0 {
		return c.concluded(ctx, q)
	}
	switch q.Code {
	case "", gateway.CodeInterrupted:
	default:
		indexed = false
		and("o.code", storedCode(q.Code))
	}
	from, seq := "calls c", "c.seq"
	if q.Code == gateway.CodeInterrupted {
		from, seq = "calls_open n CROSS JOIN calls c", "n.seq"
		where = append(where, "c.seq = n.seq")
	}
	if q.Before > 0 {
		where, args = append(where, seq+" < ?"), append(args, q.Before)
	}
	query := callFields + "FROM " + from + " LEFT JOIN call_outcomes o ON o.call = c.id"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return all(ctx, c, scanCall, numbered(query+" ORDER BY "+seq+" DESC LIMIT ?"), append(args, q.Limit)...)
}

// concluded returns the calls with an outcome, in the order in which they came
// to it.
func (c callTables) concluded(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	query, args := callFields+"FROM call_outcomes o CROSS JOIN calls c WHERE c.id = o.call AND o.code = ?", []any{storedCode(q.Code)}
	if q.Before > 0 {
		query += " AND o.seq < (SELECT p.seq FROM call_outcomes p JOIN calls b ON b.id = p.call WHERE b.seq = ?)"
		args = append(args, q.Before)
	}
	return all(ctx, c, scanCall, numbered(query+" ORDER BY o.seq DESC LIMIT ?"), append(args, q.Limit)...)
}

// storedCode is how a code that is asked for is stored.
func storedCode(code gateway.Code) string {
	if code == gateway.CodeOK {
		return ""
	}
	return string(code)
}

// hourForm is how an hour of UTC is stored: the beginning of its timestamps.
const hourForm = "2006-01-02T15"

// CountRefused implements gateway.LedgerTx.
func (c callTables) CountRefused(ctx context.Context, call gateway.Call, code gateway.Code, most int) (bool, error) {
	by := call.Caller
	key := []any{by.Agent, by.User, call.At.UTC().Format(hourForm)}
	written := 0
	err := c.Row(ctx, `SELECT written FROM call_refusals WHERE agent = $1 AND "user" = $2 AND hour = $3`, key, &written)
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
	_, err = c.Exec(ctx, query, append(key, add, 1-add, history.Timestamp(call.At), string(code))...)
	return write, err
}

// Refusals implements gateway.LedgerReader.
func (c callTables) Refusals(ctx context.Context, q gateway.RefusalQuery) ([]gateway.Refusals, error) {
	query, args := `SELECT agent, "user", hour, written, counted, last_at, last_code FROM call_refusals WHERE counted > 0`, []any{}
	if q.Agent != "" {
		query, args = query+" AND "+c.hints.unindexed("agent")+" = ?", append(args, q.Agent)
	}
	if q.User != "" {
		query, args = query+" AND "+c.hints.unindexed(`"user"`)+" = ?", append(args, q.User)
	}
	return all(ctx, c, scanRefusals, numbered(query+" ORDER BY hour DESC LIMIT ?"), append(args, q.Limit)...)
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
