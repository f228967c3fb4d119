package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// callerRow is how the caller of a pending call is stored.
type callerRow struct {
	Actor     proposals.Actor `json:"actor"`
	Agent     string          `json:"agent"`
	Layer     registry.Layer  `json:"layer"`
	Local     bool            `json:"local"`
	Embedding bool            `json:"embedding"`
	Deferred  bool            `json:"deferred"`
	User      string          `json:"user"`
	Customer  string          `json:"customer"`
	Server    string          `json:"server,omitempty"` // behind a guard
}

func parseCallContext(s string) (gateway.CallContext, error) {
	return gateway.ParseCallContext(json.RawMessage(s))
}

func encodeCaller(c gateway.Caller) (string, error) {
	b, err := jsondoc.Marshal(callerRow{
		Actor: c.Actor, Agent: c.Agent, Layer: c.Layer, Local: c.Where.Local, Embedding: c.Where.Embedding, Deferred: c.Where.IncludeDeferred,
		User: c.User, Customer: c.Customer, Server: c.Server,
	})
	return string(b), err
}

func decodeCaller(s string) (gateway.Caller, error) {
	var r callerRow
	err := json.Unmarshal([]byte(s), &r)
	return gateway.Caller{
		Actor: r.Actor, Agent: r.Agent, Layer: r.Layer, User: r.User, Customer: r.Customer, Server: r.Server,
		Where: registry.Context{Local: r.Local, Embedding: r.Embedding, IncludeDeferred: r.Deferred},
	}, err
}

// AddPending implements gateway.LedgerTx.
func (c callTables) AddPending(ctx context.Context, p gateway.Pending) error {
	caller, err := encodeCaller(p.Caller)
	if err != nil {
		return err
	}
	seal, err := c.record(ctx, pendingRecords, []string{
		p.ID, caller, p.Caller.Agent, p.Caller.User, p.Tool.String(), strconv.Itoa(p.Version), p.ContentHash, string(p.Args), string(p.Said.Encode()), p.Digest,
		history.Timestamp(p.AskedAt), history.Timestamp(p.ExpiresAt),
	})
	if err != nil {
		return err
	}
	return eventLog(c).tell(ctx, history.Event{ID: p.ID, At: p.AskedAt, Actor: p.Caller.Actor.String(), Act: "ask-call", Subject: p.Tool.String(), Record: seal},
		map[string]any{"agent": p.Caller.Agent, "user": p.Caller.User, "version": p.Version, "digest": p.Digest})
}

// AddAnswer implements gateway.LedgerTx.
func (c callTables) AddAnswer(ctx context.Context, pending string, a gateway.Answer) error {
	var answered int
	var tool string
	err := c.Row(ctx, "SELECT (SELECT count(*) FROM call_answers WHERE pending = $1), (SELECT tool FROM pending_calls WHERE id = $1)", []any{pending}, &answered, &tool)
	if err != nil {
		return err
	}
	if answered > 0 {
		return fmt.Errorf("%s: %w: it was already answered", pending, proposals.ErrConflict)
	}
	approved, act := "0", proposals.ActRefuseCall
	if a.Approved {
		approved, act = "1", proposals.ActApproveCall
	}
	seal, err := c.record(ctx, answerRecords, []string{a.ID, pending, approved, a.Digest, a.Reason, a.By.String(), history.Timestamp(a.At), a.Call, a.Signature})
	if err != nil {
		return err
	}
	return eventLog(c).tell(ctx, history.Event{ID: a.ID, At: a.At, Actor: a.By.String(), Act: string(act), Subject: tool, Record: seal},
		map[string]any{"pending": pending, "digest": a.Digest})
}

const selectPending = `SELECT p.seq, p.id, p.caller, p.tool, p.version, p.content_hash, p.args, p.said, p.digest, p.asked_at, p.expires_at,
	coalesce((SELECT version FROM live l WHERE l.subject = p.tool AND l.status = 'active'), 0),
	a.id, coalesce(a.approved, 0), coalesce(a.digest, ''), coalesce(a.reason, ''), coalesce(a.answered_by, ''), coalesce(a.answered_at, ''), coalesce(a.call, ''),
	` + outcomeFields + `
	FROM pending_calls p LEFT JOIN call_answers a ON a.pending = p.id LEFT JOIN call_outcomes o ON o.call = a.call AND a.call <> ''
	`

func scanPending(row scanner) (gateway.Pending, error) {
	var p gateway.Pending
	var a gateway.Answer
	var caller, tool, args, said, asked, expires, by, at string
	var answer sql.NullString
	var ended outcomeRow
	err := row.Scan(append([]any{
		&p.Seq, &p.ID, &caller, &tool, &p.Version, &p.ContentHash, &args, &said, &p.Digest, &asked, &expires, &p.InForce,
		&answer, &a.Approved, &a.Digest, &a.Reason, &by, &at, &a.Call,
	}, ended.fields()...)...)
	if err != nil {
		return p, err
	}
	p.Args = json.RawMessage(args)
	errs := []error{
		into(&p.Caller, decodeCaller, caller), into(&p.Tool, registry.ParseSubject, tool), into(&p.Said, parseCallContext, said),
		into(&p.AskedAt, history.ParseTimestamp, asked), into(&p.ExpiresAt, history.ParseTimestamp, expires),
	}
	if answer.Valid {
		a.ID = answer.String
		errs = append(errs, into(&a.By, parseActor, by), into(&a.At, history.ParseTimestamp, at))
		p.Answer = &a
	}
	p.Outcome, err = ended.read()
	return p, errors.Join(append(errs, err)...)
}

// Pending implements gateway.LedgerReader.
func (c callTables) Pending(ctx context.Context, ref string) (gateway.Pending, error) {
	if len(ref) < proposals.MinPrefix {
		return gateway.Pending{}, notFound("the pending call %s; give at least %d characters of its id", jsondoc.Quote(ref), proposals.MinPrefix)
	}
	found, err := all(ctx, c, scanPending, selectPending+"WHERE p.id >= $1 AND p.id < $2 ORDER BY p.id LIMIT 2", ref, ref+"g") // ids are hexadecimal
	switch {
	case err != nil:
		return gateway.Pending{}, err
	case len(found) == 0:
		return gateway.Pending{}, notFound("the pending call %s", jsondoc.Quote(ref))
	case len(found) > 1 && found[0].ID != ref:
		return gateway.Pending{}, fmt.Errorf("the pending call %s: %w; give more of its id", jsondoc.Quote(ref), review.ErrAmbiguous)
	}
	return found[0], nil
}

// PendingList implements gateway.LedgerReader.
func (c callTables) PendingList(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error) {
	order := "p.seq"
	var where []string
	var args []any
	and := func(condition string, value any) { where, args = append(where, condition), append(args, value) }
	if q.Before > 0 {
		and("p.seq < ?", q.Before)
	}
	if q.Waiting {
		order = c.hints.unindexed("p.seq") // those that expire later are few; the list of all is long
		and(`a.id IS NULL AND p.expires_at > ? AND EXISTS
			(SELECT 1 FROM live l WHERE l.subject = p.tool AND l.version = p.version AND l.status = 'active')`, history.Timestamp(q.Now))
	}
	if q.Agent != "" {
		and("p.agent = ?", q.Agent)
	}
	if q.User != "" {
		and(`p."user" = ?`, q.User)
	}
	query := selectPending
	if len(where) > 0 {
		query += "WHERE " + strings.Join(where, " AND ")
	}
	return all(ctx, c, scanPending, numbered(query+" ORDER BY "+order+" DESC LIMIT ?"), append(args, q.Limit)...)
}

// Override implements gateway.LedgerReader.
func (c callTables) Override(ctx context.Context, user string, tool registry.Subject) (registry.ApprovalTier, error) {
	list, err := all(ctx, c, scanOverride, selectOverride+`WHERE "user" = $1 AND tool = $2 ORDER BY seq DESC LIMIT 1`, user, tool.String())
	if err == nil && len(list) == 0 {
		list = []gateway.Override{{User: user, Tool: tool}}
	}
	if err != nil {
		return "", err
	}
	err = c.countTiers(ctx, list)
	return list[0].Tier, err
}

const selectOverride = `SELECT id, "user", tool, tier, set_by, set_at, signature FROM call_tiers t `

func scanOverride(row scanner) (gateway.Override, error) {
	var o gateway.Override
	var tool, by, at string
	if err := row.Scan(&o.ID, &o.User, &tool, &o.Tier, &by, &at, &o.Signature); err != nil {
		return o, err
	}
	return o, errors.Join(into(&o.Tool, registry.ParseSubject, tool), into(&o.By, parseActor, by), into(&o.At, history.ParseTimestamp, at))
}

// countTiers has tiers without a valid signature ask for each call, where
// signatures are required.
func (c callTables) countTiers(ctx context.Context, list []gateway.Override) error {
	p, err := trusted(c).proofs(ctx)
	if p == nil || err != nil {
		return err
	}
	for i, o := range list {
		var err error
		if o.ID != "" { // it was set
			err = p.Act(ctx, signatureTables(c), o.Signature, "the tier of "+o.Tool.String(), o.By.String(), o.At, o.StatementAct(), "")
		}
		if err == nil {
			err = p.TierStands(ctx, signatureTables(c), o.StatementAct(), o.Signature)
		}
		switch {
		case review.Refuses(err):
			list[i].Tier = registry.RequiresApproval
		case err != nil:
			return err
		}
	}
	return nil
}

// Overrides implements gateway.LedgerReader.
func (c callTables) Overrides(ctx context.Context, user string) ([]gateway.Override, error) {
	list, err := all(ctx, c, scanOverride, selectOverride+`WHERE "user" = $1 AND tier <> '' AND seq = (SELECT max(seq) FROM call_tiers WHERE "user" = t."user" AND tool = t.tool) ORDER BY tool`, user)
	if err != nil {
		return nil, err
	}
	return list, c.countTiers(ctx, list)
}

// AddOverride implements gateway.LedgerTx.
func (c callTables) AddOverride(ctx context.Context, o gateway.Override) error {
	seal, err := c.record(ctx, tierRecords, []string{o.ID, o.User, o.Tool.String(), string(o.Tier), o.By.String(), history.Timestamp(o.At), o.Signature})
	if err != nil {
		return err
	}
	return eventLog(c).tell(ctx, history.Event{ID: o.ID, At: o.At, Actor: o.By.String(), Act: string(proposals.ActSetTier), Subject: o.Tool.String(), Record: seal},
		map[string]any{"user": o.User, "tier": o.Tier})
}

// actChanged is the event of a tool that differs from its approved definition.
const actChanged = "definition-changed"

// AddChange implements gateway.LedgerTx.
func (c callTables) AddChange(ctx context.Context, change gateway.Change) error {
	details := change.Details
	if len(details) == 0 {
		details = json.RawMessage("{}")
	}
	data, err := jsondoc.Marshal(map[string]any{"version": change.Version, "details": details})
	if err != nil {
		return err
	}
	last, err := all(ctx, c, scanValue[string], "SELECT data FROM events WHERE subject = $1 AND subject <> '' AND act = $2 ORDER BY seq DESC LIMIT 1", change.Tool.String(), actChanged)
	if err != nil || len(last) > 0 && last[0] == string(data) {
		return err
	}
	return eventLog(c).AppendEvent(ctx, history.Event{
		ID: change.ID, At: change.At, Actor: change.By.String(), Act: actChanged, Subject: change.Tool.String(), Data: data,
	})
}
