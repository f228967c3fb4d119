package signers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/internal/atomicfile"
	"toolcrib/signing/krl"
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

// Unfinished is the new text of one of the files, which a process that was killed
// wrote beside it and did not put in its place.
type Unfinished struct {
	Text []byte
	Part string // the file that has the text
	Name string // the file whose place it takes
}

// FindUnfinished looks into the folder of the signers file for the text that would
// make the files the state with a digest. It returns nil where there is none.
func FindUnfinished(folder, digest string) (*Unfinished, error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	limits := map[string]int64{AllowedFile: MaxSize, RevokedFile: krl.MaxSize}
	present := map[string][]byte{}
	for name, limit := range limits {
		if present[name], err = read(filepath.Join(folder, name), true, limit); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	for _, entry := range found {
		part := filepath.Join(folder, entry.Name())
		if !strings.HasPrefix(entry.Name(), atomicfile.Temporary) || !entry.Type().IsRegular() {
			continue
		}
		for name, limit := range limits {
			text, err := read(part, true, limit)
			if err != nil {
				continue // somebody else could have written it, or it is too large
			}
			texts := map[string][]byte{AllowedFile: present[AllowedFile], RevokedFile: present[RevokedFile]}
			texts[name] = text
			if s, err := Parse(texts[AllowedFile], texts[RevokedFile]); err == nil && s.Digest() == digest {
				return &Unfinished{Text: text, Part: part, Name: filepath.Join(folder, name)}, nil
			}
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
