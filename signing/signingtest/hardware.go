// This file simulates hardware keys.

package signingtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"math/big"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Flags in the signatures of a hardware key.
const (
	UserPresent  byte = 1 << 0
	UserVerified byte = 1 << 2
)

// HardwareKey simulates a FIDO authenticator (OpenSSH's PROTOCOL.u2f). Its private key is
// in memory.
type HardwareKey struct {
	Flags   byte // flags in the following signatures
	private crypto.Signer
	public  ssh.PublicKey
}

const application = "ssh:"

// NewHardwareKey returns a HardwareKey with the given private key, which must be an
// ed25519 or a P-256 key.
func NewHardwareKey(t testing.TB, private crypto.Signer) *HardwareKey {
	t.Helper()
	var wire []byte
	switch public := private.Public().(type) {
	case ed25519.PublicKey:
		wire = ssh.Marshal(struct {
			Type        string
			Key         []byte
			Application string
		}{ssh.KeyAlgoSKED25519, public, application})
	case *ecdsa.PublicKey:
		point, err := public.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		wire = ssh.Marshal(struct {
			Type, Curve string
			Point       []byte
			Application string
		}{ssh.KeyAlgoSKECDSA256, "nistp256", point, application})
	}
	public, err := ssh.ParsePublicKey(wire)
	if err != nil {
		t.Fatal(err)
	}
	return &HardwareKey{Flags: UserPresent, private: private, public: public}
}

// PublicKey implements ssh.Signer.
func (k *HardwareKey) PublicKey() ssh.PublicKey { return k.public }

// Sign implements ssh.Signer. The signature contains k.Flags.
func (k *HardwareKey) Sign(_ io.Reader, data []byte) (*ssh.Signature, error) {
	trailer := struct {
		Flags   byte
		Counter uint32
	}{k.Flags, 7}
	app, message := sha256.Sum256([]byte(application)), sha256.Sum256(data)
	covered := append(append(append([]byte(nil), app[:]...), ssh.Marshal(trailer)...), message[:]...)
	sig := &ssh.Signature{Format: k.public.Type(), Rest: ssh.Marshal(trailer)}
	switch private := k.private.(type) {
	case ed25519.PrivateKey:
		sig.Blob = ed25519.Sign(private, covered)
	case *ecdsa.PrivateKey:
		sum := sha256.Sum256(covered)
		r, s, err := ecdsa.Sign(rand.Reader, private, sum[:])
		if err != nil {
			return nil, err
		}
		sig.Blob = ssh.Marshal(struct{ R, S *big.Int }{r, s})
	default:
		return nil, fmt.Errorf("unsupported type of hardware key %T", private)
	}
	return sig, nil
}
