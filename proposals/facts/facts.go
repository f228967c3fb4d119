// Package facts defines the facts about a proposal that lists, documents, and screens show. A fact in All has a name,
// texts, and positions. Lists and pages are generated from All, so a new fact appears everywhere.
package facts

import (
	"strconv"
	"strings"
	"time"

	"toolcrib/proposals"
)

// Fact describes a property of a proposal and its appearance in lists, documents, and screens.
type Fact struct {
	Name string // key of the fact in JSON documents
	// Text returns the text that lists show for the fact, or "" if the fact does not apply.
	Text func(p proposals.Proposal, v View) string
	// Label is the label of the fact on the page of a proposal. Facts without a label are not on the page. Page returns
	// the text for the page. If Page is nil, the page shows the result of Text.
	Label string
	Page  func(p proposals.Proposal, v View) string
	// Mark returns a warning for lists and for the top of the page, or "".
	Mark func(p proposals.Proposal) string
	// Terms and Flag are the terms of the filter language that find proposals by the fact.
	Terms []Term
	Flag  Flag
	// List is the column of the fact in "toolcrib list".
	List Column
}

// Read returns the text of the fact for the page of p, or "" if the fact does not apply.
func (f Fact) Read(p proposals.Proposal, v View) string {
	if f.Page != nil {
		return f.Page(p, v)
	}
	return f.Text(p, v)
}

// Column is a column of a list. A fact without a heading has no column.
type Column struct {
	Heading string
	Most    int // maximum width in cells; 0 for no limit
}

// View contains settings of the user who reads the facts.
type View struct {
	Age    func(time.Time) string // formats the time that has passed since a given time
	Prefix int                    // length of abbreviated ids; 0 for full ids
}

// All returns all facts in the order of columns, marks, and lines of a page.
func All() []Fact { return all }

var all = []Fact{
	{Name: "state", Label: "state", Page: state, Terms: stateTerms()}, // first, because it matters most
	{Name: "issue", Text: number, List: Column{Heading: "ISSUE"}},
	{Name: "id", Text: id, List: Column{Heading: "ID"}},
	{Name: "state", Text: state, List: Column{Heading: "STATE"}},
	{
		Name: "type", Text: plain(func(p proposals.Proposal) string { return string(p.Type) }), Terms: typeTerms(),
		List: Column{Heading: "TYPE"},
	},
	{
		Name: "subject", Text: plain(func(p proposals.Proposal) string { return p.Subject.String() }), Terms: subjectTerms(),
		List: Column{Heading: "SUBJECT", Most: 44},
	},
	{
		Name: "author", Text: plain(func(p proposals.Proposal) string { return p.Author.String() }), Terms: authorTerms(),
		Label: "author", Page: func(p proposals.Proposal, v View) string { return p.Author.String() + ", " + v.Age(p.CreatedAt) },
		List: Column{Heading: "AUTHOR"},
	},
	{
		Name: "created_at", Text: func(p proposals.Proposal, v View) string { return v.Age(p.CreatedAt) },
		List: Column{Heading: "AGE"},
	},
	{Name: "base_version", Label: "base", Page: func(p proposals.Proposal, _ View) string { return BaseName(p.BaseVersion) }},
	{
		Name: "stale", Label: " ", Page: func(p proposals.Proposal, _ View) string { return when(p.Stale(), WhyStale(p)) },
		Mark: func(p proposals.Proposal) string { return when(p.Stale(), "stale") }, Flag: Flag{"stale", Stale, "based on an older version than the live version"},
	},
	{Name: "blocks", Mark: func(p proposals.Proposal) string { return when(p.Summary.Blocks > 0, "blocked") }, Flag: Flag{"blocked", Blocked, "with an open blocking finding"}},
	{Name: "state", Flag: Flag{"unread", Unread, "live, but never read completely"}},
	{
		Name: "change_set", Label: "set", Page: func(p proposals.Proposal, _ View) string { return p.ChangeSet },
		Mark: func(p proposals.Proposal) string { return when(p.ChangeSet != "", "set:"+p.ChangeSet) }, Terms: setTerms(),
	},
	{
		Name: "approvals", Label: "approvals", Page: plain(approvals), Terms: approvalTerms(),
		Mark: func(p proposals.Proposal) string { return when(p.Approvals != nil, "approvals: "+approvals(p)) },
	},
	{
		Name: "recommendation", Text: recommendation, Label: "chief",
		List: Column{Heading: "ADVICE"},
	},
	{Name: "findings", Text: findings, List: Column{Heading: "FINDINGS"}, Terms: findingTerms()},
}

// Marks returns the warnings about p.
func Marks(p proposals.Proposal) []string {
	var marks []string
	for _, f := range all {
		if f.Mark == nil {
			continue
		}
		if mark := f.Mark(p); mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}

// plain adapts a function that does not depend on the View.
func plain(text func(proposals.Proposal) string) func(proposals.Proposal, View) string {
	return func(p proposals.Proposal, _ View) string { return text(p) }
}

func when(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

func number(p proposals.Proposal, _ View) string {
	if p.Issue == 0 {
		return "-"
	}
	return "#" + strconv.Itoa(p.Issue)
}

func id(p proposals.Proposal, v View) string {
	if v.Prefix == 0 {
		return string(p.ID)
	}
	return proposals.ShortID(string(p.ID), v.Prefix)
}

func state(p proposals.Proposal, _ View) string { return string(p.State) }

func recommendation(p proposals.Proposal, _ View) string { return string(p.Summary.Recommendation) }

func approvals(p proposals.Proposal) string {
	if p.Approvals == nil {
		return ""
	}
	return p.Approvals.Text
}

// BaseName describes the given base version of a proposal.
func BaseName(version int) string {
	if version == 0 {
		return "no earlier version"
	}
	return "version " + strconv.Itoa(version)
}

// WhyStale explains why p is stale: it describes the version that is live instead of the base version.
func WhyStale(p proposals.Proposal) string {
	if p.LiveVersion == 0 {
		return "stale: no version is live now"
	}
	return "stale: version " + strconv.Itoa(p.LiveVersion) + " is live now"
}

// findings returns the numbers of the findings of p. Open blocks and warnings are counted separately.
func findings(p proposals.Proposal, _ View) string {
	s := p.Summary
	var counts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			counts = append(counts, "1 "+one)
		case n > 0:
			counts = append(counts, strconv.Itoa(n)+" "+many)
		}
	}
	add(s.Blocks, "block", "blocks")
	add(s.Warns, "warning", "warnings")
	if rest := s.Findings - s.Blocks - s.Warns; len(counts) > 0 { // the rest are hints and waived findings
		add(rest, "more", "more")
	} else {
		add(rest, "finding", "findings")
	}
	return strings.Join(counts, ", ")
}

// Document is a proposal in JSON lists. Fields may be added, but are never renamed.
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
	// Whether the live version is newer than base_version.
	Stale     bool   `json:"stale"`
	Author    string `json:"author"`
	Issue     *int   `json:"issue"` // null before it is submitted
	ChangeSet string `json:"change_set,omitempty"`
	// Recommendation of the Chief of Staff.
	Recommendation string `json:"recommendation,omitempty"`
	Worst          string `json:"worst,omitempty"`
	// Number of findings that prevent approval.
	Blocks    int       `json:"blocks"`
	Warns     int       `json:"warns"`
	Findings  int       `json:"findings"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Present while the proposal waits for owners that the policy lists.
	Approvals *Approvals `json:"approvals,omitempty"`
}

// Approvals is the progress of a proposal's approvals.
type Approvals struct {
	Required int      `json:"required"`
	Given    []string `json:"given"`
	WaitsFor []string `json:"waits_for"` // users who can give a missing approval
	Text     string   `json:"text"`
}

// Reference identifies a proposal in the document of another object.
type Reference struct {
	ID      string `json:"id"`
	Issue   *int   `json:"issue"` // null before it is submitted
	Subject string `json:"subject"`
	State   string `json:"state"`
	Author  string `json:"author"`
}

// DocumentOf returns the Document for p.
func DocumentOf(p proposals.Proposal) Document {
	return Document{
		ID: string(p.ID), Type: string(p.Type), Subject: p.Subject.String(), Title: p.Title, State: string(p.State), Revision: p.Revision,
		ContentHash: p.ContentHash, BaseVersion: p.BaseVersion, LiveVersion: p.LiveVersion, Stale: p.Stale(), Author: p.Author.String(),
		Issue: IssueOf(p.Issue), ChangeSet: p.ChangeSet, Recommendation: string(p.Summary.Recommendation), Worst: p.Summary.Worst,
		Blocks: p.Summary.Blocks, Warns: p.Summary.Warns, Findings: p.Summary.Findings, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Approvals: (*Approvals)(p.Approvals),
	}
}

// ReferenceTo returns the Reference for p.
func ReferenceTo(p proposals.Proposal) Reference {
	return Reference{ID: string(p.ID), Issue: IssueOf(p.Issue), Subject: p.Subject.String(), State: string(p.State), Author: p.Author.String()}
}

// IssueOf returns a pointer to n, or nil if n is 0.
func IssueOf(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
