// This file records and reads the states of the signers.

package proof

import (
	"cmp"
	"context"
	"fmt"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/signing/signers"
)

// SignerLog is the log of the states of the signers. A signer of the previous state must sign each new state.
type SignerLog struct {
	signing Signing
	signed  *Signed // statement for the next change, or nil
	view    func(context.Context, func(SignatureReader) error) error
	update  func(context.Context, func(SignatureWriter) error) error
}

// NewSignerLog returns the log of the signers. view and update run a function in a transaction of the storage. signed
// is the statement for the next change, or nil.
func NewSignerLog(signing Signing, signed *Signed, view func(context.Context, func(SignatureReader) error) error, update func(context.Context, func(SignatureWriter) error) error) *SignerLog {
	return &SignerLog{signing, signed, view, update}
}

// PrepareSigners returns the statement that actor must sign to make the signers file the next state of the signers. The
// caller passes the signed statement to Desk.Signed, and then calls ChangeSigners.
func (l *SignerLog) PrepareSigners(ctx context.Context, actor proposals.Actor) ([]byte, error) {
	var prepared []byte
	err := l.view(ctx, func(r SignatureReader) error {
		change, err := l.signersChange(ctx, r, actor)
		if err != nil {
			return err
		}
		prepared, err = l.signing.Prepare(ctx, r, actor, l.signing.stamp(), change.Act(), "")
		return err
	})
	return prepared, err
}

// ChangeSigners records the signers file as the next state of the signers. Signing starts with the first state. The
// configuration of each user should then contain the hash of the event that recorded the first state. ChangeSigners
// returns the new state, which contains the hash of its event.
func (l *SignerLog) ChangeSigners(ctx context.Context, actor proposals.Actor) (SignersState, error) {
	var state SignersState
	err := l.update(ctx, func(tx SignatureWriter) error {
		change, err := l.signersChange(ctx, tx, actor)
		if err != nil {
			return err
		}
		if l.signed == nil {
			return fmt.Errorf("%w: a change of the signers must be signed", ErrUnsigned)
		}
		signed, err := l.signing.open(ctx, tx, actor, *l.signed, cmp.Or(change.Previous, change.Next))
		if err != nil {
			return err
		}
		if err := signed.Match(change.Act(), ""); err != nil {
			return err
		}
		if _, err := change.Check(l.signed.Statement, l.signed.Signature); err != nil {
			return fmt.Errorf("%w: %w", ErrSignature, err)
		}
		data := map[string]any{
			"number": change.Number, "state": string(change.Next.Text()), "statement": signed.Hash(),
			"key": signed.signer.Fingerprint, "key_type": signed.signer.KeyType,
		}
		e, err := history.NewEvent(l.signing.newID(), ActSigners, actor.String(), signed.now, data)
		if err != nil {
			return err
		}
		if err := tx.AddSignature(ctx, signed.record, e); err != nil {
			return err
		}
		states, err := tx.SignersStates(ctx)
		if err == nil {
			state = states[len(states)-1]
		}
		return err
	})
	return state, err
}

// signersChange returns the change from the last recorded state to the signers file. It returns an error if actor may
// not record this change, or if the change is not valid now.
func (l *SignerLog) signersChange(ctx context.Context, r SignatureReader, actor proposals.Actor) (signers.Change, error) {
	var change signers.Change
	if err := proposals.Authorize(actor, proposals.ActChangeSigners, proposals.Actor{}); err != nil {
		return change, err
	}
	next, err := l.signing.trust.policy.file()
	if err != nil {
		return change, err
	}
	change.Number, change.Next = 1, next
	states, err := r.SignersStates(ctx)
	if err != nil {
		return change, err
	}
	if len(states) > 0 {
		if change.Previous, err = checkStates(ctx, r, states); err != nil {
			return change, err
		}
		if change.Previous.Digest() == next.Digest() {
			return change, fmt.Errorf("%w: the signers file is already in force, as state %d", proposals.ErrUnchanged, len(states))
		}
		change.Number = len(states) + 1
	}
	if err := change.CheckLater(l.signing.now().Add(maxAge)); err != nil {
		return change, fmt.Errorf("%w: %w", ErrSigners, err)
	}
	return change, nil
}

// SignersStates returns the recorded states of the signers, oldest first.
func (l *SignerLog) SignersStates(ctx context.Context) (states []SignersState, err error) {
	err = l.view(ctx, func(r SignatureReader) error {
		states, err = r.SignersStates(ctx)
		return err
	})
	return states, err
}

// CheckSigners returns an error that wraps ErrSigners if no signature is valid at present. All recorded states of the
// signers must be valid, the signers file must equal the last state, and signing must have started with the event that
// the policy specifies. CheckSigners returns nil if the database does not use signatures.
func (l *SignerLog) CheckSigners(ctx context.Context) error {
	return l.view(ctx, func(r SignatureReader) error {
		states, err := r.SignersStates(ctx)
		if err != nil || len(states) == 0 && !l.signing.trust.policy.Required {
			return err
		}
		_, err = l.signing.trust.signersFor(ctx, r)
		return err
	})
}
