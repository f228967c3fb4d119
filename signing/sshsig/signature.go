package sshsig

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
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

// formats has the format of the signatures of each kind of key that is
// accepted. RSA keys make signatures of several formats.
var formats = map[string]string{
	ssh.KeyAlgoED25519:    ssh.KeyAlgoED25519,
	ssh.KeyAlgoSKED25519:  ssh.KeyAlgoSKED25519,
	ssh.KeyAlgoECDSA256:   ssh.KeyAlgoECDSA256,
	ssh.KeyAlgoECDSA384:   ssh.KeyAlgoECDSA384,
	ssh.KeyAlgoSKECDSA256: ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSA:        ssh.KeyAlgoRSASHA512,
}

// MinRSA is the size of the smallest RSA key that is accepted, in bits.
const MinRSA = 3072

// CheckKey returns nil for a key that may sign: ed25519, sk-ed25519, ecdsa P-256
// or P-384, sk-ecdsa, RSA of MinRSA bits or more, or a certificate of such a key
// by such a key. Otherwise the error wraps ErrKey.
func CheckKey(key ssh.PublicKey) error {
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		return checkPlain(key)
	}
	if err := checkPlain(cert.Key); err != nil {
		return err
	}
	if err := checkPlain(cert.SignatureKey); err != nil {
		return fmt.Errorf("the authority of the certificate: %w", err)
	}
	return nil
}

func checkPlain(key ssh.PublicKey) error {
	if formats[key.Type()] == "" {
		return fmt.Errorf("%w: %s; use ed25519, ecdsa P-256 or P-384, one of their sk- forms, or RSA", ErrKey, key.Type())
	}
	if size := rsaSize(key); size != 0 && size < MinRSA {
		return fmt.Errorf("%w: RSA with %d bits; at least %d are needed", ErrKey, size, MinRSA)
	}
	return nil
}

// rsaSize returns the number of bits of an RSA key, 0 for other keys.
func rsaSize(key ssh.PublicKey) int {
	if k, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := k.CryptoPublicKey().(*rsa.PublicKey); ok {
			return k.N.BitLen()
		}
	}
	return 0
}

// Plain returns the key of a certificate, or the key itself.
func Plain(key ssh.PublicKey) ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.Key
	}
	return key
}

// Check returns nil when key made sig over data, in the form that CheckForm
// wants. Its error wraps ErrKey, ErrMalformed or ErrSignature.
func Check(key ssh.PublicKey, data []byte, sig *ssh.Signature) error {
	key = Plain(key)
	if err := CheckForm(key, sig); err != nil {
		return err
	}
	if err := key.Verify(data, sig); err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return nil
}

// CheckForm returns nil when sig has the one form of a signature by key, which
// is not a certificate: for a key in hardware with the user present. Whether it
// holds is not looked at.
func CheckForm(key ssh.PublicKey, sig *ssh.Signature) error {
	if err := checkPlain(key); err != nil {
		return err
	}
	if sig.Format != formats[key.Type()] {
		return fmt.Errorf("%w: a key of type %s has to sign with %s, not %.60q", ErrKey, key.Type(), formats[key.Type()], sig.Format)
	}
	flags, err := flagsOf(sig)
	if err != nil {
		return err
	}
	if inHardware(sig.Format) && flags&userPresent == 0 {
		return fmt.Errorf("%w: the key was not touched", ErrSignature)
	}
	// The library pads short RSA signatures, so that there would be several for
	// one.
	if size := rsaSize(key); size != 0 && len(sig.Blob) != (size+7)/8 {
		return fmt.Errorf("%w: it has %d bytes for a key of %d bits", ErrSignature, len(sig.Blob), size)
	}
	return nil
}

// Flags of a signature by a key in hardware (PROTOCOL.u2f).
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
)

func inHardware(format string) bool {
	return format == ssh.KeyAlgoSKED25519 || format == ssh.KeyAlgoSKECDSA256
}

// flagsOf returns the flags of a signature: a byte before a counter of four.
// Signatures of other keys have neither.
func flagsOf(sig *ssh.Signature) (byte, error) {
	size := 0
	if inHardware(sig.Format) {
		size = 1 + binary.Size(uint32(0))
	}
	if len(sig.Rest) != size {
		return 0, fmt.Errorf("%w: %d bytes follow the signature of the key, not %d", ErrMalformed, len(sig.Rest), size)
	}
	if size == 0 {
		return 0, nil
	}
	return sig.Rest[0], nil
}
