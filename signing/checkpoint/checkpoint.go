// Package checkpoint makes and checks checkpoints of the log: how many events
// there were, and one hash over all of them. Kept elsewhere, a checkpoint shows
// what signatures cannot: a removed tail, an older copy of the file, and two
// histories.
//
// The form is that of C2SP's tlog-checkpoint, a signed note
// (golang.org/x/mod/sumdb/note); the hash is the head of the Merkle tree of RFC
// 6962 over the hashes of the events (golang.org/x/mod/sumdb/tlog).
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

// MaxSize is the size of the largest checkpoint that is read, in bytes.
const MaxSize = 64 << 10

// Errors of a checkpoint itself.
var (
	ErrMalformed = errors.New("malformed checkpoint")
	ErrUnsigned  = errors.New("checkpoint without a valid signature")
)

// Checkpoint is how far a log had come. Hashes of events and calls are SHA-256
// in lower-case hex.
type Checkpoint struct {
	Genesis string // hash of event 1: which log it is
	Size    int64  // number of events, at least 1
	Root    tlog.Hash
	Calls   Head // the newest call
}

// Head is the newest entry of the call log; zero for an empty one.
type Head struct {
	Seq  int64
	Hash string
}

const (
	originPrefix = "toolcrib/"
	noCalls      = "-"
)

// Origin is the first line of a checkpoint: the log's name everywhere.
func (c Checkpoint) Origin() string { return originPrefix + c.Genesis }

// Text writes a checkpoint without signatures.
func (c Checkpoint) Text() string {
	calls := c.Calls.Hash
	if c.Calls == (Head{}) {
		calls = noCalls
	}
	return fmt.Sprintf("%s\n%d\n%s\ncalls %d %s\n", c.Origin(), c.Size, c.Root, c.Calls.Seq, calls)
}

// Parse reads what Text writes and nothing else.
func Parse(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 5 {
		return Checkpoint{}, fmt.Errorf("%w: it does not have four lines", ErrMalformed)
	}
	var c Checkpoint
	var err error
	c.Genesis = strings.TrimPrefix(lines[0], originPrefix)
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 1 {
		return Checkpoint{}, fmt.Errorf("%w: its size is %.80q", ErrMalformed, lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || copy(c.Root[:], root) != len(root) {
		return Checkpoint{}, fmt.Errorf("%w: its root is %.80q", ErrMalformed, lines[2])
	}
	seq, hash, _ := strings.Cut(strings.TrimPrefix(lines[3], "calls "), " ")
	if hash != noCalls {
		c.Calls.Hash = hash
		if c.Calls.Seq, err = strconv.ParseInt(seq, 10, 64); err != nil || c.Calls.Seq < 1 || !isHash(hash) {
			return Checkpoint{}, fmt.Errorf("%w: its calls are %.80q", ErrMalformed, lines[3])
		}
	}
	if !isHash(c.Genesis) || c.Text() != text {
		return Checkpoint{}, fmt.Errorf("%w: it is not written like one of toolcrib", ErrMalformed)
	}
	return c, nil
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == tlog.HashSize && hex.EncodeToString(b) == s
}

// Sign writes a checkpoint as a note with signatures. A note's key is software
// of its own: whoever decides by hand does not sign every checkpoint.
func Sign(c Checkpoint, by ...note.Signer) ([]byte, error) {
	if _, err := Parse(c.Text()); err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: c.Text()}, by...)
}

// Open reads a signed checkpoint. At least one of the known keys has to have
// signed it, or the error wraps ErrUnsigned; signatures by other keys, such as
// those of witnesses, may stand beside it.
func Open(signed []byte, known note.Verifiers) (Checkpoint, error) {
	if len(signed) > MaxSize {
		return Checkpoint{}, fmt.Errorf("%w: it has more than %d bytes", ErrMalformed, MaxSize)
	}
	n, err := note.Open(signed, known)
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

// Read reads a checkpoint for callers that know no key and trust the place that
// they have it from. Signatures are not looked at.
func Read(signed []byte) (Checkpoint, error) {
	if len(signed) > MaxSize {
		return Checkpoint{}, fmt.Errorf("%w: it has more than %d bytes", ErrMalformed, MaxSize)
	}
	_, err := note.Open(signed, nil)
	var unverified *note.UnverifiedNoteError
	if !errors.As(err, &unverified) {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return Parse(unverified.Note.Text)
}

// keyName is the name of toolcrib's keys in notes; the hash beside it tells them
// apart.
const keyName = "toolcrib"

// NewKey makes a key that signs checkpoints. It writes the private half to a new
// file, which its owner alone can read, and returns the public half.
func NewKey(file string) (public string, err error) {
	private, public, err := note.GenerateKey(rand.Reader, keyName)
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

// ReadSigner reads the private half of a key.
func ReadSigner(file string) (note.Signer, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a key for checkpoints: %w", file, err)
	}
	return signer, nil
}

// ReadVerifier reads the public half of a key.
func ReadVerifier(file string) (note.Verifiers, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s is not the public half of a key for checkpoints: %w", file, err)
	}
	return note.VerifierList(verifier), nil
}
