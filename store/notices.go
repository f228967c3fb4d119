package store

import (
	"context"
	"errors"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/registry"
)

// selectNotices reads what running applications hear of. A proposal is approved
// at most once, so its decision is the one of the event.
const selectNotices = `SELECT e.seq, e.at, e.subject,
	CASE e.act WHEN 'approve' THEN CASE json_extract(v.definition, '$.status') WHEN 'deactivated' THEN 'deactivation' ELSE 'approval' END
		WHEN 'ask-call' THEN 'pending_call' ELSE 'call_answer' END,
	coalesce(v.number, p.version, 0), coalesce(v.content_hash, ''), coalesce(p.id, ''), coalesce(p.caller, '{}'), e.act = 'approve-call'
	FROM events e
	LEFT JOIN decisions d ON e.act = 'approve' AND d.proposal = e.proposal AND d.verdict = 'approved'
	LEFT JOIN versions v ON v.subject = d.subject AND v.number = d.version
	LEFT JOIN pending_calls p ON p.id = CASE WHEN e.act = 'ask-call' THEN e.id WHEN e.act IN ('approve-call', 'refuse-call') THEN json_extract(e.data, '$.pending') END
	WHERE e.seq > $1 AND e.act IN ('approve', 'ask-call', 'approve-call', 'refuse-call') ORDER BY e.seq LIMIT $2`

func scanNotice(row scanner) (gateway.Notice, error) {
	var n gateway.Notice
	var at, subject, caller string
	if err := row.Scan(&n.Seq, &at, &subject, &n.Kind, &n.Version, &n.ContentHash, &n.Pending, &caller, &n.Approved); err != nil {
		return n, err
	}
	return n, errors.Join(into(&n.At, history.ParseTimestamp, at), into(&n.Subject, registry.ParseSubject, subject), into(&n.Caller, decodeCaller, caller))
}

// Notices returns what running applications hear of among the events after one,
// the oldest first, at most limit, and the event up to which that is everything.
func (db *DB) Notices(ctx context.Context, after int64, limit int) (found []gateway.Notice, upTo int64, err error) {
	err = db.view(ctx, func(s *session) error {
		var err error
		if found, err = all(ctx, s, scanNotice, selectNotices, after, limit); err != nil {
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
