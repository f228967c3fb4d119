// This file checks transitions from one state of the signers to the next.

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

// ErrChange is returned if a signature does not put a state in force.
var ErrChange = errors.New("invalid change of the signers")

// Change is the transition from one state of the signers to the next.
type Change struct {
	Number   int      // of the next state, counted from 1
	Previous *Signers // nil for the first state
	Next     *Signers
}

// Act returns the act to sign for this change.
func (c Change) Act() *statement.Signers {
	a := &statement.Signers{Number: c.Number, State: c.Next.Digest()}
	if c.Previous != nil {
		a.Previous = c.Previous.Digest()
	}
	return a
}

// Check verifies that a signed statement puts the next state in force, and returns
// its signer.
//
// The statement must be signed by a signer of the previous state. The first state
// is signed by one of its own signers; it is trusted because the user's
// configuration names its event. A state must leave somebody who can sign, because
// nothing could replace it otherwise. The revocation list of the next state, which
// only earlier versions recorded, must not contain the key that signs.
func (c Change) Check(encoded, armored []byte) (Signer, error) {
	s, signer, err := cmp.Or(c.Previous, c.Next).Verify(encoded, armored)
	if err != nil {
		return Signer{}, err
	}
	if act, ok := s.Act.(*statement.Signers); !ok || *act != *c.Act() {
		return Signer{}, fmt.Errorf("%w: the statement is about another change", ErrChange)
	}
	if !c.Next.usable(s.At) {
		return Signer{}, fmt.Errorf("%w: the new file leaves nobody who may sign", ErrChange)
	}
	if sig, err := sshsig.Parse(armored); err != nil || c.Next.inRevocationList(sig.Key) {
		return Signer{}, errors.Join(err, fmt.Errorf("%w: the new file revokes the key that signed; sign with another key", ErrChange))
	}
	return signer, nil
}

// CheckLater returns nil if the next state is still usable at a later time: someone can sign, and no valid key is in
// the revocation list of the previous state. States that earlier versions recorded may fail this check.
func (c Change) CheckLater(at time.Time) error {
	if !c.Next.usable(at) {
		return fmt.Errorf("%w: the new file leaves nobody who may sign after %s; add a key first", ErrChange, at.UTC().Format(time.RFC3339))
	}
	for _, e := range c.Next.entries {
		if c.Previous != nil && c.Previous.inRevocationList(e.Key) && (e.ValidBefore.IsZero() || e.ValidBefore.After(at)) {
			return fmt.Errorf("%w: state %d revoked the key %s (line %d) by a key revocation list, which toolcrib no longer reads; put valid-before on the line, or remove it",
				ErrChange, c.Number-1, ssh.FingerprintSHA256(e.Key), e.Line)
		}
	}
	return nil
}

// DropsCertificates reports whether the next state may accept certificates that the
// revocation list of the previous state revoked by serial number or id.
func (c Change) DropsCertificates() bool {
	return c.Previous != nil && c.Previous.list != nil && slices.ContainsFunc(c.Next.entries, func(e Entry) bool { return e.Authority })
}

// usable reports whether anyone may sign at the given time or later.
func (s *Signers) usable(at time.Time) bool {
	for _, e := range s.entries {
		// The certificates of an authority are unknown until one signs.
		later := at
		if e.ValidAfter.After(at) {
			later = e.ValidAfter
		}
		if !s.inRevocationList(e.Key) && e.allows(e.Principals[0], e.Key, later) == nil {
			return true
		}
	}
	return false
}

// Restore parses the output of Text, together with the revocation list that the
// state refers to, or nil if none.
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
		return nil, fmt.Errorf("%w: the state is not in canonical form, or refers to another revocation list", ErrFile)
	}
	return s, nil
}
