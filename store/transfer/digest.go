package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// digest is a hash over the rows of a table, in the order of their numbers. Rows with
// another key are hashed each for itself, because a text that is stored escaped sorts
// elsewhere.
type digest struct {
	terms bool
	rows  int64
	hash  hash.Hash
	keyed [][sha256.Size]byte // the hashes of the rows; nil where the rows have numbers
}

func newDigest(t table) *digest {
	d := &digest{terms: t.terms(), hash: sha256.New()}
	if !t.numbered() {
		d.keyed = [][sha256.Size]byte{}
	}
	return d
}

// add adds a row: each value with its type and its length before it.
func (d *digest) add(row []any) error {
	d.rows++
	for i, value := range row {
		if d.terms && i > 0 {
			value = sortedTerms(value)
		}
		var err error
		switch v := value.(type) {
		case nil:
			_, err = io.WriteString(d.hash, "n")
		case int64:
			_, err = fmt.Fprintf(d.hash, "i%d,", v)
		case string:
			_, err = fmt.Fprintf(d.hash, "t%d:%s", len(v), v)
		case []byte:
			_, err = fmt.Fprintf(d.hash, "b%d:%s", len(v), v)
		default:
			err = fmt.Errorf("a value of type %T is not copied", value)
		}
		if err != nil {
			return err
		}
	}
	if d.keyed != nil {
		d.keyed = append(d.keyed, [sha256.Size]byte(d.hash.Sum(nil)))
		d.hash.Reset()
	}
	return nil
}

// sum tells the number of rows and their hash.
func (d *digest) sum() string {
	slices.SortFunc(d.keyed, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, row := range d.keyed {
		_, _ = d.hash.Write(row[:]) // it never fails
	}
	d.keyed = d.keyed[:0]
	return fmt.Sprintf("%d %s", d.rows, hex.EncodeToString(d.hash.Sum(nil)))
}

// sortedTerms returns terms in one order, each once.
func sortedTerms(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	terms := strings.Fields(text)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// digestOf reads a table of a database.
func digestOf(ctx context.Context, from reader, t table, columns []string) (*digest, error) {
	d := newDigest(t)
	err := from.rows(ctx, t, columns, nil, d.add)
	return d, err
}
