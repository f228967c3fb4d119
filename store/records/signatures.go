// This file stores signed statements and determines which records have valid signatures.

package records

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
	"toolcrib/store/engine"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Signatures reads and writes signed statements. It also reads the signers that the audit log records.
type Signatures struct{ *session.Session }

// LastEvent implements proof.SignatureReader.
func (s Signatures) LastEvent(ctx context.Context) (statement.Head, error) {
	var head statement.Head
	err := s.Row(ctx, "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1", nil, &head.Seq, &head.Hash)
	return head, table.Missing(err, "the newest event")
}

// EventHash implements proof.SignatureReader.
func (s Signatures) EventHash(ctx context.Context, seq int64) (string, error) {
	var hash string
	err := s.Row(ctx, "SELECT hash FROM events WHERE seq = $1", []any{seq}, &hash)
	return hash, table.Missing(err, "event %d", seq)
}

// Signature implements proof.SignatureReader.
func (s Signatures) Signature(ctx context.Context, hash string) (proof.SignatureRecord, error) {
	found, err := SignatureTable.All(ctx, s, "WHERE hash = $1", hash)
	return table.First(found, err, "the signed statement %.12s", hash)
}

// signedAfter returns the text that follows FROM in a query. The query selects the rows of signed_subjects for a
// subject. It ignores statements up to and including the statement with the given hash; with the hash "", it
// ignores no statements. The arguments are SQL expressions for the subject and the hash.
func signedAfter(about, hash string) string {
	return "signed_subjects x WHERE x.about = " + about + " AND x.signature > coalesce((SELECT seq FROM signatures WHERE hash = " + hash + "), 0)"
}

// SignedLater returns the condition that a newer statement exists, that is, that signedAfter selects at least one
// row.
func SignedLater(about, hash string) string {
	return "EXISTS (SELECT 1 FROM " + signedAfter(about, hash) + ")"
}

// SignedAfter implements proof.SignatureReader.
func (s Signatures) SignedAfter(ctx context.Context, about, hash string) ([]string, error) {
	return table.All(ctx, s, table.ScanValue[string], "SELECT hash FROM signatures WHERE seq IN (SELECT x.signature FROM "+signedAfter("$1", "$2")+") ORDER BY seq", about, hash)
}

func signatureColumns(r *proof.SignatureRecord) table.Columns {
	return table.Columns{table.Col("hash", &r.Hash), table.Col("statement", &r.Statement), table.Col("signature", &r.Signature), table.Col("signed_by", &r.By), table.Col("created_at", table.Time(&r.At))}
}

// LastSigners implements proof.SignatureReader.
func (s Signatures) LastSigners(ctx context.Context) (string, error) {
	ends, err := EndsOf(ctx, s.Session)
	return ends.signers, err
}

// LastSigners is a query for the hash of the last event that recorded signers.
const LastSigners = "SELECT hash FROM events WHERE act = 'signers' ORDER BY seq DESC LIMIT 1"

// signersData is the data of an event that records signers.
type signersData struct {
	Number    int    `json:"number"`
	State     string `json:"state"`
	Revoked   []byte `json:"revoked,omitempty"`
	Statement string `json:"statement"`
}

// SignersStates implements proof.SignatureReader.
func (s Signatures) SignersStates(ctx context.Context) ([]proof.SignersState, error) {
	events, err := EventTable.All(ctx, s, "WHERE act = 'signers' ORDER BY seq")
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
func (s Signatures) AddSignature(ctx context.Context, r proof.SignatureRecord, e history.Event) error {
	seal, err := SignatureTable.Append(ctx, s, r)
	if err != nil {
		return err
	}
	e.Record = seal
	return Log(s).AppendEvent(ctx, e)
}

// SignatureTable describes the table of signed statements.
var SignatureTable = table.Sealed("signatures", "toolcrib signature 1", signatureColumns)

// Proofs returns the verifier of signatures for the current transaction. It returns nil if signatures are not
// required.
func (s Signatures) Proofs(ctx context.Context) (*proof.Proofs, error) {
	if !s.Trust.Required() {
		return nil, nil //nolint:nilnil // nil means that signatures cannot be checked
	}
	if p := *session.PerTransaction[*proof.Proofs](s.Session); p != nil {
		return p, nil
	}
	last, err := s.LastSigners(ctx)
	if err != nil {
		return nil, err
	}
	return s.ProofsOf(ctx, last)
}

// ProofsOf is like Proofs for a caller that knows the hash of the last event that recorded signers.
func (s Signatures) ProofsOf(ctx context.Context, hash string) (*proof.Proofs, error) {
	proven := session.PerTransaction[*proof.Proofs](s.Session)
	if *proven == nil {
		p, err := s.Trust.Proofs(ctx, s, hash)
		if err != nil {
			return nil, err
		}
		*proven = p
	}
	return *proven, nil
}

// CountedWaivers returns the valid waivers of a proposal. If signatures are required, it returns the waivers that
// have valid signatures. Otherwise, it returns all waivers.
func (s Signatures) CountedWaivers(ctx context.Context, proposal proposals.Proposal, waivers []history.Waiver) ([]history.Waiver, error) {
	p, err := s.Proofs(ctx)
	if p == nil || err != nil {
		return waivers, err
	}
	var counted []history.Waiver
	for _, w := range waivers {
		err := p.Waiver(ctx, s, proposal, w)
		if err == nil {
			err = p.CheckNewestWaiver(ctx, s, proposal, w, waivers)
		}
		switch {
		case err == nil:
			counted = append(counted, w)
		case !proof.Refuses(err):
			return nil, err
		}
	}
	return counted, nil
}

// Counts returns an error if signatures are required and v has no valid signature.
func (s Signatures) Counts(ctx context.Context, v history.Version) error {
	p, err := s.Proofs(ctx)
	if p == nil || err != nil {
		return err
	}
	proof, err := p.Version(ctx, s, v)
	if err != nil {
		return err
	}
	return proof.Err
}
