// This file stores pending calls, the users' answers to these calls, and the approval tiers that users
// set.

package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/engine"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// CallLog reads the call log, and the notices for running applications.
type CallLog struct{ Pool *session.Pool }

// callerRow is the stored form of the caller of a pending call.
type callerRow struct {
	Actor     proposals.Actor `json:"actor"`
	Agent     string          `json:"agent"`
	Layer     registry.Layer  `json:"layer"`
	Local     bool            `json:"local"`
	Embedding bool            `json:"embedding"`
	Deferred  bool            `json:"deferred"`
	User      string          `json:"user"`
	Customer  string          `json:"customer"`
	Server    string          `json:"server,omitempty"` // only for guarded calls
}

func decodeCaller(s string) (gateway.Caller, error) {
	var r callerRow
	err := json.Unmarshal([]byte(s), &r)
	return gateway.Caller{
		Actor: r.Actor, Agent: r.Agent, Layer: r.Layer, User: r.User, Customer: r.Customer, Server: r.Server,
		Where: registry.Context{Local: r.Local, Embedding: r.Embedding, IncludeDeferred: r.Deferred},
	}, err
}

func asCaller(c *gateway.Caller) table.Textual {
	return &table.StoredText[gateway.Caller]{V: c, Write: func(c gateway.Caller) (string, error) {
		b, err := jsondoc.Marshal(callerRow{
			Actor: c.Actor, Agent: c.Agent, Layer: c.Layer, Local: c.Where.Local, Embedding: c.Where.Embedding, Deferred: c.Where.IncludeDeferred,
			User: c.User, Customer: c.Customer, Server: c.Server,
		})
		return string(b), err
	}, Read: decodeCaller}
}

func pendingColumns(p *gateway.Pending) table.Columns {
	said := table.Stored(&p.CallContext, func(c gateway.CallContext) string { return string(c.Encode()) },
		func(text string) (gateway.CallContext, error) { return gateway.ParseCallContext(json.RawMessage(text)) })
	return table.Columns{
		table.Col("id", &p.ID), table.Col("caller", asCaller(&p.Caller)), table.Col("agent", &p.Caller.Agent), table.Col(`"user"`, &p.Caller.User), table.Col("tool", table.Subject(&p.Tool)),
		table.Col("version", &p.Version), table.Col("content_hash", &p.ContentHash), table.Col("args", table.JSON(&p.Args)), table.Col("said", said),
		table.Col("digest", &p.Digest), table.Col("asked_at", table.Time(&p.AskedAt)), table.Col("expires_at", table.Time(&p.ExpiresAt)),
	}
}

// answerRow is a user's answer and the id of the pending call that it answers.
type answerRow struct {
	gateway.Answer
	pending string
}

func answerColumns(a *answerRow) table.Columns {
	return table.Columns{
		table.Col("id", &a.ID), table.Col("pending", &a.pending), table.Col("approved", &a.Approved), table.Col("digest", &a.Digest), table.Col("reason", &a.Reason),
		table.Col("answered_by", table.Actor(&a.By)), table.Col("answered_at", table.Time(&a.At)), table.Col("call", &a.Call), table.Col("signature", &a.Signature),
	}
}

// AddPending implements gateway.CallWriter.
func (c Tables) AddPending(ctx context.Context, p gateway.Pending) error {
	return records.AppendRecord(ctx, c.Session, PendingTable, p, history.Event{ID: p.ID, At: p.AskedAt, Actor: p.Caller.Actor.String(), Act: "ask-call", Subject: p.Tool.String()},
		map[string]any{"agent": p.Caller.Agent, "user": p.Caller.User, "version": p.Version, "digest": p.Digest})
}

// AddAnswer implements gateway.CallWriter.
func (c Tables) AddAnswer(ctx context.Context, pending string, a gateway.Answer) error {
	var answered int
	var tool string
	err := c.Row(ctx, "SELECT (SELECT count(*) FROM call_answers WHERE pending = $1), (SELECT tool FROM pending_calls WHERE id = $1)", []any{pending}, &answered, &tool)
	if err != nil {
		return err
	}
	if answered > 0 {
		return fmt.Errorf("%s: %w: the call was already answered", pending, proposals.ErrConflict)
	}
	act := proposals.ActRefuseCall
	if a.Approved {
		act = proposals.ActApproveCall
	}
	return records.AppendRecord(ctx, c.Session, AnswerTable, answerRow{a, pending}, history.Event{ID: a.ID, At: a.At, Actor: a.By.String(), Act: string(act), Subject: tool},
		map[string]any{"pending": pending, "digest": a.Digest})
}

// pendingRow is a pending call with its answer and its outcome. The field answered reports whether the
// answer exists, and ended reports whether the outcome exists.
type pendingRow struct {
	pending         gateway.Pending
	answered, ended bool
	answer          answerRow
	outcome         EndedCall
}

func pendingRowColumns(r *pendingRow) table.Columns {
	return slices.Concat(table.Columns{table.Col("seq", &r.pending.Seq)}, pendingColumns(&r.pending), table.Columns{table.Col("version", &r.pending.InForce)},
		answerColumns(&r.answer).When(&r.answered), outcomeColumns(&r.outcome).When(&r.ended))
}

// selectPending is the start of a query that selects the columns of pendingRowColumns.
var selectPending = "SELECT p.seq, " + pendingColumns(new(gateway.Pending)).Of("p") + `,
	coalesce((SELECT version FROM live l WHERE l.subject = p.tool AND l.status = 'active'), 0), ` +
	answerColumns(new(answerRow)).Maybe("a", "id") + ", " + maybeOutcome + `
	FROM pending_calls p LEFT JOIN call_answers a ON a.pending = p.id LEFT JOIN call_outcomes o ON o.call = a.call AND a.call <> ''
	`

// readPending returns the pending calls that query selects. The query must start with selectPending.
func (c Tables) readPending(ctx context.Context, query string, args ...any) ([]gateway.Pending, error) {
	rows, err := table.All(ctx, c, table.Reading(pendingRowColumns), query, args...)
	return lists.Map(rows, func(r pendingRow) gateway.Pending {
		if r.answered {
			r.pending.Answer = &r.answer.Answer
		}
		if r.ended {
			r.pending.Outcome = &r.outcome.Outcome
		}
		return r.pending
	}), err
}

// Pending implements gateway.CallReader.
func (c Tables) Pending(ctx context.Context, ref string) (gateway.Pending, error) {
	if len(ref) < proposals.MinPrefix {
		return gateway.Pending{}, table.NotFound("the pending call %s; specify at least %d characters of the id", jsondoc.Quote(ref), proposals.MinPrefix)
	}
	found, err := c.readPending(ctx, selectPending+"WHERE p.id >= $1 AND p.id < $2 ORDER BY p.id LIMIT 2", ref, ref+"g") // ids are hexadecimal
	switch {
	case err != nil:
		return gateway.Pending{}, err
	case len(found) == 0:
		return gateway.Pending{}, table.NotFound("the pending call %s", jsondoc.Quote(ref))
	case len(found) > 1 && found[0].ID != ref:
		return gateway.Pending{}, fmt.Errorf("the pending call %s: %w; specify more characters of the id", jsondoc.Quote(ref), review.ErrAmbiguous)
	}
	return found[0], nil
}

// PendingList implements gateway.CallReader.
func (c Tables) PendingList(ctx context.Context, q gateway.PendingQuery) ([]gateway.Pending, error) {
	order := "p.seq"
	var where []string
	var args []any
	and := func(condition string, value any) { where, args = append(where, condition), append(args, value) }
	if q.Before > 0 {
		and("p.seq < ?", q.Before)
	}
	if q.Waiting {
		order = c.Hints.Unindexed("p.seq") // few pending calls have not expired, but the list of all pending calls is long
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
	return c.readPending(ctx, engine.Numbered(query+" ORDER BY "+order+" DESC LIMIT ?"), append(args, q.Limit)...)
}

// Override implements gateway.CallReader.
func (c Tables) Override(ctx context.Context, user string, tool registry.Subject) (registry.ApprovalTier, error) {
	list, err := TierTable.All(ctx, c, `WHERE "user" = $1 AND tool = $2 ORDER BY seq DESC LIMIT 1`, user, tool.String())
	if err == nil && len(list) == 0 {
		list = []gateway.Override{{User: user, Tool: tool}}
	}
	if err != nil {
		return "", err
	}
	err = c.requireSignedTiers(ctx, list)
	return list[0].Tier, err
}

func tierColumns(o *gateway.Override) table.Columns {
	return table.Columns{
		table.Col("id", &o.ID), table.Col(`"user"`, &o.User), table.Col("tool", table.Subject(&o.Tool)), table.Col("tier", (*string)(&o.Tier)), table.Col("set_by", table.Actor(&o.By)),
		table.Col("set_at", table.Time(&o.At)), table.Col("signature", &o.Signature),
	}
}

// requireSignedTiers changes each tier in list to RequiresApproval if the tier has no valid signature. It
// does nothing if signatures are not required.
func (c Tables) requireSignedTiers(ctx context.Context, list []gateway.Override) error {
	p, err := records.Signatures(c).Proofs(ctx)
	if p == nil || err != nil {
		return err
	}
	for i, o := range list {
		var err error
		if o.ID != "" { // the user set a tier
			err = p.Act(ctx, records.Signatures(c), o.Signature, "the tier of "+o.Tool.String(), o.By.String(), o.At, o.StatementAct(), "")
		}
		if err == nil {
			err = p.CheckNewestTier(ctx, records.Signatures(c), o.StatementAct(), o.Signature)
		}
		switch {
		case proof.Refuses(err):
			list[i].Tier = registry.RequiresApproval
		case err != nil:
			return err
		}
	}
	return nil
}

// Overrides implements gateway.CallReader.
func (c Tables) Overrides(ctx context.Context, user string) ([]gateway.Override, error) {
	list, err := TierTable.All(ctx, c, `t WHERE "user" = $1 AND tier <> '' AND seq = (SELECT max(seq) FROM call_tiers WHERE "user" = t."user" AND tool = t.tool) ORDER BY tool`, user)
	if err != nil {
		return nil, err
	}
	return list, c.requireSignedTiers(ctx, list)
}

// AddOverride implements gateway.CallWriter.
func (c Tables) AddOverride(ctx context.Context, o gateway.Override) error {
	return records.AppendRecord(ctx, c.Session, TierTable, o, history.Event{ID: o.ID, At: o.At, Actor: o.By.String(), Act: string(proposals.ActSetTier), Subject: o.Tool.String()},
		map[string]any{"user": o.User, "tier": o.Tier})
}

// actChanged is the act of an event about a tool if the definition from the server differs from the
// approved definition.
const actChanged = "definition-changed"

// AddChange implements gateway.CallWriter.
func (c Tables) AddChange(ctx context.Context, change gateway.Change) error {
	details := change.Details
	if len(details) == 0 {
		details = json.RawMessage("{}")
	}
	data, err := jsondoc.Marshal(map[string]any{"version": change.Version, "details": details})
	if err != nil {
		return err
	}
	last, err := table.All(ctx, c, table.ScanValue[string], "SELECT data FROM events WHERE subject = $1 AND subject <> '' AND act = $2 ORDER BY seq DESC LIMIT 1", change.Tool.String(), actChanged)
	if err != nil || len(last) > 0 && last[0] == string(data) {
		return err
	}
	return records.Log(c).AppendEvent(ctx, history.Event{
		ID: change.ID, At: change.At, Actor: change.By.String(), Act: actChanged, Subject: change.Tool.String(), Data: data,
	})
}

// The sealed tables.
var (
	PendingTable = table.Sealed("pending_calls", "toolcrib pending call 1", pendingColumns)
	AnswerTable  = table.Sealed("call_answers", "toolcrib call answer 1", answerColumns)
	TierTable    = table.Sealed("call_tiers", "toolcrib call tier 1", tierColumns)
)

// CallHash returns the number and the hash of the call with sequence number seq, or of the newest call if
// seq is 0. It returns 0 and "" if the call does not exist. If the calls prune command moved the call to a
// file, CallHash returns the number and the hash of the last call that was moved.
func (db CallLog) CallHash(ctx context.Context, seq int64) (found int64, hash string, err error) {
	err = db.Pool.View(ctx, func(s *session.Session) error {
		there, err := s.OptionalRow(ctx, "SELECT seq, hash FROM calls WHERE seq = $1 OR $1 = 0 ORDER BY seq DESC LIMIT 1", []any{seq}, &found, &hash)
		if err != nil || there {
			return err
		}
		if moved, _, err := Pruned(ctx, s); err != nil || moved.Number >= seq {
			found, hash = moved.Number, moved.Seal
			return err
		}
		return nil
	})
	return found, hash, err
}

// selectNotices selects the events about which running applications are notified. Because a proposal is
// approved at most once, the join with decisions finds the decision that the event records.
const selectNotices = `SELECT e.seq, e.at, e.subject,
	CASE e.act WHEN 'approve' THEN CASE json_extract(v.definition, '$.status') WHEN 'deactivated' THEN 'deactivation' ELSE 'approval' END
		WHEN 'ask-call' THEN 'pending_call' ELSE 'call_answer' END,
	coalesce(v.number, p.version, 0), coalesce(v.content_hash, ''), coalesce(p.id, ''), coalesce(p.caller, '{}'), e.act = 'approve-call'
	FROM events e
	LEFT JOIN decisions d ON e.act = 'approve' AND d.proposal = e.proposal AND d.verdict = 'approved'
	LEFT JOIN versions v ON v.subject = d.subject AND v.number = d.version
	LEFT JOIN pending_calls p ON p.id = CASE WHEN e.act = 'ask-call' THEN e.id WHEN e.act IN ('approve-call', 'refuse-call') THEN json_extract(e.data, '$.pending') END
	WHERE e.seq > $1 AND e.act IN ('approve', 'ask-call', 'approve-call', 'refuse-call') ORDER BY e.seq LIMIT $2`

func scanNotice(row table.Scanner) (gateway.Notice, error) {
	var n gateway.Notice
	var at, subject, caller string
	if err := row.Scan(&n.Seq, &at, &subject, &n.Kind, &n.Version, &n.ContentHash, &n.Pending, &caller, &n.Approved); err != nil {
		return n, err
	}
	return n, errors.Join(table.Into(&n.At, history.ParseTimestamp, at), table.Into(&n.Subject, registry.ParseSubject, subject), table.Into(&n.Caller, decodeCaller, caller))
}

// Notices returns the notices for at most limit events with sequence numbers above seq, oldest first. The
// result upTo is the number of the last event that was examined.
func (db CallLog) Notices(ctx context.Context, seq int64, limit int) (found []gateway.Notice, upTo int64, err error) {
	err = db.Pool.View(ctx, func(s *session.Session) error {
		var err error
		if found, err = table.All(ctx, s, scanNotice, selectNotices, seq, limit); err != nil {
			return err
		}
		if len(found) == limit {
			upTo = found[limit-1].Seq
			return nil
		}
		return s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM events", nil, &upTo)
	})
	return found, upTo, err
}
