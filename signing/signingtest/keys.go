// Package signingtest creates keys of all types for tests, simulates hardware keys, and
// runs ssh-keygen and ssh-agent.
package signingtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Accepted returns the names of the key types that toolcrib accepts.
func Accepted() []string {
	return []string{"ed25519", "sk-ed25519", "ecdsa-256", "ecdsa-384", "sk-ecdsa", "rsa-3072"}
}

// Refused returns the names of key types that OpenSSH supports but toolcrib rejects.
func Refused() []string { return []string{"ecdsa-521", "rsa-2048"} }

// Key is a key pair. The private key of a hardware key cannot be written to a file.
type Key struct {
	ssh.Signer
	private crypto.Signer
}

// NewKey creates a key of a type that Accepted or Refused returns.
func NewKey(t testing.TB, kind string) Key {
	t.Helper()
	soft, hardware := strings.CutPrefix(kind, "sk-")
	var private crypto.Signer
	var err error
	switch soft {
	case "ed25519":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case "ecdsa", "ecdsa-256":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ecdsa-384":
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "ecdsa-521":
		private, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case "rsa-2048":
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	case "rsa-3072":
		private, err = rsa.GenerateKey(rand.Reader, 3072)
	default:
		err = fmt.Errorf("unknown type of key %q", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	if hardware {
		return Key{Signer: NewHardwareKey(t, private)}
	}
	signer, err := ssh.NewSignerFromSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return Key{Signer: signer, private: private}
}

// Private returns the private key, or nil for a hardware key.
func (k Key) Private() crypto.Signer { return k.private }

// Line returns key in the format of an authorized_keys file, without a comment.
func Line(key ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// Write writes the private key to a file, and the public key to a second file with the
// suffix .pub. The private key is encrypted unless passphrase is "". Write returns the
// name of the first file.
func (k Key) Write(t testing.TB, passphrase string) string {
	t.Helper()
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(k.private, "test")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(k.private, "test", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	WriteFile(t, file, string(pem.EncodeToMemory(block)))
	WriteFile(t, file+".pub", Line(k.PublicKey())+"\n")
	return file
}

// WriteFile writes text to a file with mode 0600.
func WriteFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
