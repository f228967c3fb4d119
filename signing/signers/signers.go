// This file determines which keys may sign, and reads the signers file again when it changes.

package signers

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // key revocation lists identify keys by their SHA-1
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/lists"
	"toolcrib/internal/owner"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

// Reasons for rejecting a signature. If the signature itself is invalid, the error wraps
// an error of package sshsig instead.
var (
	ErrFile       = errors.New("unusable signers file")
	ErrUnknownKey = errors.New("unknown key")
	ErrRevoked    = errors.New("revoked key") // only for states that earlier versions recorded
	ErrNotValid   = errors.New("the key was not valid at that time")
)

// Signers is a state of the signers file: the people and keys that may sign.
type Signers struct {
	entries []Entry
	list    []byte // OpenSSH key revocation list of a restored state; nil for no list
}

// Entry is a line of the signers file.
type Entry struct {
	Line           int      // number of the line, counted from 1
	Principals     []string // such as "user:mara"; only an authority can have several
	Authority      bool     // the key issues certificates, and cannot sign decisions itself
	Namespaces     []string // namespaces in which the key may sign; nil for all
	ValidAfter     time.Time
	ValidBefore    time.Time // inclusive, like ValidAfter; zero for no limit
	VerifyRequired bool      // the key must be a hardware key that verifies its user
	Key            ssh.PublicKey

	wire string // Key in wire format
}

// Signer identifies the person who signed a statement, and the key.
type Signer struct {
	Principal   string
	Fingerprint string // fingerprint of the key, as printed by ssh-keygen -l
	KeyType     string
	Certificate string // key id of the certificate; "" for a plain key
}

// Entries returns the lines of the signers file.
func (s *Signers) Entries() []Entry { return slices.Clone(s.entries) }

// Verify decodes a signed statement, verifies its signature, and returns the statement
// and its signer. The key must belong to the principal in the statement, and it must be
// valid at the time in the statement. A caller that records a new statement must also
// check that this time is the current time.
func (s *Signers) Verify(encoded, armored []byte) (statement.Statement, Signer, error) {
	st, err := statement.Decode(encoded)
	if err != nil {
		return st, Signer{}, err
	}
	signer, err := s.Check(encoded, armored, st.By, st.At)
	return st, signer, err
}

// Check verifies that armored is a signature of message, that the key belongs to principal, and
// that this key is allowed to sign at time t. It returns the signer. Errors wrap a sentinel error
// of this package or of package sshsig.
func (s *Signers) Check(message, armored []byte, principal string, t time.Time) (Signer, error) {
	sig, err := sshsig.Parse(armored)
	if err != nil {
		return Signer{}, err
	}
	entry, err := s.May(principal, sig.Key, t)
	if err != nil {
		return Signer{}, err
	}
	if entry.VerifyRequired && !sig.UserVerified() {
		return Signer{}, fmt.Errorf("%w: line %d requires a key that verifies the user, for example with a PIN", sshsig.ErrSignature, entry.Line)
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

// inRevocationList reports whether the revocation list of the state contains key. For a
// certificate, it searches the list for the certified key. A list that ssh-keygen wrote contains a
// key itself, its SHA-1 hash, or its SHA-256 hash. Only states that earlier versions recorded have
// lists.
func (s *Signers) inRevocationList(key ssh.PublicKey) bool {
	if s.list == nil {
		return false
	}
	wire := sshsig.Plain(key).Marshal()
	short, long := sha1.Sum(wire), sha256.Sum256(wire) //nolint:gosec // key revocation lists identify keys by their SHA-1
	return bytes.Contains(s.list, wire) || bytes.Contains(s.list, short[:]) || bytes.Contains(s.list, long[:])
}

// ValidAt reports whether t, truncated to seconds, is within the time limits of the entry. Both
// limits are inclusive.
func (e Entry) ValidAt(t time.Time) bool {
	second := t.Truncate(time.Second)
	return !second.Before(e.ValidAfter) && (e.ValidBefore.IsZero() || !second.After(e.ValidBefore))
}

// May returns the entry that permits principal to sign with key at time t. If several entries
// permit this, an entry that requires user verification is preferred.
func (s *Signers) May(principal string, key ssh.PublicKey, t time.Time) (Entry, error) {
	if err := sshsig.CheckKey(key); err != nil {
		return Entry{}, err
	}
	if s.inRevocationList(key) {
		return Entry{}, fmt.Errorf("%w: %s", ErrRevoked, ssh.FingerprintSHA256(sshsig.Plain(key)))
	}
	var may Entry
	own, wire := ownKey(key)
	unknown := "the key " + ssh.FingerprintSHA256(key)
	cert, certified := key.(*ssh.Certificate)
	if certified {
		unknown = "the authority " + ssh.FingerprintSHA256(cert.SignatureKey)
	}
	err := fmt.Errorf("%w: %s is not in the signers file", ErrUnknownKey, unknown)
	for _, e := range s.entries {
		if e.Authority == own || e.wire != wire {
			continue
		}
		if refused := e.allows(principal, key, t); refused != nil {
			err = refused
		} else if may.Key == nil || e.VerifyRequired {
			may = e
		}
	}
	if may.Key == nil {
		return Entry{}, err
	}
	if certified {
		_, required := cert.CriticalOptions[verifyRequired]
		may.VerifyRequired = may.VerifyRequired || required
	}
	return may, nil
}

// ownKey returns the key to search for in the entries, in wire format. For a certificate, this is
// the key of the certificate authority, and direct is false. For other keys, it is key itself, and
// direct is true.
func ownKey(key ssh.PublicKey) (direct bool, wire string) {
	if cert, ok := key.(*ssh.Certificate); ok {
		return false, string(cert.SignatureKey.Marshal())
	}
	return true, string(key.Marshal())
}

// allows returns nil if e permits principal to sign with key at time t. The caller must have found
// e with the key that ownKey returns.
func (e Entry) allows(principal string, key ssh.PublicKey, t time.Time) error {
	switch {
	case !slices.Contains(e.Principals, principal):
		return fmt.Errorf("%w: line %d assigns the key to %s, not to %s", ErrUnknownKey, e.Line, strings.Join(e.Principals, ","), principal)
	case e.Namespaces != nil && !slices.Contains(e.Namespaces, sshsig.Namespace):
		return fmt.Errorf("%w: the namespaces of line %d do not include %s", ErrUnknownKey, e.Line, sshsig.Namespace)
	}
	if !e.ValidAt(t) {
		return fmt.Errorf("%w: the time limits of line %d exclude %s", ErrNotValid, e.Line, t.UTC().Format(time.RFC3339))
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		return checkCertificate(cert, principal, t)
	}
	return nil
}

// Text returns the state in canonical form: the name of the format, the sorted lines of
// the file, and the hash of the revocation list. ssh-keygen can read the lines, except
// those with verify-required. For a state that Parse returned, the hash is "-".
func (s *Signers) Text() []byte {
	lines := lists.Map(s.entries, Entry.String)
	slices.Sort(lines)
	revoked := "-"
	if s.list != nil {
		revoked = statement.Sum(s.list)
	}
	return []byte(textFormat + "\n" + strings.Join(slices.Compact(lines), "\n") + "\nrevoked " + revoked + "\n")
}

const textFormat = "toolcrib signers 1"

// Digest returns the SHA-256 hash of Text in lower-case hexadecimal. It identifies the
// state in statements and in the log.
func (s *Signers) Digest() string { return statement.Sum(s.Text()) }

// File reads the signers file and reads it again when it changes. It is safe for
// concurrent use.
type File struct {
	System, User string // folders; see the Load function

	mu      sync.Mutex
	seen    []fs.FileInfo // properties of the files at the last read, in the order in which Load checks them
	signers *Signers
	name    string
	err     error
}

// Signers returns the current signers.
func (f *File) Signers() (*Signers, error) {
	s, _, err := f.Load()
	return s, err
}

// Load returns the current signers and the name of their file.
func (f *File) Load() (*Signers, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var now []fs.FileInfo // nil for a missing file
	for _, folder := range []string{f.System, f.User} {
		for _, name := range []string{"", AllowedFile, revokedFile} {
			info, _ := os.Stat(filepath.Join(folder, name))
			now = append(now, info)
		}
	}
	if f.seen == nil || !slices.EqualFunc(now, f.seen, func(a, b fs.FileInfo) bool {
		return a == b || a != nil && b != nil && os.SameFile(a, b) && a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	}) {
		f.seen = now
		f.signers, f.name, f.err = Load(f.System, f.User)
	}
	return f.signers, f.name, f.err
}

// AllowedFile is the name of the signers file in its folder.
const AllowedFile = "allowed_signers"

// revokedFile is the name of a key revocation list in the folder of the signers file.
// Earlier versions read this list.
const revokedFile = "revoked_keys"

// SystemFolder is the folder in which the administrator of a machine stores the signers file.
const SystemFolder = "/etc/toolcrib"

// ErrNoFile indicates that no signers file exists.
var ErrNoFile = errors.New("no signers file")

// Load reads the signers file in the system folder. If that file does not exist, it reads the file
// in the user's folder. It also returns the name of the file. Both folders must be absolute and
// must not come from a project. If the file in the system folder is unusable, Load returns an error
// and does not read the user's file. It also returns an error if the folder contains a key
// revocation list, because revoked keys could sign if Load ignored the list.
func Load(system, user string) (*Signers, string, error) {
	for _, folder := range []string{system, user} {
		if !filepath.IsAbs(folder) {
			return nil, "", fmt.Errorf("%w: the folder %q must be an absolute path", ErrFile, folder)
		}
	}
	folder, own := system, false
	allowed, err := read(filepath.Join(system, AllowedFile), own)
	if errors.Is(err, fs.ErrNotExist) {
		folder, own = user, true
		allowed, err = read(filepath.Join(user, AllowedFile), own)
	}
	file := filepath.Join(folder, AllowedFile)
	list := filepath.Join(folder, revokedFile)
	if _, missing := os.Lstat(list); !errors.Is(missing, fs.ErrNotExist) {
		return nil, file, fmt.Errorf("%w: %s: toolcrib does not support key revocation lists; in %s, set valid-before on each line with a revoked key, or remove the line; then delete %s, and run `toolcrib signers record`",
			ErrFile, list, file, list)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: neither %s nor %s exists", ErrNoFile, filepath.Join(system, AllowedFile), file)
	}
	if err != nil {
		return nil, file, err
	}
	s, err := Parse(allowed)
	if err != nil {
		return nil, file, fmt.Errorf("%s: %w", file, err)
	}
	return s, file, nil
}

// read reads the file with the given name. Only the owner of the file may have write permission;
// see owner.ReadFile.
func read(name string, own bool) ([]byte, error) {
	b, err := owner.ReadFile(name, own, MaxSize)
	if errors.Is(err, owner.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrFile, err)
	}
	return b, err
}
