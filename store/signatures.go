package store

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/history"
	"toolcrib/review"
	"toolcrib/signing/statement"
)

// LastEvent implements review.SignatureReader.
func (s *session) LastEvent(ctx context.Context) (statement.Head, error) {
	var head statement.Head
	err := s.Row(ctx, "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", nil, &head.Seq, &head.Hash)
	return head, missing(err, "the newest event")
}

// EventHash implements review.SignatureReader.
func (s *session) EventHash(ctx context.Context, seq int64) (string, error) {
	var hash string
	err := s.Row(ctx, "SELECT hash FROM events WHERE seq = $1", []any{seq}, &hash)
	return hash, missing(err, "event %d", seq)
}

// Signature implements review.SignatureReader.
func (s *session) Signature(ctx context.Context, hash string) (review.SignatureRecord, error) {
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
func (s *session) SignedAfter(ctx context.Context, about, hash string) ([]string, error) {
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
func (s *session) LastSigners(ctx context.Context) (string, error) {
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
func (s *session) SignersStates(ctx context.Context) ([]review.SignersState, error) {
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
func (s *session) AddSignature(ctx context.Context, r review.SignatureRecord, e history.Event) error {
	seal, err := s.record(ctx, signatureRecords, []string{r.Hash, r.Statement, r.Signature, r.By, history.Timestamp(r.At)})
	if err != nil {
		return err
	}
	e.Record = seal
	return s.AppendEvent(ctx, e)
}
