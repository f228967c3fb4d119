// This file parses, verifies, and writes signatures.

package sshsig

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/ssh"
)

// Namespace distinguishes signatures of statements from other signatures by the same key.
const Namespace = "toolcrib-decision-v1"

// MaxSize is the maximum size of an armored signature, in bytes. Signatures by
// certificates with many principals are long.
const MaxSize = 64 << 10

// Sentinel errors of this package.
var (
	ErrMalformed = errors.New("malformed SSH signature")
	ErrNamespace = errors.New("signature for another purpose")
	ErrKey       = errors.New("unsupported type of key")
	ErrSignature = errors.New("invalid signature")
)

const (
	version  = 1
	hashName = "sha512"
	begin    = "-----BEGIN SSH SIGNATURE-----\n"
	end      = "-----END SSH SIGNATURE-----\n"
	columns  = 70 // line length of ssh-keygen
)

// magic is the beginning of a signature, and also of the data that a key signs.
var magic = [6]byte{'S', 'S', 'H', 'S', 'I', 'G'}

// blob is the layout of a signature in PROTOCOL.sshsig.
type blob struct {
	Magic     [6]byte
	Version   uint32
	PublicKey []byte
	Namespace string
	Reserved  []byte
	Hash      string
	Signature []byte
}

// Signature is an SSH signature of a message in Namespace.
type Signature struct {
	Key ssh.PublicKey // key of the signer: a plain key or an *ssh.Certificate
	raw *ssh.Signature
}

// Message returns the data that a key must sign for a signature of message.
func Message(message []byte) []byte {
	sum := sha512.Sum512(message)
	return ssh.Marshal(struct {
		Magic               [6]byte
		Namespace, Reserved string
		Hash                string
		Sum                 []byte
	}{Magic: magic, Namespace: Namespace, Hash: hashName, Sum: sum[:]})
}

// New converts sig, the signature of Message(message) by key, to a Signature of message.
// It verifies sig and returns the errors of Verify.
func New(key ssh.PublicKey, message []byte, sig *ssh.Signature) (*Signature, error) {
	s := &Signature{Key: key, raw: sig}
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	return s, s.Verify(message)
}

// Parse parses an armored signature. It accepts the output of Armor, with additional or
// different line breaks in the encoded data, but no other text. The namespace must be
// Namespace, and CheckKey must accept the key.
func Parse(armored []byte) (*Signature, error) {
	b, err := dearmor(armored)
	if err != nil {
		return nil, err
	}
	var w blob
	if err := ssh.Unmarshal(b, &w); err != nil { // Unmarshal rejects additional bytes
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	switch {
	case w.Magic != magic || w.Version != version:
		return nil, fmt.Errorf("%w: the version is not %d", ErrMalformed, version)
	case len(w.Reserved) != 0:
		return nil, fmt.Errorf("%w: the reserved field has %d bytes instead of 0", ErrMalformed, len(w.Reserved))
	case w.Namespace != Namespace:
		return nil, fmt.Errorf("%w: the namespace is %.80q, not %q", ErrNamespace, w.Namespace, Namespace)
	case w.Hash != hashName:
		return nil, fmt.Errorf("%w: the hash algorithm is %.20q, not %q", ErrMalformed, w.Hash, hashName)
	}
	// The key and the signature must have exactly the encoding that x/crypto/ssh writes.
	key, err := ssh.ParsePublicKey(w.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot parse the key: %w", ErrMalformed, err)
	}
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if !bytes.Equal(key.Marshal(), w.PublicKey) {
		return nil, fmt.Errorf("%w: the key is not in canonical form", ErrMalformed)
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

// Verify verifies that s is a signature of message by s.Key. It checks neither who owns
// the key nor whether the key may sign.
func (s *Signature) Verify(message []byte) error {
	return Check(s.Key, Message(message), s.raw)
}

// UserVerified reports whether s is the signature of a hardware key that verified its
// user, for example by a PIN, in addition to requiring a touch.
func (s *Signature) UserVerified() bool {
	flags, err := flagsOf(s.raw)
	return err == nil && flags&userVerified != 0
}

// Armor returns the signature in the format of ssh-keygen.
func (s *Signature) Armor() []byte {
	b := ssh.Marshal(blob{
		Magic: magic, Version: version, PublicKey: s.Key.Marshal(), Namespace: Namespace, Hash: hashName, Signature: ssh.Marshal(s.raw),
	})
	out := []byte(begin)
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(b)), columns) {
		out = append(append(out, line...), '\n')
	}
	return append(out, end...)
}

func dearmor(armored []byte) ([]byte, error) {
	if len(armored) > MaxSize {
		return nil, fmt.Errorf("%w: the signature is larger than %d bytes", ErrMalformed, MaxSize)
	}
	text := bytes.ReplaceAll(armored, []byte("\r\n"), []byte("\n"))
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n') // pasted text often lacks the final line feed
	}
	text, begins := bytes.CutPrefix(text, []byte(begin))
	text, ends := bytes.CutSuffix(text, []byte("\n"+end))
	if !begins || !ends {
		return nil, fmt.Errorf("%w: the text must begin with %q and end with %q", ErrMalformed, begin[:len(begin)-1], end[:len(end)-1])
	}
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, text) // the decoder skips line breaks
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return b, nil
}

// formats maps each accepted key type to the only accepted format of its signatures. RSA
// keys could sign in several formats.
var formats = map[string]string{
	ssh.KeyAlgoED25519:    ssh.KeyAlgoED25519,
	ssh.KeyAlgoSKED25519:  ssh.KeyAlgoSKED25519,
	ssh.KeyAlgoECDSA256:   ssh.KeyAlgoECDSA256,
	ssh.KeyAlgoECDSA384:   ssh.KeyAlgoECDSA384,
	ssh.KeyAlgoSKECDSA256: ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSA:        ssh.KeyAlgoRSASHA512,
}

// MinRSA is the minimum size of RSA keys, in bits.
const MinRSA = 3072

// CheckKey returns an error that wraps ErrKey if the type of key is not accepted. The
// accepted types are ed25519, sk-ed25519, ecdsa P-256 or P-384, sk-ecdsa, and RSA with at
// least MinRSA bits. A certificate is accepted if both its key and the key of its issuer
// have an accepted type.
func CheckKey(key ssh.PublicKey) error {
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		return checkPlain(key)
	}
	if err := checkPlain(cert.Key); err != nil {
		return err
	}
	if err := checkPlain(cert.SignatureKey); err != nil {
		return fmt.Errorf("the certificate authority: %w", err)
	}
	return nil
}

func checkPlain(key ssh.PublicKey) error {
	if formats[key.Type()] == "" {
		return fmt.Errorf("%w: %s; use ed25519, ecdsa P-256 or P-384, sk-ed25519, sk-ecdsa, or RSA", ErrKey, key.Type())
	}
	if size := rsaSize(key); size != 0 && size < MinRSA {
		return fmt.Errorf("%w: RSA keys must have at least %[3]d bits (got %[2]d)", ErrKey, size, MinRSA)
	}
	return nil
}

// rsaSize returns the size of an RSA key in bits, or 0 for other keys.
func rsaSize(key ssh.PublicKey) int {
	if k, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := k.CryptoPublicKey().(*rsa.PublicKey); ok {
			return k.N.BitLen()
		}
	}
	return 0
}

// Plain returns the certified key if key is a certificate, and key otherwise.
func Plain(key ssh.PublicKey) ssh.PublicKey {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert.Key
	}
	return key
}

// Check verifies that sig is a signature of data by key, and that CheckForm accepts sig.
// The error wraps ErrKey, ErrMalformed, or ErrSignature.
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

// CheckForm checks the format of a signature by key, but does not verify the signature.
// The signature of a hardware key must state that the user touched the key. key must not
// be a certificate.
func CheckForm(key ssh.PublicKey, sig *ssh.Signature) error {
	if err := checkPlain(key); err != nil {
		return err
	}
	if sig.Format != formats[key.Type()] {
		return fmt.Errorf("%w: keys of type %s must sign with %s, not %.60q", ErrKey, key.Type(), formats[key.Type()], sig.Format)
	}
	flags, err := flagsOf(sig)
	if err != nil {
		return err
	}
	if inHardware(sig.Format) && flags&userPresent == 0 {
		return fmt.Errorf("%w: the hardware key was not touched", ErrSignature)
	}
	// x/crypto/ssh pads short RSA signatures. A signature would therefore have several
	// encodings.
	if size := rsaSize(key); size != 0 && len(sig.Blob) != (size+7)/8 {
		return fmt.Errorf("%w: a signature of %d bytes does not match a key of %d bits", ErrSignature, len(sig.Blob), size)
	}
	return nil
}

// Flags in the signature of a hardware key (PROTOCOL.u2f).
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
)

func inHardware(format string) bool {
	return format == ssh.KeyAlgoSKED25519 || format == ssh.KeyAlgoSKECDSA256
}

// flagsOf returns the flags of a hardware key's signature. The flags are one byte,
// followed by a counter of four bytes. For other keys, which have neither flags nor a
// counter, flagsOf returns 0.
func flagsOf(sig *ssh.Signature) (byte, error) {
	size := 0
	if inHardware(sig.Format) {
		size = 1 + binary.Size(uint32(0))
	}
	if len(sig.Rest) != size {
		return 0, fmt.Errorf("%w: the signature is followed by %d bytes, but %d were expected", ErrMalformed, len(sig.Rest), size)
	}
	if size == 0 {
		return 0, nil
	}
	return sig.Rest[0], nil
}
