package signers

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // key revocation lists name keys by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Reasons why a signature does not count. What is wrong with it in itself is one of the
// errors of sshsig.
var (
	ErrFile       = errors.New("unusable signers file")
	ErrUnknownKey = errors.New("key of no signer")
	ErrRevoked    = errors.New("revoked key") // an earlier state had it
	ErrNotValid   = errors.New("key was not valid at that time")
)

// Signers is one state of who may sign.
type Signers struct {
	entries []Entry
	list    []byte // OpenSSH key revocation list of a restored state, nil for none
}

// Entry is a line of the signers file.
type Entry struct {
	Line           int      // counted from 1
	Principals     []string // "user:mara"; several only of an authority
	Authority      bool     // the key signs certificates, not decisions
	Namespaces     []string // for which the key may sign; nil for all
	ValidAfter     time.Time
	ValidBefore    time.Time // both inclusive, zero for no limit
	VerifyRequired bool      // a key in hardware has to ask for more than a touch
	Key            ssh.PublicKey

	wire string // Key as it is marshaled
}

// Signer is whose signature holds.
type Signer struct {
	Principal   string
	Fingerprint string // of the key, as ssh-keygen -l prints it
	KeyType     string
	Certificate string // id of the certificate, "" for a plain key
}

// Entries returns the lines of the signers file.
func (s *Signers) Entries() []Entry { return slices.Clone(s.entries) }

// Verify reads a signed statement and returns it with its signer: the key is of
// the principal that it names, and might sign at the time that it names. Whether
// it was made at that time is for those to say who record it.
func (s *Signers) Verify(encoded, armored []byte) (statement.Statement, Signer, error) {
	st, err := statement.Decode(encoded)
	if err != nil {
		return st, Signer{}, err
	}
	signer, err := s.Check(encoded, armored, st.By, st.At)
	return st, signer, err
}

// Check returns the signer when an armored signature of message is by a key of
// principal that may sign at a time. Otherwise the error wraps one of this
// package's or of sshsig's.
func (s *Signers) Check(message, armored []byte, principal string, at time.Time) (Signer, error) {
	sig, err := sshsig.Parse(armored)
	if err != nil {
		return Signer{}, err
	}
	entry, err := s.May(principal, sig.Key, at)
	if err != nil {
		return Signer{}, err
	}
	if entry.VerifyRequired && !sig.UserVerified() {
		return Signer{}, fmt.Errorf("%w: line %d asks for a key that verifies its user, such as by a PIN", sshsig.ErrSignature, entry.Line)
	}
	if err := sig.Verify(message); err != nil {
		return Signer{}, err
	}
	signer := Signer{Principal: principal, Fingerprint: ssh.FingerprintSHA256(sshsig.Plain(sig.Key)), KeyType: sig.Key.Type()}
	if cert, ok := sig.Key.(*ssh.Certificate); ok {
		signer.Certificate = cert.KeyId
	}
	return signer, nil
}

// lists reports whether the revocation list of the state contains a key, or the
// key of a certificate: ssh-keygen writes into a list the key, its SHA-1, or its
// SHA-256. Earlier versions recorded states with lists; new states have none.
func (s *Signers) lists(key ssh.PublicKey) bool {
	if s.list == nil {
		return false
	}
	wire := sshsig.Plain(key).Marshal()
	short, long := sha1.Sum(wire), sha256.Sum256(wire) //nolint:gosec // key revocation lists name keys by it
	return bytes.Contains(s.list, wire) || bytes.Contains(s.list, short[:]) || bytes.Contains(s.list, long[:])
}

// ValidAt reports whether a time is within the limits of the entry, which are in
// whole seconds; the last second counts.
func (e Entry) ValidAt(at time.Time) bool {
	second := at.Truncate(time.Second)
	return !second.Before(e.ValidAfter) && (e.ValidBefore.IsZero() || !second.After(e.ValidBefore))
}

// May returns the entry by which a key of principal may sign at a time. When
// several do, it is one that asks for verification.
func (s *Signers) May(principal string, key ssh.PublicKey, at time.Time) (Entry, error) {
	if err := sshsig.CheckKey(key); err != nil {
		return Entry{}, err
	}
	if s.lists(key) {
		return Entry{}, fmt.Errorf("%w: %s", ErrRevoked, ssh.FingerprintSHA256(sshsig.Plain(key)))
	}
	var may Entry
	err := fmt.Errorf("%w: the signers file does not have %s", ErrUnknownKey, describe(key))
	own, wire := ownKey(key)
	for _, e := range s.entries {
		if e.Authority == own || e.wire != wire {
			continue
		}
		if refused := e.allows(principal, key, at); refused != nil {
			err = refused
		} else if may.Key == nil || e.VerifyRequired {
			may = e
		}
	}
	if may.Key == nil {
		return Entry{}, err
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		_, required := cert.CriticalOptions[verifyRequired]
		may.VerifyRequired = may.VerifyRequired || required
	}
	return may, nil
}

func describe(key ssh.PublicKey) string {
	if cert, ok := key.(*ssh.Certificate); ok {
		return "the authority " + ssh.FingerprintSHA256(cert.SignatureKey)
	}
	return "the key " + ssh.FingerprintSHA256(key)
}

// ownKey returns the key by which entries are found, and whether it is the
// signer's own: of a certificate it is that of the authority.
func ownKey(key ssh.PublicKey) (own bool, wire string) {
	if cert, ok := key.(*ssh.Certificate); ok {
		return false, string(cert.SignatureKey.Marshal())
	}
	return true, string(key.Marshal())
}

// allows returns nil when the entry lets a key that it is about sign for
// principal at a time.
func (e Entry) allows(principal string, key ssh.PublicKey, at time.Time) error {
	switch {
	case !slices.Contains(e.Principals, principal):
		return fmt.Errorf("%w: line %d has this key for %s, not for %s", ErrUnknownKey, e.Line, strings.Join(e.Principals, ","), principal)
	case e.Namespaces != nil && !slices.Contains(e.Namespaces, sshsig.Namespace):
		return fmt.Errorf("%w: line %d has this key for other namespaces than %s", ErrUnknownKey, e.Line, sshsig.Namespace)
	}
	if !e.ValidAt(at) {
		return fmt.Errorf("%w: line %d has it for another time than %s", ErrNotValid, e.Line, at.UTC().Format(time.RFC3339))
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		return checkCertificate(cert, principal, at)
	}
	return nil
}

// Text writes the state in one form: sorted lines that ssh-keygen could read but
// for verify-required, between the format and the hash of the revocation list,
// which is "-" for every state that Parse returns.
func (s *Signers) Text() []byte {
	lines := make([]string, len(s.entries))
	for i, e := range s.entries {
		lines[i] = e.String()
	}
	slices.Sort(lines)
	revoked := "-"
	if s.list != nil {
		revoked = sum(s.list)
	}
	return []byte(textFormat + "\n" + strings.Join(slices.Compact(lines), "\n") + "\nrevoked " + revoked + "\n")
}

const textFormat = "toolcrib signers 1"

// Digest returns the SHA-256 of Text in lower-case hex: what a statement and the
// log name the state by.
func (s *Signers) Digest() string { return sum(s.Text()) }

func sum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
