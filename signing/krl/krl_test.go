package krl_test

import (
	"crypto/rand"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/krl"
	"toolcrib/signing/signingtest"
)

var update = flag.Bool("update", false, "have ssh-keygen write the lists of testdata")

// scene is keys and certificates, by name, in a folder.
type scene struct {
	dir  string
	keys map[string]ssh.PublicKey
	file map[string]string // of the public half
}

func newScene(t *testing.T) scene {
	t.Helper()
	s := scene{dir: t.TempDir(), keys: map[string]ssh.PublicKey{}, file: map[string]string{}}
	authorities := map[string]signingtest.Key{}
	for _, name := range []string{"ca", "other-ca", "mara", "ada", "eve", "kim"} {
		key := signingtest.NewKey(t, "ed25519")
		s.add(t, name, key.PublicKey())
		authorities[name] = key
	}
	for _, c := range []struct {
		authority, id string
		serial        uint64
	}{
		{"ca", "mara-laptop", 1},
		{"ca", "mara-desk", 7},
		{"ca", "ada-laptop", 1000},
		{"ca", "nobody", 0},
		{"ca", "last", 1<<64 - 1},
		{"other-ca", "mara-laptop-2", 7},
		{"other-ca", "shared", 1},
	} {
		cert := &ssh.Certificate{
			Key: signingtest.NewKey(t, "ed25519").PublicKey(), Serial: c.serial, CertType: ssh.UserCert, KeyId: c.id,
			ValidPrincipals: []string{"user:mara"}, ValidBefore: ssh.CertTimeInfinity,
		}
		if err := cert.SignCert(rand.Reader, authorities[c.authority]); err != nil {
			t.Fatal(err)
		}
		s.add(t, "cert-"+c.id, cert)
	}
	return s
}

func (s scene) add(t *testing.T, name string, key ssh.PublicKey) {
	t.Helper()
	s.keys[name], s.file[name] = key, filepath.Join(s.dir, name+".pub")
	signingtest.WriteFile(t, s.file[name], signingtest.Line(key)+"\n")
}

// TestAsKeygenReads has ssh-keygen write lists of everything that it can revoke
// and asks it and Revokes about every key.
func TestAsKeygenReads(t *testing.T) {
	signingtest.NeedsKeygen(t)
	s := newScene(t)
	fingerprint := ssh.FingerprintSHA256(s.keys["kim"])
	ada := signingtest.Line(s.keys["ada"])
	var many strings.Builder
	for i := range 300 { // ssh-keygen writes close numbers as a bitmap
		fmt.Fprintf(&many, "serial: %d\n", 7+3*i)
	}
	n := 0
	for name, spec := range map[string]string{
		"nothing":        "",
		"a key":          "key: " + ada,
		"a SHA-1":        "sha1: " + ada,
		"a SHA-256":      "sha256: " + ada,
		"a hash":         "hash: " + fingerprint,
		"an authority":   "key: " + signingtest.Line(s.keys["ca"]),
		"a certificate":  "key: " + signingtest.Line(s.keys["cert-mara-desk"]),
		"serials":        "serial: 7\nserial: 18446744073709551615",
		"a range":        "serial: 5-2000",
		"all":            "serial: 1-18446744073709551615",
		"a bitmap":       many.String(),
		"far bitmaps":    "serial: 1\nserial: 3\nserial: 5\nserial: 1000000\nserial: 1000002\nserial: 1000005",
		"ids":            "id: mara-laptop\nid: shared",
		"of everything":  "id: nobody\nserial: 900-1000\nserial: 7\nkey: " + ada + "\nsha1: " + signingtest.Line(s.keys["eve"]) + "\nhash: " + fingerprint,
		"a short number": "serial: 1",
	} {
		for _, authority := range []string{"ca", "other-ca", ""} {
			if n++; n%shortrun.Every(3) != 0 {
				continue
			}
			if authority == "" && (strings.Contains(spec, "serial:") || strings.Contains(spec, "id:")) {
				continue // ssh-keygen asks for one
			}
			list := s.write(t, spec, authority)
			b, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := krl.Parse(b)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for who, revoked := range s.revoked(t, list) {
				if parsed.Revokes(s.keys[who]) != revoked {
					t.Errorf("%s of authority %q: ssh-keygen says %v of %s, and Revokes does not", name, authority, revoked, who)
				}
			}
		}
	}
}

func (s scene) write(t *testing.T, spec, authority string) string {
	t.Helper()
	file, list := filepath.Join(s.dir, "spec"), filepath.Join(s.dir, "list")
	signingtest.WriteFile(t, file, spec+"\n")
	args := []string{"-k", "-q", "-f", list}
	if authority != "" {
		args = append(args, "-s", s.file[authority])
	}
	signingtest.MustKeygen(t, nil, append(args, file)...)
	return list
}

// revoked asks ssh-keygen about every key.
func (s scene) revoked(t *testing.T, list string) map[string]bool {
	t.Helper()
	args := []string{"-Q", "-f", list}
	for _, file := range s.file {
		args = append(args, file)
	}
	out, _, _ := signingtest.Keygen(t, nil, args...)
	answers := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		for who, file := range s.file {
			if strings.HasPrefix(line, file+" ") {
				answers[who] = strings.HasSuffix(line, ": REVOKED\n")
			}
		}
	}
	if len(answers) != len(s.file) {
		t.Fatalf("ssh-keygen answers about %d of %d keys: %s", len(answers), len(s.file), out)
	}
	return answers
}

// published is the key that the list of testdata revokes, among others.
const published = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhPt8YT5HIIdYRP0YdwzPXfdm3MpW6TrMd0tlOJJS0T"

// TestPublished checks a list that ssh-keygen wrote and testdata keeps.
func TestPublished(t *testing.T) {
	file := filepath.Join("testdata", "revoked_keys")
	if *update {
		s := newScene(t)
		list := s.write(t, "key: "+published+"\nserial: 1-20\nserial: 31\nserial: 33\nid: x\nsha256: "+signingtest.Line(s.keys["ada"]), "ca")
		b, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		signingtest.WriteFile(t, file, string(b))
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := krl.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(published))
	if err != nil {
		t.Fatal(err)
	}
	if !list.Revokes(key) {
		t.Error("the key is not revoked")
	}
	if list.Revokes(signingtest.NewKey(t, "ed25519").PublicKey()) {
		t.Error("a key that was just made is revoked")
	}
	if (*krl.List)(nil).Revokes(key) {
		t.Error("no list revokes a key")
	}
	for i := range b {
		if _, err := krl.Parse(b[:i]); err == nil && !cutsAtSection(b, i) {
			t.Errorf("the first %d bytes are taken for a list", i)
		}
	}
}

// cutsAtSection reports whether the first n bytes of a list are whole sections.
func cutsAtSection(b []byte, n int) bool {
	at := 8 + 4 + 3*8
	for range 2 { // reserved and comment
		at += 4 + int(binary.BigEndian.Uint32(b[at:]))
	}
	for at < n {
		at += 1 + 4 + int(binary.BigEndian.Uint32(b[at+1:]))
	}
	return at == n
}
