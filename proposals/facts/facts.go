// Package facts lists the facts about a proposal: how each fact is called, how it
// reads for people, and where lists have it. A fact that is added to All appears in all
// of them.
package facts

import (
	"strconv"
	"strings"
	"time"

	"toolcrib/proposals"
)

// Fact is one property of a proposal.
type Fact struct {
	Name string // its key in documents, or in those of its change set's members
	// Text is how the fact reads in a list, "" where there is nothing to tell.
	Text func(p proposals.Proposal, v View) string
	// Label stands before the fact on a page about the proposal, which tells a fact
	// without one elsewhere; Page is how it reads there, nil for Text.
	Label string
	Page  func(p proposals.Proposal, v View) string
	// Mark warns of what a reader should not overlook, in a list and above a proposal;
	// "" for nothing.
	Mark func(p proposals.Proposal) string
	// Terms and Flag find proposals by the fact.
	Terms []Term
	Flag  Flag
	// List is its column in `toolcrib list`.
	List Column
}

// Read returns how the fact reads on a page about p, "" where there is nothing to tell.
func (f Fact) Read(p proposals.Proposal, v View) string {
	if f.Page != nil {
		return f.Page(p, v)
	}
	return f.Text(p, v)
}

// Column is a column of a list, which has none for the fact without a heading.
type Column struct {
	Heading string
	Most    int // how wide it becomes at most, in cells; 0 for no limit
}

// View is how a reader sees a proposal.
type View struct {
	Age    func(time.Time) string // how long ago something was
	Prefix int                    // how much of an id names it, 0 for all of it
}

// All lists the facts, in the order of columns, of marks, and of lines on a page.
func All() []Fact { return all }

var all = []Fact{
	{Name: "state", Label: "state", Page: state, Terms: stateTerms()}, // what it means to the reader comes first
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
	{Name: "base_version", Label: "against", Page: func(p proposals.Proposal, _ View) string { return Against(p.BaseVersion) }},
	{
		Name: "stale", Label: " ", Page: func(p proposals.Proposal, _ View) string { return when(p.Stale(), WhyStale(p)) },
		Mark: func(p proposals.Proposal) string { return when(p.Stale(), "stale") }, Flag: Flag{"stale", Stale, "drafted against an older version"},
	},
	{Name: "blocks", Mark: func(p proposals.Proposal) string { return when(p.Summary.Blocks > 0, "blocked") }, Flag: Flag{"blocked", Blocked, "with an open block"}},
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

// Marks returns the marks of p.
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

// plain returns a text that is the same for every reader.
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

// Against returns what a proposal with this base version was drafted against.
func Against(version int) string {
	if version == 0 {
		return "no earlier version"
	}
	return "version " + strconv.Itoa(version)
}

// WhyStale describes the live version that replaced the one p was drafted against.
func WhyStale(p proposals.Proposal) string {
	if p.LiveVersion == 0 {
		return "stale: no version is live now"
	}
	return "stale: version " + strconv.Itoa(p.LiveVersion) + " is live now"
}

// findings counts the open findings of each severity that matters.
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
	if rest := s.Findings - s.Blocks - s.Warns; len(counts) > 0 { // hints, and waived findings
		add(rest, "more", "more")
	} else {
		add(rest, "finding", "findings")
	}
	return strings.Join(counts, ", ")
}

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
