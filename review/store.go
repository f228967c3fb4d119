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

// Store is the storage that the desk needs: transactions.
type Store interface {
	// View runs fn on one consistent snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn in one write transaction, which is durable when Update
	// returns nil and has left no trace when it returns an error. The wait
	// for others who write comes before fn.
	Update(ctx context.Context, fn func(Tx) error) error
	// Remember stores what a user was shown, and replaces earlier entries for the same proposals. A power cut may lose
	// the entry. The error wraps ErrReadOnly if the database is read-only.
	Remember(ctx context.Context, user proposals.Actor, shown []Shown) error
}

// Reader reads one snapshot: proposals, their records, the registry, and signatures.
type Reader struct {
	ProposalReader
	RecordReader
	RegistryReader
	proof.SignatureReader
}

// ProposalReader finds proposals. Its methods return ErrNotFound for unknown objects.
type ProposalReader interface {
	// ResolveIDs turns numbers, full ids, unique prefixes of them, and subjects
	// or tool ids that only one proposal is open on, into the ids.
	ResolveIDs(ctx context.Context, refs []string) ([]proposals.ID, error)
	Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error)
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
	Revisions(ctx context.Context, id proposals.ID) ([]proposals.Revision, error)
	List(ctx context.Context, q Query) (Page, error)
	// Counts returns how many proposals are in each state.
	Counts(ctx context.Context) (map[proposals.State]int, error)
	// OpenBy counts the open proposals of an author; the zero value is all
	// agents together.
	OpenBy(ctx context.Context, author proposals.Actor) (int, error)
	// OpenOn lists the open proposals on a subject, the oldest first.
	OpenOn(ctx context.Context, s registry.Subject) ([]proposals.Proposal, error)
	// SameText returns the latest proposals, at most most of them and without except,
	// that are open or were rejected and whose tool has the texts with the hash
	// textHash.
	SameText(ctx context.Context, textHash string, except proposals.ID, most int) ([]proposals.Proposal, error)
	// Members lists the proposals of a change set that are not withdrawn, the
	// oldest first.
	Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error)
}

// Bundle is a proposal with the records that a decision depends on.
type Bundle struct {
	Proposal   proposals.Proposal
	Revision   proposals.Revision // the current one
	Assessment Assessment         // the latest one, or zero
	Waivers    []history.Waiver
}

// RecordReader reads the records of a proposal.
type RecordReader interface {
	// Bundles returns the records behind decisions about proposals, in the order of ids.
	Bundles(ctx context.Context, ids []proposals.ID) ([]Bundle, error)
	// Assessments lists the assessments of one revision, the oldest first.
	Assessments(ctx context.Context, id proposals.ID, revision int) ([]Assessment, error)
	Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error)
	Decisions(ctx context.Context, id proposals.ID) ([]proposals.Decision, error)
	// Shown returns the state of proposals that a user was last shown. Proposals that the user was never shown are
	// missing.
	Shown(ctx context.Context, user proposals.Actor, ids []proposals.ID) (map[proposals.ID]Shown, error)
	// Rejection finds the latest rejection of a definition for a subject.
	Rejection(ctx context.Context, s registry.Subject, contentHash string) (proposals.Decision, error)
	Issue(ctx context.Context, id proposals.ID) (proposals.Issue, error)
	Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error)
	// WroteHere reports whether an author wrote a revision from the account, and
	// through the door, that acts now.
	WroteHere(ctx context.Context, id proposals.ID, revision int, author proposals.Actor) (bool, error)
	// RecentWrites returns when an agent drafted, revised or commented from one
	// time to another, the latest first, at most limit of them. The zero value
	// is all agents together.
	RecentWrites(ctx context.Context, agent proposals.Actor, from, to time.Time, limit int) ([]time.Time, error)
}

// RegistryReader reads the live registry and earlier versions.
type RegistryReader interface {
	impact.ToolReader
	// ByLabel returns the live tools, in any layer, with a human name.
	ByLabel(ctx context.Context, label string) ([]registry.Live, error)
	// ByTag returns the live tools, in any layer, with a tag prefix.
	ByTag(ctx context.Context, prefix string) ([]registry.Live, error)
	// Alike returns the live tools, in any layer, that may resemble t in text
	// or in purpose, the likeliest first: candidates to be compared.
	Alike(ctx context.Context, t *overlap.Fingerprint) ([]registry.Live, error)
	reach.Registry
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
	// Folders returns every live skill and file of instructions, in any layer.
	Folders(ctx context.Context) ([]registry.Live, error)
	// Raw returns the JSON that was imported under a hash, false when none was.
	Raw(ctx context.Context, hash string) (body []byte, ok bool, err error)
	// Content returns the bytes of a binary file by their SHA-256, false if they are not
	// stored.
	Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error)
}

// DecidedProposal is a proposal after a decision, with the next assignee and
// status of its issue. Its revision and summary are unchanged.
type DecidedProposal struct {
	Proposal proposals.Proposal
	From     proposals.State // the state it was in
	Assignee string
	Status   proposals.IssueStatus
}

// Tx reads and writes in one transaction. Each writer compares before it sets
// and returns ErrConflict when the world moved first.
type Tx struct {
	Reader
	ProposalWriter
	RecordWriter
	RegistryWriter
	proof.SignatureWriter
}

// ProposalWriter creates and moves proposals.
type ProposalWriter interface {
	// AddProposal writes a new proposal with its first revision, and with its
	// issue unless that is nil, and returns the seal of the revision.
	AddProposal(ctx context.Context, p proposals.Proposal, r proposals.Revision, i *proposals.Issue) (string, error)
	// AddRevision writes the next revision of p, which must be at the previous one, and returns its seal.
	AddRevision(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error)
	// MoveProposal saves p's state, summary and time if it is still in state
	// from and at p's revision.
	MoveProposal(ctx context.Context, p proposals.Proposal, from proposals.State) error
	// ApplyVerdict saves the states and times of proposals as MoveProposal does,
	// and then their issues as AssignIssue does: all of them, or none.
	ApplyVerdict(ctx context.Context, decided []DecidedProposal) error
	// OpenIssue files the issue of a stored proposal and returns its number.
	OpenIssue(ctx context.Context, i proposals.Issue) (int, error)
	// AssignIssue changes whose turn it is.
	AssignIssue(ctx context.Context, id proposals.ID, assignee string, status proposals.IssueStatus) error
}

// RecordWriter appends immutable records. Each method returns the seal of the
// record.
type RecordWriter interface {
	AddAssessment(ctx context.Context, a Assessment) (string, error)
	AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error)
	AddDecisions(ctx context.Context, decisions []proposals.Decision) ([]string, error)
	AddComment(ctx context.Context, c proposals.Comment) (string, error)
	// AppendEvents gives events their numbers and their places in the chain.
	AppendEvents(ctx context.Context, events []history.Event) error
}

// RegistryWriter makes an approved definition live.
type RegistryWriter interface {
	// AddContent stores the bytes of a binary file, which are not stored yet.
	AddContent(ctx context.Context, data []byte) error
	// AddVersions writes the next version of each of their subjects with its
	// hashes filled in, and returns them so. No two are of one subject.
	AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error)
	// SetLive makes versions of their subjects live, if the live ones are still the previous versions. The last
	// AddVersions must have written them; the elements of definitions correspond to those of versions.
	SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error
}

// Order is how a list of proposals is sorted.
type Order string

// All orders. Equal elements are ordered by time: the newest first by risk, the oldest first by names.
const (
	ByNewest  Order = "" // by when they were proposed
	ByOldest  Order = "oldest"
	ByRisk    Order = "risk" // open blocks, then the worst finding, then the number of findings
	BySubject Order = "subject"
	ByAuthor  Order = "author"
)

// Orders lists every order.
func Orders() []Order { return []Order{ByNewest, ByOldest, ByRisk, BySubject, ByAuthor} }

// Query selects proposals for a page.
type Query struct {
	State   proposals.State // "" for all
	Author  string          // actor, or only its kind followed by ":"; "" for all
	Subject string          // "" for all
	Filter  string          // substring of title, subject, author or change set, any case; "" for all
	Order   Order
	Reverse bool // from the end of the order
	Limit   int  // 1 to MaxPage
	// Approvals and FourEyes are the policy that the filter's waits: is about; the desk
	// fills them in.
	Approvals approval.Rules
	FourEyes  bool
	After     string // Next of the page before, or the id of a proposal; "" for the first
}

// Limits of a page.
const (
	DefaultPage = 50
	MaxPage     = 1000
)

// Page is one page of a list. Next continues it; it is "" on the last page.
// Prefixes has for each proposal how many characters of its id name no other.
type Page struct {
	Proposals []proposals.Proposal
	Prefixes  []int
	Next      string
}

// Assessment is the Chief of Staff's review of one revision.
type Assessment struct {
	ID             string // UUIDv7
	Proposal       proposals.ID
	Revision       int
	ContentHash    string
	Reviewer       proposals.Actor
	Recommendation proposals.Recommendation
	Report         Report
	RulesVersion   string // rules and configuration it was made with
	At             time.Time
}

// Report holds the findings and the words of a reviewer.
type Report struct {
	Findings []rules.Finding `json:"findings"`
	// Reach has the kinds of the facts that the revision adds to the reach of its subject, for
	// filters; the facts themselves follow from the content.
	Reach []fact.Kind `json:"reach,omitempty"`
	// Comment is the reviewer's own text, in Markdown. The built-in reviewer's comment states whether the change makes
	// sense, overlaps a core tool, or breaks guardrails or policy, and what must change.
	Comment string `json:"comment"`
	// Builtin is the built-in reviewer's text where a chief filed Comment; ""
	// where Comment is the built-in reviewer's itself.
	Builtin string `json:"builtin,omitempty"`
	// Advice is the reviewer's own recommendation, in addition to that of its findings, or "".
	Advice proposals.Recommendation `json:"advice,omitempty"`
	// Harness has the results of the test cases.
	Harness []harness.Result `json:"harness,omitempty"`
	// Problems describes which external reviewers failed, and how.
	Problems []string `json:"problems,omitempty"`
}

// Encode writes r as canonical JSON, the form it is stored and sealed in.
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

// Shown is the state of a proposal that a user was last shown: its review digest, and the parts that an error can name
// if they differ later.
type Shown struct {
	Proposal proposals.ID
	Digest   string // "" before the first assessment
	At       time.Time
	ShownParts
}

// ShownParts are the parts that Shown compares, as stored.
type ShownParts struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Assessment     string                   `json:"assessment,omitempty"`
	RulesVersion   string                   `json:"rules_version,omitempty"`
	Recommendation proposals.Recommendation `json:"recommendation,omitempty"`
	// Findings has the rule of each finding, and a seal of all its visible parts including its waiver.
	Findings []ShownFinding `json:"findings,omitempty"`
	Rendered string         `json:"rendered"` // seal of the changes to channel prompts
	// Members are the members of the change set including this one, or none without a change set.
	Members []ShownMember `json:"members,omitempty"`
}

// NewShownParts returns the parts of a proposal that Shown compares: with an assessment,
// findings, members of its change set, and seals of prompts.
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

// ShownFinding is a finding as Shown compares it.
type ShownFinding struct {
	Rule string `json:"rule"`
	Seal string `json:"seal"`
}

// ShownMember is a member of a change set as Shown compares it.
type ShownMember struct {
	ID          proposals.ID `json:"id"`
	Name        string       `json:"name"`
	Revision    int          `json:"revision"`
	ContentHash string       `json:"content_hash"`
}
