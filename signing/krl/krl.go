// Package krl reads OpenSSH key revocation lists, as "ssh-keygen -k" writes
// them. The format is OpenSSH's PROTOCOL.krl.
//
// There is no maintained Go library for it. A list comes from outside: reading
// takes time and memory in proportion to its size, whatever it holds.
package krl

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"

	"golang.org/x/crypto/ssh"
)

// MaxSize is the size of the largest list that is read, in bytes.
const MaxSize = 4 << 20

// ErrMalformed is wrapped by every error about a list that cannot be read. What
// is not understood is an error too: it may revoke something.
var ErrMalformed = errors.New("malformed key revocation list")

// List is a key revocation list. A nil List revokes nothing.
type List struct {
	keys   map[string]bool          // public keys as on the wire, and hashes of them
	issued map[string]*certificates // revoked certificates of an authority, by its key; of every authority under ""
}

// certificates are those that one authority revoked.
type certificates struct {
	ids     map[string]bool
	ranges  []serials
	bitmaps []bitmap
}

// serials are the numbers from lo to hi.
type serials struct{ lo, hi uint64 }

// bitmap has a bit for each number from first on, the last bit for the first.
type bitmap struct {
	first uint64
	bits  []byte // big-endian
}

// Revokes reports whether the list has a key, a certificate, the key that the
// certificate is for, or its authority.
func (l *List) Revokes(key ssh.PublicKey) bool {
	if l == nil {
		return false
	}
	cert, ok := key.(*ssh.Certificate)
	if !ok {
		return l.plain(key)
	}
	return l.plain(cert.Key) || l.plain(cert.SignatureKey) ||
		l.issued[""].revoke(cert) || l.issued[string(cert.SignatureKey.Marshal())].revoke(cert)
}

func (l *List) plain(key ssh.PublicKey) bool {
	wire := key.Marshal()
	short, long := sha1.Sum(wire), sha256.Sum256(wire)
	return l.keys[string(wire)] || l.keys[string(short[:])] || l.keys[string(long[:])]
}

// revoke reports whether a certificate is among those revoked. The number 0 means
// none: authorities that do not count give it to all.
func (c *certificates) revoke(cert *ssh.Certificate) bool {
	if c == nil {
		return false
	}
	if c.ids[cert.KeyId] {
		return true
	}
	if cert.Serial == 0 {
		return false
	}
	for _, r := range c.ranges {
		if r.lo <= cert.Serial && cert.Serial <= r.hi {
			return true
		}
	}
	for _, b := range c.bitmaps {
		if b.has(cert.Serial) {
			return true
		}
	}
	return false
}

func (b bitmap) has(serial uint64) bool {
	if serial < b.first {
		return false
	}
	bit := serial - b.first
	at := bit / 8
	return at < uint64(len(b.bits)) && b.bits[uint64(len(b.bits))-1-at]>>(bit%8)&1 == 1
}
