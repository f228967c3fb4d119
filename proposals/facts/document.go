package facts

import (
	"time"

	"toolcrib/proposals"
)

// Document is a proposal as lists of documents have it. Fields are added, never
// renamed.
type Document struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Subject     string `json:"subject"`
	Title       string `json:"title"`
	State       string `json:"state"`
	Revision    int    `json:"revision"`
	ContentHash string `json:"content_hash"`
	BaseVersion int    `json:"base_version"`
	LiveVersion int    `json:"live_version"`
	// The live version moved past base_version.
	Stale     bool   `json:"stale"`
	Author    string `json:"author"`
	Issue     *int   `json:"issue"` // null until it is submitted
	ChangeSet string `json:"change_set,omitempty"`
	// Of the Chief of Staff.
	Recommendation string `json:"recommendation,omitempty"`
	Worst          string `json:"worst,omitempty"`
	// Findings that keep it from being approved.
	Blocks    int       `json:"blocks"`
	Warns     int       `json:"warns"`
	Findings  int       `json:"findings"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Approvals is there while the proposal waits for owners that the policy names.
	Approvals *Approvals `json:"approvals,omitempty"`
}

// Approvals is how far the approvals of a proposal have come.
type Approvals struct {
	Required int      `json:"required"`
	Given    []string `json:"given"`
	WaitsFor []string `json:"waits_for"` // whose approvals would help
	Text     string   `json:"text"`
}

// Reference is a proposal that a document mentions.
type Reference struct {
	ID      string `json:"id"`
	Issue   *int   `json:"issue"` // null until it is submitted
	Subject string `json:"subject"`
	State   string `json:"state"`
	Author  string `json:"author"`
}

// DocumentOf returns what documents have of p.
func DocumentOf(p proposals.Proposal) Document {
	return Document{
		ID: string(p.ID), Type: string(p.Type), Subject: p.Subject.String(), Title: p.Title, State: string(p.State), Revision: p.Revision,
		ContentHash: p.ContentHash, BaseVersion: p.BaseVersion, LiveVersion: p.LiveVersion, Stale: p.Stale(), Author: p.Author.String(),
		Issue: IssueOf(p.Issue), ChangeSet: p.ChangeSet, Recommendation: string(p.Summary.Recommendation), Worst: p.Summary.Worst,
		Blocks: p.Summary.Blocks, Warns: p.Summary.Warns, Findings: p.Summary.Findings, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Approvals: (*Approvals)(p.Approvals),
	}
}

// ReferenceTo returns what a document has of a proposal that it mentions.
func ReferenceTo(p proposals.Proposal) Reference {
	return Reference{ID: string(p.ID), Issue: IssueOf(p.Issue), Subject: p.Subject.String(), State: string(p.State), Author: p.Author.String()}
}

// IssueOf returns the number of an issue, nil for that of a draft, which has none.
func IssueOf(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
