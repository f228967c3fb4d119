package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/signing/statement"
)

// signatureTables have the signed statements, and the states of the signers in the
// log.
type signatureTables struct{ *session }

// LastEvent implements review.SignatureReader.
func (s signatureTables) LastEvent(ctx context.Context) (statement.Head, error) {
	var head statement.Head
	err := s.Row(ctx, "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", nil, &head.Seq, &head.Hash)
	return head, missing(err, "the newest event")
}

// EventHash implements review.SignatureReader.
func (s signatureTables) EventHash(ctx context.Context, seq int64) (string, error) {
	var hash string
	err := s.Row(ctx, "SELECT hash FROM events WHERE seq = $1", []any{seq}, &hash)
	return hash, missing(err, "event %d", seq)
}

// Signature implements review.SignatureReader.
func (s signatureTables) Signature(ctx context.Context, hash string) (review.SignatureRecord, error) {
	found, err := all(ctx, s, scanSignature, "SELECT "+signatureRecords.columns+" FROM signatures WHERE hash = $1", hash)
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

// SignedAfter implements review.SignatureReader.
func (s signatureTables) SignedAfter(ctx context.Context, about, hash string) ([]string, error) {
	return all(ctx, s, scanValue[string], "SELECT hash FROM signatures WHERE seq IN (SELECT x.signature FROM "+signedAfter("$1", "$2")+") ORDER BY seq", about, hash)
}

func scanSignature(row scanner) (review.SignatureRecord, error) {
	var r review.SignatureRecord
	var at string
	if err := row.Scan(&r.Hash, &r.Statement, &r.Signature, &r.By, &at); err != nil {
		return r, err
	}
	return r, into(&r.At, history.ParseTimestamp, at)
}

// LastSigners implements review.SignatureReader.
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

// SignersStates implements review.SignatureReader.
func (s signatureTables) SignersStates(ctx context.Context) ([]review.SignersState, error) {
	return all(ctx, s, func(row scanner) (review.SignersState, error) {
		e, err := scanEvent(row)
		if err != nil {
			return review.SignersState{}, err
		}
		var d signersData
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return review.SignersState{}, fmt.Errorf("%w: the data of event %d: %w", ErrDamaged, e.Seq, err)
		}
		return review.SignersState{
			Event: statement.Head{Seq: e.Seq, Hash: e.Hash}, At: e.At, Number: d.Number, Text: []byte(d.State), Revoked: d.Revoked, Statement: d.Statement,
		}, nil
	}, "SELECT "+eventColumns+" FROM events WHERE act = 'signers' ORDER BY seq")
}

// AddSignature implements review.SignatureWriter.
func (s signatureTables) AddSignature(ctx context.Context, r review.SignatureRecord, e history.Event) error {
	seal, err := s.record(ctx, signatureRecords, []string{r.Hash, r.Statement, r.Signature, r.By, history.Timestamp(r.At)})
	if err != nil {
		return err
	}
	e.Record = seal
	return eventLog(s).AppendEvent(ctx, e)
}

// CheckSignatures checks every signature, as review.Trust.CheckSignatures does. It
// reports nothing where the database was opened without a Trust.
func (db *DB) CheckSignatures(ctx context.Context) (review.SignatureReport, error) {
	if db.trust == nil {
		return review.SignatureReport{}, nil
	}
	return viewed(ctx, db, func(s *session) (review.SignatureReport, error) {
		return db.trust.CheckSignatures(ctx, signedRecords{signatureTables{s}})
	})
}

// signedRecords is a session as signatures are checked in it.
type signedRecords struct{ signatureTables }

var _ review.SignedRecords = signedRecords{}

// withEvent scans a row whose last column is the number of an event.
func withEvent(row scanner, event *int64) scanner { return extendedRow{row, []any{event}} }

// EachVersion implements review.SignedRecords.
func (s signedRecords) EachVersion(ctx context.Context, fn func(history.Version, int64) error) error {
	return s.Each(ctx, "SELECT "+versionColumns+`, coalesce((SELECT e.seq FROM decisions d JOIN events e ON e.record = d.seal AND e.record <> ''
		WHERE d.proposal = versions.proposal AND d.verdict = 'approved'), 0) FROM versions ORDER BY seq`, nil, func(row scanner) error {
		var event int64
		v, err := scanVersion(withEvent(row, &event))
		if err != nil {
			return err
		}
		return fn(v, event)
	})
}

// eventOf returns the number of the event of a row.
func eventOf(table string) string {
	return ", coalesce((SELECT e.seq FROM events e WHERE e.record = " + table + ".seal AND e.record <> ''), 0) "
}

// EachDecision implements review.SignedRecords.
func (s signedRecords) EachDecision(ctx context.Context, fn func(review.Decision, int64) error) error {
	return s.Each(ctx, "SELECT "+decisionFields+eventOf("decisions")+"FROM decisions WHERE verdict <> 'approved' ORDER BY seq", nil, func(row scanner) error {
		var event int64
		d, err := scanDecision(withEvent(row, &event))
		if err != nil {
			return err
		}
		return fn(d, event)
	})
}

// EachWaiver implements review.SignedRecords.
func (s signedRecords) EachWaiver(ctx context.Context, fn func(proposals.Proposal, history.Waiver, int64) error) error {
	return s.Each(ctx, "SELECT p.id, p.subject, waivers.waiver"+eventOf("waivers")+"FROM waivers JOIN proposals p ON p.id = waivers.proposal ORDER BY waivers.seq", nil,
		func(row scanner) error {
			var of proposals.Proposal
			var w history.Waiver
			var subject, waiver string
			var event int64
			if err := row.Scan(&of.ID, &subject, &waiver, &event); err != nil {
				return err
			}
			if err := errors.Join(into(&of.Subject, registry.ParseSubject, subject), into(&w, parseWaiver, waiver)); err != nil {
				return err
			}
			return fn(of, w, event)
		})
}

// EachOther implements review.SignedRecords.
func (s signedRecords) EachOther(ctx context.Context, fn func(review.SignedRecord, int64) error) error {
	err := s.Each(ctx, "SELECT p.id, p.tool, p.version, p.content_hash, p.digest, a.approved, a.reason, a.answered_by, a.signature"+eventOf("a")+
		"FROM call_answers a JOIN pending_calls p ON p.id = a.pending ORDER BY a.seq", nil, func(row scanner) error {
		var p gateway.Pending
		var tool string
		var approved bool
		var event int64
		r := review.SignedRecord{Table: answerRecords.table}
		if err := row.Scan(&p.ID, &tool, &p.Version, &p.ContentHash, &p.Digest, &approved, &r.Note, &r.By, &r.Signature, &event); err != nil {
			return err
		}
		if err := into(&p.Tool, registry.ParseSubject, tool); err != nil {
			return err
		}
		r.What, r.Act = "the answer to call "+p.ID, p.StatementAct(approved)
		return fn(r, event)
	})
	if err != nil {
		return err
	}
	return s.Each(ctx, `SELECT id, "user", tool, tier, set_by, set_at, signature`+eventOf("call_tiers")+"FROM call_tiers ORDER BY seq", nil, func(row scanner) error {
		var event int64
		o, err := scanOverride(withEvent(row, &event))
		if err != nil {
			return err
		}
		return fn(review.SignedRecord{
			Table: tierRecords.table, What: "the tier of " + o.Tool.String() + " for " + o.User, Signature: o.Signature, By: o.By.String(), Act: o.StatementAct(),
		}, event)
	})
}

// EachSignature implements review.SignedRecords.
func (s signedRecords) EachSignature(ctx context.Context, fn func(review.SignatureRecord) error) error {
	return s.Each(ctx, "SELECT "+signatureRecords.columns+" FROM signatures ORDER BY seq", nil, func(row scanner) error {
		r, err := scanSignature(row)
		if err != nil {
			return err
		}
		return fn(r)
	})
}
