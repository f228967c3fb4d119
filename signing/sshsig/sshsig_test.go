package sshsig_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/generated"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// message returns the text to sign, a published statement.
func message(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "statement", "testdata", "approved_set.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// raw returns the signature of a message in Namespace.
func raw(t testing.TB, key ssh.Signer, message []byte) *ssh.Signature {
	t.Helper()
	data := sshsig.Message(message)
	var sig *ssh.Signature
	var err error
	if rsa, ok := key.(signingtest.Key); ok && key.PublicKey().Type() == ssh.KeyAlgoRSA {
		sig, err = rsa.Signer.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSASHA512)
	} else {
		sig, err = key.Sign(rand.Reader, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// verify parses an armored signature and verifies it.
func verify(armored, message []byte) error {
	s, err := sshsig.Parse(armored)
	if err != nil {
		return err
	}
	return s.Verify(message)
}

// keygenVerifies verifies an armored signature with ssh-keygen.
func keygenVerifies(t testing.TB, key ssh.PublicKey, armored, message []byte) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	allowed, sig := filepath.Join(dir, "allowed_signers"), filepath.Join(dir, "sig")
	signingtest.WriteFile(t, allowed, "user:mara "+signingtest.Line(key)+"\n")
	signingtest.WriteFile(t, sig, string(armored))
	_, said, ok := signingtest.Keygen(t, message, "-Y", "verify", "-n", sshsig.Namespace, "-f", allowed, "-I", "user:mara", "-s", sig)
	return said, ok
}

// TestKeygenAcceptsOurs checks that ssh-keygen verifies our signatures by every
// type of key.
func TestKeygenAcceptsOurs(t *testing.T) {
	signingtest.NeedsKeygen(t)
	text := message(t)
	for _, kind := range signingtest.Accepted() {
		key := signingtest.NewKey(t, kind)
		s, err := sshsig.New(key.PublicKey(), text, raw(t, key, text))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if said, ok := keygenVerifies(t, key.PublicKey(), s.Armor(), text); !ok {
			t.Errorf("%s: ssh-keygen: %s", kind, said)
		}
		if said, ok := keygenVerifies(t, key.PublicKey(), s.Armor(), append(text, ' ')); ok {
			t.Errorf("%s: ssh-keygen accepts the signature for another text: %s", kind, said)
		}
		again, err := sshsig.Parse(s.Armor())
		if err != nil || !bytes.Equal(again.Armor(), s.Armor()) || again.Verify(text) != nil {
			t.Errorf("%s: it differs after a round trip, %v", kind, err)
		}
	}
}

// TestWeAcceptKeygens verifies signatures that ssh-keygen makes in this namespace
// and in others.
func TestWeAcceptKeygens(t *testing.T) {
	signingtest.NeedsKeygen(t)
	text := message(t)
	for _, kind := range append(signingtest.Accepted(), signingtest.Refused()...) {
		if strings.HasPrefix(kind, "sk-") {
			continue // needs a device
		}
		key := signingtest.NewKey(t, kind)
		file := key.Write(t, "")
		sign := func(args ...string) []byte {
			return signingtest.MustKeygen(t, text, append([]string{"-Y", "sign", "-q", "-f", file}, args...)...)
		}
		good := sign("-n", sshsig.Namespace)
		if strings.Contains(strings.Join(signingtest.Refused(), " "), kind) {
			if err := verify(good, text); !errors.Is(err, sshsig.ErrKey) {
				t.Errorf("%s: %v", kind, err)
			}
			continue
		}
		s, err := sshsig.Parse(good)
		if err != nil || s.Verify(text) != nil || !bytes.Equal(s.Armor(), good) {
			t.Errorf("%s: %v; or Armor writes it differently", kind, err)
			continue
		}
		if err := verify(good, append(text, '\n')); !errors.Is(err, sshsig.ErrSignature) {
			t.Errorf("%s for another text: %v", kind, err)
		}
		for _, namespace := range []string{"file", "git", sshsig.Namespace + "1", "Toolcrib-decision-v1"} {
			if err := verify(sign("-n", namespace), text); !errors.Is(err, sshsig.ErrNamespace) {
				t.Errorf("%s for namespace %s: %v", kind, namespace, err)
			}
		}
		if err := verify(sign("-n", sshsig.Namespace, "-O", "hashalg=sha256"), text); !errors.Is(err, sshsig.ErrMalformed) {
			t.Errorf("%s with SHA-256: %v", kind, err)
		}
	}
}

// TestPublished verifies the signatures in testdata, which ssh-keygen made, also on
// systems without ssh-keygen.
func TestPublished(t *testing.T) {
	text := message(t)
	for _, kind := range signingtest.Accepted() {
		file := filepath.Join("testdata", kind+".sig")
		if _, err := os.Stat(file); err != nil && generated.Updating() { // not overwritten: each run uses a new key
			key := signingtest.NewKey(t, kind)
			s, err := sshsig.New(key.PublicKey(), text, raw(t, key, text))
			if err != nil {
				t.Fatal(err)
			}
			made := s.Armor()
			if !strings.HasPrefix(kind, "sk-") {
				made = signingtest.MustKeygen(t, text, "-Y", "sign", "-q", "-n", sshsig.Namespace, "-f", key.Write(t, ""))
			}
			signingtest.WriteFile(t, file, string(made))
		}
		armored, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(armored, text); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if err := verify(armored, text[1:]); !errors.Is(err, sshsig.ErrSignature) {
			t.Errorf("%s for another text: %v", kind, err)
		}
	}
}

// TestHardwareFlags checks the flags of signatures by hardware keys.
func TestHardwareFlags(t *testing.T) {
	text := message(t)
	for _, kind := range []string{"sk-ed25519", "sk-ecdsa"} {
		key := signingtest.NewKey(t, kind).Signer.(*signingtest.HardwareKey)
		for _, c := range []struct {
			flags    byte
			want     error
			verified bool
		}{
			{signingtest.UserPresent, nil, false},
			{signingtest.UserPresent | signingtest.UserVerified, nil, true},
			{0, sshsig.ErrSignature, false},
			{signingtest.UserVerified, sshsig.ErrSignature, true},
		} {
			key.Flags = c.flags
			s, err := sshsig.New(key.PublicKey(), text, raw(t, key, text))
			if !errors.Is(err, c.want) {
				t.Errorf("%s with flags %x: %v", kind, c.flags, err)
			}
			if got := s.UserVerified(); got != c.verified {
				t.Errorf("%s with flags %x: verified is %v", kind, c.flags, got)
			}
			if err := verify(s.Armor(), text); !errors.Is(err, c.want) {
				t.Errorf("%s with flags %x, read back: %v", kind, c.flags, err)
			}
		}
		key.Flags = signingtest.UserPresent
		forged := raw(t, key, text)
		forged.Rest[0] |= signingtest.UserVerified
		if _, err := sshsig.New(key.PublicKey(), text, forged); !errors.Is(err, sshsig.ErrSignature) {
			t.Errorf("%s with a flag that was set after signing: %v", kind, err)
		}
	}
}

// TestOtherFormats uses signature formats that do not belong to the key.
func TestOtherFormats(t *testing.T) {
	text := message(t)
	key := signingtest.NewKey(t, "rsa-3072")
	for _, format := range []string{ssh.KeyAlgoRSA, ssh.KeyAlgoRSASHA256} {
		sig, err := key.Signer.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, sshsig.Message(text), format)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sshsig.New(key.PublicKey(), text, sig); !errors.Is(err, sshsig.ErrKey) {
			t.Errorf("RSA with %s: %v", format, err)
		}
	}
	short := raw(t, key, text)
	short.Blob = append(make([]byte, 1), short.Blob...)
	if _, err := sshsig.New(key.PublicKey(), text, short); !errors.Is(err, sshsig.ErrSignature) {
		t.Errorf("RSA with a byte more: %v", err)
	}
	soft, hard := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "sk-ed25519")
	if _, err := sshsig.New(hard.PublicKey(), text, raw(t, soft, text)); !errors.Is(err, sshsig.ErrKey) {
		t.Errorf("a software signature for a hardware key: %v", err)
	}
	if _, err := sshsig.New(soft.PublicKey(), text, raw(t, hard, text)); !errors.Is(err, sshsig.ErrKey) {
		t.Errorf("a hardware signature for a software key: %v", err)
	}
	trailing := raw(t, soft, text)
	trailing.Rest = []byte{0}
	if _, err := sshsig.New(soft.PublicKey(), text, trailing); !errors.Is(err, sshsig.ErrMalformed) {
		t.Errorf("a byte after a software signature: %v", err)
	}
}

func BenchmarkVerify(b *testing.B) {
	text := message(b)
	for _, kind := range signingtest.Accepted() {
		key := signingtest.NewKey(b, kind)
		s, err := sshsig.New(key.PublicKey(), text, raw(b, key, text))
		if err != nil {
			b.Fatal(err)
		}
		armored := s.Armor()
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				if err := verify(armored, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
