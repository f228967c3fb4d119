package store

import (
	"context"
	"errors"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// CheckSignatures checks every signature, as review.Trust.CheckSignatures does. It
// reports nothing where the database was opened without a Trust.
func (db *DB) CheckSignatures(ctx context.Context) (review.SignatureReport, error) {
	if db.trust == nil {
		return review.SignatureReport{}, nil
	}
	return viewed(ctx, db, func(s *session) (review.SignatureReport, error) {
		return db.trust.CheckSignatures(ctx, signedRecords{s})
	})
}

// signedRecords is a session as signatures are checked in it.
type signedRecords struct{ *session }

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
