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

// Dossier has everything to see about a proposal.
type Dossier struct {
	Proposal  proposals.Proposal
	Revision  proposals.Revision // the current one
	Revisions []proposals.Revision
	Base      *registry.Definition // what the draft was made against, nil for a new subject
	Live      *registry.Live       // nil when nothing is
	BaseTests []proposals.TestCase // that the base was approved with
	// Source and BaseSource are the JSON that the current revision and the base
	// were imported from, nil where there is none.
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
	// Reach compares what the current revision reaches with the version it was drafted against.
	Reach    fact.Difference
	Rendered map[string]string // seals of what it does to the channel prompts that it changes
	// Parts are the files that it adds or changes; nil for what is not a folder.
	Parts []Part
	// Digest is the review digest: of the dossier while the proposal is open, of the
	// decided content afterwards; "" before there is an assessment.
	Digest string
	// Policy is the policy that a decision would rest on, and where it comes from.
	Policy Settings
	// Unassigned reports that no agent would have the tool, were the proposal
	// approved with the rest of its change set.
	Unassigned bool
	// OtherRules reports that the latest assessment was made under other rules or
	// settings than those in force, so that it carries no approval.
	OtherRules bool
	// Obstacles are why the actor who looks cannot approve it.
	Obstacles []error
}

// Assessment returns the latest assessment, nil when there is none.
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

// TestChanges compares the test cases that the base was approved with to those of the
// current revision, dropped ones first. A subject that is new, was shipped without
// cases, or goes out of use has none.
func (d Dossier) TestChanges() []impact.TestChange {
	if d.Proposal.Type == proposals.Deactivate {
		return nil
	}
	return impact.CompareCases(d.BaseTests, d.Revision.Draft.TestCases)
}

// Tests returns the two sides of what the current revision changes in test cases, for
// diff.Content.Beside; nil for nothing.
func (d Dossier) Tests() (before, after []byte) { return impact.BesideCases(d.TestChanges()) }

// Change returns what the current revision would change, source and test cases and
// all.
func (d Dossier) Change() (before, after diff.Content) {
	if d.Base != nil {
		before = diff.Content{Definition: *d.Base, Source: d.BaseSource}
	}
	after = diff.Content{Definition: d.Revision.Draft.Definition, Source: d.Source}
	before.Beside, after.Beside = d.Tests()
	return before, after
}

// ChangeSet is a change set as a whole: those of its members that are decided
// together, which are all that are not live yet, or all when they all are.
type ChangeSet struct {
	Name    string
	Members []Dossier
	// Digest seals the review digests of the members; "" when one has none.
	Digest string
}

// Extent is how much a proposal changes, and its rationale.
type Extent struct {
	Added, Removed int // lines, of the definition
	// Size is how many bytes a revision has that is too large to be compared for a
	// list; 0 for one that was compared.
	Size      int
	Rationale string
}

// Lint holds what the rules find in a draft that is not submitted yet.
type Lint struct {
	// Recommendation follows from the findings. A reviewer that is not built in
	// can lower it once the draft is submitted.
	Recommendation proposals.Recommendation
	Standing       []Standing
}

// Choice is one proposal that the user decides about. Expect, when set, is the
// review digest of the proposal or of its change set as the user saw it. Without
// it, an approval applies to the content that the reading part recorded. Unseen accepts that
// the user was shown nothing of it, which an approval of several proposals requires. Unread
// is how many of its parts the user accepts unread otherwise.
type Choice struct {
	ID     proposals.ID
	Expect string
	Unseen bool
	Unread int
}

// Anchor ties a comment to a line of a field. The zero value ties it to
// nothing. Revision 0 means the current one.
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
