// Package calls stores the records of the gateway. The calls and their outcomes form two hash
// chains. The other records are pending calls, which wait for the answer of a user, the answers,
// the approval tiers that users set, and the access tokens of agents.
package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/store/catalog"
	"toolcrib/store/engine"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Ledger implements gateway.Ledger.
type Ledger struct{ Pool *session.Pool }

var _ gateway.Ledger = Ledger{}

// View implements gateway.Ledger.
func (c Ledger) View(ctx context.Context, fn func(gateway.LedgerReader) error) error {
	return c.Pool.View(ctx, func(s *session.Session) error { return fn(ledgerReader(s)) })
}

// Log implements gateway.Ledger. On SQLite, its connection uses synchronous=NORMAL. When Log
// returns, the commit is in the write-ahead log, which the next call of Durable or the next
// checkpoint syncs to disk.
func (c Ledger) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.Pool.Log(ctx, func(s *session.Session) error { return fn(ledgerTx(s)) }))
}

// Durable implements gateway.Ledger.
func (c Ledger) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return recordRefused(c.Pool.Update(ctx, func(s *session.Session) error { return fn(ledgerTx(s)) }))
}

// recordRefused wraps err in gateway.ErrContradiction if a trigger or a constraint rejected the
// record. It returns other errors unchanged, for example an error about a full disk.
func recordRefused(err error) error {
	if errors.Is(err, engine.ErrRefused) {
		return fmt.Errorf("%w: %w", gateway.ErrContradiction, err)
	}
	return err
}

// Tables reads and writes calls, their outcomes, pending calls, and the users' answers to pending calls.
type Tables struct{ *session.Session }

// ledgerReader returns the interfaces for the reads of the gateway in the transaction of s.
func ledgerReader(s *session.Session) gateway.LedgerReader {
	return gateway.LedgerReader{CallReader: Tables{Session: s}, SignatureReader: records.Signatures{Session: s}, ToolReader: catalog.Registry{Session: s}}
}

// ledgerTx returns the interfaces for the reads and writes of the gateway in the transaction of s.
func ledgerTx(s *session.Session) gateway.LedgerTx {
	return gateway.LedgerTx{LedgerReader: ledgerReader(s), CallWriter: Tables{Session: s}, SignatureWriter: records.Signatures{Session: s}}
}

// Use implements gateway.CallReader.
func (c Tables) Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (gateway.Use, error) {
	var u gateway.Use
	var last string
	err := c.Row(ctx, `SELECT
		coalesce((SELECT max(nth) FROM calls WHERE "user" = $1 AND tool = $2 AND substr(at, 1, 10) = $3 AND nth > 0), 0),
		coalesce((SELECT at FROM calls WHERE "user" = $1 AND tool = $2 AND nth > 0 ORDER BY substr(at, 1, 10) DESC, nth DESC LIMIT 1), '')`,
		[]any{user, tool.String(), now.UTC().Format(time.DateOnly)}, &u.Today, &last)
	if err != nil || last == "" {
		return u, err
	}
	return u, table.Into(&u.Last, history.ParseTimestamp, last)
}

// NotRun implements gateway.CallReader.
func (c Tables) NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error) {
	var n int
	err := c.Row(ctx, `SELECT count(*) FROM calls c CROSS JOIN call_outcomes o
		WHERE c."user" = $1 AND c.tool = $2 AND substr(c.at, 1, 10) = $3 AND c.nth > 0 AND o.call = c.id AND o.not_run = 1`,
		[]any{user, tool.String(), now.UTC().Format(time.DateOnly)}, &n)
	return n, err
}

// Formats of the hash chains.
const (
	CallFormat    = "toolcrib call 1"
	OutcomeFormat = "toolcrib call outcome 1"
)

// callColumns returns the columns of a call, without the sequence number and the hashes of the
// chain. For a guarded call, which has no customer, the column customer contains the start command
// of the server.
func callColumns(c *gateway.Call) table.Columns {
	by := &c.Caller
	guarded := func() bool { return strings.HasPrefix(by.Agent, gateway.GuardPrefix) }
	customer := table.Stored(&by.Customer, func(name string) string {
		if guarded() {
			return c.Command
		}
		return name
	}, func(text string) (string, error) {
		if guarded() {
			c.Command, text = text, ""
		}
		return text, nil
	})
	tool := table.Stored(&c.Tool, registry.Subject.String, func(text string) (registry.Subject, error) {
		if text == "" {
			return registry.Subject{}, nil
		}
		return registry.ParseSubject(text)
	})
	annotations := table.StoredJSON(&c.Annotations, func(a *registry.Annotations) ([]byte, error) {
		if a == nil {
			return nil, nil
		}
		return json.Marshal(a)
	})
	return table.Columns{
		table.Col("id", &c.ID), table.Col("at", table.Time(&c.At)), table.Col("actor", table.Actor(&by.Actor)), table.Col("agent", &by.Agent), table.Col("layer", (*string)(&by.Layer)),
		table.Col(`"user"`, &by.User), table.Col("customer", customer), table.Col("name", &c.Name),
		table.Col("tool", tool), table.Col("version", &c.Version), table.Col("content_hash", &c.ContentHash),
		table.Col("annotations", annotations), table.Col("args_hash", &c.ArgsHash), table.Col("pending", &c.Pending), table.Col("nth", &c.Nth),
	}
}

// EndedCall is an outcome together with the id of the call to which it belongs.
type EndedCall struct {
	gateway.Outcome
	call string
}

// outcomeColumns returns the columns of an outcome, without the sequence number and the hashes of
// the chain.
func outcomeColumns(o *EndedCall) table.Columns {
	microseconds := &table.StoredText[time.Duration]{
		V: &o.Duration, Kind: engine.Number,
		Write: func(d time.Duration) (string, error) { return strconv.FormatInt(d.Microseconds(), 10), nil },
		Read: func(text string) (time.Duration, error) {
			n, err := strconv.ParseInt(text, 10, 64)
			return time.Duration(n) * time.Microsecond, err
		},
	}
	return table.Columns{
		table.Col("call", &o.call), table.Col("at", table.Time(&o.At)), table.Col("code", (*string)(&o.Code)), table.Col("duration_us", microseconds),
		table.Col("output", table.JSON(&o.Output)), table.Col("output_hash", &o.OutputHash), table.Col("output_bytes", &o.OutputBytes), table.Col("message", &o.Message),
		table.Col("approval_request", &o.ApprovalRequest), table.Col("not_run", &o.NotRun),
	}
}

// Chained returns the columns of a row in a chained table: the sequence number, the columns in row,
// and the hashes of the chain.
func Chained(row table.Columns) table.Columns {
	return slices.Concat(table.Columns{table.Col("seq", nil)}, row, table.Columns{table.Col("prev_hash", nil), table.Col("hash", nil)})
}

// AddCall implements gateway.CallWriter.
func (c Tables) AddCall(ctx context.Context, call gateway.Call) error {
	return c.link(ctx, CallTable.Name, CallFormat, callColumns(&call))
}

// AddOutcome implements gateway.CallWriter.
func (c Tables) AddOutcome(ctx context.Context, call string, o gateway.Outcome) error {
	return c.link(ctx, OutcomeTable.Name, OutcomeFormat, outcomeColumns(&EndedCall{o, call}))
}

// link appends row to a chained table. It computes the sequence number and the hashes.
func (c Tables) link(ctx context.Context, table, format string, row table.Columns) error {
	fields, err := row.Texts()
	if err != nil {
		return err
	}
	var seq int64
	var prev string
	if _, err := c.OptionalRow(ctx, "SELECT seq, hash FROM "+table+" ORDER BY seq DESC LIMIT 1", nil, &seq, &prev); err != nil {
		return err
	}
	seq++
	sealed := append(append([]string{format, strconv.FormatInt(seq, 10)}, fields...), prev)
	seal := history.Seal(sealed...)
	args := slices.Concat([]any{seq}, engine.Args(fields), []any{prev, seal})
	_, err = c.Exec(ctx, "INSERT INTO "+table+" ("+Chained(row).Names()+") VALUES ("+engine.Placeholders(1, len(args))+")", args...)
	if err != nil {
		return fmt.Errorf("%s %d: %w", table, seq, err)
	}
	c.WroteRow(table, seq, seal)
	return nil
}

// callRow is a call and its outcome. The field ended reports whether the call has an outcome.
type callRow struct {
	call    gateway.Call
	ended   bool
	outcome EndedCall
}

// maybeOutcome lists the columns of an outcome with the alias o. The columns are NULL for a call
// without an outcome.
var maybeOutcome = outcomeColumns(new(EndedCall)).Maybe("o", "call")

// selectCalls is the start of a query that selects calls (alias c) and their outcomes (alias o).
var selectCalls = "SELECT c.seq, " + callColumns(new(gateway.Call)).Of("c") + ", " + maybeOutcome + " "

// readCalls returns the calls that query selects. The query must start with selectCalls.
func (c Tables) readCalls(ctx context.Context, query string, args ...any) ([]gateway.Call, error) {
	columns := func(r *callRow) table.Columns {
		return slices.Concat(table.Columns{table.Col("seq", &r.call.Seq)}, callColumns(&r.call), outcomeColumns(&r.outcome).When(&r.ended))
	}
	rows, err := table.All(ctx, c, table.Reading(columns), engine.Numbered(query), args...)
	return lists.Map(rows, func(r callRow) gateway.Call {
		if r.ended {
			r.call.Outcome = &r.outcome.Outcome
		}
		return r.call
	}), err
}

// Calls implements gateway.CallReader. Only the most selective condition uses an index. The cost of
// a page therefore does not depend on the number of calls. The other conditions have a form that
// prevents the engine from using an index.
func (c Tables) Calls(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	var where []string
	var args []any
	indexed := q.Code != gateway.CodeInterrupted // a separate table lists calls without an outcome, because these calls are rare
	and := func(column string, value any) {
		if !indexed {
			column = c.Hints.Unindexed(column)
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
	if q.Code != "" && q.Code != gateway.CodeInterrupted {
		if len(where) == 0 { // read the calls through the index on the code, in the order of their outcomes
			query, args := selectCalls+"FROM call_outcomes o CROSS JOIN calls c WHERE c.id = o.call AND o.code = ?", []any{storedCode(q.Code)}
			if q.Before > 0 {
				query += " AND o.seq < (SELECT p.seq FROM call_outcomes p JOIN calls b ON b.id = p.call WHERE b.seq = ?)"
				args = append(args, q.Before)
			}
			return c.readCalls(ctx, query+" ORDER BY o.seq DESC LIMIT ?", append(args, q.Limit)...)
		}
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
	query := selectCalls + "FROM " + from + " LEFT JOIN call_outcomes o ON o.call = c.id"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return c.readCalls(ctx, query+" ORDER BY "+seq+" DESC LIMIT ?", append(args, q.Limit)...)
}

// storedCode returns the form in which a code is stored. CodeOK is stored as "".
func storedCode(code gateway.Code) string {
	if code == gateway.CodeOK {
		return ""
	}
	return string(code)
}

// CountRefused implements gateway.CallWriter.
func (c Tables) CountRefused(ctx context.Context, call gateway.Call, code gateway.Code, most int) (bool, error) {
	by := call.Caller
	key := []any{by.Agent, by.User, formatHour(call.At)}
	written := 0
	counted, err := c.OptionalRow(ctx, `SELECT written FROM call_refusals WHERE agent = $1 AND "user" = $2 AND hour = $3`, key, &written)
	if err != nil {
		return false, err
	}
	write := written < most
	add := 0
	if write {
		add = 1
	}
	query := `UPDATE call_refusals SET written = written + $4, counted = counted + $5, last_at = $6, last_code = $7 WHERE agent = $1 AND "user" = $2 AND hour = $3`
	if !counted {
		query = `INSERT INTO call_refusals (agent, "user", hour, written, counted, last_at, last_code) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	}
	_, err = c.Exec(ctx, query, append(key, add, 1-add, history.Timestamp(call.At), string(code))...)
	return write, err
}

// Refusals implements gateway.CallReader.
func (c Tables) Refusals(ctx context.Context, q gateway.RefusalQuery) ([]gateway.Refusals, error) {
	query, args := "WHERE counted > 0", []any{}
	if q.Agent != "" {
		query, args = query+" AND "+c.Hints.Unindexed("agent")+" = ?", append(args, q.Agent)
	}
	if q.User != "" {
		query, args = query+" AND "+c.Hints.Unindexed(`"user"`)+" = ?", append(args, q.User)
	}
	return RefusalTable.All(ctx, c, engine.Numbered(query+" ORDER BY hour DESC LIMIT ?"), append(args, q.Limit)...)
}

func refusalColumns(r *gateway.Refusals) table.Columns {
	return table.Columns{
		table.Col("agent", &r.Agent), table.Col(`"user"`, &r.User), table.Col("hour", table.Stored(&r.Hour, formatHour, func(text string) (time.Time, error) { return time.Parse(hourForm, text) })), table.Col("written", &r.Written),
		table.Col("counted", &r.Counted), table.Col("last_at", table.Time(&r.LastAt)), table.Col("last_code", (*string)(&r.LastCode)),
	}
}

// hourForm is the layout of a stored hour in UTC. It is the beginning of the layout of stored
// timestamps.
const hourForm = "2006-01-02T15"

func formatHour(t time.Time) string { return t.UTC().Format(hourForm) }

// The tables of calls, of their outcomes, and of refused calls that are only counted.
var (
	CallTable    = table.Of("calls", callColumns)
	OutcomeTable = table.Of("call_outcomes", outcomeColumns)
	RefusalTable = table.Of("call_refusals", refusalColumns)
)
