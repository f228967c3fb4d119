package store

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/history"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
	"toolcrib/store/engine"
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
	ends, err := tails(ctx, s.session)
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
			return nil, fmt.Errorf("%w: the data of event %d: %w", engine.ErrDamaged, e.Seq, err)
		}
		states[i] = proof.SignersState{
			Event: statement.Head{Seq: e.Seq, Hash: e.Hash}, At: e.At, Number: d.Number, Text: []byte(d.State), Revoked: d.Revoked, Statement: d.Statement,
		}
	}
	return states, err
}

// AddSignature implements proof.SignatureWriter.
func (s signatureTables) AddSignature(ctx context.Context, r proof.SignatureRecord, e history.Event) error {
	seal, err := record(ctx, s, signatureRecords, signatureColumns(&r))
	if err != nil {
		return err
	}
	e.Record = seal
	return eventLog(s).AppendEvent(ctx, e)
}

var _ proof.SignedRecords = signedRecords{}

var signatureRecords = recordsOf("signatures", "toolcrib signature 1", signatureColumns)

func sealedSignature(s *proof.SignatureRecord) columns {
	return signatureRecords.sealed(signatureColumns(s))
}
