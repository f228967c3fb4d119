package checkpoint

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// The first lines of proofs. An inclusion proof is a C2SP tlog-proof without
// extra data; a consistency proof has the form that a C2SP tlog-witness is sent.
const (
	inclusionFormat   = "c2sp.org/tlog-proof@v1"
	indexLine         = "index "
	oldLine           = "old "
	maxProof          = 64 // hashes: a tree of 2^63 events needs no more
	maxProofFile      = MaxSize + (maxProof+3)*64
	expectedProofForm = "expected a tlog-proof or an old size, hashes, an empty line and a checkpoint"
)

// Proof is a proof with the checkpoint that it is about.
type Proof struct {
	Event  int64 // inclusion of this event, counted from 1; or
	Old    int64 // consistency with a checkpoint of so many events
	Hashes []tlog.Hash
	Signed []byte // the checkpoint with its signatures
}

// Encode writes a proof.
func (p Proof) Encode() []byte {
	var b bytes.Buffer
	if p.Event > 0 {
		fmt.Fprintf(&b, "%s\n%s%d\n", inclusionFormat, indexLine, p.Event-1)
	} else {
		fmt.Fprintf(&b, "%s%d\n", oldLine, p.Old)
	}
	for _, h := range p.Hashes {
		fmt.Fprintln(&b, h)
	}
	b.WriteByte('\n')
	b.Write(p.Signed)
	return b.Bytes()
}

// DecodeProof reads what Encode writes and nothing else. It checks no signature.
func DecodeProof(text []byte) (Proof, error) {
	var p Proof
	if len(text) > maxProofFile {
		return p, fmt.Errorf("%w: proof of more than %d bytes", ErrMalformed, maxProofFile)
	}
	head, signed, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) > maxProof+2 {
		return p, fmt.Errorf("%w: %s", ErrMalformed, expectedProofForm)
	}
	rest := lines[1:]
	var err error
	if old, ok := strings.CutPrefix(lines[0], oldLine); ok {
		p.Old, err = strconv.ParseInt(old, 10, 64)
	} else if lines[0] == inclusionFormat && len(rest) > 0 {
		var index int64
		index, err = strconv.ParseInt(strings.TrimPrefix(rest[0], indexLine), 10, 64)
		p.Event, rest = index+1, rest[1:]
	}
	for _, line := range rest {
		h, parseErr := tlog.ParseHash(line)
		if parseErr != nil {
			return Proof{}, fmt.Errorf("%w: %.80q is not a hash", ErrMalformed, line)
		}
		p.Hashes = append(p.Hashes, h)
	}
	p.Signed = []byte(signed)
	if err != nil || p.Event < 1 && p.Old < 1 || !bytes.Equal(p.Encode(), text) {
		return Proof{}, fmt.Errorf("%w: %s", ErrMalformed, expectedProofForm)
	}
	return p, nil
}
