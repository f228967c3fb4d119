// This file splits a bundle into parts and joins them again. Only the parts that have changed need to be stored or
// transferred.

package bundle

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/bits"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/signing/statement"
)

// Index describes a bundle that is divided into parts. It contains the header of the bundle and the hashes of the
// parts. A part has the same hash in two bundles of a registry unless one of its records has changed.
type Index struct {
	Format string `json:"format"` // IndexFormat
	Header
	// Parts contains the SHA-256 hashes of the parts in base64url. A part is the JSON of Records. Two records are in
	// the same part if the hashes of their keys begin with the same bits. More bits are compared in larger bundles.
	Parts []string `json:"parts"`
}

// IndexFormat is the format of an index.
const IndexFormat = "toolcrib bundle index 1"

// partSize is the target size of a part in bytes, as long as there are at most maxParts parts. After an approval,
// typically two parts and the index must be transferred.
const (
	partSize = 48 << 10
	maxParts = 1 << 9
)

// Split divides b into parts. It returns the index, and a map from the hash of each part to the part.
func (b Bundle) Split() (Index, map[string][]byte, error) {
	index := Index{Format: IndexFormat, Header: b.Header, Parts: []string{}}
	whole, err := jsondoc.Encode(b.Records)
	if err != nil {
		return index, nil, err
	}
	prefix := min(bits.Len(uint(len(whole)/partSize)), bits.Len(maxParts)-1) // number of leading bits of the hashed key that select a part
	for ; ; prefix++ {
		buckets := make([]Records, 1<<prefix)
		bucket := func(key string) *Records {
			sum := sha256.Sum256([]byte(key))
			return &buckets[(int(sum[0])<<8|int(sum[1]))>>(16-prefix)]
		}
		b.distribute(bucket)
		parts, largest := map[string][]byte{}, 0
		index.Parts = index.Parts[:0]
		for _, records := range buckets {
			if len(records.Versions)+len(records.Statements)+len(records.Signers)+len(records.Raws)+len(records.Contents) == 0 {
				continue
			}
			part, err := jsondoc.Encode(records)
			if err != nil {
				return index, nil, err
			}
			hash := PartHash(part)
			index.Parts, parts[hash], largest = append(index.Parts, hash), part, max(largest, len(part))
		}
		if largest <= MaxSize {
			return index, parts, nil
		}
		if prefix == 16 {
			return index, nil, fmt.Errorf("a part of the bundle has %d MiB, but the limit is %d MiB; deactivate skills with large files", largest>>20, MaxSize>>20)
		}
	}
}

// distribute appends each record to the bucket for its key. A version and the raw JSON of its tool have the subject as
// their key. Each statement has a separate key, because a statement may cover many subjects. Each binary file has a
// separate key, too.
func (b Bundle) distribute(bucket func(key string) *Records) {
	subjects := map[string]string{} // maps the hash of the raw JSON of a tool to the subject of the tool
	for _, v := range b.Versions {
		r := bucket(v.Subject)
		r.Versions = append(r.Versions, v)
		if b.subjects != nil {
			continue
		}
		if s, err := registry.ParseSubject(v.Subject); err == nil && s.Kind == registry.KindTool {
			if d, err := registry.DecodeDefinition(s.Kind, v.Definition); err == nil {
				raw, _ := sources(d)
				subjects[raw] = v.Subject
			}
		}
	}
	for _, raw := range b.Raws {
		key, known := b.subjects[raw]
		if hash, err := wire.HashRaw([]byte(raw)); !known && err == nil {
			key, known = subjects[hash]
		}
		if !known {
			key = raw
		}
		r := bucket(key)
		r.Raws = append(r.Raws, raw)
	}
	for _, s := range b.Statements {
		r := bucket(s.Statement)
		r.Statements = append(r.Statements, s)
	}
	for _, s := range b.Signers {
		r := bucket("signers")
		r.Signers = append(r.Signers, s)
	}
	for _, c := range b.Contents {
		r := bucket(string(c))
		r.Contents = append(r.Contents, c)
	}
}

// PartHash returns the hash that represents part in an index.
func PartHash(part []byte) string {
	sum := sha256.Sum256(part)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Encode returns i as JSON.
func (i Index) Encode() ([]byte, error) { return jsondoc.Encode(i) }

// DecodeIndex parses an index. It returns an error for duplicate and unknown keys. It does not verify hashes.
func DecodeIndex(data []byte) (Index, error) {
	i, err := decode[Index](data)
	if err == nil && i.Format != IndexFormat {
		err = fmt.Errorf("%w: the format is not %q", ErrMalformed, IndexFormat)
	}
	return i, err
}

// Join assembles a bundle from its parts. get returns the part with the given hash. Join verifies only the hashes of
// the parts.
func (i Index) Join(get func(hash string) ([]byte, error)) (Bundle, error) {
	b := Bundle{Format: Format, Header: i.Header, Records: Records{Versions: []Version{}, Statements: []Statement{}, Signers: []State{}}}
	seen := map[string]bool{}
	for _, hash := range i.Parts {
		if seen[hash] {
			return b, fmt.Errorf("%w: the index lists part %s more than once", ErrMalformed, hash)
		}
		seen[hash] = true
		part, err := get(hash)
		if err != nil {
			return b, fmt.Errorf("part %s: %w", hash, err)
		}
		if PartHash(part) != hash {
			return b, fmt.Errorf("part %s: %w: the content of the part does not match its hash", hash, ErrMalformed)
		}
		r, err := decode[Records](part)
		if err != nil {
			return b, fmt.Errorf("part %s: %w", hash, err)
		}
		b.Versions, b.Statements, b.Signers = append(b.Versions, r.Versions...), append(b.Statements, r.Statements...), append(b.Signers, r.Signers...)
		b.Raws, b.Contents = append(b.Raws, r.Raws...), append(b.Contents, r.Contents...)
		if len(b.Versions) > maxVersions || len(b.Statements) > maxVersions {
			return b, fmt.Errorf("%w: the parts contain more than %d versions or statements", ErrMalformed, maxVersions)
		}
	}
	return b, nil
}

// Only creates a smaller bundle from b. The result contains the given live definitions, which must have been verified,
// and all records that are needed to verify these definitions again.
func (b Bundle) Only(lives []registry.Live) Bundle {
	out := Bundle{Format: Format, Header: b.Header, Records: Records{Versions: []Version{}, Statements: []Statement{}, Signers: b.Signers}}
	subjects, needed := map[string]bool{}, map[string]bool{}
	for _, l := range lives {
		subjects[l.Subject.String()] = true
		raw, contents := sources(l.Definition)
		needed[raw] = true
		for _, hash := range contents {
			needed[hash] = true
		}
	}
	for _, s := range b.Signers {
		needed[s.Statement] = true
	}
	for _, v := range b.Versions {
		if subjects[v.Subject] {
			out.Versions = append(out.Versions, v)
			for _, hash := range v.Signatures() {
				needed[hash] = true
			}
		}
	}
	out.Statements = lists.Filter(b.Statements, func(s Statement) bool { return needed[statement.Sum([]byte(s.Statement))] })
	for _, raw := range b.Raws {
		if hash, err := wire.HashRaw([]byte(raw)); err == nil && needed[hash] {
			out.Raws = append(out.Raws, raw)
		}
	}
	out.Contents = slices.DeleteFunc(slices.Clone(b.Contents), func(data []byte) bool { return !needed[registry.HashBytes(data)] })
	return out
}
