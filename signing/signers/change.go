package signers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// ErrChange is wrapped when a signature does not put a state in force.
var ErrChange = errors.New("invalid change of the signers")

// Change is the step from one state of the signers to the next.
type Change struct {
	Number   int      // of the next state, counted from 1
	Previous *Signers // nil for the first state
	Next     *Signers
}

// Act returns the act of the statement about the change.
func (c Change) Act() *statement.Signers {
	a := &statement.Signers{Number: c.Number, State: c.Next.Digest()}
	if c.Previous != nil {
		a.Previous = c.Previous.Digest()
	}
	return a
}

// Check returns the signer when a signed statement puts the next state in force.
//
// A signer of the previous state signs, with a key that the next state does not
// revoke: who revokes a key shows that there is another. The first state has no
// previous one, so one of its own signers signs; what makes it trusted is that
// the user's configuration names its event. A state in which nobody may sign is
// never put in force: nothing could follow it.
func (c Change) Check(encoded, armored []byte) (Signer, error) {
	trusted := c.Previous
	if trusted == nil {
		trusted = c.Next
	}
	s, signer, err := trusted.Verify(encoded, armored)
	if err != nil {
		return Signer{}, err
	}
	if act, ok := s.Act.(*statement.Signers); !ok || *act != *c.Act() {
		return Signer{}, fmt.Errorf("%w: the statement is about another one", ErrChange)
	}
	if !c.Next.usable(s.At) {
		return Signer{}, fmt.Errorf("%w: nobody may sign by the new file", ErrChange)
	}
	if sig, err := sshsig.Parse(armored); err != nil || c.Next.revoked.Revokes(sig.Key) {
		return Signer{}, errors.Join(err, fmt.Errorf("%w: the new file revokes the key that signed; sign with another", ErrChange))
	}
	return signer, nil
}

// usable reports whether anybody may sign at a time or later.
func (s *Signers) usable(at time.Time) bool {
	for _, e := range s.entries {
		// Whether an authority's certificates fit is seen only when one signs.
		later := at
		if e.ValidAfter.After(at) {
			later = e.ValidAfter
		}
		open := e
		open.Authority = false
		if !s.revoked.Revokes(e.Key) && open.allows(e.Principals[0], e.Key, later) == nil {
			return true
		}
	}
	return false
}

// Restore reads what Text wrote, with a revocation list that need not be the one
// of then: a revoked key is revoked for the past too.
func Restore(text, revoked []byte) (*Signers, error) {
	lines, ok := strings.CutPrefix(string(text), textFormat+"\n")
	at := strings.LastIndex(strings.TrimSuffix(lines, "\n"), "\n")
	krlSum, named := "", false
	if at >= 0 {
		krlSum, named = strings.CutPrefix(lines[at+1:], "revoked ")
	}
	if !ok || !named {
		return nil, fmt.Errorf("%w: it is not a state of signers", ErrFile)
	}
	krlSum = strings.TrimSuffix(krlSum, "\n")
	if _, err := hex.DecodeString(krlSum); krlSum != "-" && (err != nil || len(krlSum) != 2*sha256.Size) {
		return nil, fmt.Errorf("%w: it names the revocation list by %.80q", ErrFile, krlSum)
	}
	s, err := Parse([]byte(lines[:at+1]), revoked)
	if err != nil {
		return nil, err
	}
	if s.krlSum = krlSum; krlSum == "-" {
		s.krlSum = ""
	}
	if !bytes.Equal(s.Text(), text) {
		return nil, fmt.Errorf("%w: it is a state of signers that was not written like this", ErrFile)
	}
	return s, nil
}
