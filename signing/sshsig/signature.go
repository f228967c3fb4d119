package sshsig

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// Namespace separates signatures of statements from all others by the same key.
const Namespace = "toolcrib-decision-v1"

// MaxSize is the size of the largest armored signature, in bytes. Certificates
// with many principals are long.
const MaxSize = 64 << 10

// Errors of signatures.
var (
	ErrMalformed = errors.New("malformed SSH signature")
	ErrNamespace = errors.New("signature for another purpose")
	ErrKey       = errors.New("unsupported kind of key")
	ErrSignature = errors.New("invalid signature")
)

const (
	version  = 1
	hashName = "sha512"
	begin    = "-----BEGIN SSH SIGNATURE-----\n"
	end      = "-----END SSH SIGNATURE-----\n"
	columns  = 70 // as ssh-keygen breaks lines
)

// magic begins a signature, and the text that is signed.
var magic = [6]byte{'S', 'S', 'H', 'S', 'I', 'G'}

// blob is a signature as PROTOCOL.sshsig lays it out.
type blob struct {
	Magic     [6]byte
	Version   uint32
	PublicKey []byte
	Namespace string
	Reserved  []byte
	Hash      string
	Signature []byte
}

// signed returns the bytes that the key signs.
type signed struct {
	Magic     [6]byte
	Namespace string
	Reserved  []byte
	Hash      string
	Sum       []byte
}

// Signature is an SSH signature of a message in Namespace.
type Signature struct {
	Key ssh.PublicKey // of the signer: a plain key, or a *ssh.Certificate
	raw *ssh.Signature
}

// Message returns the bytes that a key signs for a message.
func Message(message []byte) []byte {
	sum := sha512.Sum512(message)
	return ssh.Marshal(signed{Magic: magic, Namespace: Namespace, Hash: hashName, Sum: sum[:]})
}

// New makes the signature of a message from what a key made of Message. The
// error is that of Verify.
func New(key ssh.PublicKey, message []byte, made *ssh.Signature) (*Signature, error) {
	s := &Signature{Key: key, raw: made}
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	return s, s.Verify(message)
}

// Parse reads an armored signature. It accepts what Armor writes, with line
// breaks anywhere and of either kind, in Namespace and by a key that CheckKey
// accepts. Nothing may stand around it.
func Parse(armored []byte) (*Signature, error) {
	b, err := dearmor(armored)
	if err != nil {
		return nil, err
	}
	var w blob
	if err := ssh.Unmarshal(b, &w); err != nil { // which refuses what follows
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	switch {
	case w.Magic != magic || w.Version != version:
		return nil, fmt.Errorf("%w: it is not of version %d", ErrMalformed, version)
	case len(w.Reserved) != 0:
		return nil, fmt.Errorf("%w: its reserved field has %d bytes", ErrMalformed, len(w.Reserved))
	case w.Namespace != Namespace:
		return nil, fmt.Errorf("%w: its namespace is %.80q, not %q", ErrNamespace, w.Namespace, Namespace)
	case w.Hash != hashName:
		return nil, fmt.Errorf("%w: its hash is %.20q, not %q", ErrMalformed, w.Hash, hashName)
	}
	return parse(w)
}

// parse reads the key and its signature. Each has to be in the one form in which
// the library writes it.
func parse(w blob) (*Signature, error) {
	key, err := ssh.ParsePublicKey(w.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("%w: its key: %w", ErrMalformed, err)
	}
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if !bytes.Equal(key.Marshal(), w.PublicKey) {
		return nil, fmt.Errorf("%w: its key is written in an unusual way", ErrMalformed)
	}
	var made ssh.Signature
	if err := ssh.Unmarshal(w.Signature, &made); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := flagsOf(&made); err != nil {
		return nil, err
	}
	return &Signature{Key: key, raw: &made}, nil
}

// Verify returns nil when the key of s signed message. Whose key that is, and
// whether it may sign, is not looked at.
func (s *Signature) Verify(message []byte) error {
	return Check(s.Key, Message(message), s.raw)
}

// UserVerified reports whether a key in hardware asked for more than a touch,
// such as a PIN.
func (s *Signature) UserVerified() bool {
	flags, err := flagsOf(s.raw)
	return err == nil && flags&userVerified != 0
}

// Armor returns the signature as ssh-keygen writes it.
func (s *Signature) Armor() []byte {
	b := ssh.Marshal(blob{
		Magic: magic, Version: version, PublicKey: s.Key.Marshal(), Namespace: Namespace, Hash: hashName, Signature: ssh.Marshal(s.raw),
	})
	text := base64.StdEncoding.EncodeToString(b)
	out := []byte(begin)
	for len(text) > columns {
		out = append(append(out, text[:columns]...), '\n')
		text = text[columns:]
	}
	out = append(append(out, text...), '\n')
	return append(out, end...)
}

func dearmor(armored []byte) ([]byte, error) {
	if len(armored) > MaxSize {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrMalformed, MaxSize)
	}
	text := bytes.ReplaceAll(armored, []byte("\r\n"), []byte("\n"))
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n') // pasted text lacks it
	}
	text, begins := bytes.CutPrefix(text, []byte(begin))
	text, ends := bytes.CutSuffix(text, []byte("\n"+end))
	if !begins || !ends {
		return nil, fmt.Errorf("%w: it has to begin with %q and end with %q", ErrMalformed, begin[:len(begin)-1], end[:len(end)-1])
	}
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, text) // which skips line breaks
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return b, nil
}
