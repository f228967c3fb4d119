// Package bundle writes, reads, and verifies bundles. A bundle is a file with a part of a registry that can be verified
// without the database. It contains live definitions with all their versions, and the signed statements of the users
// who approved them. docs/signing-format.md describes the format.
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

// Format is the value of the key "format" in new bundles. Decode also accepts format1, a format without checkpoints,
// raw JSON, and binary files.
const (
	Format  = "toolcrib bundle 2"
	format1 = "toolcrib bundle 1"
)

// Limits of a bundle.
const (
	MaxSize     = 64 << 20 // bytes of a file or a part
	maxVersions = 200_000
)

// ErrMalformed indicates that a file is not a valid bundle.
var ErrMalformed = errors.New("malformed bundle")

// Bundle is a snapshot of a part of a registry. It cannot prove its completeness: subjects or newer versions may be
// missing.
type Bundle struct {
	Format string `json:"format"`
	Header
	Records

	subjects map[string]string // set by Collect: maps the JSON of each tool to the subject of the tool
}

// Header describes the registry that a bundle was taken from.
type Header struct {
	Database string         `json:"database"` // hash of event 1
	Log      statement.Head `json:"log"`      // the newest event
	At       time.Time      `json:"at"`       // time of the newest decision or signers state in the bundle
	View     []string       `json:"view"`     // layers; each overrides the following ones
	// Checkpoint is the checkpoint of the log. It is signed if a key for checkpoints is configured, and "" if there is
	// no checkpoint.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// Records contains the records of a bundle or of one part of a bundle.
type Records struct {
	Versions   []Version   `json:"versions"`
	Statements []Statement `json:"statements"`
	Signers    []State     `json:"signers"`
	// Raws contains the imported JSON of the live tools, byte for byte.
	Raws []string `json:"raws,omitempty"`
	// Contents contains the binary files of the live skills.
	Contents [][]byte `json:"contents,omitempty"`
}

// Version is a version of a subject. The last version of each subject is the live one.
type Version struct {
	Subject string `json:"subject"` // may be invalid if the bundle was modified
	history.Version
}

// Statement is a signed statement with its signature.
type Statement struct {
	Statement string `json:"statement"`
	Signature string `json:"signature"`
}

// State is a recorded state of the signers. It is only informational, because the verifier of a bundle decides which
// signers to trust.
type State struct {
	Number    int            `json:"number"`
	Event     statement.Head `json:"event"`
	At        time.Time      `json:"at"`
	Text      string         `json:"text"`
	Revoked   []byte         `json:"revoked,omitempty"`
	Statement string         `json:"statement"`
}

// Collector collects bundles of one registry. It caches the versions that it has read, because a version never changes.
// A server that publishes a bundle after each decision therefore reads only the new versions.
type Collector struct {
	subjects   map[string]collected
	statements map[string]Statement // by hash
}

// collected contains the versions of a subject and the files that the live version refers to.
type collected struct {
	versions []Version
	raw      string   // "" if the version has no raw JSON, or if it was imported before toolcrib stored raw JSON
	contents [][]byte // binary files
}

// Collect returns a bundle of the definitions in lives. lives must have been read from the snapshot r. The bytes of the
// bundle depend only on the content of the registry.
func (c *Collector) Collect(ctx context.Context, r review.Reader, lives []registry.Live, view []registry.Layer) (Bundle, error) {
	b := Bundle{Format: Format, Header: Header{View: []string{}}, Records: Records{Versions: []Version{}, Statements: []Statement{}, Signers: []State{}}, subjects: map[string]string{}}
	var err error
	if b.Database, err = r.EventHash(ctx, 1); err != nil {
		return b, err
	}
	last, err := r.LastEvent(ctx)
	if err != nil {
		return b, err
	}
	b.Log = last
	for _, layer := range view {
		b.View = append(b.View, string(layer))
	}
	before := *c
	c.subjects, c.statements = map[string]collected{}, map[string]Statement{}
	add := func(hash string) error {
		if _, added := c.statements[hash]; added || hash == "" {
			return nil
		}
		s := before.statements[hash]
		if s == (Statement{}) {
			record, err := r.Signature(ctx, hash)
			if err != nil && !errors.Is(err, proposals.ErrNotFound) {
				return err
			}
			if s = (Statement{record.Statement, record.Signature}); err != nil {
				s = Statement{} // missing; Check reports it
			}
		}
		if c.statements[hash] = s; s != (Statement{}) {
			b.Statements = append(b.Statements, s)
		}
		return nil
	}
	contents := map[string]bool{}
	for _, l := range lives {
		subject := l.Subject.String()
		from := before.subjects[subject]
		if n := len(from.versions); n != l.Version || from.versions[n-1].ContentHash != l.ContentHash {
			if from, err = collect(ctx, r, l); err != nil {
				return b, err
			}
		}
		c.subjects[subject] = from
		for _, v := range from.versions {
			if v.DecidedAt.After(b.At) {
				b.At = v.DecidedAt
			}
			for _, hash := range v.Signatures() {
				if err := add(hash); err != nil {
					return b, err
				}
			}
		}
		b.Versions = append(b.Versions, from.versions...)
		if from.raw != "" {
			if _, added := b.subjects[from.raw]; !added {
				b.Raws = append(b.Raws, from.raw)
			}
			b.subjects[from.raw] = subject
		}
		for _, data := range from.contents {
			if !contents[string(data)] {
				contents[string(data)] = true
				b.Contents = append(b.Contents, data)
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
		b.Signers = append(b.Signers, State{s.Number, s.Event, s.At, string(s.Text), s.Revoked, s.Statement})
		if err := add(s.Statement); err != nil {
			return b, err
		}
	}
	return b, nil
}

// collect reads all versions of l, and the raw JSON and the binary files that the live version refers to by hash.
func collect(ctx context.Context, r review.Reader, l registry.Live) (c collected, err error) {
	for n := 1; n <= l.Version; n++ {
		v, err := r.Version(ctx, l.Subject, n)
		if err != nil {
			return c, err
		}
		v.DecidedAt = v.DecidedAt.UTC()
		c.versions = append(c.versions, Version{v.Subject.String(), v})
	}
	v := c.versions[len(c.versions)-1]
	d, err := registry.DecodeDefinition(l.Subject.Kind, v.Definition)
	if err != nil {
		return c, fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	raw, contents := sources(d)
	if raw != "" {
		body, _, err := r.Raw(ctx, raw)
		if err != nil {
			return c, err
		}
		c.raw = string(body)
	}
	for _, hash := range contents {
		data, ok, err := r.Content(ctx, hash)
		if err != nil {
			return c, err
		}
		if ok {
			c.contents = append(c.contents, data)
		}
	}
	return c, nil
}

// sources returns the hashes that d refers to. raw is the hash of the imported JSON of a tool, or "". contents contains
// the hashes of the binary files of a skill.
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

// version converts v to a history.Version with a canonical definition.
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

// Encode returns b as JSON.
func (b Bundle) Encode() ([]byte, error) { return jsondoc.Encode(b) }

// Decode parses a bundle. It returns an error for duplicate or unknown keys and for a bundle that exceeds the limits.
// Decode does not verify hashes or signatures.
func Decode(data []byte) (Bundle, error) {
	b, err := decode[Bundle](data)
	switch {
	case err != nil:
		return Bundle{}, err
	case b.Format != Format && b.Format != format1:
		return Bundle{}, fmt.Errorf("%w: the format is not %q; write a bundle with toolcrib export --format bundle", ErrMalformed, Format)
	case len(b.Versions) > maxVersions || len(b.Statements) > maxVersions || len(b.Signers) > maxVersions:
		return Bundle{}, fmt.Errorf("%w: the file contains more than %d versions, statements, or states", ErrMalformed, maxVersions)
	}
	return b, nil
}

// decode parses a JSON document and rejects duplicate and unknown keys.
func decode[T any](data []byte) (doc T, err error) {
	if len(data) > MaxSize {
		return doc, fmt.Errorf("%w: the file is larger than %d MiB", ErrMalformed, MaxSize>>20)
	}
	limits := jsondoc.DefaultLimits
	limits.Bytes = MaxSize
	n, err := jsondoc.Parse(data, limits)
	if err != nil {
		return doc, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if key := invalidKey(n); key != "" { // encoding/json ignores case and also accepts letters that fold to ASCII
		return doc, fmt.Errorf("%w: unknown key %q", ErrMalformed, key)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return doc, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return doc, nil
}

// invalidKey returns the first key that contains characters other than lower-case ASCII, or "" if there is none. It
// does not check the keys inside definitions.
func invalidKey(n *jsondoc.Node) string {
	for _, item := range n.Items {
		if key := invalidKey(item); key != "" {
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
		if key := invalidKey(m.Value); key != "" {
			return key
		}
	}
	return ""
}

// reader implements proof.SignatureReader with the records of a bundle.
type reader struct {
	bundle     Bundle
	statements map[string]proof.SignatureRecord
}

func (r reader) LastEvent(context.Context) (statement.Head, error) {
	return r.bundle.Log, nil
}

// EventHash implements proof.SignatureReader. A bundle contains the hash of the first event only.
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

// SignedAfter implements proof.SignatureReader. It always returns nil, because a bundle cannot show whether newer
// statements exist.
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
			Event: s.Event, At: s.At, Number: s.Number, Text: []byte(s.Text), Revoked: s.Revoked, Statement: s.Statement,
		}
	}
	return states, nil
}
