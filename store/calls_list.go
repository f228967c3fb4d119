package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

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
func (c callSession) Calls(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	var where []string
	var args []any
	indexed := q.Code != gateway.CodeInterrupted // calls without an outcome are fewer than any other choice
	and := func(column string, value any) {
		if !indexed {
			column = c.s.hints.unindexed(column)
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
	return all(ctx, c.s, scanCall, numbered(query+" ORDER BY "+seq+" DESC LIMIT ?"), append(args, q.Limit)...)
}

// concluded returns the calls with an outcome, in the order in which they came
// to it.
func (c callSession) concluded(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	query, args := callFields+"FROM call_outcomes o CROSS JOIN calls c WHERE c.id = o.call AND o.code = ?", []any{storedCode(q.Code)}
	if q.Before > 0 {
		query += " AND o.seq < (SELECT p.seq FROM call_outcomes p JOIN calls b ON b.id = p.call WHERE b.seq = ?)"
		args = append(args, q.Before)
	}
	return all(ctx, c.s, scanCall, numbered(query+" ORDER BY o.seq DESC LIMIT ?"), append(args, q.Limit)...)
}

// storedCode is how a code that is asked for is stored.
func storedCode(code gateway.Code) string {
	if code == gateway.CodeOK {
		return ""
	}
	return string(code)
}
