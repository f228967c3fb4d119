// This file defines the storage that reviews need.

package review

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/approval"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/overlap"
	"toolcrib/review/proof"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Store is the transactional storage for the desk.
type Store interface {
	// View runs fn with a consistent snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn in a write transaction. The transaction is durable if Update returns nil and has no effect if it
	// returns an error. Update waits for other writers before it calls fn.
	Update(ctx context.Context, fn func(Tx) error) error
	// Remember records what a user was shown, replacing earlier entries for the same proposals. A power failure may
	// lose the entry. The error wraps ErrReadOnly if the database is read-only.
	Remember(ctx context.Context, user proposals.Actor, shown []Shown) error
}

// Reader reads a snapshot: proposals, their records, the registry, and signatures.
type Reader struct {
	ProposalReader
	RecordReader
	RegistryReader
	proof.SignatureReader
}

// ProposalReader finds proposals. Its methods return ErrNotFound for unknown objects.
type ProposalReader interface {
	// ResolveIDs converts references to ids. A reference is a number, an id or a unique prefix of one, or a subject or
	// tool id with exactly one open proposal.
	ResolveIDs(ctx context.Context, refs []string) ([]proposals.ID, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
	Revisions(ctx context.Context, id proposals.ID) ([]proposals.Revision, error)
	List(ctx context.Context, q Query) (Page, error)
	// Counts returns the number of proposals in each state.
	Counts(ctx context.Context) (map[proposals.State]int, error)
	// OpenBy returns the number of open proposals of an author, or of all agents if author is zero.
	OpenBy(ctx context.Context, author proposals.Actor) (int, error)
	// OpenOn returns the open proposals on a subject, oldest first.
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	// SameText returns the latest proposals other than except, up to most, that are open or were rejected and whose
	// tool has texts with the hash textHash.
	SameText(ctx context.Context, textHash string, except proposals.ID, most int) ([]proposals.Proposal, error)
	// Members returns the proposals of a change set that have not been withdrawn, oldest first.
	Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error)
}

// Bundle is a proposal with the records that a decision depends on.
type Bundle struct {
	Proposal   proposals.Proposal
	Revision   proposals.Revision // current revision
	Assessment Assessment         // latest assessment, or zero
	Waivers    []history.Waiver
}

// RecordReader reads the records of a proposal.
type RecordReader interface {
	// Bundles returns proposals with the records that decisions about them depend on, in the order of ids.
	Bundles(ctx context.Context, ids []proposals.ID) ([]Bundle, error)
	// Assessments returns the assessments of a revision, oldest first.
	Assessments(ctx context.Context, id proposals.ID, revision int) ([]Assessment, error)
	Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error)
	Decisions(ctx context.Context, id proposals.ID) ([]proposals.Decision, error)
	// Shown returns the state of proposals that a user was last shown. It omits proposals that the user was never
	// shown.
	Shown(ctx context.Context, user proposals.Actor, ids []proposals.ID) (map[proposals.ID]Shown, error)
	// Rejection returns the latest rejection of a definition for a subject.
	Rejection(ctx context.Context, s registry.Subject, contentHash string) (proposals.Decision, error)
	Issue(ctx context.Context, id proposals.ID) (proposals.Issue, error)
	Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error)
	// WroteHere reports whether an author wrote a revision from the account and connection that now acts.
	WroteHere(ctx context.Context, id proposals.ID, revision int, author proposals.Actor) (bool, error)
	// RecentWrites returns the times at which an agent, or any agent if agent is zero, wrote drafts, revisions, or
	// comments in a period: at most limit, latest first.
	RecentWrites(ctx context.Context, agent proposals.Actor, from, to time.Time, limit int) ([]time.Time, error)
}

// RegistryReader reads the live registry and earlier versions.
type RegistryReader interface {
	impact.ToolReader
	// ByLabel returns the live tools with a name for people, in all layers.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	// ByTag returns the live tools with a tag prefix, in all layers.
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns candidates among the live tools, in all layers, whose text or purpose may be similar to that of t,
	// most similar first.
	Alike(ctx context.Context, t *overlap.Fingerprint) ([]registry.Live, error)
	reach.Registry
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
	// Folders returns all live skills and instruction files, in all layers.
	Folders(ctx context.Context) ([]registry.Live, error)
	// Raw returns imported JSON by hash. ok is false if it is not stored.
	Raw(ctx context.Context, hash string) (body []byte, ok bool, err error)
	// Content returns the bytes of a binary file by SHA-256. ok is false if they are not stored.
	Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error)
}

// DecidedProposal is a proposal after a decision, with the next assignee and status of its issue. Its revision and
// summary must be unchanged.
type DecidedProposal struct {
	Proposal proposals.Proposal
	From     proposals.State // state before the decision
	Assignee string
	Status   proposals.IssueStatus
}

// Tx reads and writes in one transaction. Writers use compare-and-swap, and return ErrConflict if another writer was
// first.
type Tx struct {
	Reader
	ProposalWriter
	RecordWriter
	RegistryWriter
	proof.SignatureWriter
}

// ProposalWriter creates and moves proposals.
type ProposalWriter interface {
	// AddProposal writes a new proposal with its first revision and, if i is not nil, its issue. It returns the seal of
	// the revision.
	AddProposal(ctx context.Context, p proposals.Proposal, r proposals.Revision, i *proposals.Issue) (string, error)
	// AddRevision writes the next revision of p and returns its seal. p must be at the previous revision.
	AddRevision(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error)
	// MoveProposal saves p's state, summary, and time if it is still in state from and at p's revision.
	MoveProposal(ctx context.Context, p proposals.Proposal, from proposals.State) error
	// ApplyVerdict saves the states and times of proposals like MoveProposal, and their issues like AssignIssue, all or
	// none of them.
	ApplyVerdict(ctx context.Context, decided []DecidedProposal) error
	// OpenIssue writes the issue of a stored proposal and returns its number.
	OpenIssue(ctx context.Context, i proposals.Issue) (int, error)
	// AssignIssue sets the assignee and status of an issue.
	AssignIssue(ctx context.Context, id proposals.ID, assignee string, status proposals.IssueStatus) error
}

// RecordWriter appends immutable records. Its methods return the seal of the record.
type RecordWriter interface {
	AddAssessment(ctx context.Context, a Assessment) (string, error)
	AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error)
	AddDecisions(ctx context.Context, decisions []proposals.Decision) ([]string, error)
	AddComment(ctx context.Context, c proposals.Comment) (string, error)
	// AppendEvents appends events to the log. It sets their numbers and hashes.
	AppendEvents(ctx context.Context, events []history.Event) error
}

// RegistryWriter makes an approved definition live.
type RegistryWriter interface {
	// AddContent stores the bytes of a binary file, which must not be stored yet.
	AddContent(ctx context.Context, data []byte) error
	// AddVersions writes the next versions of their subjects, which must be distinct, and returns them with their
	// hashes.
	AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error)
	// SetLive makes versions live if the previous versions of their subjects are still live. The last AddVersions must
	// have written them. definitions[i] belongs to versions[i].
	SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error
}

// Order is the sort order of a list of proposals.
type Order string

// All orders. Ties are ordered by time: newest first by risk, and oldest first by names.
const (
	ByNewest  Order = "" // by time of proposal
	ByOldest  Order = "oldest"
	ByRisk    Order = "risk" // number of open blocking findings, then the worst finding, then the number of findings
	BySubject Order = "subject"
	ByAuthor  Order = "author"
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByNewest, ByOldest, ByRisk, BySubject, ByAuthor} }

// Query selects proposals for a page.
type Query struct {
	State   proposals.State // "" for all
	Author  string          // an actor, or the kind of an actor followed by ":", or "" for all
	Subject string          // "" for all
	Filter  string          // case-insensitive substring of the title, subject, author, or change set, or "" for all
	Order   Order
	Reverse bool // start at the end of the order
	Limit   int  // 1 to MaxPage
	// Approvals and FourEyes are the policy for the filter term waits:. The desk fills them in.
	Approvals approval.Rules
	FourEyes  bool
	After     string // Next of the previous page, the id of a proposal, or "" for the first page
}

// Limits of a page.
const (
	DefaultPage = 50
	MaxPage     = 1000
)

// Page is a page of a list. Next is the cursor of the next page, or "" on the last page. Prefixes contains the length
// of the shortest unique prefix of each id, in characters.
type Page struct {
	Proposals []proposals.Proposal
	Prefixes  []int
	Next      string
}

// Assessment is the Chief of Staff's review of a revision.
type Assessment struct {
	ID             string // UUIDv7
	Proposal       proposals.ID
	Revision       int
	ContentHash    string
	Reviewer       proposals.Actor
	Recommendation proposals.Recommendation
	Report         Report
	RulesVersion   string // rules and configuration that were used
	At             time.Time
}

// Report contains the findings and the comment of a reviewer.
type Report struct {
	Findings []rules.Finding `json:"findings"`
	// Reach lists the kinds of facts that the revision adds to the reach of its subject, for filters. The facts are
	// derived from the content.
	Reach []fact.Kind `json:"reach,omitempty"`
	// Comment is the reviewer's text in Markdown. The built-in reviewer states whether the change makes sense, overlaps
	// a core tool, or breaks guardrails or policy, and what must change.
	Comment string `json:"comment"`
	// Builtin is the built-in reviewer's text if a chief wrote Comment, and "" otherwise.
	Builtin string `json:"builtin,omitempty"`
	// Advice is the recommendation of the reviewer, in addition to the one derived from findings, or "".
	Advice proposals.Recommendation `json:"advice,omitempty"`
	// Harness contains the results of the test cases.
	Harness []harness.Result `json:"harness,omitempty"`
	// Problems describes which external reviewers failed, and how.
	Problems []string `json:"problems,omitempty"`
}

// Encode returns r as canonical JSON. It is stored and sealed in this form.
func (r Report) Encode() string {
	if r.Findings == nil {
		r.Findings = []rules.Finding{}
	}
	b, err := jsondoc.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("review: a report does not marshal: %v", err))
	}
	return string(b)
}

// DecodeReport parses the output of Encode.
func DecodeReport(s string) (Report, error) {
	var r Report
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return Report{}, fmt.Errorf("assessment: %w", err)
	}
	return r, nil
}

// Shown is the state of a proposal when it was last shown to a user: its review digest, and the parts that an error can
// list if they have changed since then.
type Shown struct {
	Proposal proposals.ID
	Digest   string // "" before the first assessment
	At       time.Time
	ShownParts
}

// ShownParts contains the parts that are compared, as stored.
type ShownParts struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Assessment     string                   `json:"assessment,omitempty"`
	RulesVersion   string                   `json:"rules_version,omitempty"`
	Recommendation proposals.Recommendation `json:"recommendation,omitempty"`
	// Findings lists the rule of each finding, and a seal over all its visible parts, including its waiver.
	Findings []ShownFinding `json:"findings,omitempty"`
	Rendered string         `json:"rendered"` // seal of the changes to channel prompts
	// Members lists the members of the change set, including this proposal, or is nil without a change set.
	Members []ShownMember `json:"members,omitempty"`
}

// NewShownParts returns the parts of a proposal to compare: its assessment, findings, the members of its change set,
// and the seals of prompts.
func NewShownParts(p proposals.Proposal, a Assessment, standing []Standing, members []proposals.Proposal, rendered map[string]string) ShownParts {
	parts := ShownParts{
		Revision: p.Revision, ContentHash: p.ContentHash, Assessment: a.ID, RulesVersion: a.RulesVersion,
		Recommendation: a.Recommendation, Rendered: history.Seal(impact.Seal(rendered)),
	}
	for _, s := range standing {
		parts.Findings = append(parts.Findings, ShownFinding{s.Rule, s.Seal()[:12]})
	}
	if p.ChangeSet != "" {
		for _, m := range members {
			parts.Members = append(parts.Members, ShownMember{m.ID, m.Name(), m.Revision, m.ContentHash})
		}
	}
	return parts
}

// ShownFinding contains the parts of a finding that are compared with what a user was shown.
type ShownFinding struct {
	Rule string `json:"rule"`
	Seal string `json:"seal"`
}

// ShownMember contains the parts of a member of a change set that are compared with what a user was shown.
type ShownMember struct {
	ID          proposals.ID `json:"id"`
	Name        string       `json:"name"`
	Revision    int          `json:"revision"`
	ContentHash string       `json:"content_hash"`
}
