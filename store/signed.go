package store

import (
	"context"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
)

// CheckSignatures checks every signature, as proof.Trust.CheckSignatures does. It
// reports nothing where the database was opened without a Trust.
func (db audits) CheckSignatures(ctx context.Context) (proof.Report, error) {
	if db.pool.trust == nil {
		return proof.Report{}, nil
	}
	return viewed(ctx, db.pool, func(s *session) (proof.Report, error) {
		return db.pool.trust.CheckSignatures(ctx, signedRecords{signatureTables{session: s}})
	})
}

// signedRecords is a session as signatures are checked in it.
type signedRecords struct{ signatureTables }

// eachTold calls fn for every row of the columns of a T, followed by rest, which begins
// with the number of an event.
func eachTold[T any](ctx context.Context, s signedRecords, describe func(*T) columns, rest string, fn func(T, int64) error) error {
	var event int64
	scan := reading(describe, &event)
	return s.Each(ctx, "SELECT "+describe(new(T)).names()+rest, nil, func(row scanner) error {
		v, err := scan(row)
		if err != nil {
			return err
		}
		return fn(v, event)
	})
}

// EachVersion implements proof.SignedRecords.
func (s signedRecords) EachVersion(ctx context.Context, fn func(history.Version, int64) error) error {
	return eachTold(ctx, s, versionColumns, `, coalesce((SELECT e.seq FROM decisions d JOIN events e ON e.record = d.seal AND e.record <> ''
		WHERE d.proposal = versions.proposal AND d.verdict = 'approved'), 0) FROM versions ORDER BY seq`, fn)
}

// eventOf returns the number of the event of a row.
func eventOf(table string) string {
	return ", coalesce((SELECT e.seq FROM events e WHERE e.record = " + table + ".seal AND e.record <> ''), 0) "
}

// EachDecision implements proof.SignedRecords.
func (s signedRecords) EachDecision(ctx context.Context, fn func(proposals.Decision, int64) error) error {
	return eachTold(ctx, s, func(d *proposals.Decision) columns { return append(decisionColumns(d), issueOfDecision(d)) }, eventOf("decisions")+"FROM decisions WHERE verdict <> 'approved' ORDER BY seq", fn)
}

// EachWaiver implements proof.SignedRecords.
func (s signedRecords) EachWaiver(ctx context.Context, fn func(proposals.Proposal, history.Waiver, int64) error) error {
	type waived struct {
		of proposals.Proposal
		w  history.Waiver
	}
	describe := func(w *waived) columns {
		return columns{col("p.id", (*string)(&w.of.ID)), col("p.subject", asSubject(&w.of.Subject)), col("waivers.waiver", asWaiver(&w.w))}
	}
	return eachTold(ctx, s, describe, eventOf("waivers")+"FROM waivers JOIN proposals p ON p.id = waivers.proposal ORDER BY waivers.seq",
		func(w waived, event int64) error { return fn(w.of, w.w, event) })
}

// EachOther implements proof.SignedRecords.
func (s signedRecords) EachOther(ctx context.Context, fn func(proof.SignedRecord, int64) error) error {
	type answered struct {
		pending gateway.Pending
		answer  gateway.Answer
		by      string
	}
	describe := func(a *answered) columns {
		p := &a.pending
		return columns{
			col("p.id", &p.ID), col("p.tool", asSubject(&p.Tool)), col("p.version", &p.Version), col("p.content_hash", &p.ContentHash),
			col("p.digest", &p.Digest), col("a.approved", &a.answer.Approved), col("a.reason", &a.answer.Reason), col("a.answered_by", &a.by),
			col("a.signature", &a.answer.Signature),
		}
	}
	err := eachTold(ctx, s, describe, eventOf("a")+"FROM call_answers a JOIN pending_calls p ON p.id = a.pending ORDER BY a.seq",
		func(a answered, event int64) error {
			return fn(proof.SignedRecord{
				Table: answerRecords.table, What: "the answer to call " + a.pending.ID, Signature: a.answer.Signature, By: a.by,
				Act: a.pending.StatementAct(a.answer.Approved), Note: a.answer.Reason,
			}, event)
		})
	if err != nil {
		return err
	}
	return eachTold(ctx, s, tierColumns, eventOf("call_tiers")+"FROM call_tiers ORDER BY seq", func(o gateway.Override, event int64) error {
		return fn(proof.SignedRecord{
			Table: tierRecords.table, What: "the tier of " + o.Tool.String() + " for " + o.User, Signature: o.Signature, By: o.By.String(), Act: o.StatementAct(),
		}, event)
	})
}

// EachSignature implements proof.SignedRecords.
func (s signedRecords) EachSignature(ctx context.Context, fn func(proof.SignatureRecord) error) error {
	var seal string // toolcrib verify reads this, and reports a wrong seal by itself
	scan := reading(signatureColumns, &seal)
	return s.Each(ctx, signatureRecords.selection("ORDER BY seq"), nil, func(row scanner) error {
		r, err := scan(row)
		if err != nil {
			return err
		}
		return fn(r)
	})
}
