package sshsig

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/ssh"
)

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
