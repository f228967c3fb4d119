package signers_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

var (
	text = []byte("toolcrib decision 1\n")
	noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// sign returns an armored signature by a key, with an optional certificate.
func sign(t testing.TB, key ssh.Signer, cert *ssh.Certificate, message []byte) []byte {
	t.Helper()
	made, err := key.Sign(rand.Reader, sshsig.Message(message))
	if err != nil {
		t.Fatal(err)
	}
	public := key.PublicKey()
	if cert != nil {
		public = cert
	}
	s, err := sshsig.New(public, message, made)
	if err != nil {
		t.Fatal(err)
	}
	return s.Armor()
}

func parse(t testing.TB, allowed string) *signers.Signers {
	t.Helper()
	s, err := signers.Parse([]byte(allowed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withList returns a state with a key revocation list, as earlier versions recorded
// it.
func withList(t testing.TB, allowed string, list []byte) *signers.Signers {
	t.Helper()
	s, err := signers.Restore(textWithList(t, allowed, list), list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func textWithList(t testing.TB, allowed string, list []byte) []byte {
	t.Helper()
	return fmt.Appendf(bytes.TrimSuffix(parse(t, allowed).Text(), []byte("-\n")), "%x\n", sha256.Sum256(list))
}

// certify issues a certificate, which change may modify.
func certify(t testing.TB, authority ssh.Signer, key ssh.PublicKey, change func(*ssh.Certificate)) *ssh.Certificate {
	t.Helper()
	c := &ssh.Certificate{
		Key: key, Serial: 12, CertType: ssh.UserCert, KeyId: "mara-laptop", ValidPrincipals: []string{"user:mara"},
		ValidAfter: uint64(noon.Add(-time.Hour).Unix()), ValidBefore: uint64(noon.Add(time.Hour).Unix()),
	}
	change(c)
	if len(c.ValidPrincipals) > 0 {
		if err := c.SignCert(rand.Reader, authority); err != nil {
			t.Fatal(err)
		}
		return c
	}
	// SignCert rejects a certificate without principals, which other programs sign.
	c.Nonce, c.SignatureKey = make([]byte, 32), authority.PublicKey()
	unsigned := c.Marshal()
	var err error
	if c.Signature, err = authority.Sign(rand.Reader, unsigned[:len(unsigned)-4]); err != nil { // without the length of no signature
		t.Fatal(err)
	}
	return c
}

// TestVerifyRequired checks that hardware keys must verify their user if required.
func TestVerifyRequired(t *testing.T) {
	key := signingtest.NewKey(t, "sk-ed25519")
	hardware := key.Signer.(*signingtest.HardwareKey)
	line := signingtest.Line(key.PublicKey())
	authority := signingtest.NewKey(t, "ed25519")
	asks := certify(t, authority, key.PublicKey(), func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"verify-required": ""} })
	plain := certify(t, authority, key.PublicKey(), func(*ssh.Certificate) {})
	ca := signingtest.Line(authority.PublicKey())
	for _, c := range []struct {
		name, allowed string
		cert          *ssh.Certificate
		needed        bool
	}{
		{"a key", "user:mara " + line, nil, false},
		{"a key that has to", "user:mara verify-required " + line, nil, true},
		{"a key that has to by one line of two", "user:mara " + line + "\nuser:mara verify-required " + line, nil, true},
		{"a certificate", "user:mara cert-authority " + ca, plain, false},
		{"an authority that asks for it", "user:mara cert-authority,verify-required " + ca, plain, true},
		{"a certificate that asks for it", "user:mara cert-authority " + ca, asks, true},
	} {
		s := parse(t, c.allowed)
		for _, flags := range []byte{signingtest.UserPresent, signingtest.UserPresent | signingtest.UserVerified} {
			hardware.Flags = flags
			_, err := s.Check(text, sign(t, hardware, c.cert, text), "user:mara", noon)
			if refused := c.needed && flags == signingtest.UserPresent; refused != errors.Is(err, sshsig.ErrSignature) || !refused && err != nil {
				t.Errorf("%s with flags %x: %v", c.name, flags, err)
			}
		}
	}
}

// TestHardwareAuthority uses a hardware key as the authority: a user must have been
// present when it issued the certificate.
func TestHardwareAuthority(t *testing.T) {
	authority := signingtest.NewKey(t, "sk-ecdsa")
	hardware := authority.Signer.(*signingtest.HardwareKey)
	mara := signingtest.NewKey(t, "ed25519")
	s := parse(t, "user:mara cert-authority "+signingtest.Line(authority.PublicKey()))
	for flags, want := range map[byte]error{signingtest.UserPresent: nil, 0: sshsig.ErrSignature} {
		hardware.Flags = flags
		cert := certify(t, hardware, mara.PublicKey(), func(*ssh.Certificate) {})
		if _, err := s.Check(text, sign(t, mara, cert, text), "user:mara", noon); !errors.Is(err, want) {
			t.Errorf("flags %x: %v", flags, err)
		}
	}
	hardware.Flags = signingtest.UserPresent
	cert := certify(t, hardware, mara.PublicKey(), func(*ssh.Certificate) {})
	cert.KeyId = "another"
	if _, err := s.Check(text, sign(t, mara, cert, text), "user:mara", noon); !errors.Is(err, sshsig.ErrSignature) {
		t.Errorf("a certificate that was changed: %v", err)
	}
}

// TestFileIsStrict rejects lines that are ambiguous or depend on the machine.
func TestFileIsStrict(t *testing.T) {
	key, hard, weak, large := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "sk-ed25519"), signingtest.NewKey(t, "rsa-2048"), signingtest.NewKey(t, "ecdsa-521")
	line := signingtest.Line(key.PublicKey())
	cert := certify(t, key, key.PublicKey(), func(*ssh.Certificate) {})
	for _, c := range []struct{ allowed, problem string }{
		{"* " + line, "line 1: expected a principal"},
		{"# one\n*@example.com " + line, "line 2: expected a principal"},
		{"user:* " + line, "expected a principal"},
		{"user:mar? " + line, "expected a principal"},
		{"!user:ada,user:mara cert-authority " + line, "expected a principal"},
		{"user:mara,user:* cert-authority " + line, "expected a principal"},
		{`"user:mara" ` + line, "expected a principal"},
		{"mara " + line, "expected a principal"},
		{"agent:mara " + line, "expected a principal"},
		{"user: " + line, "expected a principal"},
		{"user:mara,user:ada " + line, "the key has several principals"},
		{"user:mara " + line + "\nuser:ada " + line, "have the same key"},
		{"user:mara", "a key"},
		{line, "a key"},
		{"user:mara " + line[:40], "a key"},
		{"user:mara ssh-rsa " + strings.Fields(line)[1], "a key"},
		{"user:mara " + signingtest.Line(weak.PublicKey()), "got 2048"},
		{"user:mara " + signingtest.Line(large.PublicKey()), "ecdsa-sha2-nistp521"},
		{"user:mara " + signingtest.Line(cert), "not a certificate"},
		{`user:mara namespaces="*" ` + line, "without patterns"},
		{`user:mara namespaces="!git,toolcrib-decision-v1" ` + line, "without patterns"},
		{`user:mara namespaces="" ` + line, "without patterns"},
		{`user:mara namespaces=git ` + line, `expected namespaces="`},
		{`user:mara namespaces="a",namespaces="b" ` + line, "at most once"},
		{`user:mara cert-authority,cert-authority ` + line, "at most once"},
		{`user:mara no-touch-required ` + line, "at most once"},
		{`user:mara restrict ` + line, "at most once"},
		{`user:mara valid-after="20261201" ` + line, "without the Z"},
		{`user:mara valid-after="2026-12-01Z" ` + line, "without the Z"},
		{`user:mara valid-before="202612011Z" ` + line, "without the Z"},
		{`user:mara valid-after="20261202Z",valid-before="20261201Z" ` + line, "must be after"},
		{`user:mara verify-required ` + line, "requires a hardware key"},
		{`user:mara verify-required="yes" ` + signingtest.Line(hard.PublicKey()), "at most once"},
		{strings.Repeat("#", signers.MaxSize+1), "bytes"},
		{strings.Repeat("user:mara "+line+"\n", signers.MaxEntries+1), "keys"},
	} {
		if _, err := signers.Parse([]byte(c.allowed + "\n")); !errors.Is(err, signers.ErrFile) || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%.80q: %v; expected an error about %q", c.allowed, err, c.problem)
		}
	}
}

// TestState checks that the digest depends on who may sign, not on the format of
// the file.
func TestState(t *testing.T) {
	mara, ada := signingtest.Line(signingtest.NewKey(t, "ed25519").PublicKey()), signingtest.Line(signingtest.NewKey(t, "ecdsa-384").PublicKey())
	state := func(allowed string) string { return parse(t, allowed).Digest() }
	one := state("user:mara " + mara + "\nuser:ada " + ada)
	for name, same := range map[string]string{
		"another order":  "user:ada " + ada + "\nuser:mara " + mara,
		"comments":       "# hello\n\tuser:mara\t " + mara + " mara@laptop\r\n\nuser:ada " + ada,
		"a line twice":   "user:mara " + mara + "\nuser:ada " + ada + "\nuser:mara " + mara,
		"no line at end": "user:mara " + mara + "\nuser:ada " + ada,
	} {
		if state(same) != one {
			t.Errorf("%s changes the digest", name)
		}
	}
	for name, other := range map[string]string{
		"nobody":       "",
		"one less":     "user:mara " + mara,
		"other names":  "user:ada " + mara + "\nuser:mara " + ada,
		"a limit":      `user:mara valid-before="20300101Z" ` + mara + "\nuser:ada " + ada,
		"an authority": "user:mara " + mara + "\nuser:ada cert-authority " + ada,
	} {
		if state(other) == one {
			t.Errorf("%s does not change the digest", name)
		}
	}
	for _, wrong := range []string{"", "toolcrib signers 1\n", "toolcrib signers 1\n\nrevoked x\n", "toolcrib signers 1\nuser:ada " + ada + "\nuser:ada " + ada + "\nrevoked -\n"} {
		if _, err := signers.Restore([]byte(wrong), nil); !errors.Is(err, signers.ErrFile) {
			t.Errorf("restored %q: %v", wrong, err)
		}
	}
}

// TestRecordedList restores states with a key revocation list: a revoked key signs
// no later state.
func TestRecordedList(t *testing.T) {
	signingtest.NeedsKeygen(t)
	mara, ada := signingtest.NewKey(t, "ed25519"), signingtest.NewKey(t, "ecdsa-384")
	maras, adas := signingtest.Line(mara.PublicKey()), signingtest.Line(ada.PublicKey())
	both := "user:mara " + maras + "\nuser:ada " + adas
	for _, kind := range []string{"key: ", "sha1: ", "sha256: "} {
		list := revocation(t, kind+maras)
		s := withList(t, both, list)
		if s.Digest() == parse(t, both).Digest() || !bytes.Equal(s.Text(), textWithList(t, both, list)) {
			t.Errorf("%s: the list does not change the state: %s", kind, s.Text())
		}
		if _, err := s.Check(text, sign(t, mara, nil, text), "user:mara", noon); !errors.Is(err, signers.ErrRevoked) {
			t.Errorf("%s: the revoked key: %v", kind, err)
		}
		if _, err := s.Check(text, sign(t, ada, nil, text), "user:ada", noon); err != nil {
			t.Errorf("%s: the other key: %v", kind, err)
		}
		for name, other := range map[string][]byte{"no list": nil, "another list": revocation(t, kind+adas), "a list that was changed": list[:len(list)-1]} {
			if _, err := signers.Restore(textWithList(t, both, list), other); !errors.Is(err, signers.ErrFile) {
				t.Errorf("%s: restored with %s: %v", kind, name, err)
			}
		}
		if _, err := signers.Restore(parse(t, both).Text(), list); !errors.Is(err, signers.ErrFile) {
			t.Errorf("%s: restored with a list that the state does not name: %v", kind, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	line := signingtest.Line(signingtest.NewKey(f, "ed25519").PublicKey())
	f.Add([]byte("user:mara " + line))
	f.Add([]byte(`user:mara,user:ada cert-authority,namespaces="a,b",valid-after="20261201Z",valid-before="20271201Z",verify-required ` + line))
	f.Fuzz(func(t *testing.T, allowed []byte) {
		s, err := signers.Parse(allowed)
		if err != nil {
			if !errors.Is(err, signers.ErrFile) {
				t.Fatalf("not about the file: %v", err)
			}
			return
		}
		if again, err := signers.Restore(s.Text(), nil); err != nil || again.Digest() != s.Digest() {
			t.Fatalf("%q becomes %q, which cannot be restored: %v", allowed, s.Text(), err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	mara, authority := signingtest.NewKey(b, "ed25519"), signingtest.NewKey(b, "ed25519")
	cert := certify(b, authority, mara.PublicKey(), func(*ssh.Certificate) {})
	s := parse(b, "user:mara "+signingtest.Line(mara.PublicKey())+"\nuser:mara cert-authority "+signingtest.Line(authority.PublicKey()))
	for name, signature := range map[string][]byte{"key": sign(b, mara, nil, text), "certificate": sign(b, mara, cert, text)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Check(text, signature, "user:mara", noon); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
