// This file verifies changes of the signers.

package signers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// ErrChange indicates that a signed statement is not valid for a change of the signers.
var ErrChange = errors.New("invalid change of the signers")

// Change is the transition from a state of the signers to the next state.
type Change struct {
	Number   int      // number of the next state, counted from 1
	Previous *Signers // nil for the first state
	Next     *Signers
}

// Act returns the act that a signer must sign for this change.
func (c Change) Act() *statement.Signers {
	a := &statement.Signers{Number: c.Number, State: c.Next.Digest()}
	if c.Previous != nil {
		a.Previous = c.Previous.Digest()
	}
	return a
}

// Check verifies that encoded is a valid statement for this change, and that armored is its signature. It returns the
// signer of the statement.
//
// The statement must be signed by a signer of the previous state. The statement for the first state is signed by a
// signer of that state. It is trusted because the user's configuration identifies its event. At least one signer of
// the next state must be able to sign, because otherwise the state could never be replaced. States that earlier
// versions recorded can have a revocation list. The revocation list of the next state must not contain the signing
// key.
func (c Change) Check(encoded, armored []byte) (Signer, error) {
	s, signer, err := cmp.Or(c.Previous, c.Next).Verify(encoded, armored)
	if err != nil {
		return Signer{}, err
	}
	if act, ok := s.Act.(*statement.Signers); !ok || *act != *c.Act() {
		return Signer{}, fmt.Errorf("%w: the statement describes a different change", ErrChange)
	}
	if !c.Next.usable(s.At) {
		return Signer{}, fmt.Errorf("%w: in the new file, no key is allowed to sign", ErrChange)
	}
	if sig, err := sshsig.Parse(armored); err != nil || c.Next.inRevocationList(sig.Key) {
		return Signer{}, errors.Join(err, fmt.Errorf("%w: the new file revokes the key that signed this change; sign with another key", ErrChange))
	}
	return signer, nil
}

// CheckLater returns nil if the next state is usable at t, which is later than the time of the statement. At t or
// later, at least one key must be allowed to sign. The next state must also not accept keys in the revocation list of
// the previous state. States that earlier versions recorded can fail this check.
func (c Change) CheckLater(t time.Time) error {
	if !c.Next.usable(t) {
		return fmt.Errorf("%w: in the new file, no key is allowed to sign after %s; add a key first", ErrChange, t.UTC().Format(time.RFC3339))
	}
	for _, e := range c.Next.entries {
		if c.Previous != nil && c.Previous.inRevocationList(e.Key) && (e.ValidBefore.IsZero() || e.ValidBefore.After(t)) {
			return fmt.Errorf("%w: in state %d of the signers, a key revocation list revokes the key %s, but toolcrib no longer reads such lists; set valid-before on line %d of the signers file, or remove the line",
				ErrChange, c.Number-1, ssh.FingerprintSHA256(e.Key), e.Line)
		}
	}
	return nil
}

// DropsCertificates reports whether the next state might accept certificates that the previous state revoked. A
// revocation list can identify certificates by serial number or id, and toolcrib does not read these entries.
func (c Change) DropsCertificates() bool {
	return c.Previous != nil && c.Previous.list != nil && slices.ContainsFunc(c.Next.entries, func(e Entry) bool { return e.Authority })
}

// usable reports whether at least one key is allowed to sign at t or later.
func (s *Signers) usable(t time.Time) bool {
	for _, e := range s.entries {
		// Assume that an authority has issued certificates. They are not known before they are used.
		later := t
		if e.ValidAfter.After(t) {
			later = e.ValidAfter
		}
		if !s.inRevocationList(e.Key) && e.allows(e.Principals[0], e.Key, later) == nil {
			return true
		}
	}
	return false
}

// Restore parses a state that Text returned. list is the revocation list to which the
// state refers, or nil if it refers to none.
func Restore(text, list []byte) (*Signers, error) {
	lines, ok := bytes.CutPrefix(text, []byte(textFormat+"\n"))
	at := bytes.LastIndex(lines, []byte("\nrevoked "))
	if !ok || at < 0 {
		return nil, fmt.Errorf("%w: not a state of signers", ErrFile)
	}
	s, err := Parse(lines[:at])
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		s.list = list
	}
	if !bytes.Equal(s.Text(), text) {
		return nil, fmt.Errorf("%w: the state is not in canonical form, or refers to a different revocation list", ErrFile)
	}
	return s, nil
}
