package review

import (
	"context"
	"encoding/base64"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/signing/signers"
)

// PrepareSigners returns the statement by which actor would put the signers file
// in force as the next state, to be signed and then passed on by Desk.Signed to
// ChangeSigners.
func (d *Desk) PrepareSigners(ctx context.Context, actor proposals.Actor) ([]byte, error) {
	return read(ctx, d, func(r Reader) ([]byte, error) {
		change, err := d.signersChange(ctx, r, actor)
		if err != nil {
			return nil, err
		}
		return d.signing.Prepare(ctx, r, actor, d.stamp(), change.Act(), "")
	})
}

// ChangeSigners puts the signers file in force as the next state of the signers.
// Signing starts with the first one: the user's configuration pins the hash of its
// event, which is returned.
func (d *Desk) ChangeSigners(ctx context.Context, actor proposals.Actor) (SignersState, error) {
	return write(ctx, d, func(tx Tx) (state SignersState, err error) {
		change, err := d.signersChange(ctx, tx, actor)
		if err != nil {
			return state, err
		}
		if d.signed == nil {
			return state, fmt.Errorf("%w: a change of the signers needs one", ErrUnsigned)
		}
		trusted := change.Previous
		if trusted == nil {
			trusted = change.Next
		}
		signed, err := d.signing.open(ctx, tx, actor, *d.signed, trusted)
		if err != nil {
			return state, err
		}
		if err := signed.Match(change.Act(), ""); err != nil {
			return state, err
		}
		if _, err := change.Check(d.signed.Statement, d.signed.Signature); err != nil {
			return state, fmt.Errorf("%w: %w", ErrSignature, err)
		}
		data := map[string]any{
			"number": change.Number, "state": string(change.Next.Text()), "statement": signed.Hash(),
			"key": signed.signer.Fingerprint, "key_type": signed.signer.KeyType,
		}
		if revoked := change.Next.Revoked(); revoked != nil {
			data["revoked"] = base64.StdEncoding.EncodeToString(revoked)
		}
		e, err := newEvent(d.newID(), ActSigners, actor.String(), signed.now, data)
		if err != nil {
			return state, err
		}
		if err := tx.AddSignature(ctx, signed.record, e); err != nil {
			return state, err
		}
		states, err := tx.SignersStates(ctx)
		if err != nil {
			return state, err
		}
		return states[len(states)-1], nil
	})
}

// signersChange returns the step from the last state in the log to the signers
// file.
func (d *Desk) signersChange(ctx context.Context, r SignatureReader, actor proposals.Actor) (signers.Change, error) {
	var change signers.Change
	if err := proposals.Authorize(actor, proposals.ActChangeSigners, proposals.Actor{}); err != nil {
		return change, err
	}
	if d.policy.Signatures.Signers == nil {
		return change, fmt.Errorf("%w: there is no signers file", ErrSigners)
	}
	next, err := d.policy.Signatures.Signers()
	if err != nil {
		return change, fmt.Errorf("%w: %w", ErrSigners, err)
	}
	change.Number, change.Next = 1, next
	states, err := r.SignersStates(ctx)
	if err != nil || len(states) == 0 {
		return change, err
	}
	digest, err := checkStates(ctx, r, states)
	if err != nil {
		return change, err
	}
	if digest == next.Digest() {
		return change, fmt.Errorf("%w: the signers file is in force already, as state %d", ErrUnchanged, len(states))
	}
	last := states[len(states)-1]
	change.Number = len(states) + 1
	change.Previous, err = signers.Restore(last.Text, last.Revoked)
	return change, err
}

// SignersStates returns the recorded states of the signers, the first one first.
func (d *Desk) SignersStates(ctx context.Context) ([]SignersState, error) {
	return read(ctx, d, func(r Reader) ([]SignersState, error) { return r.SignersStates(ctx) })
}

// CheckSigners returns nil when every recorded state of the signers holds, the
// signers file is the last of them, and signing started where the policy says; and
// also where nothing is signed. Otherwise no signature counts: ErrSigners.
func (d *Desk) CheckSigners(ctx context.Context) error {
	return d.store.View(ctx, func(r Reader) error {
		states, err := r.SignersStates(ctx)
		if err != nil || len(states) == 0 && !d.policy.Signatures.Required {
			return err
		}
		_, err = d.signing.trust.signersFor(ctx, r)
		return err
	})
}
