package document

import (
	"fmt"
	"slices"
	"strings"

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
	WriteFactGroups(p, "Reach", first)
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
	writeFacts(p, "+", d.Added)
	writeFacts(p, "-", d.Removed)
}

func writeFacts(p *output.Page, sign string, facts []fact.Fact) {
	l := fact.Arrange(facts)
	for _, f := range l.Listed {
		ink, note := output.InkNone, ""
		if f.NewToRegistry && f.Policy() == fact.Warns {
			ink = output.InkWarn
		}
		if f.NewHere && !f.NewToRegistry {
			note = "  known in the registry"
		}
		p.Raw("  " + p.Paint(ink, sign+" "+output.Safe(f.Words())) + p.Paint(output.InkFaint, fmt.Sprintf("  %s:%d%s", output.Safe(f.Path), f.Line, note)))
	}
	for _, c := range l.Counts {
		p.Raw("  " + sign + " " + c.String())
	}
}

// WriteFactGroups prints facts by kind, each value once; no sentences.
func WriteFactGroups(p *output.Page, title string, facts []fact.Fact) {
	groups := fact.ByKind(facts)
	if len(groups) == 0 {
		return
	}
	begin(p)
	p.Linef("%s", title)
	for _, g := range groups {
		var values []string
		l := fact.Arrange(g.Facts)
		for _, f := range l.Listed {
			if !slices.Contains(values, f.Value) {
				values = append(values, f.Value)
			}
		}
		for _, c := range l.Counts {
			values = append(values, c.String())
		}
		p.Linef("  %-6s  %s", g.Kind, strings.Join(values, ", "))
	}
}

// begin parts a section from what is above it on the page.
func begin(p *output.Page) {
	if p.Buf.Len() > 0 {
		p.Blank()
	}
}
