// This file defines versions and waivers, and finds the version that introduced each line of a field.

package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Version is an immutable snapshot of a subject. An approval writes the version before it updates the live registry.
// Bundles use the same JSON keys.
type Version struct {
	Subject      registry.Subject  `json:"subject"`
	Number       int               `json:"number"`              // counted from 1
	Definition   json.RawMessage   `json:"definition"`          // canonical JSON
	ContentHash  string            `json:"content_hash"`        // SHA-256 of Definition
	PrevHash     string            `json:"prev_hash,omitempty"` // Hash of the previous version; "" for the first
	Hash         string            `json:"hash"`                // seal of all other fields; see Sum
	Proposal     string            `json:"proposal,omitempty"`  // "" for shipped definitions
	Revision     int               `json:"revision,omitempty"`
	Author       string            `json:"author,omitempty"`
	Assessment   string            `json:"assessment,omitempty"`    // id of the assessment that the decision was based on
	ReviewDigest string            `json:"review_digest,omitempty"` // digest of the content that was shown to the decider
	Rendered     map[string]string `json:"rendered,omitempty"`      // seals of the channel prompts that the version changed, by "agent:layer/id#channel"
	RulesVersion string            `json:"rules_version,omitempty"`
	DecidedBy    string            `json:"decided_by"`
	DecidedAt    time.Time         `json:"decided_at"`
	Note         string            `json:"note,omitempty"`
	Waivers      []Waiver          `json:"waivers,omitempty"`
	Signature    string            `json:"signature,omitempty"` // hash of the decider's signed statement; "" if unsigned
	// Approvals lists the required approvals except the last, which is the approval by DecidedBy. It is empty if a
	// single approval was required.
	Approvals []Approval `json:"approvals,omitempty"`
}

// Approval is a required approval of a version other than the last; see Version.Approvals.
type Approval struct {
	Decision     string    `json:"decision"` // id of the decision
	By           string    `json:"by"`
	At           time.Time `json:"at"`
	Note         string    `json:"note,omitempty"`
	ReviewDigest string    `json:"review_digest"`
	Signature    string    `json:"signature,omitempty"` // hash of the signed statement
}

// Approvers returns the users who approved v, in the order of their approvals.
func (v Version) Approvers() []string {
	return append(lists.Map(v.Approvals, func(a Approval) string { return a.By }), v.DecidedBy)
}

// Signatures returns the hashes of the signed statements that approved v.
func (v Version) Signatures() []string {
	return append([]string{v.Signature}, lists.Map(v.Approvals, func(a Approval) string { return a.Signature })...)
}

// Waiver is a user's decision to accept one finding, with the reason for the decision.
type Waiver struct {
	ID          string     `json:"id"`
	Revision    int        `json:"revision"` // revision that contained the waived finding
	ContentHash string     `json:"content_hash"`
	Rule        string     `json:"rule"`
	Path        string     `json:"path"`
	PassageHash string     `json:"passage_hash"`
	Field       []string   `json:"field"` // keys of all findings in the field when the waiver was given
	Reason      string     `json:"reason"`
	By          string     `json:"by"`
	At          time.Time  `json:"at"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	Signature   string     `json:"signature,omitempty"` // hash of the signed statement
}

// Ends reports whether w ends the earlier waivers of the same finding. Such a waiver expires at the moment when it is
// given.
func (w Waiver) Ends() bool { return w.ExpiresAt != nil && !w.ExpiresAt.After(w.At) }

// VersionFormat is the first sealed field of a version. It identifies the format of the seal.
const VersionFormat = "toolcrib version 1"

// Decode returns the definition of the version.
func (v Version) Decode() (registry.Definition, error) {
	return registry.DecodeDefinition(v.Subject.Kind, v.Definition)
}

// Sum computes the seal of v, which Hash must equal. The seal covers the definition
// through ContentHash.
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
	if len(v.Approvals) > 0 { // without approvals, the seal is the same as before the field existed
		fields = append(fields, EncodeApprovals(v.Approvals))
	}
	return Seal(fields...)
}

// UnsignedSum returns the seal that v would have without a signature. A signed statement refers to this seal, because
// Hash depends on the signature.
func (v Version) UnsignedSum() string {
	v.Signature = ""
	return v.Sum()
}

// Timestamp formats t as RFC 3339 in UTC with microseconds. The results sort in the order of the times.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// ParseTimestamp parses the output of Timestamp.
func ParseTimestamp(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }

// BlameLine is a line of a field, with the version that introduced the line.
type BlameLine struct {
	Text    string // without its line feed
	Version int
}

// Blame tracks the versions that introduced the lines of one field of a subject.
type Blame struct {
	field string
	text  string
	lines []BlameLine
}

// NewBlame returns an empty Blame for the field at the given JSON path, such as "prompt".
func NewBlame(field string) *Blame { return &Blame{field: field} }

// Add processes the next version of the subject. Versions must be added in order,
// starting with the first.
func (b *Blame) Add(v Version) error {
	doc, err := jsondoc.Parse(v.Definition, jsondoc.DefaultLimits)
	if err != nil {
		return fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	text := "" // a string as it is, or another value as indented JSON
	switch n := doc.Find(b.field); {
	case n == nil:
	case n.Kind == jsondoc.String:
		text = n.Text
	default:
		text = string(jsondoc.Indent(n))
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // otherwise appending a line would change the line before it
	}
	fresh := slices.Collect(strings.Lines(text))
	lines := make([]BlameLine, 0, len(fresh))
	old := 0
	for _, e := range diff.Lines(b.text, text).Edits() {
		lines = append(lines, b.lines[old:e.Old.Start]...)
		for _, line := range fresh[e.New.Start:e.New.End] {
			lines = append(lines, BlameLine{Text: strings.TrimSuffix(line, "\n"), Version: v.Number})
		}
		old = e.Old.End
	}
	b.lines, b.text = append(lines, b.lines[old:]...), text
	return nil
}

// Lines returns the lines of the field in the version that was added last.
func (b *Blame) Lines() []BlameLine { return slices.Clone(b.lines) }
