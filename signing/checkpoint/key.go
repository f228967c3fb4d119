package checkpoint

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

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
