package review

import (
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/review/reach/fact"
)

// Dossier contains all information about a proposal for a reviewer.
type Dossier struct {
	Proposal  proposals.Proposal
	Revision  proposals.Revision // current revision
	Revisions []proposals.Revision
	Base      *registry.Definition // base of the draft, or nil for a new subject
	Live      *registry.Live       // nil without a live version
	BaseTests []proposals.TestCase // test cases with which the base was approved
	// Source and BaseSource are the JSON from which the current revision and the base were imported, or nil.
	Source, BaseSource []byte
	Assessments        []Assessment // of the current revision, oldest first
	Standing           []Standing   // findings of the latest assessment
	Waivers            []history.Waiver
	Decisions          []proposals.Decision
	Issue              *proposals.Issue // nil while the proposal is a draft
	Comments           []proposals.Comment
	Others             []proposals.Proposal // other open proposals on the same subject, which become stale if this one is approved
	Members            []proposals.Proposal // members of the change set, including this proposal
	// Carried lists the carried findings by the approved versions that contain their passages.
	Carried []Carried
	// Reach compares the reach of the current revision with that of its base.
	Reach    fact.Difference
	Rendered map[string]string // seals of the changes to channel prompts
	// Parts are the added and changed files, or nil for a definition without files.
	Parts []Part
	// Digest is the review digest: of the dossier if the proposal is open, and of the decided content otherwise. It is
	// "" without an assessment.
	Digest string
	// Policy contains the settings that apply to a decision, with their origins.
	Policy Settings
	// Unassigned indicates that no agent would have the tool after the change set is approved.
	Unassigned bool
	// OtherRules indicates that the latest assessment used rules or settings that are no longer in force, so an
	// approval needs a new assessment.
	OtherRules bool
	// Obstacles lists the reasons why the reader of the dossier cannot approve the proposal.
	Obstacles []error
}

// Assessment returns the latest assessment, or nil.
func (d Dossier) Assessment() *Assessment {
	if len(d.Assessments) == 0 {
		return nil
	}
	return &d.Assessments[len(d.Assessments)-1]
}

// Together returns the members of d's change set that are approved with d, that is, those that are not yet live. The
// name of a change set can be reused, so the set of an open proposal may include others that were approved earlier. For
// a closed proposal, Together returns all members.
func (d Dossier) Together() []proposals.Proposal {
	if !d.Proposal.State.Open() {
		return d.Members
	}
	return slices.DeleteFunc(slices.Clone(d.Members), func(p proposals.Proposal) bool { return p.State == proposals.Approved })
}

// TestChanges compares the test cases of the base with those of the current revision, removed cases first. It returns
// nil for subjects that are deactivated. A base that was shipped or does not exist has no test cases.
func (d Dossier) TestChanges() []impact.TestChange {
	if d.Proposal.Type == proposals.Deactivate {
		return nil
	}
	return impact.CompareCases(d.BaseTests, d.Revision.Draft.TestCases)
}

// Tests returns both sides of the changes to test cases, for diff.Content.Beside, or nil without changes.
func (d Dossier) Tests() (before, after []byte) { return impact.BesideCases(d.TestChanges()) }

// Change returns both sides of the current revision's change, including source and test cases.
func (d Dossier) Change() (before, after diff.Content) {
	if d.Base != nil {
		before = diff.Content{Definition: *d.Base, Source: d.BaseSource}
	}
	after = diff.Content{Definition: d.Revision.Draft.Definition, Source: d.Source}
	before.Beside, after.Beside = d.Tests()
	return before, after
}

// ChangeSet is a change set with the members that are decided together: all members that are not live yet, or all
// members if all are live.
type ChangeSet struct {
	Name    string
	Members []Dossier
	// Digest is the seal over the review digests of the members, or "" if a member has none.
	Digest string
}

// Extent describes the size of a change, and its rationale.
type Extent struct {
	Added, Removed int // lines of the definition
	// Size is the size, in bytes, of a revision that is too large to compare for a list, or 0 if it was compared.
	Size      int
	Rationale string
}

// Lint contains the findings in a draft that has not been submitted.
type Lint struct {
	// Recommendation is derived from the findings. After submission, an external reviewer can lower it.
	Recommendation proposals.Recommendation
	Standing       []Standing
}

// Choice is a proposal that the user decides on. Expect, if set, is the review digest of the proposal or its change set
// that the user saw; without it, an approval applies to the content that was last recorded as shown. Unseen accepts a
// proposal that was not shown, which an approval of several proposals otherwise rejects. Unread is the number of parts
// that the user accepts unread.
type Choice struct {
	ID     proposals.ID
	Expect string
	Unseen bool
	Unread int
}

// Anchor attaches a comment to a line of a field. The zero value is for a comment on the proposal as a whole. Revision
// 0 means the current revision.
type Anchor struct {
	Revision int
	Field    string // JSON path in the proposal
	Line     int    // counted from 1, 0 for the field as a whole
}

// Reference returns the reference to a proposal on the command line: its number, or its id if it has no number.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// changeSetRef is the prefix of a reference to a change set. It refers to the members that are not yet live, or to all
// members if all are live.
const changeSetRef = "set:"

// ChangeSetRef returns the name of the change set in ref. ok is false if ref does not refer to a change set.
func ChangeSetRef(ref string) (changeSet string, ok bool) {
	return strings.CutPrefix(ref, changeSetRef)
}

// ShowArgument returns the argument of `toolcrib show` for p and the proposals that are decided together with it.
func ShowArgument(p proposals.Proposal) string {
	if p.ChangeSet != "" {
		return "'" + changeSetRef + p.ChangeSet + "'"
	}
	return Reference(p)
}
