// This file defines the interfaces of the storage for proposals and their records.

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

// Store is the transactional storage of the review service.
type Store interface {
	// View runs fn with a consistent snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn in a write transaction. The transaction is durable if Update returns nil and has no effect if it
	// returns an error. Update waits for other writers before it calls fn.
	Update(ctx context.Context, fn func(Tx) error) error
	// Remember records which content of proposals was shown to a user. It replaces the user's earlier entries for the
	// same proposals. A power failure may lose the new entries. The error wraps ErrReadOnly if the database is
	// read-only.
	Remember(ctx context.Context, user proposals.Actor, shown []Shown) error
}

// Reader reads one snapshot of the database: the proposals and their records, the registry, and the signatures.
type Reader struct {
	ProposalReader
	RecordReader
	RegistryReader
	proof.SignatureReader
}

// ProposalReader finds proposals. Its methods return proposals.ErrNotFound for unknown objects.
type ProposalReader interface {
	// ResolveIDs converts references to ids. A reference is an issue number, an id, or a unique prefix of an id. It can
	// also be a subject or a tool id with exactly one open proposal.
	ResolveIDs(ctx context.Context, refs []string) ([]proposals.ID, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
	Revisions(ctx context.Context, id proposals.ID) ([]proposals.Revision, error)
	List(ctx context.Context, q Query) (Page, error)
	// Counts returns the number of proposals in each state.
	Counts(ctx context.Context) (map[proposals.State]int, error)
	// OpenBy returns the number of open proposals by author, or by all agents if author is zero.
	OpenBy(ctx context.Context, author proposals.Actor) (int, error)
	// OpenOn returns the open proposals on subject s, oldest first.
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	// SameText returns the newest open or rejected proposals of tools with the given text hash. It omits the proposal
	// with the id in excluded. limit is the maximum number of results.
	SameText(ctx context.Context, textHash string, excluded proposals.ID, limit int) ([]proposals.Proposal, error)
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
	// Bundles returns the bundles of the proposals with the given ids, in the order of ids.
	Bundles(ctx context.Context, ids []proposals.ID) ([]Bundle, error)
	// Assessments returns the assessments of a revision, oldest first.
	Assessments(ctx context.Context, id proposals.ID, revision int) ([]Assessment, error)
	Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error)
	Decisions(ctx context.Context, id proposals.ID) ([]proposals.Decision, error)
	// Shown returns, for each given proposal, the content that the user last saw. The result has no entry for a
	// proposal that the user has never seen.
	Shown(ctx context.Context, user proposals.Actor, ids []proposals.ID) (map[proposals.ID]Shown, error)
	// Rejection returns the latest decision that rejected the definition with the given content hash for subject s.
	Rejection(ctx context.Context, s registry.Subject, contentHash string) (proposals.Decision, error)
	Issue(ctx context.Context, id proposals.ID) (proposals.Issue, error)
	Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error)
	// WroteHere reports whether author wrote the given revision from the same account as the current caller.
	WroteHere(ctx context.Context, id proposals.ID, revision int, author proposals.Actor) (bool, error)
	// RecentWrites returns the times of agent's drafts, revisions, and comments between start and end, latest first.
	// limit is the maximum number of times. If agent is zero, it considers the writes of all agents.
	RecentWrites(ctx context.Context, agent proposals.Actor, start, end time.Time, limit int) ([]time.Time, error)
}

// RegistryReader reads the live definitions and the earlier versions.
type RegistryReader interface {
	impact.ToolReader
	// ByLabel returns the live tools with the given display name, in all layers.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	// ByTag returns the live tools, in all layers, with a tag that begins with the given prefix.
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns live tools, in all layers, that may be similar to t in text or purpose. The most similar tools come
	// first. The caller must compare each of these tools with t.
	Alike(ctx context.Context, t *overlap.Fingerprint) ([]registry.Live, error)
	reach.Registry
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
	// Folders returns all live skills and instruction files, in all layers.
	Folders(ctx context.Context) ([]registry.Live, error)
	// Raw returns the imported JSON with the given hash. ok is false if this JSON is not stored.
	Raw(ctx context.Context, hash string) (body []byte, ok bool, err error)
	// Content returns the bytes of the binary file with the given SHA-256. ok is false if these bytes are not stored.
	Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error)
}

// DecidedProposal is a proposal as it should be stored after a decision, together with the next assignee and status of
// its issue. The decision must not change the revision and the summary of the proposal.
type DecidedProposal struct {
	Proposal proposals.Proposal
	From     proposals.State // state before the decision
	Assignee string
	Status   proposals.IssueStatus
}

// Tx reads and writes in a transaction. Its writing methods use compare-and-swap. They return proposals.ErrConflict if
// another writer has changed the object first.
type Tx struct {
	Reader
	ProposalWriter
	RecordWriter
	RegistryWriter
	proof.SignatureWriter
}

// ProposalWriter adds proposals and revisions, and changes the states of proposals and issues.
type ProposalWriter interface {
	// AddProposal writes a new proposal with its first revision. If i is not nil, AddProposal also writes the issue i.
	// It returns the seal of the revision.
	AddProposal(ctx context.Context, p proposals.Proposal, r proposals.Revision, i *proposals.Issue) (string, error)
	// AddRevision writes r as the next revision of p and returns the seal of r. p must still be at the previous
	// revision.
	AddRevision(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error)
	// MoveProposal stores the state, the summary, and the update time of p. The stored proposal must still have the
	// revision of p and the state in the parameter from.
	MoveProposal(ctx context.Context, p proposals.Proposal, from proposals.State) error
	// ApplyVerdict atomically changes several decided proposals and their issues. It stores the states and times of the
	// proposals like MoveProposal, and the assignees and statuses of the issues like AssignIssue.
	ApplyVerdict(ctx context.Context, decided []DecidedProposal) error
	// OpenIssue writes the issue of a stored proposal and returns its number.
	OpenIssue(ctx context.Context, i proposals.Issue) (int, error)
	// AssignIssue sets the assignee and status of an issue.
	AssignIssue(ctx context.Context, id proposals.ID, assignee string, status proposals.IssueStatus) error
}

// RecordWriter appends immutable records. Its Add methods return the seal of each record.
type RecordWriter interface {
	AddAssessment(ctx context.Context, a Assessment) (string, error)
	AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error)
	AddDecisions(ctx context.Context, decisions []proposals.Decision) ([]string, error)
	AddComment(ctx context.Context, c proposals.Comment) (string, error)
	// AppendEvents appends events to the log. It sets the numbers and hashes of the events.
	AppendEvents(ctx context.Context, events []history.Event) error
}

// RegistryWriter makes an approved definition live.
type RegistryWriter interface {
	// AddContent stores the bytes of a binary file. The same bytes must not be stored yet.
	AddContent(ctx context.Context, data []byte) error
	// AddVersions writes each version as the next version of its subject. It returns the versions with their hashes. No
	// two versions may have the same subject.
	AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error)
	// SetLive makes versions live, if the previous version of each subject is still live. The last call of AddVersions
	// must have written these versions. definitions[i] is the definition of versions[i].
	SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error
}

// Order is the sort order of a list of proposals.
type Order string

// All orders. ByRisk breaks ties by newest first, and BySubject and ByAuthor break ties by oldest first.
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
	// Approvals and FourEyes are the policy for the filter term waits:. reading.Reader.List sets them.
	Approvals approval.Rules
	FourEyes  bool
	After     string // Next of the previous page, the id of a proposal, or "" for the first page
}

// Limits of a page.
const (
	DefaultPage = 50
	MaxPage     = 1000
)

// Page is a page of a list. Next is the cursor of the next page, or "" on the last page. Prefixes[i] is the length in
// characters of the shortest unique prefix of the id of Proposals[i].
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
	RulesVersion   string // identifies the rules and the policy that the assessment used
	At             time.Time
}

// Report contains the findings and the comment of a reviewer.
type Report struct {
	Findings []rules.Finding `json:"findings"`
	// Reach lists the kinds of facts that the revision adds to the reach of its subject. The queue can be filtered by
	// these kinds. The facts themselves are not stored, because they can be derived from the content.
	Reach []fact.Kind `json:"reach,omitempty"`
	// Comment is the reviewer's text in Markdown. The text of the built-in reviewer answers four questions: whether the
	// change makes sense, whether it overlaps a core tool, whether it breaks guardrails or policy, and what must
	// change.
	Comment string `json:"comment"`
	// Builtin is the comment of the built-in reviewer if a chief wrote Comment. Otherwise, it is "".
	Builtin string `json:"builtin,omitempty"`
	// Advice is the reviewer's own recommendation, or "". The recommendation of the assessment combines Advice with the
	// recommendation that is derived from the findings.
	Advice proposals.Recommendation `json:"advice,omitempty"`
	// Harness contains the results of the test cases.
	Harness []harness.Result `json:"harness,omitempty"`
	// Problems describes which external reviewers failed, and how.
	Problems []string `json:"problems,omitempty"`
}

// Encode returns r as canonical JSON, which is the stored and sealed form of a report.
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

// Shown describes a proposal as a user last saw it. If the proposal has changed since, its review digest differs from
// Digest, and the other fields show which parts have changed.
type Shown struct {
	Proposal proposals.ID
	Digest   string // "" before the first assessment
	At       time.Time
	ShownParts
}

// ShownParts contains the parts of a proposal that are compared to report changes. It is stored as JSON.
type ShownParts struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Assessment     string                   `json:"assessment,omitempty"`
	RulesVersion   string                   `json:"rules_version,omitempty"`
	Recommendation proposals.Recommendation `json:"recommendation,omitempty"`
	// Findings lists the rule of each finding and a seal over the parts of the finding that deciders see, including its
	// waiver.
	Findings []ShownFinding `json:"findings,omitempty"`
	Rendered string         `json:"rendered"` // seal of the changes to channel prompts
	// Members lists the members of the change set, including this proposal. It is nil if the proposal belongs to no
	// change set.
	Members []ShownMember `json:"members,omitempty"`
}

// NewShownParts returns the parts of p that a user sees. a is the latest assessment, standing contains its findings,
// members are the members of the change set, and rendered contains the seals of the changes to prompts.
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

// ShownFinding identifies a finding and its state in ShownParts.
type ShownFinding struct {
	Rule string `json:"rule"`
	Seal string `json:"seal"`
}

// ShownMember identifies a member of a change set and its content in ShownParts.
type ShownMember struct {
	ID          proposals.ID `json:"id"`
	Name        string       `json:"name"`
	Revision    int          `json:"revision"`
	ContentHash string       `json:"content_hash"`
}
