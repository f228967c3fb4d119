package cli

import (
	"encoding/json"
	"time"

	"toolcrib/cli/output"
	"toolcrib/cli/report"
	"toolcrib/cli/settings"
	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/impact"
)

type docProposalList struct {
	output.Head
	Proposals []facts.Document `json:"proposals"`
	Next      string           `json:"next,omitempty"`
	DryRun    bool             `json:"dry_run,omitempty"`
}

func newDocProposalList(ps []proposals.Proposal, next string, dry bool) docProposalList {
	return docProposalList{Head: output.NewHead("proposal.list"), Proposals: output.Mapped(ps, facts.DocumentOf), Next: next, DryRun: dry}
}

// docDossier is the whole dossier of one proposal.
type docDossier struct {
	output.Head
	Proposal docWholeDetail `json:"proposal"`
}

type docWholeDetail struct {
	facts.Document
	ReviewDigest   string               `json:"review_digest"`
	RestoreVersion int                  `json:"restore_version,omitempty"`
	Definition     json.RawMessage      `json:"definition"`
	Source         *docSource           `json:"source,omitempty"`
	Rationale      string               `json:"rationale"`
	Examples       []string             `json:"examples"`
	TestCases      []proposals.TestCase `json:"test_cases"`
	TestChanges    []docTestChange      `json:"test_changes,omitempty"` // against the version it was drafted against
	Assessment     *docAssessment       `json:"assessment"`
	Comments       []docComment         `json:"comments"`
	Revisions      []docRevision        `json:"revisions"`
	Decisions      []docDecision        `json:"decisions"`
	Waivers        []docWaiver          `json:"waivers"`
	IssueThread    *docIssue            `json:"issue_thread"`
	Others         []facts.Reference    `json:"others"`
	Members        []facts.Reference    `json:"members"`
	Rendered       map[string]string    `json:"rendered"`
	Context        []docLoad            `json:"context,omitempty"` // what the files bring into the context of an agent
	Policy         []settings.Setting   `json:"policy"`            // what a decision would stand on
	Unassigned     bool                 `json:"unassigned"`        // once approved, no agent has the tool
	Obstacles      []string             `json:"obstacles"`
}

// docTestChange is a test case that the proposal drops, changes, or adds. Before and
// After are the case in words.
type docTestChange struct {
	Name   string `json:"name"`
	Change string `json:"change"` // removed, modified or added
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func newDocTestChange(c impact.TestChange) docTestChange {
	return docTestChange{Name: c.Name, Change: string(c.Change), Before: c.Before, After: c.After}
}

// docSource is the part of the JSON of an imported definition that goes beyond the
// definition. Raw is that JSON as it was read; the definition's source pins it.
type docSource struct {
	Raw    string          `json:"raw"`
	Unread json.RawMessage `json:"unread"`
}

func newDocSource(d registry.Definition, raw []byte) *docSource {
	if d.Tool == nil || raw == nil {
		return nil
	}
	return &docSource{Raw: string(raw), Unread: jsondoc.Canonical(wire.Unread(*d.Tool, raw))}
}

type docIssue struct {
	Number   int      `json:"number"`
	Title    string   `json:"title"`
	Assignee string   `json:"assignee"`
	Status   string   `json:"status"`
	Labels   []string `json:"labels"`
	Body     string   `json:"body"`
}

type docAssessment struct {
	ID             string           `json:"id"`
	Revision       int              `json:"revision"`
	ContentHash    string           `json:"content_hash"`
	Reviewer       string           `json:"reviewer"`
	Recommendation string           `json:"recommendation"`
	Comment        string           `json:"comment"`
	BuiltinComment string           `json:"builtin_comment,omitempty"`
	Findings       []report.Finding `json:"findings"`
	Harness        []docOutcome     `json:"harness"`
	Problems       []string         `json:"problems,omitempty"`
	RulesVersion   string           `json:"rules_version"`
	OtherRules     bool             `json:"other_rules,omitempty"` // than those in force: it carries no approval
	CreatedAt      time.Time        `json:"created_at"`
}

// docOutcome is how a test case came out.
type docOutcome struct {
	Name    string `json:"name"`
	Expect  string `json:"expect"`
	Outcome string `json:"outcome"` // passed, failed or not_run
	Reason  string `json:"reason,omitempty"`
	Live    bool   `json:"live"`
}

func newDocFinding(subject string, s review.Standing) report.Finding {
	f := report.Finding{
		Handle: review.Handle(s.Finding), Rule: s.Rule, Severity: string(s.Severity), Subject: subject, Path: s.Path, Line: s.Line, Column: s.Column,
		EndLine: s.EndLine, EndColumn: s.EndColumn, Message: s.Message, Suggestion: s.Suggestion, Importer: s.Importer, Passage: s.Passage, Waivable: s.Waivable,
	}
	if s.Waiver != nil {
		f.WaivedBy, f.Waiver = s.Waiver.By, s.Waiver.ID
	}
	return f
}

type docComment struct {
	ID        string    `json:"id"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	Revision  int       `json:"revision"`
	Field     string    `json:"field,omitempty"`
	Line      int       `json:"line,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

func newDocWaiver(w history.Waiver) docWaiver {
	return docWaiver{ID: w.ID, Rule: w.Rule, Path: w.Path, Reason: w.Reason, By: w.By, CreatedAt: w.At, ExpiresAt: w.ExpiresAt}
}

func newDocComment(c proposals.Comment) docComment {
	return docComment{ID: c.ID, Author: c.Author.String(), Body: c.Body, Revision: c.Revision, Field: c.Field, Line: c.Line, CreatedAt: c.At}
}

type docRevision struct {
	Revision    int       `json:"revision"`
	ContentHash string    `json:"content_hash"`
	BaseVersion int       `json:"base_version"`
	Author      string    `json:"author"`
	CreatedAt   time.Time `json:"created_at"`
}

func newDocRevision(r proposals.Revision) docRevision {
	return docRevision{Revision: r.Number, ContentHash: r.ContentHash, BaseVersion: r.Draft.Base(), Author: r.Author.String(), CreatedAt: r.CreatedAt}
}

type docWaiver struct {
	ID        string     `json:"id"`
	Rule      string     `json:"rule"`
	Path      string     `json:"path"`
	Reason    string     `json:"reason"`
	By        string     `json:"by"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// docDecision is one decision of the user.
type docDecision struct {
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
	Shown        string    `json:"shown"`                // expected, shown or not_shown
	Unassigned   bool      `json:"unassigned,omitempty"` // no agent has the tool
	// Live is there where the policy names owners: whether the decision made a version.
	Live *bool `json:"live,omitempty"`
	// Approvals is how far the approvals had come with this one.
	Approvals *facts.Approvals `json:"approvals,omitempty"`
}

func newDocDecision(d proposals.Decision) docDecision {
	doc := docDecision{
		Proposal: string(d.Proposal), Issue: facts.IssueOf(d.Issue), Subject: d.Subject.String(), Verdict: string(d.Verdict), Revision: d.Revision, ContentHash: d.ContentHash,
		Version: d.Version, Hash: d.VersionHash, ReviewDigest: d.ReviewDigest, Note: d.Note, DecidedBy: d.By.String(), DecidedAt: d.At,
		Shown: string(d.Shown), Unassigned: d.Unassigned, Approvals: (*facts.Approvals)(d.Approvals),
	}
	if live := d.Verdict == proposals.VerdictApproved; d.Approvals != nil || d.Verdict == proposals.VerdictEndorsed {
		doc.Live = &live
	}
	return doc
}

type docDecisionList struct {
	output.Head
	Decisions []docDecision `json:"decisions"`
	DryRun    bool          `json:"dry_run,omitempty"`
}
