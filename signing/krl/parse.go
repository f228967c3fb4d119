package krl

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"

	"golang.org/x/crypto/cryptobyte"
)

const (
	magic   = 0x5353484b524c0a00 // "SSHKRL\n\0"
	version = 1
)

// The kinds of sections.
const (
	sectionCertificates = 1
	sectionKeys         = 2
	sectionSHA1         = 3
	sectionSignature    = 4
	sectionSHA256       = 5
	sectionExtension    = 255
)

// The kinds of sections within one for certificates.
const (
	certSerials   = 0x20
	certRange     = 0x21
	certBitmap    = 0x22
	certIDs       = 0x23
	certExtension = 0x39
)

// Parse reads a list. It refuses a signed one, because nobody says whose
// signature it should have.
func Parse(b []byte) (*List, error) {
	if len(b) > MaxSize {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrMalformed, MaxSize)
	}
	s := cryptobyte.String(b)
	if err := header(&s); err != nil {
		return nil, err
	}
	l := &List{keys: map[string]bool{}, issued: map[string]*certificates{}}
	for !s.Empty() {
		var kind uint8
		var data cryptobyte.String
		if !s.ReadUint8(&kind) {
			return nil, short("a section")
		}
		if kind == sectionSignature {
			return nil, fmt.Errorf("%w: it is signed; make one without a signature", ErrMalformed)
		}
		if !read(&s, &data) {
			return nil, short("a section")
		}
		if err := l.section(kind, data); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func header(s *cryptobyte.String) error {
	var word, number, date, flags uint64
	var format uint32
	var reserved, comment cryptobyte.String
	if !s.ReadUint64(&word) || word != magic {
		return fmt.Errorf("%w: it does not begin as one; write it with ssh-keygen -k", ErrMalformed)
	}
	if !s.ReadUint32(&format) || format != version {
		return fmt.Errorf("%w: it is not of version %d", ErrMalformed, version)
	}
	if !s.ReadUint64(&number) || !s.ReadUint64(&date) || !s.ReadUint64(&flags) || !read(s, &reserved) || !read(s, &comment) {
		return short("the header")
	}
	return nil
}

func (l *List) section(kind uint8, data cryptobyte.String) error {
	switch kind {
	case sectionCertificates:
		return l.certificates(data)
	case sectionKeys:
		return each(data, "a key", func(key []byte) error {
			// A short one would pass for a hash.
			if len(key) > sha256.Size {
				l.keys[string(key)] = true
			}
			return nil
		})
	case sectionSHA1:
		return l.hashes(data, sha1.Size)
	case sectionSHA256:
		return l.hashes(data, sha256.Size)
	case sectionExtension:
		return extension(data)
	}
	return fmt.Errorf("%w: unknown kind %d of section", ErrMalformed, kind)
}

func (l *List) hashes(data cryptobyte.String, size int) error {
	return each(data, "a hash", func(hash []byte) error {
		if len(hash) != size {
			return fmt.Errorf("%w: a hash has %d bytes, not %d", ErrMalformed, len(hash), size)
		}
		l.keys[string(hash)] = true
		return nil
	})
}

func (l *List) certificates(data cryptobyte.String) error {
	var authority, reserved cryptobyte.String
	if !read(&data, &authority) || !read(&data, &reserved) {
		return short("the authority of certificates")
	}
	c := l.issued[string(authority)]
	if c == nil {
		c = &certificates{ids: map[string]bool{}}
		l.issued[string(authority)] = c
	}
	for !data.Empty() {
		var kind uint8
		var part cryptobyte.String
		if !data.ReadUint8(&kind) || !read(&data, &part) {
			return short("certificates")
		}
		if err := c.part(kind, part); err != nil {
			return err
		}
	}
	return nil
}

func (c *certificates) part(kind uint8, data cryptobyte.String) error {
	switch kind {
	case certSerials:
		for !data.Empty() {
			var serial uint64
			if !data.ReadUint64(&serial) {
				return short("a serial number")
			}
			c.ranges = append(c.ranges, serials{serial, serial})
		}
		return nil
	case certRange:
		var r serials
		if !data.ReadUint64(&r.lo) || !data.ReadUint64(&r.hi) || !data.Empty() || r.lo > r.hi {
			return short("a range of serial numbers")
		}
		c.ranges = append(c.ranges, r)
		return nil
	case certBitmap:
		return c.bitmap(data)
	case certIDs:
		return each(data, "the id of a key", func(id []byte) error {
			c.ids[string(id)] = true
			return nil
		})
	case certExtension:
		return extension(data)
	}
	return fmt.Errorf("%w: unknown kind %d of certificate section", ErrMalformed, kind)
}

// bitmap reads a number whose bits stand for serial numbers. It is kept as it
// is: written out, a few bytes would become millions of numbers.
func (c *certificates) bitmap(data cryptobyte.String) error {
	var first uint64
	var bits cryptobyte.String
	if !data.ReadUint64(&first) || !read(&data, &bits) || !data.Empty() {
		return short("a bitmap of serial numbers")
	}
	if len(bits) > 0 && bits[0]&0x80 != 0 {
		return fmt.Errorf("%w: a bitmap is negative", ErrMalformed)
	}
	if first+uint64(len(bits))*8 < first {
		return fmt.Errorf("%w: a bitmap ends beyond the last serial number", ErrMalformed)
	}
	c.bitmaps = append(c.bitmaps, bitmap{first, bits})
	return nil
}

// extension passes over what only later versions know, unless it says that it
// has to be understood.
func extension(data cryptobyte.String) error {
	var name, contents cryptobyte.String
	var critical uint8
	if !read(&data, &name) || !data.ReadUint8(&critical) || !read(&data, &contents) || !data.Empty() {
		return short("an extension")
	}
	if critical != 0 {
		return fmt.Errorf("%w: unknown critical extension %.80q", ErrMalformed, []byte(name))
	}
	return nil
}

// each calls fn for every string of a section.
func each(data cryptobyte.String, what string, fn func([]byte) error) error {
	for !data.Empty() {
		var s cryptobyte.String
		if !read(&data, &s) {
			return short(what)
		}
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// read reads a string: its length in four bytes, then its bytes.
func read(s, to *cryptobyte.String) bool {
	var n uint32
	var b []byte
	if !s.ReadUint32(&n) || uint64(n) > uint64(len(*s)) || !s.ReadBytes(&b, int(n)) {
		return false
	}
	*to = b
	return true
}

func short(what string) error {
	return fmt.Errorf("%w: %s is incomplete or has other bytes in it", ErrMalformed, what)
}
