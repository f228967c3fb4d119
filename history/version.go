package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/history/diff"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Version is an immutable snapshot of a subject, written at approval, before
// the live registry follows. Actors and the assessment are kept as the text
// they had then. The keys are those of a bundle.
type Version struct {
	Subject      registry.Subject  `json:"subject"`
	Number       int               `json:"number"`              // counted from 1
	Definition   json.RawMessage   `json:"definition"`          // canonical JSON
	ContentHash  string            `json:"content_hash"`        // SHA-256 of Definition
	PrevHash     string            `json:"prev_hash,omitempty"` // Hash of the version before, "" for the first
	Hash         string            `json:"hash"`                // seals everything else
	Proposal     string            `json:"proposal,omitempty"`  // "" for what toolcrib ships
	Revision     int               `json:"revision,omitempty"`
	Author       string            `json:"author,omitempty"`
	Assessment   string            `json:"assessment,omitempty"`    // id of the assessment the decision stood on
	ReviewDigest string            `json:"review_digest,omitempty"` // of the content that the decider was shown
	Rendered     map[string]string `json:"rendered,omitempty"`      // seal of what it did to every channel prompt it changed, by "agent:layer/id#channel"
	RulesVersion string            `json:"rules_version,omitempty"`
	DecidedBy    string            `json:"decided_by"`
	DecidedAt    time.Time         `json:"decided_at"`
	Note         string            `json:"note,omitempty"`
	Waivers      []Waiver          `json:"waivers,omitempty"`
	Signature    string            `json:"signature,omitempty"` // hash of the decider's signed statement; "" when the approval was not signed
	// Approvals are those before the last one, which DecidedBy gave; none where one
	// approval was enough.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Approval is an approval that by itself made no version.
type Approval struct {
	Decision     string    `json:"decision"` // id
	By           string    `json:"by"`
	At           time.Time `json:"at"`
	Note         string    `json:"note,omitempty"`
	ReviewDigest string    `json:"review_digest"`
	Signature    string    `json:"signature,omitempty"` // hash of the signed statement
}

// Approvers returns who approved v, the last one last.
func (v Version) Approvers() []string {
	var by []string
	for _, a := range v.Approvals {
		by = append(by, a.By)
	}
	return append(by, v.DecidedBy)
}

// Signatures returns the hashes of the signed statements that approved v.
func (v Version) Signatures() []string {
	hashes := []string{v.Signature}
	for _, a := range v.Approvals {
		hashes = append(hashes, a.Signature)
	}
	return hashes
}

// Waiver is the user's word that one finding is acceptable, with the reason.
type Waiver struct {
	ID          string     `json:"id"`
	Revision    int        `json:"revision"` // the revision it was given for
	ContentHash string     `json:"content_hash"`
	Rule        string     `json:"rule"`
	Path        string     `json:"path"`
	PassageHash string     `json:"passage_hash"`
	Field       []string   `json:"field"` // keys of all findings in the same field when it was given
	Reason      string     `json:"reason"`
	By          string     `json:"by"`
	At          time.Time  `json:"at"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	Signature   string     `json:"signature,omitempty"` // hash of the signed statement
}

// Ends reports whether w ends the earlier waivers of its finding: it expires when
// it is given.
func (w Waiver) Ends() bool { return w.ExpiresAt != nil && !w.ExpiresAt.After(w.At) }

// VersionFormat is the first of the fields that Sum seals: it names the list.
const VersionFormat = "toolcrib version 1"

// Decode returns the definition of the version.
func (v Version) Decode() (registry.Definition, error) {
	return registry.DecodeDefinition(v.Subject.Kind, v.Definition)
}

// Sum computes what Hash has to be. The definition enters through its content
// hash.
func (v Version) Sum() string {
	fields := []string{
		VersionFormat,
		v.Subject.String(),
		strconv.Itoa(v.Number),
		v.ContentHash,
		v.PrevHash,
		v.Proposal,
		strconv.Itoa(v.Revision),
		v.Author,
		v.Assessment,
		v.ReviewDigest,
		EncodeRendered(v.Rendered),
		v.RulesVersion,
		v.DecidedBy,
		Timestamp(v.DecidedAt),
		v.Note,
		EncodeWaivers(v.Waivers),
		v.Signature,
	}
	if len(v.Approvals) > 0 { // so that the others have the hash that they always had
		fields = append(fields, EncodeApprovals(v.Approvals))
	}
	return Seal(fields...)
}

// UnsignedSum computes what Hash would be without the signature. A
// statement names the version by this sum, because Hash covers the signature.
func (v Version) UnsignedSum() string {
	v.Signature = ""
	return v.Sum()
}

// Timestamp writes t as history keeps it: RFC 3339, UTC, microseconds, always
// six digits, so that text order is time order.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// ParseTimestamp reads what Timestamp wrote.
func ParseTimestamp(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }

// BlameLine is a line of a field and the version that brought it in.
type BlameLine struct {
	Text    string // without its line feed
	Version int
}

// Blame follows one field through the versions of a subject.
type Blame struct {
	field string
	text  string
	lines []BlameLine
}

// NewBlame returns the blame of a field, given as a JSON path such as
// "prompt", before any version.
func NewBlame(field string) *Blame { return &Blame{field: field} }

// Add takes the next version. They come in their order, from the first.
func (b *Blame) Add(v Version) error {
	doc, err := jsondoc.Parse(v.Definition, jsondoc.DefaultLimits)
	if err != nil {
		return fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	text := fieldText(doc.Find(b.field))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // so that a line that is appended leaves the one before alone
	}
	b.follow(text, v.Number)
	return nil
}

// follow carries the unchanged lines over and gives the new ones to version.
func (b *Blame) follow(text string, version int) {
	fresh := slices.Collect(strings.Lines(text))
	lines := make([]BlameLine, 0, len(fresh))
	old := 0
	for _, e := range diff.Lines(b.text, text).Edits() {
		lines = append(lines, b.lines[old:e.Old.Start]...)
		for _, line := range fresh[e.New.Start:e.New.End] {
			lines = append(lines, BlameLine{Text: strings.TrimSuffix(line, "\n"), Version: version})
		}
		old = e.Old.End
	}
	b.lines, b.text = append(lines, b.lines[old:]...), text
}

// Lines returns the lines of the field as the last version has it.
func (b *Blame) Lines() []BlameLine { return slices.Clone(b.lines) }

// fieldText returns the text of a value to blame: a string itself, anything else as
// indented JSON, nothing for an absent one.
func fieldText(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.String:
		return n.Text
	}
	var buf bytes.Buffer
	if err := json.Indent(&buf, jsondoc.Canonical(n), "", "  "); err != nil {
		panic(fmt.Sprintf("history: canonical JSON does not indent: %v", err))
	}
	return buf.String()
}
