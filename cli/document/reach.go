package document

import (
	"slices"

	"toolcrib/cli/output"
	"toolcrib/review"
	"toolcrib/review/reach/fact"
)

// NewReach returns the document of what a change does to the reach of a subject.
func NewReach(d fact.Difference) fact.Difference {
	kept := slices.DeleteFunc(slices.Clone(d.Unchanged), func(f fact.Fact) bool { return f.Kind == fact.Text })
	return fact.Difference{Added: append([]fact.Fact{}, d.Added...), Removed: append([]fact.Fact{}, d.Removed...), Unchanged: append([]fact.Fact{}, kept...)}
}

// WriteReach prints what proposals do to the reach of their subjects: of changes each fact
// that one adds or removes, of first imports the facts of all of them by kind.
func WriteReach(p *output.Page, ds ...review.Dossier) {
	var first []fact.Fact
	for _, d := range ds {
		if d.Base == nil {
			first = append(first, d.Reach.Added...)
		}
	}
	WriteSummary(p, "Reach", first)
	for _, d := range ds {
		title := "Reach"
		if len(ds) > 1 {
			title += " of " + d.Proposal.Handle() + " " + d.Proposal.Subject.String()
		}
		if d.Base != nil {
			WriteDifference(p, title, d.Reach)
		}
	}
}

// WriteDifference prints the facts that a change adds and removes, if there are any.
func WriteDifference(p *output.Page, title string, d fact.Difference) {
	if len(d.Added)+len(d.Removed) == 0 {
		return
	}
	begin(p)
	p.Linef("%s (unchanged: %d)", title, len(NewReach(d).Unchanged))
	for _, line := range fact.Lines(d) {
		p.Linef("  %s", line)
	}
}

// WriteSummary prints facts by kind, if there are any besides sentences.
func WriteSummary(p *output.Page, title string, facts []fact.Fact) {
	lines := fact.Summary(facts)
	if len(lines) == 0 {
		return
	}
	begin(p)
	p.Linef("%s", title)
	for _, line := range lines {
		p.Linef("  %s", line)
	}
}

// begin parts a section from what is above it on the page.
func begin(p *output.Page) {
	if p.Buf.Len() > 0 {
		p.Blank()
	}
}
