package store

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
)

// signatureTables have the signed statements, and the states of the signers in the
// log.
type signatureTables struct{ *session }

// LastEvent implements proof.SignatureReader.
func (s signatureTables) LastEvent(ctx context.Context) (statement.Head, error) {
	var head statement.Head
	err := s.Row(ctx, "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", nil, &head.Seq, &head.Hash)
	return head, missing(err, "the newest event")
}

// EventHash implements proof.SignatureReader.
func (s signatureTables) EventHash(ctx context.Context, seq int64) (string, error) {
	var hash string
	err := s.Row(ctx, "SELECT hash FROM events WHERE seq = $1", []any{seq}, &hash)
	return hash, missing(err, "event %d", seq)
}

// Signature implements proof.SignatureReader.
func (s signatureTables) Signature(ctx context.Context, hash string) (proof.SignatureRecord, error) {
	found, err := all(ctx, s, reading(sealedSignature), signatureRecords.selection("WHERE hash = $1"), hash)
	return first(found, err, "the signed statement %.12s", hash)
}

// signedAfter are the rows of signed_subjects about a text that have a newer statement
// than the one of a hash, "" for none. Both are expressions.
func signedAfter(about, hash string) string {
	return "signed_subjects x WHERE x.about = " + about + " AND x.signature > coalesce((SELECT seq FROM signatures WHERE hash = " + hash + "), 0)"
}

// signedLater is the expression that there is such a row.
func signedLater(about, hash string) string {
	return "EXISTS (SELECT 1 FROM " + signedAfter(about, hash) + ")"
}

// SignedAfter implements proof.SignatureReader.
func (s signatureTables) SignedAfter(ctx context.Context, about, hash string) ([]string, error) {
	return all(ctx, s, scanValue[string], "SELECT hash FROM signatures WHERE seq IN (SELECT x.signature FROM "+signedAfter("$1", "$2")+") ORDER BY seq", about, hash)
}

func signatureColumns(r *proof.SignatureRecord) columns {
	return columns{col("hash", &r.Hash), col("statement", &r.Statement), col("signature", &r.Signature), col("signed_by", &r.By), col("created_at", asTime(&r.At))}
}

// LastSigners implements proof.SignatureReader.
func (s signatureTables) LastSigners(ctx context.Context) (string, error) {
	ends, err := s.tails(ctx)
	if err != nil {
		return "", err
	}
	return ends.signers, nil
}

const lastSigners = "SELECT hash FROM events WHERE act = 'signers' ORDER BY seq DESC LIMIT 1"

// signersData is the data of the event of a state of the signers.
type signersData struct {
	Number    int    `json:"number"`
	State     string `json:"state"`
	Revoked   []byte `json:"revoked,omitempty"`
	Statement string `json:"statement"`
}

// SignersStates implements proof.SignatureReader.
func (s signatureTables) SignersStates(ctx context.Context) ([]proof.SignersState, error) {
	events, err := all(ctx, s, reading(eventColumns), selectEvents+"WHERE act = 'signers' ORDER BY seq")
	states := make([]proof.SignersState, len(events))
	for i, e := range events {
		var d signersData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, fmt.Errorf("%w: the data of event %d: %w", ErrDamaged, e.Seq, err)
		}
		states[i] = proof.SignersState{
			Event: statement.Head{Seq: e.Seq, Hash: e.Hash}, At: e.At, Number: d.Number, Text: []byte(d.State), Revoked: d.Revoked, Statement: d.Statement,
		}
	}
	return states, err
}

// AddSignature implements proof.SignatureWriter.
func (s signatureTables) AddSignature(ctx context.Context, r proof.SignatureRecord, e history.Event) error {
	seal, err := s.record(ctx, signatureRecords, signatureColumns(&r))
	if err != nil {
		return err
	}
	e.Record = seal
	return eventLog(s).AppendEvent(ctx, e)
}

// CheckSignatures checks every signature, as proof.Trust.CheckSignatures does. It
// reports nothing where the database was opened without a Trust.
func (db audits) CheckSignatures(ctx context.Context) (proof.Report, error) {
	if db.trust == nil {
		return proof.Report{}, nil
	}
	return viewed(ctx, db.connections, func(s *session) (proof.Report, error) {
		return db.trust.CheckSignatures(ctx, signedRecords{signatureTables{s}})
	})
}

// signedRecords is a session as signatures are checked in it.
type signedRecords struct{ signatureTables }

var _ proof.SignedRecords = signedRecords{}

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
