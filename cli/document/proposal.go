// This file defines the documents about proposals, assessments, and decisions.

package document

import (
	"encoding/json"
	"fmt"
	"time"

	"toolcrib/cli/findings"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
	"toolcrib/review/reach/fact"
)

// ProposalList is the document with a page of proposals.
type ProposalList struct {
	output.Head
	Proposals []facts.Document `json:"proposals"`
	Next      string           `json:"next,omitempty"`
	DryRun    bool             `json:"dry_run,omitempty"`
}

// NewProposalList returns the document with a page of proposals. nextCursor is the cursor of the next page, or "" on
// the last page.
func NewProposalList(ps []proposals.Proposal, nextCursor string, dry bool) ProposalList {
	return ProposalList{Head: output.NewHead("proposal.list"), Proposals: lists.Map(ps, facts.DocumentOf), Next: nextCursor, DryRun: dry}
}

// Dossier is the document with all details of one proposal.
type Dossier struct {
	output.Head
	Proposal WholeDetail `json:"proposal"`
}

// WholeDetail is a proposal with its draft, review, thread, and decisions.
type WholeDetail struct {
	facts.Document
	ReviewDigest   string               `json:"review_digest"`
	RestoreVersion int                  `json:"restore_version,omitempty"`
	Definition     json.RawMessage      `json:"definition"`
	Source         *docSource           `json:"source,omitempty"`
	Rationale      string               `json:"rationale"`
	Examples       []string             `json:"examples"`
	TestCases      []proposals.TestCase `json:"test_cases"`
	TestChanges    []impact.TestChange  `json:"test_changes,omitempty"` // differences from the test cases of the base version
	Assessment     *Assessment          `json:"assessment"`
	Comments       []proposals.Comment  `json:"comments"`
	Revisions      []docRevision        `json:"revisions"`
	Decisions      []Decision           `json:"decisions"`
	Waivers        []Waiver             `json:"waivers"`
	IssueThread    *docIssue            `json:"issue_thread"`
	Others         []facts.Reference    `json:"others"`
	Members        []facts.Reference    `json:"members"`
	Rendered       map[string]string    `json:"rendered"`
	Context        []Load               `json:"context,omitempty"` // cost of the text that the files add to the context of an agent
	Policy         []settings.Setting   `json:"policy"`            // settings that apply to the decision
	Unassigned     bool                 `json:"unassigned"`        // whether no agent has the tool after the approval
	Obstacles      []string             `json:"obstacles"`
}

// docSource is the imported JSON from which a definition was derived. Raw is the JSON exactly as received. Unread is
// the part of the JSON that the definition does not represent.
type docSource struct {
	Raw    string          `json:"raw"`
	Unread json.RawMessage `json:"unread"`
}

type docIssue struct {
	Number   int      `json:"number"`
	Title    string   `json:"title"`
	Assignee string   `json:"assignee"`
	Status   string   `json:"status"`
	Labels   []string `json:"labels"`
	Body     string   `json:"body"`
}

// Assessment is the review of a revision by the Chief of Staff.
type Assessment struct {
	ID             string             `json:"id"`
	Revision       int                `json:"revision"`
	ContentHash    string             `json:"content_hash"`
	Reviewer       string             `json:"reviewer"`
	Recommendation string             `json:"recommendation"`
	Comment        string             `json:"comment"`
	BuiltinComment string             `json:"builtin_comment,omitempty"`
	Findings       []findings.Finding `json:"findings"`
	Reach          fact.Difference    `json:"reach"` // difference from the reach of the base version
	Carried        []docCarried       `json:"carried,omitempty"`
	Harness        []docOutcome       `json:"harness"`
	Problems       []string           `json:"problems,omitempty"`
	RulesVersion   string             `json:"rules_version"`
	OtherRules     bool               `json:"other_rules,omitempty"` // the rules have changed since the assessment, so a new assessment is needed before an approval
	CreatedAt      time.Time          `json:"created_at"`
}

// docCarried counts the findings whose passages are already in an approved version.
type docCarried struct {
	Version    string   `json:"version"` // such as "version 3" or "version 3 of skill:user/pdf"
	ApprovedBy string   `json:"approved_by"`
	Findings   int      `json:"findings"`
	Rules      []string `json:"rules"`
}

// docOutcome is the result of one test case.
type docOutcome struct {
	Name    string `json:"name"`
	Expect  string `json:"expect"`
	Outcome string `json:"outcome"` // passed, failed or not_run
	Reason  string `json:"reason,omitempty"`
	Live    bool   `json:"live"`
}

// NewFinding converts s, a finding about the given subject, to a document. If the finding is waived, the document
// contains the id of the waiver.
func NewFinding(subject string, s review.Standing) findings.Finding {
	f := findings.Finding{
		Handle: review.Handle(s.Finding), Rule: s.Rule, Severity: string(s.Severity), Subject: subject, Path: s.Path, Line: s.Line, Column: s.Column,
		EndLine: s.EndLine, EndColumn: s.EndColumn, Message: s.Message, Suggestion: s.Suggestion, Importer: s.Importer, Passage: s.Passage, Waivable: s.Waivable, Carried: s.Carried, CarriedFrom: s.From,
	}
	if s.Waiver != nil {
		f.WaivedBy, f.Waiver = s.Waiver.By, s.Waiver.ID
	}
	return f
}

// NewWaiver converts w to a document.
func NewWaiver(w history.Waiver) Waiver {
	return Waiver{ID: w.ID, Rule: w.Rule, Path: w.Path, Reason: w.Reason, By: w.By, CreatedAt: w.At, ExpiresAt: w.ExpiresAt}
}

type docRevision struct {
	Revision    int       `json:"revision"`
	ContentHash string    `json:"content_hash"`
	BaseVersion int       `json:"base_version"`
	Author      string    `json:"author"`
	CreatedAt   time.Time `json:"created_at"`
}

// Waiver records that a user accepts a finding, and the reason.
type Waiver struct {
	ID        string     `json:"id"`
	Rule      string     `json:"rule"`
	Path      string     `json:"path"`
	Reason    string     `json:"reason"`
	By        string     `json:"by"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// Decision is a user's decision about a proposal.
type Decision struct {
	Proposal     string    `json:"proposal"`
	Issue        *int      `json:"issue"`
	Subject      string    `json:"subject"`
	Verdict      string    `json:"verdict"`
	Revision     int       `json:"revision"`
	ContentHash  string    `json:"content_hash"`
	Version      int       `json:"version,omitempty"`
	Hash         string    `json:"hash,omitempty"`
	ReviewDigest string    `json:"review_digest"`
	Note         string    `json:"note,omitempty"`
	DecidedBy    string    `json:"decided_by"`
	DecidedAt    time.Time `json:"decided_at"`
	Shown        string    `json:"shown"` // expected, shown or not_shown
	// Reading is present if the user approved content that this program had not shown. It states whether the user read
	// the content elsewhere, accepted it by its hash, or accepted it unread.
	Reading    *proposals.Reading `json:"reading,omitempty"`
	Unassigned bool               `json:"unassigned,omitempty"` // whether no agent has the tool
	// Live reports whether the decision created a live version. It is present only if the approval policy names
	// owners for the subject.
	Live *bool `json:"live,omitempty"`
	// Approvals counts the approvals of the revision, including this decision.
	Approvals *facts.Approvals `json:"approvals,omitempty"`
}

// NewDecision converts d to a document.
func NewDecision(d proposals.Decision) Decision {
	doc := Decision{
		Proposal: string(d.Proposal), Issue: facts.IssueOf(d.Issue), Subject: d.Subject.String(), Verdict: string(d.Verdict), Revision: d.Revision, ContentHash: d.ContentHash,
		Version: d.Version, Hash: d.VersionHash, ReviewDigest: d.ReviewDigest, Note: d.Note, DecidedBy: d.By.String(), DecidedAt: d.At,
		Shown: string(d.Shown), Unassigned: d.Unassigned, Approvals: (*facts.Approvals)(d.Approvals),
	}
	if !d.Reading.IsZero() {
		doc.Reading = &d.Reading
	}
	if live := d.Verdict == proposals.VerdictApproved; d.Approvals != nil || d.Verdict == proposals.VerdictEndorsed {
		doc.Live = &live
	}
	return doc
}

// DecisionList is the document with all decisions from a run of a command.
type DecisionList struct {
	output.Head
	Decisions []Decision `json:"decisions"`
	DryRun    bool       `json:"dry_run,omitempty"`
}

// NewWholeDetail converts d to a document. It does not set Context; see NewDetail.
func NewWholeDetail(d review.Dossier) WholeDetail {
	draft := d.Revision.Draft
	doc := WholeDetail{
		Document: facts.DocumentOf(d.Proposal), ReviewDigest: d.Digest, RestoreVersion: draft.RestoreVersion, Definition: draft.Definition.Canonical(),
		Rationale: draft.Rationale, Examples: append([]string{}, draft.Examples...), TestCases: append([]proposals.TestCase{}, draft.TestCases...),
		TestChanges: d.TestChanges(),
		Comments:    append([]proposals.Comment{}, d.Comments...), Decisions: lists.Map(d.Decisions, NewDecision), Waivers: lists.Map(d.Waivers, NewWaiver),
		Revisions: lists.Map(d.Revisions, func(r proposals.Revision) docRevision {
			return docRevision{Revision: r.Number, ContentHash: r.ContentHash, BaseVersion: r.Draft.Base(), Author: r.Author.String(), CreatedAt: r.CreatedAt}
		}),
		Others: lists.Map(d.Others, facts.ReferenceTo), Members: lists.Map(d.Members, facts.ReferenceTo), Rendered: d.Rendered, Unassigned: d.Unassigned,
		Policy: lists.Map(d.Policy, func(s review.Setting) settings.Setting {
			return settings.Setting{Key: s.Key, Value: s.Value, Source: s.From}
		}),
		Obstacles: lists.Map(d.Obstacles, error.Error),
	}
	if draft.Definition.Tool != nil && d.Source != nil {
		doc.Source = &docSource{Raw: string(d.Source), Unread: jsondoc.Canonical(wire.Unread(*draft.Definition.Tool, d.Source))}
	}
	if doc.Definition == nil {
		doc.Definition = []byte("null")
	}
	if doc.Rendered == nil {
		doc.Rendered = map[string]string{}
	}
	if as := d.Assessment(); as != nil {
		doc.Assessment = NewAssessment(*as, d)
	}
	if d.Issue != nil {
		doc.IssueThread = &docIssue{
			Number: d.Issue.Number, Title: d.Issue.Title, Assignee: d.Issue.Assignee, Status: string(d.Issue.Status), Labels: d.Issue.Labels,
			Body: proposals.IssueBody(d.Revision),
		}
	}
	return doc
}

// NewDetail converts d to a document that includes the cost of its files. NewWholeDetail omits the cost, because a
// change set can contain hundreds of skills.
func NewDetail(d review.Dossier) WholeDetail {
	doc := NewWholeDetail(d)
	if changes := LoadChanges(d); len(changes) > 0 {
		doc.Context, _ = newDocLoadCosts(tokens.NewCounter(), changes) // no error: the vocabulary is embedded
	}
	return doc
}

// NewAssessment converts assessment to a document. The assessment is about the proposal of d. The document contains the
// findings with their current waivers.
func NewAssessment(assessment review.Assessment, d review.Dossier) *Assessment {
	return &Assessment{
		ID: assessment.ID, Revision: assessment.Revision, ContentHash: assessment.ContentHash, Reviewer: assessment.Reviewer.String(), Recommendation: string(assessment.Recommendation),
		Comment: assessment.Report.Comment, BuiltinComment: assessment.Report.Builtin, Problems: assessment.Report.Problems, RulesVersion: assessment.RulesVersion, OtherRules: d.OtherRules, CreatedAt: assessment.At,
		Reach: NewReach(d.Reach), Findings: lists.Map(d.Standing, func(s review.Standing) findings.Finding { return NewFinding(d.Proposal.Subject.String(), s) }),
		Carried: lists.Map(d.Carried, func(c review.Carried) docCarried {
			return docCarried{Version: c.Version, ApprovedBy: c.By, Findings: len(c.Findings), Rules: c.Rules()}
		}),
		Harness: lists.Map(assessment.Report.Harness, func(r harness.Result) docOutcome {
			return docOutcome{Name: r.Name, Expect: string(r.Expect), Outcome: string(r.Outcome), Reason: r.Reason, Live: r.Live}
		}),
	}
}

// Moved returns one line about a proposal, with its subject, its state, and the recommendation of the Chief of Staff.
func Moved(p proposals.Proposal) string {
	line := fmt.Sprintf("%s  %s %s: %s, revision %d", p.Handle(), p.Type, p.Subject, p.State, p.Revision)
	if s := p.Summary; s.Recommendation != "" {
		findings := "no findings"
		if s.Findings > 0 {
			findings = output.Counted(s.Findings, "finding")
		}
		if s.Blocks > 0 {
			findings += ", " + output.Counted(s.Blocks, "open blocking finding")
		}
		line += fmt.Sprintf("; the Chief of Staff recommends: %s (%s)", s.Recommendation, findings)
	}
	return line
}

// NotShown returns "unseen" if the approver was not shown the content, and "" otherwise.
func NotShown(s proposals.Showing) string {
	if s == proposals.ShowingNone {
		return "unseen"
	}
	return ""
}
