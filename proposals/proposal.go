// This file defines proposals, revisions, test cases, issues, comments, and decisions.

package proposals

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolcrib/registry"
)

// ID is the UUIDv7 of a proposal in lower-case text form.
type ID string

// Recommendation is the advice of the Chief of Staff about a proposal.
type Recommendation string

// The recommendations.
const (
	RecommendApprove      Recommendation = "approve"
	RecommendNeedsChanges Recommendation = "needs_changes"
	RecommendReject       Recommendation = "reject"
)

// Recommendations lists all recommendations, best first.
func Recommendations() []Recommendation {
	return []Recommendation{RecommendApprove, RecommendNeedsChanges, RecommendReject}
}

// Lower returns the worse of r and s. "" is treated as the best recommendation.
func (r Recommendation) Lower(s Recommendation) Recommendation {
	if all := Recommendations(); slices.Index(all, s) > slices.Index(all, r) {
		return s
	}
	return r
}

// Proposal is the data of a proposal that lists show. Its content is in its revisions.
type Proposal struct {
	ID          ID
	Type        Type
	Subject     registry.Subject
	Title       string
	State       State
	Revision    int    // current revision, counted from 1
	ContentHash string // hash of the current revision's definition
	BaseVersion int    // base version of the current revision
	Author      Actor
	ChangeSet   string // name of the change set; "" if it does not belong to a change set
	Issue       int    // number of its issue; 0 before the proposal is submitted
	Summary     Summary
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// LiveVersion is the live version of the subject when the proposal was read, or 0.
	LiveVersion int
	// Approvals is the progress of the approvals when the proposal was read. It is nil if the policy lists no owners
	// of the subject.
	Approvals *Approvals
}

// Approvals is the progress of the approvals that a proposal requires from the owners of its subject.
type Approvals struct {
	Required int      // number of required approvals
	Given    []string // principals with a valid approval
	WaitsFor []string // principals who can give a missing approval
	Text     string   // for display: "1 of 2, waits for user:ada"
}

// WaitsForOthers reports whether the proposal still requires approvals, but none that user can give.
func (p Proposal) WaitsForOthers(user Actor) bool {
	return p.State == UserReview && p.Approvals != nil && len(p.Approvals.WaitsFor) > 0 &&
		!slices.Contains(p.Approvals.WaitsFor, user.String())
}

// MinPrefix is the minimum length of an abbreviated id. Shorter prefixes would often be
// ambiguous, and a mistyped prefix could select another proposal.
const MinPrefix = 8

// ShortID returns a prefix of id with at least minLen characters, but not fewer than MinPrefix. If the prefix
// would consist of digits only, it is extended, because it would look like a number.
func ShortID(id string, minLen int) string {
	n := max(minLen, MinPrefix)
	for n < len(id) && strings.Trim(id[:n], "0123456789") == "" {
		n++
	}
	return id[:min(n, len(id))]
}

// Handle returns the identifier of the proposal for commands and messages: "#" and its
// number, or its id if it has no number yet.
func (p Proposal) Handle() string {
	if p.Issue > 0 {
		return "#" + strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// Name returns the name of the proposal for error messages: its number or id, and its subject.
func (p Proposal) Name() string {
	if p.Issue > 0 {
		return fmt.Sprintf("#%d (%s)", p.Issue, p.Subject)
	}
	return fmt.Sprintf("%s (%s)", p.ID, p.Subject)
}

// Stale reports whether the proposal is open and the live version is no longer its base version.
func (p Proposal) Stale() bool { return p.State.Open() && p.LiveVersion != p.BaseVersion }

// Summary summarizes the assessment of the current revision. It is zero if the revision
// was not assessed.
type Summary struct {
	Recommendation Recommendation
	Findings       int
	Blocks         int    // blocking findings without a waiver
	Warns          int    // warnings without a waiver
	Worst          string // severity of the worst finding, or ""
	// WaivedUntil is the earliest expiry of the waivers that reduce Blocks, or the zero time.
	WaivedUntil time.Time
}

// Revision is an immutable version of the content of a proposal.
type Revision struct {
	Proposal    ID
	Number      int // counted from 1
	Draft       Draft
	ContentHash string // hash of the definition; "" if the draft has no definition
	Author      Actor
	CreatedAt   time.Time

	// Text is the draft in canonical form, as stored. It is "" before the revision is stored.
	Text string
}

// Canonical returns the draft in canonical form. For a stored revision, it returns the
// stored text.
func (r Revision) Canonical() string {
	if r.Text != "" {
		return r.Text
	}
	return string(r.Draft.Canonical())
}

// Type is the kind of change that a proposal makes.
type Type string

// The types of proposals.
const (
	New        Type = "new"
	Modify     Type = "modify"
	Deactivate Type = "deactivate"
	Reactivate Type = "reactivate"
	Restore    Type = "restore" // makes an earlier version live again
)

// Types lists all types in the order of the documentation.
func Types() []Type { return []Type{New, Modify, Deactivate, Reactivate, Restore} }

// Draft is a filled-in proposal template. It may be incomplete; Problems lists
// missing fields. Its JSON form is a proposal file, with keys in the order of the
// template.
type Draft struct {
	// new: create the subject. modify: replace the definition of the subject.
	// deactivate, reactivate: switch the subject off or on. restore: make the version
	// restoreVersion live again.
	Type Type `json:"type,omitempty"`
	// KIND:LAYER/ID, such as tool:user/scene_pacer. KIND is tool, agent, list, skill or instructions. LAYER is
	// global, user or project/NAME; new subjects usually belong to the layer user.
	Subject registry.Subject `json:"subject,omitzero"`
	// The number of the live version that the draft replaces, from describe_tool or the resources; omit it for
	// a new subject.
	BaseVersion *int `json:"baseVersion,omitempty"`
	// Only with restore: the number of the version to restore.
	RestoreVersion int `json:"restoreVersion,omitempty"`
	// The whole new definition, not only the changed fields. The description of each field lists the kinds that have
	// the field: tools (prompt tools, action tools), agents, lists, skills and instructions; no other key is allowed.
	// Omit definition for deactivate, reactivate and restore.
	Definition registry.Definition `json:"definition,omitzero"`
	// The reason for the change, written for the person who decides.
	Rationale string `json:"rationale,omitempty"`
	// 2 or 3 concrete invocations, as a user would write them.
	Examples []string `json:"examples,omitempty"`
	// 2 or 3 test cases. At least one must expect pass, and at least one must expect fail.
	TestCases []TestCase `json:"testCases,omitempty"`
	// The name of a change set. Its proposals go live together or not at all.
	ChangeSet string `json:"changeSet,omitempty"`
}

// TextHash returns the text hash of the tool that the draft would put into force. It
// returns "" if the draft has no tool or deactivates it.
func (d Draft) TextHash() string {
	if d.Definition.Tool == nil || d.Type == Deactivate {
		return ""
	}
	return d.Definition.Tool.TextHash()
}

// Expect is the expected outcome of a test case.
type Expect string

// The expected outcomes.
const (
	ExpectPass Expect = "pass"
	ExpectFail Expect = "fail"
)

// TestCase is an executable example. Output is a recorded answer of a model. It is nil
// if the case can only run with a live model.
type TestCase struct {
	// The purpose of the case.
	Name string `json:"name,omitempty"`
	// The input of the model.
	Input string `json:"input,omitempty"`
	// Whether the answer should pass the checks.
	Expect Expect `json:"expect,omitempty"`
	// A recorded answer of the model. Without it, the case needs a live model.
	Output *string `json:"output,omitempty"`
	// The requirements for the answer.
	Checks []Check `json:"checks,omitempty"`
}

// CheckType is the kind of a check on an answer.
type CheckType string

// The kinds of checks.
const (
	CheckJSONOnly      CheckType = "json_only"
	CheckNoFences      CheckType = "no_fences"
	CheckToolCall      CheckType = "tool_call"
	CheckJSONSchema    CheckType = "json_schema"
	CheckContains      CheckType = "contains"
	CheckNotContains   CheckType = "not_contains"
	CheckMatches       CheckType = "matches"
	CheckEvidence      CheckType = "evidence"
	CheckNoFakeToolUse CheckType = "no_fake_tool_use"
	CheckMaxChars      CheckType = "max_chars"
)

// Check is a check on the answer in a test case. Value is canonical JSON: a string for
// contains, not_contains, and matches; a number for max_chars; and a schema object for
// json_schema. Other checks have no value.
type Check struct {
	Type CheckType `json:"type,omitempty"`
	// contains, not_contains: the text. matches: a regular expression (RE2). max_chars: a number. json_schema: a
	// schema. The other checks have no value.
	Value json.RawMessage `json:"value,omitempty"`
}

// Limits of the template.
const (
	MaxRationale = 8_000 // characters
	MaxExample   = 4_000 // characters
	MinExamples  = 2
	MaxExamples  = 3
	MinTestCases = 2
	MaxTestCases = 3
)

// IssueStatus is the status of an issue. An open issue needs attention.
type IssueStatus string

// The statuses of an issue.
const (
	IssueOpen   IssueStatus = "open"
	IssueClosed IssueStatus = "closed"
)

// Roles that can be assigned to an issue. Other assignees are actors in text form.
const (
	AssigneeChief = "chief"
	AssigneeUser  = "user"
)

// Issue is the discussion of a proposal. It has an assignee while it is open.
type Issue struct {
	Number   int
	Proposal ID
	Title    string
	Assignee string // AssigneeChief, AssigneeUser or an Actor; "" when closed
	Status   IssueStatus
	Labels   []string
}

// Comment is a comment in the thread of a proposal. It can refer to a line of a field in
// a revision.
type Comment struct {
	ID       string    `json:"id"` // UUIDv7
	Proposal ID        `json:"-"`
	Author   Actor     `json:"author"`
	Body     string    `json:"body"`            // Markdown
	Revision int       `json:"revision"`        // revision to which the comment refers
	Field    string    `json:"field,omitempty"` // JSON path of the field; "" if the comment refers to no field
	Line     int       `json:"line,omitempty"`  // line of the field, counted from 1; 0 if the comment refers to no line
	At       time.Time `json:"created_at"`
}

// MaxComment is the maximum length of a comment, in characters.
const MaxComment = 20_000

// IssueTitle returns the title of the issue for a proposal about s with the given name.
func IssueTitle(s registry.Subject, name string) string {
	kind := string(s.Kind)
	if kind != "" { // a damaged draft has no kind
		kind = strings.ToUpper(kind[:1]) + kind[1:]
	}
	return fmt.Sprintf("[%s Proposal] %s", kind, name)
}

// IssueLabels returns the labels of the issue for p.
func IssueLabels(p Proposal) []string {
	labels := []string{string(p.Subject.Kind) + "-proposal", string(p.Type), string(p.Subject.Layer)}
	if p.ChangeSet != "" {
		labels = append(labels, "set:"+p.ChangeSet)
	}
	return labels
}

// IssueBody returns the body of the issue for r: the change, its rationale, and its test
// cases. The body is not stored.
func IssueBody(r Revision) string {
	var b strings.Builder
	d := r.Draft
	fmt.Fprintf(&b, "## Proposal\n\n%s `%s`, revision %d by %s, against version %d.\n", d.Type, d.Subject, r.Number, r.Author, d.Base())
	fmt.Fprintf(&b, "\n```json\n%s\n```\n", d.Definition.Canonical())
	fmt.Fprintf(&b, "\n## Rationale\n\n%s\n\n## Test cases\n\n", d.Rationale)
	for _, c := range d.TestCases {
		fmt.Fprintf(&b, "- %s (should %s)\n", c.Name, c.Expect)
	}
	return b.String()
}

// Base returns the base version of the draft, or 0 if the draft does not specify one.
func (d Draft) Base() int {
	if d.BaseVersion == nil {
		return 0
	}
	return *d.BaseVersion
}

// Verdict is the outcome of a decision.
type Verdict string

// The verdicts.
const (
	VerdictApproved     Verdict = "approved"
	VerdictEndorsed     Verdict = "endorsed" // approved, but further approvals are required
	VerdictNeedsChanges Verdict = "needs_changes"
	VerdictRejected     Verdict = "rejected"
)

// VerdictOf returns the verdict of a deciding act, and "" for other acts.
func VerdictOf(act Act) Verdict {
	return map[Act]Verdict{
		ActApprove: VerdictApproved, ActEndorse: VerdictEndorsed, ActRequestChanges: VerdictNeedsChanges, ActReject: VerdictRejected,
	}[act]
}

// Decision is a user's decision about one revision.
type Decision struct {
	ID           string // UUIDv7
	Proposal     ID
	Issue        int // number of the proposal's issue
	Subject      registry.Subject
	Revision     int
	ContentHash  string
	Verdict      Verdict
	Note         string // the reason; optional only for approvals
	By           Actor
	At           time.Time
	Assessment   string // id of the assessment on which the decision is based
	ReviewDigest string // digest of the content that was shown to the decider
	Version      int    // version that the approval created; 0 for other verdicts
	VersionHash  string // hash of Version; "" for other verdicts
	// Unassigned is set for a new approval if no agent has the tool. It is not
	// stored.
	Unassigned bool
	Signature  string // hash of the signed statement; "" if unsigned
	Shown      Showing
	Reading    Reading
	// Members is the seal of the change set if the decision is an approval that
	// requires further approvals. It is "" for a single proposal.
	Members string
	// Approvals is the progress of the approvals after a new decision. It is nil if
	// one approval sufficed. It is not stored.
	Approvals *Approvals
}

// Reading counts the parts of a proposal that its decider had read. It is zero if all
// parts were shown.
type Reading struct {
	Read   int `json:"read,omitempty"`   // parts that were shown: a tool, or the files of a folder
	Unread int `json:"unread,omitempty"` // parts that were accepted unread
	// Known is the number of files that were approved before or read in the same change set.
	Known  int      `json:"known,omitempty"`
	ByHash []string `json:"by_hash,omitempty"` // data files that were accepted by their hash
	Source string   `json:"source,omitempty"`  // origin of the unread content
}

// IsZero reports whether no part was unread, known, or accepted by hash.
func (r Reading) IsZero() bool { return r.Unread+r.Known+len(r.ByHash) == 0 }

// String returns the counts for display, such as "read 2/2 · 52 read elsewhere · 4 data
// files by hash". It returns "" if IsZero returns true.
func (r Reading) String() string {
	if r.IsZero() {
		return ""
	}
	parts := []string{fmt.Sprintf("read %d/%d", r.Read, r.Read+r.Unread)}
	if r.Known > 0 {
		parts = append(parts, fmt.Sprintf("%d read elsewhere", r.Known))
	}
	if n := len(r.ByHash); n == 1 {
		parts = append(parts, "1 data file by hash")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d data files by hash", n))
	}
	if r.Source != "" {
		parts = append(parts, "from "+r.Source)
	}
	return strings.Join(parts, " · ")
}

// Showing describes whether the content of the decision was shown to the decider.
type Showing string

// The kinds of Showing.
const (
	ShowingExpected Showing = "expected"  // the decision contained the review digest
	ShowingShown    Showing = "shown"     // the content was the last that the decider had been shown
	ShowingNone     Showing = "not_shown" // the decider had been shown other content, or none
)

// Progress describes the approvals that the proposal has, including d, and the approvals that are missing.
func (d Decision) Progress() string {
	if d.Approvals == nil {
		return "waiting for the owners of other members of its change set"
	}
	if len(d.Approvals.WaitsFor) == 0 && d.Verdict == VerdictEndorsed {
		return d.Approvals.Text + "; waiting for the owners of other members of its change set"
	}
	return d.Approvals.Text
}
