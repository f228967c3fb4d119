package krl_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"toolcrib/internal/shortrun"
	"toolcrib/signing/krl"
	"toolcrib/signing/signingtest"
)

// list builds lists that ssh-keygen does not write.
func list(sections ...[]byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, 0x5353484b524c0a00)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = append(b, make([]byte, 3*8+2*4)...)
	for _, s := range sections {
		b = append(b, s...)
	}
	return b
}

func section(kind byte, parts ...[]byte) []byte {
	var data []byte
	for _, p := range parts {
		data = append(data, p...)
	}
	return append([]byte{kind}, str(data)...)
}

func str(b []byte) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...) }

func u64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// TestRefuses refuses what it does not understand, and what is out of order.
func TestRefuses(t *testing.T) {
	none := [][]byte{str(nil), str(nil)}
	of := func(part []byte) []byte { return section(1, append(none, part)...) }
	if _, err := krl.Parse(list(section(255, str([]byte("later")), []byte{0}, str(nil)), of(section(0x39, str(nil), []byte{0}, str(nil))))); err != nil {
		t.Errorf("extensions that can be passed over: %v", err)
	}
	for name, b := range map[string][]byte{
		"nothing":                 nil,
		"another file":            []byte("ssh-ed25519 AAAA"),
		"another version":         append(list()[:11], append([]byte{2}, list()[12:]...)...),
		"a signature":             list(section(4, str(nil), str(nil))),
		"an unknown section":      list(section(9)),
		"a critical extension":    list(section(255, str(nil), []byte{1}, str(nil))),
		"a short hash":            list(section(3, str([]byte("abc")))),
		"half a serial number":    list(of(section(0x20, []byte("abc")))),
		"a range the wrong way":   list(of(section(0x21, u64(2), u64(1)))),
		"a range of three":        list(of(section(0x21, u64(1), u64(2), u64(3)))),
		"a negative bitmap":       list(of(section(0x22, u64(1), str([]byte{0x80})))),
		"a bitmap over the end":   list(of(section(0x22, u64(1<<64-2), str([]byte{0x7f})))),
		"unknown certificates":    list(of(section(0x24))),
		"critical for those":      list(of(section(0x39, str(nil), []byte{1}, str(nil)))),
		"a string over the end":   append(list(), 2, 0xff, 0xff, 0xff, 0xff),
		"a section without a CA":  list(section(1)),
		"more than it may have":   append(list(), make([]byte, krl.MaxSize)...),
		"a byte after everything": append(list(), 0),
	} {
		if _, err := krl.Parse(b); !errors.Is(err, krl.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostileSize reads the largest lists of the smallest parts and asks about a
// certificate; it ends, and keeps little more than it reads.
func TestHostileSize(t *testing.T) {
	shortrun.NeedsLong(t)
	cert := &ssh.Certificate{Key: signingtest.NewKey(t, "ed25519").PublicKey(), SignatureKey: signingtest.NewKey(t, "ed25519").PublicKey(), Serial: 1 << 40, KeyId: "laptop"}
	fill := func(part []byte) []byte {
		var data []byte
		for len(data)+len(part) < krl.MaxSize-200 {
			data = append(data, part...)
		}
		return data
	}
	for name, b := range map[string][]byte{
		"empty bitmaps": list(section(1, str(nil), str(nil), fill(section(0x22, u64(0), str(nil))))),
		"one bitmap":    list(section(1, str(nil), str(nil), section(0x22, u64(1<<41), str(fill([]byte{0x7f}))))),
		"serials":       list(section(1, str(nil), str(nil), section(0x20, fill(u64(9))))),
		"ids":           list(section(1, str(nil), str(nil), section(0x23, fill(str(nil))))),
		"keys":          list(section(2, fill(str(nil)))),
		"sections":      list(fill(section(2))),
		"authorities":   list(fill(section(1, str(nil), str(nil)))),
	} {
		l, err := krl.Parse(b)
		if err != nil || l.Revokes(cert) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "revoked_keys"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(list(section(1, str(nil), str(nil), section(0x22, u64(1), str([]byte{0x7f})))))
	authority := signingtest.NewKey(f, "ed25519")
	cert := &ssh.Certificate{Key: authority.PublicKey(), SignatureKey: authority.PublicKey(), Serial: 31, KeyId: "x"}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := krl.Parse(b)
		if err != nil {
			if !errors.Is(err, krl.ErrMalformed) {
				t.Fatalf("not a malformed list: %v", err)
			}
			return
		}
		_ = l.Revokes(cert) // must return
	})
}
