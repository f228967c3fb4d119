package sshsig_test

import (
	"bytes"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// wire repeats the format of PROTOCOL.sshsig, to write variants that ssh-keygen
// does not.
type wire struct {
	Magic     [6]byte
	Version   uint32
	PublicKey []byte
	Namespace string
	Reserved  []byte
	Hash      string
	Signature []byte
	After     []byte `ssh:"rest"`
}

func armor(b []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: b})
}

// TestParseRejectsOtherEncodings changes the encoding of a good signature in many ways; Parse must
// reject each.
func TestParseRejectsOtherEncodings(t *testing.T) {
	text := message(t)
	key := signingtest.NewKey(t, "ed25519")
	s, err := sshsig.New(key.PublicKey(), text, raw(t, key, text))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(s.Armor())
	for name, change := range map[string]func(*wire){
		"a reserved field":         func(w *wire) { w.Reserved = []byte("x") },
		"a byte at the end":        func(w *wire) { w.After = []byte{0} },
		"another version":          func(w *wire) { w.Version = 2 },
		"another magic":            func(w *wire) { w.Magic = [6]byte{} },
		"another hash":             func(w *wire) { w.Hash = "sha256" },
		"no hash":                  func(w *wire) { w.Hash = "" },
		"a byte after the key":     func(w *wire) { w.PublicKey = append(w.PublicKey, 0) },
		"no key":                   func(w *wire) { w.PublicKey = nil },
		"a byte after the blob":    func(w *wire) { w.Signature = append(w.Signature, 0) },
		"half a signature":         func(w *wire) { w.Signature = w.Signature[:20] },
		"a signature of no format": func(w *wire) { w.Signature = nil },
	} {
		var w wire
		if err := ssh.Unmarshal(block.Bytes, &w); err != nil {
			t.Fatal(err)
		}
		if verify(armor(ssh.Marshal(w)), text) != nil {
			t.Fatal("the unchanged signature is invalid")
		}
		change(&w)
		if err := verify(armor(ssh.Marshal(w)), text); !errors.Is(err, sshsig.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := string(s.Armor())
	for name, bad := range map[string]string{
		"text before it":    "x\n" + good,
		"a line before it":  "\n" + good,
		"text after it":     good + "x",
		"a second one":      good + good,
		"a PEM header":      strings.Replace(good, "-----\n", "-----\nA: b\n\n", 1),
		"no end":            strings.Split(good, "-----END")[0],
		"another title":     strings.ReplaceAll(good, "SSH SIGNATURE", "PGP SIGNATURE"),
		"a space in it":     strings.Replace(good, "U1NI", "U1 NI", 1),
		"too many bytes":    strings.Replace(good, "U1NI", strings.Repeat("\n", sshsig.MaxSize)+"U1NI", 1),
		"nothing":           "",
		"only the envelope": "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
	} {
		if err := verify([]byte(bad), text); !errors.Is(err, sshsig.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, same := range map[string]string{
		"CRLF": strings.ReplaceAll(good, "\n", "\r\n"), "no last line end": strings.TrimSuffix(good, "\n"), "other columns": string(armor(block.Bytes)),
	} {
		if got, err := sshsig.Parse([]byte(same)); err != nil || string(got.Armor()) != good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMoreKeysAreRefused uses certificates with keys that are not accepted.
func TestMoreKeysAreRefused(t *testing.T) {
	text := message(t)
	authority := signingtest.NewKey(t, "ecdsa-521")
	holder := signingtest.NewKey(t, "ed25519")
	cert := &ssh.Certificate{Key: holder.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"user:mara"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	if _, err := sshsig.New(cert, text, raw(t, holder, text)); !errors.Is(err, sshsig.ErrKey) {
		t.Errorf("a certificate by a P-521 key: %v", err)
	}
	weak := signingtest.NewKey(t, "rsa-2048")
	cert.Key = weak.PublicKey()
	if err := cert.SignCert(rand.Reader, holder); err != nil {
		t.Fatal(err)
	}
	if _, err := sshsig.New(cert, text, raw(t, weak, text)); !errors.Is(err, sshsig.ErrKey) {
		t.Errorf("a certificate of an RSA key with 2048 bits: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	text := message(f)
	for _, kind := range signingtest.Accepted() {
		key := signingtest.NewKey(f, kind)
		s, err := sshsig.New(key.PublicKey(), text, raw(f, key, text))
		if err != nil {
			f.Fatal(err)
		}
		block, _ := pem.Decode(s.Armor())
		f.Add(block.Bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := sshsig.Parse(armor(b))
		if err != nil {
			return
		}
		block, _ := pem.Decode(s.Armor())
		if !bytes.Equal(block.Bytes, b) {
			t.Fatalf("%x was parsed as %x", b, block.Bytes)
		}
		_ = s.Verify(text) // must return
	})
}
