// Package bundle reads, writes, and verifies bundles. A bundle is a file with a part of a registry that can be verified
// without the database: live definitions with their complete version chains, and the signed statements of the users who
// approved them. docs/signing-format.md describes the format.
package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/statement"
)

// Format is the value of the key "format". Decode also reads the previous format, which lacks the checkpoint, raws, and
// contents.
const (
	Format  = "toolcrib bundle 2"
	format1 = "toolcrib bundle 1"
)

// Limits of a bundle.
const (
	MaxSize     = 64 << 20 // bytes of a file or a part
	maxVersions = 200_000
)

// ErrMalformed means that a file is not a valid bundle.
var ErrMalformed = errors.New("malformed bundle")

// Bundle is a snapshot of a part of a registry. It cannot prove that no subject and no newer version is missing.
type Bundle struct {
	Format string `json:"format"`
	Header
	Records
}

// Header describes the registry that a bundle was taken from.
type Header struct {
	Database string    `json:"database"` // hash of event 1
	Log      Head      `json:"log"`      // the newest event
	At       time.Time `json:"at"`       // the newest decision or state of the signers in the bundle
	View     []string  `json:"view"`     // layers, the first one overrides the next
	// Checkpoint is the checkpoint of the log, signed if a key signs checkpoints, or "" without one.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// Records are the records of a bundle or of one part.
type Records struct {
	Versions   []Version   `json:"versions"`
	Statements []Statement `json:"statements"`
	Signers    []State     `json:"signers"`
	// Raws are the JSON texts that the live tools were imported from, byte for byte.
	Raws []string `json:"raws,omitempty"`
	// Contents are the binary files of the live skills.
	Contents [][]byte `json:"contents,omitempty"`
}

// Head is an event.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// Version is one version of a subject. The last one of a subject is live.
type Version struct {
	Subject string `json:"subject"` // which may be none in a bundle that was changed
	history.Version
}

// Statement is a signed statement.
type Statement struct {
	Statement string `json:"statement"`
	Signature string `json:"signature"`
}

// State is a recorded state of the signers. It is informational: the checker decides whom to trust.
type State struct {
	Number    int       `json:"number"`
	Event     Head      `json:"event"`
	At        time.Time `json:"at"`
	Text      string    `json:"text"`
	Revoked   []byte    `json:"revoked,omitempty"`
	Statement string    `json:"statement"`
}

// Of returns a bundle of live definitions from a snapshot. Its bytes depend only on the registry.
func Of(ctx context.Context, r review.Reader, lives []registry.Live, view []registry.Layer) (Bundle, error) {
	b := Bundle{Format: Format, Header: Header{View: []string{}}, Records: Records{Versions: []Version{}, Statements: []Statement{}, Signers: []State{}}}
	var err error
	if b.Database, err = r.EventHash(ctx, 1); err != nil {
		return b, err
	}
	last, err := r.LastEvent(ctx)
	if err != nil {
		return b, err
	}
	b.Log = Head(last)
	for _, layer := range view {
		b.View = append(b.View, string(layer))
	}
	wanted := statements{r: r, seen: map[string]bool{}}
	added := map[string]bool{} // raws and contents that were added, by hash
	for _, l := range lives {
		for n := 1; n <= l.Version; n++ {
			v, err := r.Version(ctx, l.Subject, n)
			if err != nil {
				return b, err
			}
			v.DecidedAt = v.DecidedAt.UTC()
			b.Versions = append(b.Versions, Version{v.Subject.String(), v})
			if v.DecidedAt.After(b.At) {
				b.At = v.DecidedAt
			}
			if n == l.Version {
				if err := b.addSources(ctx, r, v, added); err != nil {
					return b, err
				}
			}
			for _, hash := range v.Signatures() {
				if err := wanted.add(ctx, hash); err != nil {
					return b, err
				}
			}
		}
	}
	states, err := r.SignersStates(ctx)
	if err != nil {
		return b, err
	}
	for _, s := range states {
		if s.At.After(b.At) {
			b.At = s.At.UTC()
		}
		b.Signers = append(b.Signers, State{s.Number, Head(s.Event), s.At, string(s.Text), s.Revoked, s.Statement})
		if err := wanted.add(ctx, s.Statement); err != nil {
			return b, err
		}
	}
	b.Statements = append(b.Statements, wanted.found...)
	return b, nil
}

// addSources adds the bytes that the definition of a live version refers to by hash.
func (b *Bundle) addSources(ctx context.Context, r review.Reader, v history.Version, added map[string]bool) error {
	d, err := registry.DecodeDefinition(v.Subject.Kind, v.Definition)
	if err != nil {
		return fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	raw, contents := sources(d)
	if raw != "" && !added[raw] {
		body, ok, err := r.Raw(ctx, raw)
		if err != nil {
			return err
		}
		if added[raw] = true; ok { // otherwise the import is older than this table
			b.Raws = append(b.Raws, string(body))
		}
	}
	for _, hash := range contents {
		if added[hash] {
			continue
		}
		data, ok, err := r.Content(ctx, hash)
		if err != nil {
			return err
		}
		if added[hash] = true; ok {
			b.Contents = append(b.Contents, data)
		}
	}
	return nil
}

// sources returns the hash of the JSON that a tool was imported from, or "", and the hashes of the binary files of a
// skill.
func sources(d registry.Definition) (raw string, contents []string) {
	if d.Tool != nil && d.Tool.Source != nil {
		raw = d.Tool.Source.Hash
	}
	if folder := d.Folder(); folder != nil {
		for _, name := range folder.Paths() {
			if file := folder.Files[name]; file.Binary() {
				contents = append(contents, file.SHA256)
			}
		}
	}
	return raw, contents
}

// statements collects signed statements without duplicates.
type statements struct {
	r     proof.SignatureReader
	seen  map[string]bool
	found []Statement
}

func (s *statements) add(ctx context.Context, hash string) error {
	if hash == "" || s.seen[hash] {
		return nil
	}
	s.seen[hash] = true
	record, err := s.r.Signature(ctx, hash)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil // the check reports it as missing
	}
	if err == nil {
		s.found = append(s.found, Statement{record.Statement, record.Signature})
	}
	return err
}

// version converts v to a history.Version.
func (v Version) version() (history.Version, error) {
	subject, err := registry.ParseSubject(v.Subject)
	if err != nil {
		return history.Version{}, err
	}
	n, err := jsondoc.Parse(v.Definition, jsondoc.DefaultLimits)
	if err != nil {
		return history.Version{}, err
	}
	v.Version.Subject, v.Definition = subject, jsondoc.Canonical(n)
	return v.Version, nil
}

// Encode writes a bundle.
func (b Bundle) Encode() ([]byte, error) { return jsondoc.Encode(b) }

// Decode parses a bundle strictly. Duplicate and unknown keys, and bundles beyond the limits, are errors. Decode does
// not verify hashes or signatures.
func Decode(data []byte) (Bundle, error) {
	b, err := decode[Bundle](data)
	switch {
	case err != nil:
		return Bundle{}, err
	case b.Format != Format && b.Format != format1:
		return Bundle{}, fmt.Errorf("%w: its format is not %q; write one with toolcrib export --format bundle", ErrMalformed, Format)
	case len(b.Versions) > maxVersions || len(b.Statements) > maxVersions || len(b.Signers) > maxVersions:
		return Bundle{}, fmt.Errorf("%w: it has more than %d versions, statements, or states", ErrMalformed, maxVersions)
	}
	return b, nil
}

// decode parses a document strictly.
func decode[T any](data []byte) (doc T, err error) {
	if len(data) > MaxSize {
		return doc, fmt.Errorf("%w: it has more than %d MiB", ErrMalformed, MaxSize>>20)
	}
	limits := jsondoc.DefaultLimits
	limits.Bytes = MaxSize
	n, err := jsondoc.Parse(data, limits)
	if err != nil {
		return doc, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if key := oddKey(n); key != "" { // encoding/json ignores case and also accepts letters that fold to ASCII
		return doc, fmt.Errorf("%w: unknown key %q", ErrMalformed, key)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return doc, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return doc, nil
}

// oddKey returns a key that is not lower-case ASCII, or "". Keys of definitions are checked separately.
func oddKey(n *jsondoc.Node) string {
	for _, item := range n.Items {
		if key := oddKey(item); key != "" {
			return key
		}
	}
	for _, m := range n.Members {
		if strings.ContainsFunc(m.Key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsUpper(r) }) {
			return m.Key
		}
		if m.Key == "definition" || m.Key == "rendered" {
			continue
		}
		if key := oddKey(m.Value); key != "" {
			return key
		}
	}
	return ""
}

// reader implements proof.SignatureReader for the statements in a bundle.
type reader struct {
	bundle     Bundle
	statements map[string]proof.SignatureRecord
}

func (r reader) LastEvent(context.Context) (statement.Head, error) {
	return statement.Head(r.bundle.Log), nil
}

// EventHash implements proof.SignatureReader. A bundle contains only the first event.
func (r reader) EventHash(_ context.Context, seq int64) (string, error) {
	if seq != 1 {
		return "", fmt.Errorf("%w: event %d is not in the bundle", proposals.ErrNotFound, seq)
	}
	return r.bundle.Database, nil
}

func (r reader) Signature(_ context.Context, hash string) (proof.SignatureRecord, error) {
	record, ok := r.statements[hash]
	if !ok {
		return record, fmt.Errorf("%w: the statement %.12s is not in the bundle", proposals.ErrNotFound, hash)
	}
	return record, nil
}

// SignedAfter implements proof.SignatureReader. It returns nil, because a bundle cannot show whether newer statements
// exist.
func (r reader) SignedAfter(context.Context, string, string) ([]string, error) { return nil, nil }

func (r reader) LastSigners(context.Context) (string, error) {
	if len(r.bundle.Signers) == 0 {
		return "", nil
	}
	return r.bundle.Signers[len(r.bundle.Signers)-1].Event.Hash, nil
}

func (r reader) SignersStates(context.Context) ([]proof.SignersState, error) {
	states := make([]proof.SignersState, len(r.bundle.Signers))
	for i, s := range r.bundle.Signers {
		states[i] = proof.SignersState{
			Event: statement.Head(s.Event), At: s.At, Number: s.Number, Text: []byte(s.Text), Revoked: s.Revoked, Statement: s.Statement,
		}
	}
	return states, nil
}
