package proof

import (
	"bytes"
	"fmt"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// WaiverAct returns the act for the statement of a waiver of p.
func WaiverAct(p proposals.Proposal, w history.Waiver) *statement.Waiver {
	act := &statement.Waiver{
		Ended: w.Ends(), Proposal: string(p.ID), Revision: w.Revision, Subject: p.Subject.String(), ContentHash: w.ContentHash, Rule: w.Rule,
		PassageHash: w.PassageHash, Path: statement.Text(w.Path), Field: history.Seal(w.Field...),
	}
	if w.ExpiresAt != nil && !act.Ended {
		act.Expires = w.ExpiresAt.UTC()
	}
	return act
}

// SignedAct is a verified statement that must be compared with the recorded act. A nil SignedAct stands for an unsigned
// act.
type SignedAct struct {
	record    SignatureRecord
	statement statement.Statement
	signature *sshsig.Signature
	signer    signers.Signer
	signers   *signers.Signers
	now       time.Time
}

// Hash returns the hash by which records refer to the statement, or "" for an unsigned act.
func (a *SignedAct) Hash() string {
	if a == nil {
		return ""
	}
	return a.record.Hash
}

// Key returns the fingerprint of the key that signed the act, or "" for an unsigned act.
func (a *SignedAct) Key() string {
	if a == nil {
		return ""
	}
	return a.signer.Fingerprint
}

// Time returns the time of the act, or now for an unsigned act.
func (a *SignedAct) Time(now time.Time) time.Time {
	if a == nil {
		return now
	}
	return a.statement.At
}

// RecordedAt returns the time at which the act is recorded, or at for an unsigned act.
func (a *SignedAct) RecordedAt(at time.Time) time.Time {
	if a == nil {
		return at
	}
	return a.now
}

// Match returns nil if the statement is, byte for byte, the one for act and note. Otherwise, the act changed after it
// was prepared, and the error wraps ErrConflict.
func (a *SignedAct) Match(act statement.Act, note string) error {
	if a == nil {
		return nil
	}
	want := a.statement
	want.Act, want.Note = act, statement.Text(note)
	b, err := encode(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(b, []byte(a.record.Statement)) {
		return fmt.Errorf("%w: the signed statement does not match this decision: the proposal changed, or another statement was signed; review it and sign again", proposals.ErrConflict)
	}
	return nil
}

// Apart returns an error if the signature was made with a key of author.
func (a *SignedAct) Apart(author proposals.Actor) error {
	if a == nil || author.Kind != proposals.User {
		return nil
	}
	if _, err := a.signers.May(author.String(), a.signature.Key, a.statement.At); err == nil {
		return fmt.Errorf("%w: the key that signed is also one of %s, who wrote it", proposals.ErrFourEyes, author)
	}
	return nil
}
