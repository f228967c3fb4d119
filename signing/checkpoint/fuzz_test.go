package checkpoint_test

import (
	"bytes"
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/signing/checkpoint"
)

func FuzzParse(f *testing.F) {
	f.Add(at(3).Text())
	none := at(3)
	none.Calls = checkpoint.Head{}
	f.Add(none.Text())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := checkpoint.Parse(text)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Fatalf("the error does not wrap ErrMalformed: %v", err)
			}
			return
		}
		if c.Text() != text {
			t.Fatalf("%q becomes %q", text, c.Text())
		}
	})
}

// FuzzProof checks that no proof except the correct one is accepted, and that every
// check terminates.
func FuzzProof(f *testing.F) {
	var log checkpoint.Log
	for n := int64(1); n <= 13; n++ {
		if err := log.Append(event(n)); err != nil {
			f.Fatal(err)
		}
	}
	c := at(13)
	honest, err := log.ProveEvent(13, 5)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(int64(13), int64(5), join(honest))
	f.Fuzz(func(t *testing.T, size, seq int64, b []byte) {
		var hashes []tlog.Hash
		for ; len(b) >= tlog.HashSize; b = b[tlog.HashSize:] {
			hashes = append(hashes, tlog.Hash(b))
		}
		claimed := c
		claimed.Size = size
		// A changed size can match the claimed root; the signature of the
		// checkpoint covers both.
		if claimed.CheckEvent(seq, event(5), hashes) == nil && size == 13 && (seq != 5 || string(join(hashes)) != string(join(honest))) {
			t.Fatalf("event 5 is proved to be event %d", seq)
		}
		_ = claimed.CheckGrowth(at(5), hashes) // must return
	})
}

func join(hashes []tlog.Hash) []byte {
	var b []byte
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return b
}

// FuzzDecodeProof checks that Encode restores every decoded proof.
func FuzzDecodeProof(f *testing.F) {
	f.Add(checkpoint.Proof{Event: 3, Hashes: []tlog.Hash{{1}, {2}}, Signed: []byte("x\n")}.Encode())
	f.Add(checkpoint.Proof{Old: 3, Hashes: []tlog.Hash{{1}}, Signed: []byte("x\n")}.Encode())
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 0\n\n"))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex -1\n\n"))
	f.Add([]byte("old 9223372036854775807\n\n"))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra AA==\nindex 0\n\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := checkpoint.DecodeProof(text)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrMalformed) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !bytes.Equal(p.Encode(), text) {
			t.Errorf("%q is read as %+v", text, p)
		}
	})
}
