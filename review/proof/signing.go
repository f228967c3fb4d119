// This file verifies and records the signatures of new acts.

package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Errors of signed decisions.
var (
	ErrUnsigned  = errors.New("signature is missing")
	ErrSignature = errors.New("signature not accepted")
	ErrSigners   = errors.New("no valid signers")
)

// Policy contains the settings for signed decisions. The zero value does not require signatures.
type Policy struct {
	// Required is true if unsigned decisions are rejected and only versions with a valid signature are accepted. After
	// signing has started in a database, unsigned decisions are rejected even if Required is false.
	Required bool
	// Always is true if unsigned decisions are rejected even before signing has started. This is necessary for users
	// who are identified only by their key.
	Always bool
	// Since is the hash of the event that recorded the first state of the signers.
	Since string
	// Signers returns the signers in the signers file. The function is nil if there is no such file. It is called in
	// every transaction, so it must cache the result until the file changes.
	Signers func() (*signers.Signers, error)
}

// Signed is a statement that a Prepare method returned, together with its signature in the armored format of
// ssh-keygen.
type Signed struct {
	Statement []byte
	Signature []byte
}

// SignatureRecord is a stored statement with its signature. All records that an act writes refer to the same
// SignatureRecord.
type SignatureRecord struct {
	Hash      string // statement.Sum of Statement
	Statement string
	Signature string // armored, in canonical form
	By        string // principal
	At        time.Time
}

// SignersState is a recorded state of the signers.
type SignersState struct {
	Event     statement.Head // event that recorded the state
	At        time.Time
	Number    int    // counted from 1
	Text      []byte // result of signers.Signers.Text
	Revoked   []byte // key revocation list recorded by an earlier version, or nil
	Statement string // hash of the signed statement with this change
}

// SignatureReader reads the records that are needed to verify signatures. Its methods return proposals.ErrNotFound for
// unknown objects.
type SignatureReader interface {
	// LastEvent returns the newest event.
	LastEvent(ctx context.Context) (statement.Head, error)
	// EventHash returns the hash of the event with the number seq.
	EventHash(ctx context.Context, seq int64) (string, error)
	// Signature returns the signed statement with the given hash.
	Signature(ctx context.Context, hash string) (SignatureRecord, error)
	// SignedAfter returns the hashes of the statements about the object with the given key, oldest first.
	// statement.About returns the keys of objects. If hash is not "", SignedAfter returns only the statements that are
	// newer than the statement with this hash.
	SignedAfter(ctx context.Context, objectKey, hash string) ([]string, error)
	// LastSigners returns the hash of the event that recorded the last state of the signers, or "" before signing has
	// started.
	LastSigners(ctx context.Context) (string, error)
	// SignersStates returns the recorded states of the signers, oldest first.
	SignersStates(ctx context.Context) ([]SignersState, error)
}

// SignatureWriter reads and records signatures.
type SignatureWriter interface {
	SignatureReader
	// AddSignature appends a new signed statement and its event.
	AddSignature(ctx context.Context, r SignatureRecord, e history.Event) error
}

// maxAge is the maximum age of a statement when the signature is used. Without this limit, a user could sign with an
// expired key and state a time at which the key was still valid.
const maxAge = 15 * time.Minute

// Signing verifies and records the signatures of acts. It is safe for concurrent use.
type Signing struct {
	trust  *Trust
	now    func() time.Time
	newID  func() string
	dryRun bool
}

// NewSigning returns a Signing that verifies signatures with trust.
func NewSigning(trust *Trust, now func() time.Time, newID func() string) Signing {
	return Signing{trust: trust, now: now, newID: newID}
}

// stamp returns the current time at the stored resolution of one microsecond.
func (s Signing) stamp() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// DryRun returns a Signing that requires no signatures. It is used for acts that are rolled back.
func (s Signing) DryRun() Signing {
	s.dryRun = true
	return s
}

// Prepare returns the statement that actor must sign for act. The statement contains a hash of note.
func (s Signing) Prepare(ctx context.Context, r SignatureReader, actor proposals.Actor, at time.Time, act statement.Act, note string) ([]byte, error) {
	genesis, err := r.EventHash(ctx, 1)
	if err != nil {
		return nil, err
	}
	last, err := r.LastEvent(ctx)
	if err != nil {
		return nil, err
	}
	return encode(statement.Statement{Database: genesis, Log: last, By: actor.String(), At: at, Act: act, Note: statement.Text(note)})
}

func encode(s statement.Statement) ([]byte, error) {
	b, err := statement.Encode(s)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot encode the statement to sign: %w", ErrSignature, err)
	}
	return b, nil
}

// Open verifies that signed is a recent statement for this database, that it has not been used, and that actor signed
// it. The caller must then compare the act with SignedAct.Match. If signed is nil, Open returns nil, or ErrUnsigned if
// signatures are required.
func (s Signing) Open(ctx context.Context, r SignatureReader, actor proposals.Actor, signed *Signed) (*SignedAct, error) {
	if signed == nil {
		last, err := r.LastSigners(ctx)
		if err != nil || s.dryRun || last == "" && !s.trust.policy.Always && !s.trust.Required() {
			return nil, err
		}
		return nil, fmt.Errorf("%w: decisions in this database are signed; sign as %s with --sign-key FILE, or with a key in the SSH agent", ErrUnsigned, actor)
	}
	in, err := s.trust.signersFor(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, r, actor, *signed, in)
}

// open is like Open, but uses the given signers to verify the signature.
func (s Signing) open(ctx context.Context, r SignatureReader, actor proposals.Actor, signed Signed, in *signers.Signers) (*SignedAct, error) {
	st, signer, err := in.Verify(signed.Statement, signed.Signature)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	signature, err := sshsig.Parse(signed.Signature)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	now := s.stamp()
	switch {
	case st.By != actor.String():
		return nil, fmt.Errorf("%w: the statement is by %s, but you act as %s", ErrSignature, st.By, actor)
	case st.At.After(now):
		return nil, fmt.Errorf("%w: the statement was prepared at %s, which is in the future", ErrSignature, history.Timestamp(st.At))
	case now.Sub(st.At) > maxAge:
		return nil, fmt.Errorf("%w: the statement was prepared at %s, more than %d minutes ago; prepare and sign it again", proposals.ErrConflict, history.Timestamp(st.At), int(maxAge.Minutes()))
	}
	genesis, err := r.EventHash(ctx, 1)
	if err != nil {
		return nil, err
	}
	if st.Database != genesis {
		return nil, fmt.Errorf("%w: the statement is about another database", ErrSignature)
	}
	seen, err := r.EventHash(ctx, st.Log.Seq)
	if err != nil && !errors.Is(err, proposals.ErrNotFound) {
		return nil, err
	}
	if seen != st.Log.Hash {
		return nil, fmt.Errorf("%w: event %d of the log differs from the event in the statement", proposals.ErrConflict, st.Log.Seq)
	}
	sum := statement.Sum(signed.Statement)
	switch _, err := r.Signature(ctx, sum); {
	case err == nil:
		return nil, fmt.Errorf("%w: this statement has already been used", proposals.ErrConflict)
	case !errors.Is(err, proposals.ErrNotFound):
		return nil, err
	}
	return &SignedAct{
		record:    SignatureRecord{Hash: sum, Statement: string(signed.Statement), Signature: string(signature.Armor()), By: st.By, At: now},
		statement: st, signature: signature, signer: signer, signers: in, now: now,
	}, nil
}

// Record writes the signed statement of an act and the event about it. It does nothing for an unsigned act.
func (s Signing) Record(ctx context.Context, w SignatureWriter, a *SignedAct) error {
	if a == nil {
		return nil
	}
	e, err := history.NewEvent(s.newID(), actSign, a.record.By, a.now, map[string]any{
		"statement": a.record.Hash, "key": a.signer.Fingerprint, "key_type": a.signer.KeyType,
	})
	if err != nil {
		return err
	}
	return w.AddSignature(ctx, a.record, e)
}

// Acts of the events that record signatures and states of the signers.
const (
	actSign    = "sign"
	ActSigners = "signers" // a change of the signers
)

// WaiverAct returns the part of a signed statement that describes w, a waiver in p.
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

// SignedAct is a statement with a verified signature. Its content has not been compared with the act yet. A nil
// SignedAct represents an unsigned act.
type SignedAct struct {
	record    SignatureRecord
	statement statement.Statement
	signature *sshsig.Signature
	signer    signers.Signer
	signers   *signers.Signers
	now       time.Time
}

// Hash returns the hash of the statement. The records of the act contain this hash. For an unsigned act, Hash returns
// "".
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

// Time returns the time in the statement. For an unsigned act, it returns the given time.
func (a *SignedAct) Time(now time.Time) time.Time {
	if a == nil {
		return now
	}
	return a.statement.At
}

// RecordedAt returns the time when the statement was verified. For an unsigned act, it returns t.
func (a *SignedAct) RecordedAt(t time.Time) time.Time {
	if a == nil {
		return t
	}
	return a.now
}

// Match returns nil if the signed statement is byte for byte the statement for act and note. Otherwise, the proposal
// changed after Prepare, or another statement was signed, and the error wraps proposals.ErrConflict.
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
		return fmt.Errorf("%w: the signed statement does not match this decision: the proposal changed, or another statement was signed; review the proposal and sign again", proposals.ErrConflict)
	}
	return nil
}

// Apart returns an error if author also owns the key that signed the act. It enforces the four-eyes rule for signed
// approvals.
func (a *SignedAct) Apart(author proposals.Actor) error {
	if a == nil || author.Kind != proposals.User {
		return nil
	}
	if _, err := a.signers.May(author.String(), a.signature.Key, a.statement.At); err == nil {
		return fmt.Errorf("%w: the key that signed the approval also belongs to %s, who wrote the proposal", proposals.ErrFourEyes, author)
	}
	return nil
}
