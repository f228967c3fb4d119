package chief

import (
	"encoding/json"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// request is the document an external reviewer reads. Fields are only added.
type request struct {
	Schema     int                  `json:"schema"`
	Kind       string               `json:"kind"`
	Question   string               `json:"question"`
	Proposal   string               `json:"proposal"`
	Type       string               `json:"type"`
	Subject    string               `json:"subject"`
	Title      string               `json:"title"`
	Author     string               `json:"author"`
	Revision   int                  `json:"revision"`
	BaseVerson int                  `json:"base_version"`
	Content    string               `json:"content_hash"`
	Before     json.RawMessage      `json:"before"`           // null for a new subject
	Source     string               `json:"source,omitempty"` // the JSON that it was imported from
	After      json.RawMessage      `json:"after"`
	Rationale  string               `json:"rationale"`
	Examples   []string             `json:"examples"`
	TestCases  []proposals.TestCase `json:"test_cases"`
	Findings   []rules.Finding      `json:"findings"`
}

// Encode writes what an external reviewer is given.
func Encode(r review.Request) ([]byte, error) {
	doc := request{
		Schema: 1, Kind: "review.request", Question: r.Obligation, Proposal: string(r.Proposal.ID), Type: string(r.Draft.Type),
		Subject: r.Proposal.Subject.String(), Title: r.Proposal.Title, Author: r.Proposal.Author.String(), Revision: r.Proposal.Revision,
		BaseVerson: r.Proposal.BaseVersion, Content: r.Proposal.ContentHash, Before: r.Before.Canonical(), Source: string(r.Source), After: r.Draft.Definition.Canonical(),
		Rationale: r.Draft.Rationale, Examples: r.Draft.Examples, TestCases: r.Draft.TestCases, Findings: r.Findings,
	}
	if doc.Before == nil {
		doc.Before = json.RawMessage("null")
	}
	if doc.After == nil {
		doc.After = json.RawMessage("null")
	}
	return jsondoc.Encode(doc)
}

// answer is the assessment of an external reviewer. Revision and content_hash,
// where present, name the revision that it read.
type answer struct {
	Revision       int                      `json:"revision"`
	ContentHash    string                   `json:"content_hash"`
	Recommendation proposals.Recommendation `json:"recommendation"`
	Comment        string                   `json:"comment"`
	Findings       []finding                `json:"findings"`
}

type finding struct {
	Rule       string         `json:"rule"`
	Severity   rules.Severity `json:"severity"`
	Path       string         `json:"path"`
	Line       int            `json:"line"`
	Column     int            `json:"column"`
	EndLine    int            `json:"end_line"`
	EndColumn  int            `json:"end_column"`
	Message    string         `json:"message"`
	Suggestion string         `json:"suggestion"`
	Passage    string         `json:"passage"`
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// Decode reads an answer strictly: one JSON object, no unknown keys, a
// recommendation that exists. The error wraps review.ErrOpinion.
func Decode(data []byte) (review.Opinion, error) {
	n, err := jsondoc.Parse(data, jsondoc.Limits{Bytes: maxAnswer, Depth: 16})
	if err != nil {
		return review.Opinion{}, fmt.Errorf("%w: %w", review.ErrOpinion, err)
	}
	var a answer
	if err := jsondoc.Bind(n, jsondoc.Root, &a).Err(); err != nil {
		return review.Opinion{}, fmt.Errorf("%w: %w", review.ErrOpinion, err)
	}
	if len(a.Findings) > review.MaxOpinionFindings {
		return review.Opinion{}, fmt.Errorf("%w: it has %d findings; the limit is %d", review.ErrOpinion, len(a.Findings), review.MaxOpinionFindings)
	}
	o := review.Opinion{Revision: a.Revision, ContentHash: a.ContentHash, Recommendation: a.Recommendation, Comment: a.Comment}
	for _, f := range a.Findings {
		o.Findings = append(o.Findings, rules.Finding{
			Rule: f.Rule, Severity: f.Severity, Path: f.Path, Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Message: f.Message, Suggestion: f.Suggestion, Passage: f.Passage,
		})
	}
	return o, nil
}

// decodeFor is Decode of the answer to r. It refuses one about another revision or
// content.
func decodeFor(r review.Request, data []byte) (review.Opinion, error) {
	o, err := Decode(data)
	if err == nil && (o.ContentHash != "" && o.ContentHash != r.Proposal.ContentHash || o.Revision != 0 && o.Revision != r.Proposal.Revision) {
		err = fmt.Errorf("%w: it is about other content", review.ErrOpinion)
	}
	return o, err
}
