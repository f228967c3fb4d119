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
	Name string // its key in documents, if they have it by itself
	// Text is how the fact reads in a list, "" where there is nothing to tell.
	Text func(p proposals.Proposal, v View) string
	// Mark warns of what a reader should not overlook, in a list and above a proposal;
	// "" for nothing.
	Mark func(p proposals.Proposal) string
	// Terms and Flag find proposals by the fact.
	Terms []Term
	Flag  Flag
	// List is its column in `toolcrib list`.
	List Column
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
	{Name: "issue", Text: number, List: Column{Heading: "ISSUE"}},
	{Name: "id", Text: id, List: Column{Heading: "ID"}},
	{Name: "state", Text: plain(func(p proposals.Proposal) string { return string(p.State) }), List: Column{Heading: "STATE"}, Terms: stateTerms()},
	{Name: "type", Text: plain(func(p proposals.Proposal) string { return string(p.Type) }), List: Column{Heading: "TYPE"}, Terms: typeTerms()},
	{Name: "subject", Text: plain(func(p proposals.Proposal) string { return p.Subject.String() }), List: Column{Heading: "SUBJECT", Most: 44}, Terms: subjectTerms()},
	{Name: "author", Text: plain(func(p proposals.Proposal) string { return p.Author.String() }), List: Column{Heading: "AUTHOR"}, Terms: authorTerms()},
	{Name: "created_at", Text: func(p proposals.Proposal, v View) string { return v.Age(p.CreatedAt) }, List: Column{Heading: "AGE"}},
	{Name: "stale", Mark: func(p proposals.Proposal) string { return when(p.Stale(), "stale") }, Flag: Flag{"stale", Stale, "drafted against an older version"}},
	{Name: "blocks", Mark: func(p proposals.Proposal) string { return when(p.Summary.Blocks > 0, "blocked") }, Flag: Flag{"blocked", Blocked, "with an open block"}},
	{Name: "change_set", Mark: func(p proposals.Proposal) string { return when(p.ChangeSet != "", "set:"+p.ChangeSet) }, Terms: setTerms()},
	{Name: "approvals", Mark: approvals, Terms: approvalTerms()},
	{Name: "recommendation", Text: plain(func(p proposals.Proposal) string { return string(p.Summary.Recommendation) }), List: Column{Heading: "ADVICE"}},
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

func approvals(p proposals.Proposal) string {
	if p.Approvals == nil {
		return ""
	}
	return "approvals: " + p.Approvals.Text
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
