// Package checkpoint writes and verifies checkpoints of the log. A checkpoint consists
// of the number of events and a hash of all events. A checkpoint that is stored outside
// of the database reveals changes that signatures cannot reveal: the removal of the
// newest events, the use of an older copy of the database, and a log with two histories.
//
// The format is C2SP's tlog-checkpoint, a signed note
// (golang.org/x/mod/sumdb/note). The hash is the Merkle tree head of RFC 6962 over
// the hashes of the events (golang.org/x/mod/sumdb/tlog).
package checkpoint

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Errors for invalid and unsigned checkpoints.
var (
	ErrMalformed = errors.New("malformed checkpoint")
	ErrUnsigned  = errors.New("checkpoint without a valid signature")
)

// Checkpoint describes a log at one point in time. Hashes of events and calls are
// SHA-256 in lower-case hexadecimal.
type Checkpoint struct {
	Genesis string // hash of event 1, which identifies the log
	Size    int64  // number of events, at least 1
	Root    tlog.Hash
	Calls   Head // the newest call
}

// Head is the newest entry of the call log. It is zero if the log is empty.
type Head struct {
	Seq  int64
	Hash string
}

const (
	originPrefix = "toolcrib/"
	noCalls      = "-"
)

// Origin returns the first line of a checkpoint, which identifies the log.
func (c Checkpoint) Origin() string { return originPrefix + c.Genesis }

// Text returns the text of the checkpoint, to which signatures are added.
func (c Checkpoint) Text() string {
	calls := c.Calls.Hash
	if c.Calls == (Head{}) {
		calls = noCalls
	}
	return fmt.Sprintf("%s\n%d\n%s\ncalls %d %s\n", c.Origin(), c.Size, c.Root, c.Calls.Seq, calls)
}

// Parse parses a text that Text returned. It rejects all other texts.
func Parse(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 5 {
		return Checkpoint{}, fmt.Errorf("%w: expected four lines", ErrMalformed)
	}
	var c Checkpoint
	var err error
	c.Genesis = strings.TrimPrefix(lines[0], originPrefix)
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 1 {
		return Checkpoint{}, fmt.Errorf("%w: invalid size %.80q", ErrMalformed, lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || copy(c.Root[:], root) != len(root) {
		return Checkpoint{}, fmt.Errorf("%w: invalid root %.80q", ErrMalformed, lines[2])
	}
	seq, hash, _ := strings.Cut(strings.TrimPrefix(lines[3], "calls "), " ")
	if hash != noCalls {
		c.Calls.Hash = hash
		if c.Calls.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil || c.Calls.Seq < 1 || !isHash(hash) {
			return Checkpoint{}, fmt.Errorf("%w: invalid calls %.80q", ErrMalformed, lines[3])
		}
	}
	if !isHash(c.Genesis) || c.Text() != text {
		return Checkpoint{}, fmt.Errorf("%w: the text is not in canonical form", ErrMalformed)
	}
	return c, nil
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == tlog.HashSize && hex.EncodeToString(b) == s
}

// Sign returns the checkpoint as a note that is signed by the given signers. Checkpoints
// can be signed automatically, because the keys of these signers are stored in files.
func Sign(c Checkpoint, signers ...note.Signer) ([]byte, error) {
	if _, err := Parse(c.Text()); err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: c.Text()}, signers...)
}

// Open parses a signed checkpoint. If no key of the verifiers has signed the checkpoint,
// the error wraps ErrUnsigned. Signatures by other keys, for example by witnesses, are
// ignored.
func Open(signed []byte, verifiers note.Verifiers) (Checkpoint, error) {
	n, err := note.Open(signed, verifiers)
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified), errors.As(err, &invalid):
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrUnsigned, err)
	case err != nil:
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return Parse(n.Text)
}

// Read parses a signed checkpoint without verifying its signatures. The caller must trust
// the source of the checkpoint, because no key is needed.
func Read(signed []byte) (Checkpoint, error) {
	_, err := note.Open(signed, nil)
	unverified, ok := errors.AsType[*note.UnverifiedNoteError](err)
	if !ok {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return Parse(unverified.Note.Text)
}

// NewKey creates a key that signs checkpoints. It writes the private key to a new
// file with mode 0600 and returns the public key.
func NewKey(file string) (public string, err error) {
	private, public, err := note.GenerateKey(rand.Reader, "toolcrib") // all keys have this name; notes distinguish keys by a hash that follows the name
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(private + "\n")
	return public, errors.Join(err, f.Close())
}

// ReadSigner reads the private key in file.
func ReadSigner(file string) (note.Signer, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a private key for checkpoints: %w", file, err)
	}
	return signer, nil
}

// ReadVerifier reads the public key in file.
func ReadVerifier(file string) (note.Verifiers, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a public key for checkpoints: %w", file, err)
	}
	return note.VerifierList(verifier), nil
}
