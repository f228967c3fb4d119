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

// Dossier has all information about a proposal that a reviewer can see.
type Dossier struct {
	Proposal  proposals.Proposal
	Revision  proposals.Revision // the current one
	Revisions []proposals.Revision
	Base      *registry.Definition // base of the draft, or nil for a new subject
	Live      *registry.Live       // nil without a live version
	BaseTests []proposals.TestCase // that the base was approved with
	// Source and BaseSource are the JSON from which the current revision and the base were imported, or nil.
	Source, BaseSource []byte
	Assessments        []Assessment // of the current revision, the oldest first
	Standing           []Standing   // the findings of the latest one
	Waivers            []history.Waiver
	Decisions          []proposals.Decision
	Issue              *proposals.Issue // nil while it is a draft
	Comments           []proposals.Comment
	Others             []proposals.Proposal // open ones on the same subject: approving this makes them stale
	Members            []proposals.Proposal // of its change set, itself included
	// Carried are the carried findings by the approved versions that have their passages.
	Carried []Carried
	// Reach compares the reach of the current revision with that of its base.
	Reach    fact.Difference
	Rendered map[string]string // seals of the changes to channel prompts
	// Parts are the added and changed files, or nil for a definition without files.
	Parts []Part
	// Digest is the review digest: of the dossier while the proposal is open, of the
	// decided content afterwards; "" before there is an assessment.
	Digest string
	// Policy has the settings that apply to a decision, with their origins.
	Policy Settings
	// Unassigned reports that no agent would have the tool after the approval of the change set.
	Unassigned bool
	// OtherRules reports that the latest assessment was made under other rules or
	// settings than those in force, so that it carries no approval.
	OtherRules bool
	// Obstacles are why the actor who looks cannot approve it.
	Obstacles []error
}

// Assessment returns the latest assessment, or nil.
func (d Dossier) Assessment() *Assessment {
	if len(d.Assessments) == 0 {
		return nil
	}
	return &d.Assessments[len(d.Assessments)-1]
}

// Together returns the members of d's change set that are approved with it: those that
// are not live yet. The name of a set can be used again, so an open proposal may be in
// one with others that were approved before it. Of a closed one they are all members.
func (d Dossier) Together() []proposals.Proposal {
	if !d.Proposal.State.Open() {
		return d.Members
	}
	return slices.DeleteFunc(slices.Clone(d.Members), func(p proposals.Proposal) bool { return p.State == proposals.Approved })
}

// TestChanges compares the test cases of the base's approval with those of the current revision, dropped ones first.
// Subjects that are new, were shipped without cases, or are being deactivated have none.
func (d Dossier) TestChanges() []impact.TestChange {
	if d.Proposal.Type == proposals.Deactivate {
		return nil
	}
	return impact.CompareCases(d.BaseTests, d.Revision.Draft.TestCases)
}

// Tests returns both sides of the changes of test cases, for diff.Content.Beside, or nil without changes.
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
	// Digest seals the review digests of the members; "" when one has none.
	Digest string
}

// Extent is how much a proposal changes, and its rationale.
type Extent struct {
	Added, Removed int // lines, of the definition
	// Size is the size in bytes of a revision that is too large to be compared for a list, or 0 if it was compared.
	Size      int
	Rationale string
}

// Lint holds the findings in a draft that is not submitted yet.
type Lint struct {
	// Recommendation follows from the findings. A reviewer that is not built in
	// can lower it once the draft is submitted.
	Recommendation proposals.Recommendation
	Standing       []Standing
}

// Choice is one proposal that the user decides about. Expect, if set, is the review digest of the proposal or of its
// change set that the user saw; without it, an approval applies to the content that was last recorded as shown. Unseen
// accepts a proposal that was not shown, which an approval of several proposals otherwise refuses. Unread is the number
// of parts that the user accepts unread.
type Choice struct {
	ID     proposals.ID
	Expect string
	Unseen bool
	Unread int
}

// Anchor ties a comment to a line of a field. The zero value is a comment on the proposal. Revision 0 means the current
// revision.
type Anchor struct {
	Revision int
	Field    string // JSON path in the proposal
	Line     int    // counted from 1, 0 for the field as a whole
}

// Reference returns the name of a proposal on the command line: its number, or
// its id before it has one.
func Reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return strconv.Itoa(p.Issue)
	}
	return string(p.ID)
}

// changeSetRef begins a reference to the members of a change set: those that
// are not live yet, or all of them when they all are.
const changeSetRef = "set:"

// ChangeSetRef returns the name of the change set in ref; false when ref names
// something else.
func ChangeSetRef(ref string) (changeSet string, ok bool) {
	return strings.CutPrefix(ref, changeSetRef)
}

// ShowArgument returns the argument of `toolcrib show` for p and all proposals that are
// decided together with it.
func ShowArgument(p proposals.Proposal) string {
	if p.ChangeSet != "" {
		return "'" + changeSetRef + p.ChangeSet + "'"
	}
	return Reference(p)
}
