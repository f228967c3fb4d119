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

// ID is the UUIDv7 of a proposal in its lower-case text form.
type ID string

// Recommendation is the advice of the Chief of Staff.
type Recommendation string

// The recommendations.
const (
	RecommendApprove      Recommendation = "approve"
	RecommendNeedsChanges Recommendation = "needs_changes"
	RecommendReject       Recommendation = "reject"
)

// Recommendations lists every recommendation, the best first.
func Recommendations() []Recommendation {
	return []Recommendation{RecommendApprove, RecommendNeedsChanges, RecommendReject}
}

// Lower returns the worse of two recommendations; none ("") counts as best.
func (r Recommendation) Lower(other Recommendation) Recommendation {
	if all := Recommendations(); slices.Index(all, other) > slices.Index(all, r) {
		return other
	}
	return r
}

// Proposal is a candidate change as the queue shows it; its revisions have the
// content.
type Proposal struct {
	ID          ID
	Type        Type
	Subject     registry.Subject
	Title       string
	State       State
	Revision    int    // the current one, counted from 1
	ContentHash string // of the current revision's definition
	BaseVersion int    // of the current revision
	Author      Actor
	ChangeSet   string // "" when it stands alone
	Issue       int    // number of its issue, 0 until it is submitted
	Summary     Summary
	CreatedAt   time.Time
	UpdatedAt   time.Time

	// LiveVersion is the subject's version in force when the proposal was
	// read, 0 when there is none.
	LiveVersion int
	// Approvals is how far the approvals had come then; nil unless the policy names
	// the owners of its subject.
	Approvals *Approvals
}

// Approvals is how far the approvals of a proposal have come that needs those of
// named owners.
type Approvals struct {
	Required int      // how many
	Given    []string // principals whose approvals count
	WaitsFor []string // principals whose approvals would help
	Text     string   // "1 of 2, waits for user:ada"
}

// WaitsForOthers reports whether the approval of user would not help the proposal,
// while that of other users would.
func (p Proposal) WaitsForOthers(user Actor) bool {
	return p.State == UserReview && p.Approvals != nil && len(p.Approvals.WaitsFor) > 0 &&
		!slices.Contains(p.Approvals.WaitsFor, user.String())
}

// MinPrefix is how much of an id names its object: less would soon be that of another,
// and a slip of the finger would decide something.
const MinPrefix = 8

// ShortID returns the beginning of an id, of at least so many characters, that names
// it: digits alone would be a number.
func ShortID(id string, least int) string {
	n := max(least, MinPrefix)
	for n < len(id) && strings.Trim(id[:n], "0123456789") == "" {
		n++
	}
	return id[:min(n, len(id))]
}

// Handle returns how commands and messages name the proposal: "#" and its number,
// or its id before it has one.
func (p Proposal) Handle() string {
	if p.Issue > 0 {
		return "#" + strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// Name returns how errors name the proposal: its subject, and its number once it has
// one.
func (p Proposal) Name() string {
	if p.Issue > 0 {
		return fmt.Sprintf("#%d (%s)", p.Issue, p.Subject)
	}
	return fmt.Sprintf("%s (%s)", p.ID, p.Subject)
}

// Stale reports whether the live version moved past the base while the
// proposal was open.
func (p Proposal) Stale() bool { return p.State.Open() && p.LiveVersion != p.BaseVersion }

// Summary is the assessment of the current revision in a few figures; the zero
// value while there is none.
type Summary struct {
	Recommendation Recommendation
	Findings       int
	Blocks         int    // findings that block and are not waived
	Warns          int    // findings that warn and are not waived
	Worst          string // severity of the worst finding, "" for none
	// WaivedUntil is when the first of the waivers that Blocks counts on runs
	// out; the zero time when none does.
	WaivedUntil time.Time
}

// Revision is one immutable state of a proposal's content.
type Revision struct {
	Proposal    ID
	Number      int // counted from 1
	Draft       Draft
	ContentHash string // of the definition; "" when there is none yet
	Author      Actor
	CreatedAt   time.Time

	// Text is Draft in canonical form, as stored; "" before it is stored.
	Text string
}

// Canonical returns the draft in canonical form: the stored one, if it is stored.
func (r Revision) Canonical() string {
	if r.Text != "" {
		return r.Text
	}
	return string(r.Draft.Canonical())
}

// Type is the kind of change that a proposal makes.
type Type string

// The types of proposal.
const (
	New        Type = "new"
	Modify     Type = "modify"
	Deactivate Type = "deactivate"
	Reactivate Type = "reactivate"
	Restore    Type = "restore" // back to an earlier version, through the same gate
)

// Types lists every type in the order it is documented in.
func Types() []Type { return []Type{New, Modify, Deactivate, Reactivate, Restore} }

// Draft is the text of an author: the template of a proposal, filled in. A
// draft may be incomplete; Problems lists the fields that a submission lacks. Its JSON form
// is that of a proposal file, in the order of the template.
type Draft struct {
	// new: there is no such subject yet. modify: replace its definition. deactivate,
	// reactivate: switch it off or on. restore: go back to restoreVersion.
	Type Type `json:"type,omitempty"`
	// KIND:LAYER/ID, such as tool:user/scene_pacer. KIND is tool, agent, list, skill or instructions; LAYER is
	// global, user or project/NAME; a new subject usually belongs to user.
	Subject registry.Subject `json:"subject,omitzero"`
	// The live version that this replaces, from describe_tool or the resources; leave it out for a new
	// subject.
	BaseVersion *int `json:"baseVersion,omitempty"`
	// Only with restore: the version to go back to.
	RestoreVersion int `json:"restoreVersion,omitempty"`
	// The whole new definition, not only the changed fields. Each field names the kinds that
	// have it: tools (prompt tools, action tools), agents, lists, skills and instructions; no other key is allowed.
	// Leave definition out with deactivate, reactivate and restore.
	Definition registry.Definition `json:"definition,omitzero"`
	// Why this change, for the person who decides.
	Rationale string `json:"rationale,omitempty"`
	// 2 or 3 concrete invocations, as a user would write them.
	Examples []string `json:"examples,omitempty"`
	// 2 or 3: at least one that expects pass and one that expects fail.
	TestCases []TestCase `json:"testCases,omitempty"`
	// A name for proposals that go live together or not at all.
	ChangeSet string `json:"changeSet,omitempty"`
}

// TextHash returns that of the tool that the draft would put into force, "" when
// it is not about a tool or takes one away.
func (d Draft) TextHash() string {
	if d.Definition.Tool == nil || d.Type == Deactivate {
		return ""
	}
	return d.Definition.Tool.TextHash()
}

// Expect describes how a test case should come out.
type Expect string

// The expected outcomes.
const (
	ExpectPass Expect = "pass"
	ExpectFail Expect = "fail"
)

// TestCase is one executable example. Output is a recorded answer of a model,
// nil when there is none and the case can only run live.
type TestCase struct {
	// What the case shows.
	Name string `json:"name,omitempty"`
	// What the model is given.
	Input string `json:"input,omitempty"`
	// Whether the checks should pass on the answer.
	Expect Expect `json:"expect,omitempty"`
	// A recorded answer, to run the checks on.
	Output *string `json:"output,omitempty"`
	// What a good answer has to satisfy.
	Checks []Check `json:"checks,omitempty"`
}

// CheckType names one kind of check on an answer.
type CheckType string

// The kinds of check. CheckValues has the kinds of their values.
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

// Check is one check on the answer of a test case. Value is canonical JSON: a
// string for contains, not_contains and matches, a number for max_chars, a
// schema object for json_schema, absent for the others.
type Check struct {
	Type CheckType `json:"type,omitempty"`
	// contains, not_contains: the text. matches: a regular expression (RE2). max_chars: a
	// number. json_schema: a schema. The others take none.
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

// IssueStatus reports whether anybody still has something to do.
type IssueStatus string

// The statuses of an issue.
const (
	IssueOpen   IssueStatus = "open"
	IssueClosed IssueStatus = "closed"
)

// Assignees of an issue that are roles; every other assignee is an Actor in
// its text form.
const (
	AssigneeChief = "chief"
	AssigneeUser  = "user"
)

// Issue is the public side of a proposal: whose turn it is, and the thread.
type Issue struct {
	Number   int
	Proposal ID
	Title    string
	Assignee string // AssigneeChief, AssigneeUser or an Actor; "" when closed
	Status   IssueStatus
	Labels   []string
}

// Comment is one entry of a proposal's thread. It may be anchored to a line of
// a field of a revision.
type Comment struct {
	ID       string // UUIDv7
	Proposal ID
	Author   Actor
	At       time.Time
	Body     string // Markdown
	Revision int    // the revision it is about
	Field    string // JSON path, "" when not anchored
	Line     int    // counted from 1, 0 when not anchored
}

// MaxComment is the longest comment in characters.
const MaxComment = 20_000

// IssueTitle returns the title of the issue that a submission opens.
func IssueTitle(s registry.Subject, name string) string {
	kind := string(s.Kind)
	if kind != "" { // there is none where the draft is damaged
		kind = strings.ToUpper(kind[:1]) + kind[1:]
	}
	return fmt.Sprintf("[%s Proposal] %s", kind, name)
}

// IssueLabels returns the labels a submission's issue carries.
func IssueLabels(p Proposal) []string {
	labels := []string{string(p.Subject.Kind) + "-proposal", string(p.Type), string(p.Subject.Layer)}
	if p.ChangeSet != "" {
		labels = append(labels, "set:"+p.ChangeSet)
	}
	return labels
}

// IssueBody writes the body of the issue from a revision: the change, its
// rationale, and its test cases. It is derived, never stored, so it cannot differ
// from the revision.
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

// Base returns the version the draft was made against, 0 when the author did
// not say.
func (d Draft) Base() int {
	if d.BaseVersion == nil {
		return 0
	}
	return *d.BaseVersion
}
