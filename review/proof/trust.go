// This file loads the signers and determines which records need signatures.

package proof

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"toolcrib/proposals"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
	"toolcrib/signing/statement"
)

// Trust determines which versions, waivers, and tiers are valid in a database with signed decisions. A record is valid
// if it is covered by a statement that a current signer signed. Trust is safe for concurrent use.
type Trust struct {
	policy  Policy
	rules   approval.Rules
	mu      sync.Mutex
	current *Proofs  // for the snapshot that was last read
	file    struct { // the signers file as it was last read
		signers *signers.Signers
		digest  string
	}
	changes atomic.Int64
}

// NewTrust returns the Trust for policy. rules determine which owners must sign a version.
func NewTrust(policy Policy, rules approval.Rules) *Trust {
	return &Trust{policy: policy, rules: rules}
}

// Required reports whether only signed records are valid. It returns false if t is nil.
func (t *Trust) Required() bool { return t != nil && t.policy.Required }

// Changes returns the number of times that Proofs has loaded a different state of the signers.
func (t *Trust) Changes() int64 { return t.changes.Load() }

// Proofs returns the Proofs for the snapshot of r. event is the hash of the event that recorded the newest state of the
// signers. If the signers file or a recorded state is not valid, the result accepts only shipped definitions.
func (t *Trust) Proofs(ctx context.Context, r SignatureReader, event string) (*Proofs, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := proofsKey{event: event}
	file, fileErr := t.policy.file()
	if fileErr == nil && file != t.file.signers {
		t.file.signers, t.file.digest = file, file.Digest()
	}
	if key.file = t.file.digest; fileErr != nil {
		key.file = fileErr.Error()
	}
	if t.current != nil && t.current.key == key {
		return t.current, nil
	}
	p := newProofs(key, t.rules)
	if fileErr != nil {
		p.err = fileErr
	} else if p.signers, p.former, p.err = t.load(ctx, r); p.err != nil && !errors.Is(p.err, ErrSigners) {
		return nil, p.err
	}
	var err error
	if p.genesis, err = r.EventHash(ctx, 1); err != nil {
		return nil, err
	}
	t.current = p
	t.changes.Add(1)
	return p, nil
}

// file returns the signers in the signers file. Its errors wrap ErrSigners.
func (p Policy) file() (*signers.Signers, error) {
	if p.Signers == nil {
		return nil, fmt.Errorf("%w: no signers file", ErrSigners)
	}
	s, err := p.Signers()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSigners, err)
	}
	return s, nil
}

// load returns the current signers. These are the signers in the signers file, which must equal the last state in the
// log. load also returns the keys that only earlier states contain. The error wraps ErrSigners if the signers are not
// valid.
func (t *Trust) load(ctx context.Context, r SignatureReader) (*signers.Signers, map[string]int, error) {
	states, err := r.SignersStates(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case len(states) == 0:
		return nil, nil, fmt.Errorf("%w: signing has not started in this database; start it with toolcrib signers init", ErrSigners)
	case t.policy.Since == "" && t.policy.Required:
		return nil, nil, fmt.Errorf("%w: signed_since is not configured; set signed_since to %s, the hash of the event that started signing", ErrSigners, states[0].Event.Hash)
	case t.policy.Since != "" && t.policy.Since != states[0].Event.Hash:
		return nil, nil, fmt.Errorf("%w: signing started with event %s, but the configuration has signed_since = %q: this is another database, or its log was changed",
			ErrSigners, states[0].Event.Hash, t.policy.Since)
	}
	last, err := checkStates(ctx, r, states)
	if err != nil {
		return nil, nil, err
	}
	if last.Digest() == t.file.digest {
		return t.file.signers, formerKeys(states, t.file.signers), nil
	}
	for _, s := range states[:len(states)-1] {
		if statement.Sum(s.Text) == t.file.digest {
			return nil, nil, fmt.Errorf("%w: the signers file contains state %d, but state %d is in force; run "+
				"toolcrib signers record to finish an interrupted change, or to record the file as a new state", ErrSigners, s.Number, len(states))
		}
	}
	return nil, nil, fmt.Errorf("%w: the signers file differs from the recorded state %d; a signer of the recorded state must record the change with toolcrib signers record", ErrSigners, len(states))
}

// checkStates verifies that each state was signed by a signer of the preceding state. It returns the last state.
func checkStates(ctx context.Context, r SignatureReader, states []SignersState) (*signers.Signers, error) {
	genesis, err := r.EventHash(ctx, 1)
	if err != nil {
		return nil, err
	}
	var previous *signers.Signers
	for i, s := range states {
		wrong := func(err error) error {
			return fmt.Errorf("%w: state %d (event %d): %w", ErrSigners, i+1, s.Event.Seq, err)
		}
		record, err := r.Signature(ctx, s.Statement)
		switch {
		case errors.Is(err, proposals.ErrNotFound):
			return nil, wrong(err)
		case err != nil:
			return nil, err
		}
		next, err := signers.Restore(s.Text, s.Revoked)
		if err != nil {
			return nil, wrong(err)
		}
		change := signers.Change{Number: i + 1, Previous: previous, Next: next}
		if _, err := change.Check([]byte(record.Statement), []byte(record.Signature)); err != nil {
			return nil, wrong(err)
		}
		if st, err := statement.Decode([]byte(record.Statement)); err != nil || st.Database != genesis {
			return nil, wrong(errors.Join(err, errors.New("the signed statement is about another database")))
		}
		previous = next
	}
	last := states[len(states)-1] // the log must contain all newer signed states
	newer, err := r.SignedAfter(ctx, statement.About(&statement.Signers{})[0], last.Statement)
	if err != nil {
		return nil, err
	}
	for _, hash := range newer {
		record, err := r.Signature(ctx, hash)
		if err != nil {
			return nil, err
		}
		if st, _, err := previous.Verify([]byte(record.Statement), []byte(record.Signature)); err == nil && st.Database == genesis {
			return nil, fmt.Errorf("%w: state %d is the last state in the log, but %s signed a later state", ErrSigners, last.Number, st.By)
		}
	}
	return previous, nil
}

// CheckStates verifies that each recorded state of the signers was signed by a signer of the preceding state. The error
// wraps ErrSigners if the signature of a state is not valid.
func CheckStates(ctx context.Context, r SignatureReader) error {
	states, err := r.SignersStates(ctx)
	if err != nil || len(states) == 0 {
		return err
	}
	_, err = checkStates(ctx, r, states)
	return err
}

// signersFor returns the signers who can currently sign decisions.
func (t *Trust) signersFor(ctx context.Context, r SignatureReader) (*signers.Signers, error) {
	last, err := r.LastSigners(ctx)
	if err != nil {
		return nil, err
	}
	p, err := t.Proofs(ctx, r, last)
	if err != nil {
		return nil, err
	}
	return p.signers, p.err
}
