package sshsig

import (
	"crypto/rsa"
	"fmt"

	"golang.org/x/crypto/ssh"
)

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
