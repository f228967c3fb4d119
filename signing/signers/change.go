package signers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/atomicfile"
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
// A signer of the previous state signs. The first state has no previous one, so
// one of its own signers signs; what makes it trusted is that the user's
// configuration names its event. A state in which nobody may sign is never put in
// force: nothing could follow it. The key that signs is not in the revocation list
// of the next state, if an earlier version recorded one.
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
	if sig, err := sshsig.Parse(armored); err != nil || c.Next.lists(sig.Key) {
		return Signer{}, errors.Join(err, fmt.Errorf("%w: the new file revokes the key that signed; sign with another", ErrChange))
	}
	return signer, nil
}

// CheckLater returns nil if the next state, unlike some recorded ones, will still
// be sound at a time after its signature: somebody may sign then, and no key may
// that the revocation list of the previous state contains.
func (c Change) CheckLater(at time.Time) error {
	if !c.Next.usable(at) {
		return fmt.Errorf("%w: nobody may sign by the new file after %s; add a key first", ErrChange, at.UTC().Format(time.RFC3339))
	}
	for _, e := range c.Next.entries {
		if c.Previous != nil && c.Previous.lists(e.Key) && (e.ValidBefore.IsZero() || e.ValidBefore.After(at)) {
			return fmt.Errorf("%w: state %d revoked the key %s (line %d) by a key revocation list, which toolcrib does not read anymore; put valid-before on the line, or remove it",
				ErrChange, c.Number-1, ssh.FingerprintSHA256(e.Key), e.Line)
		}
	}
	return nil
}

// DropsCertificates reports whether certificates that the revocation list of the
// previous state may have revoked by number or id count in the next state.
func (c Change) DropsCertificates() bool {
	return c.Previous != nil && c.Previous.list != nil && slices.ContainsFunc(c.Next.entries, func(e Entry) bool { return e.Authority })
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
		if !s.lists(e.Key) && open.allows(e.Principals[0], e.Key, later) == nil {
			return true
		}
	}
	return false
}

// Restore reads what Text wrote, with the revocation list that the state names;
// nil for none.
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
		return nil, fmt.Errorf("%w: the state of signers is not in its normal form, or names another revocation list", ErrFile)
	}
	return s, nil
}

// Unfinished is the new text of the signers file, which a process that was killed
// wrote beside it and did not put in its place.
type Unfinished struct {
	Text []byte
	Part string // the file that has the text
	Name string // the signers file
}

// FindUnfinished looks into the folder of the signers file for the text that would
// make it the state with a digest. It returns nil where there is none.
func FindUnfinished(folder, digest string) (*Unfinished, error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range found {
		part := filepath.Join(folder, entry.Name())
		if !strings.HasPrefix(entry.Name(), atomicfile.Temporary) || !entry.Type().IsRegular() {
			continue
		}
		text, err := read(part, true, MaxSize)
		if err != nil {
			continue // somebody else could have written it, or it is too large
		}
		if s, err := Parse(text); err == nil && s.Digest() == digest {
			return &Unfinished{Text: text, Part: part, Name: filepath.Join(folder, AllowedFile)}, nil
		}
	}
	return nil, nil //nolint:nilnil // most folders have none
}

// Finish puts the text in its place.
func (u *Unfinished) Finish() error {
	if err := atomicfile.Write(u.Name, u.Text, atomicfile.Options{Mode: 0o600, Keep: true}); err != nil {
		return err
	}
	return os.Remove(u.Part)
}
