// This file reads the signed records for the verification of signatures.

package verification

import (
	"context"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/store/calls"
	"toolcrib/store/catalog"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// CheckSignatures checks all signatures; see proof.Trust.CheckSignatures. If the database was opened without a Trust,
// it returns an empty report.
func (db Audits) CheckSignatures(ctx context.Context) (proof.Report, error) {
	if db.Pool.Trust == nil {
		return proof.Report{}, nil
	}
	return session.Read(ctx, db.Pool, func(s *session.Session) (proof.Report, error) {
		return db.Pool.Trust.CheckSignatures(ctx, SignedRecords{records.Signatures{Session: s}})
	})
}

// SignedRecords implements proof.SignedRecords.
type SignedRecords struct{ records.Signatures }

// eachWithEvent calls fn for each row of a query, with the value of the row and the number of its event. The query
// selects the columns of T, followed by the argument clauses. The argument begins with the last column, the number
// of the event.
func eachWithEvent[T any](ctx context.Context, s SignedRecords, describe func(*T) table.Columns, clauses string, fn func(T, int64) error) error {
	var event int64
	scan := table.Reading(describe, &event)
	return s.Each(ctx, "SELECT "+describe(new(T)).Names()+clauses, nil, func(row table.Scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		return fn(v, event)
	})
}

// EachVersion implements proof.SignedRecords.
func (s SignedRecords) EachVersion(ctx context.Context, fn func(history.Version, int64) error) error {
	return eachWithEvent(ctx, s, catalog.VersionTable.Plain, `, coalesce((SELECT e.seq FROM decisions d JOIN events e ON e.record = d.seal AND e.record <> ''
		WHERE d.proposal = versions.proposal AND d.verdict = 'approved'), 0) FROM versions ORDER BY seq`, fn)
}

// eventOf returns a column with the number of the event that records a row of the given table.
func eventOf(table string) string {
	return ", coalesce((SELECT e.seq FROM events e WHERE e.record = " + table + ".seal AND e.record <> ''), 0) "
}

// EachDecision implements proof.SignedRecords.
func (s SignedRecords) EachDecision(ctx context.Context, fn func(proposals.Decision, int64) error) error {
	return eachWithEvent(ctx, s, func(d *proposals.Decision) table.Columns {
		return append(records.DecisionTable.Plain(d), records.IssueOfDecision(d))
	}, eventOf("decisions")+"FROM decisions WHERE verdict <> 'approved' ORDER BY seq", fn)
}

// EachWaiver implements proof.SignedRecords.
func (s SignedRecords) EachWaiver(ctx context.Context, fn func(proposals.Proposal, history.Waiver, int64) error) error {
	type waived struct {
		of proposals.Proposal
		w  history.Waiver
	}
	describe := func(w *waived) table.Columns {
		return table.Columns{table.Col("p.id", (*string)(&w.of.ID)), table.Col("p.subject", table.Subject(&w.of.Subject)), table.Col("waivers.waiver", records.AsWaiver(&w.w))}
	}
	return eachWithEvent(ctx, s, describe, eventOf("waivers")+"FROM waivers JOIN proposals p ON p.id = waivers.proposal ORDER BY waivers.seq",
		func(w waived, event int64) error { return fn(w.of, w.w, event) })
}

// EachOther implements proof.SignedRecords.
func (s SignedRecords) EachOther(ctx context.Context, fn func(proof.SignedRecord, int64) error) error {
	type answered struct {
		pending gateway.Pending
		answer  gateway.Answer
		by      string
	}
	describe := func(a *answered) table.Columns {
		p := &a.pending
		return table.Columns{
			table.Col("p.id", &p.ID), table.Col("p.tool", table.Subject(&p.Tool)), table.Col("p.version", &p.Version), table.Col("p.content_hash", &p.ContentHash),
			table.Col("p.digest", &p.Digest), table.Col("a.approved", &a.answer.Approved), table.Col("a.reason", &a.answer.Reason), table.Col("a.answered_by", &a.by),
			table.Col("a.signature", &a.answer.Signature),
		}
	}
	err := eachWithEvent(ctx, s, describe, eventOf("a")+"FROM call_answers a JOIN pending_calls p ON p.id = a.pending ORDER BY a.seq",
		func(a answered, event int64) error {
			return fn(proof.SignedRecord{
				Table: calls.AnswerTable.Name, What: "the answer to call " + a.pending.ID, Signature: a.answer.Signature, By: a.by,
				Act: a.pending.StatementAct(a.answer.Approved), Note: a.answer.Reason,
			}, event)
		})
	if err != nil {
		return err
	}
	return eachWithEvent(ctx, s, calls.TierTable.Plain, eventOf("call_tiers")+"FROM call_tiers ORDER BY seq", func(o gateway.Override, event int64) error {
		return fn(proof.SignedRecord{
			Table: calls.TierTable.Name, What: "the tier of " + o.Tool.String() + " for " + o.User, Signature: o.Signature, By: o.By.String(), Act: o.StatementAct(),
		}, event)
	})
}

// EachSignature implements proof.SignedRecords.
func (s SignedRecords) EachSignature(ctx context.Context, fn func(proof.SignatureRecord) error) error {
	var seal string // toolcrib verify uses this method and reports invalid seals separately
	scan := table.Reading(records.SignatureTable.Plain, &seal)
	return s.Each(ctx, records.SignatureTable.Select("ORDER BY seq"), nil, func(row table.Scanner) error {
		r, err := scan(row)
		if err != nil {
			return err
		}
		return fn(r)
	})
}
