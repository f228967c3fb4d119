// Package document defines the JSON documents that several families of commands print. Fields may be added but not
// renamed.
package document

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/cli/output"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/registry"
	"toolcrib/review"
)

// Loads is the context that a skill or an instruction file adds for a coding agent after the approval.
type Loads struct {
	Subject string `json:"subject"`
	Path    string `json:"path"`
	Cost    []Load `json:"cost"`  // cost at each moment
	Parts   []Part `json:"parts"` // parts, earliest first
}

// Load is the cost of the text that enters the context on one occasion.
type Load struct {
	When   string `json:"when"` // at once, on matching, on use, when read, output only or not text
	Note   string `json:"note,omitempty"`
	Before Cost   `json:"before"`
	Cost
	Change Cost `json:"change"`
}

// Part is a part of a file that enters the context at one moment. Its text is absent if it is
// unknown, such as the output of a program.
type Part struct {
	When string `json:"when"`
	File string `json:"file"`
	Note string `json:"note,omitempty"` // the rule that the client applies
	Compared
}

// NewLoads returns the changes to the context of a coding agent, with token counts.
func NewLoads(d review.Dossier, changes []instructions.LoadChange, counter *tokens.Counter) (Loads, error) {
	doc := Loads{Subject: d.Proposal.Subject.String(), Path: d.Proposal.Title}
	var err error
	if doc.Cost, err = newDocLoadCosts(counter, changes); err != nil {
		return doc, err
	}
	var texts []string
	for _, c := range changes {
		for _, l := range []*instructions.Load{c.Now, c.After} {
			if l != nil {
				texts = append(texts, l.Text)
			}
		}
	}
	counts, err := counter.CountAll(texts)
	if err != nil {
		return doc, err
	}
	next := func(l *instructions.Load) (p Prompt) {
		if l != nil {
			p, counts = newDocPrompt(prompt.Output{Text: l.Text, Chars: utf8.RuneCountInString(l.Text)}, counts[0]), counts[1:]
		}
		return p
	}
	for _, c := range changes {
		l := c.Load()
		part := Part{When: string(l.Occasion), File: l.File, Note: l.Note}
		before := next(c.Now)
		part.compare(before, next(c.After), c.Now != nil, c.After != nil)
		part.Untouched = c.Same
		doc.Parts = append(doc.Parts, part)
	}
	return doc, nil
}

func newDocLoadCosts(counter *tokens.Counter, changes []instructions.LoadChange) ([]Load, error) {
	costs, err := instructions.Costs(counter, changes)
	return lists.Map(costs, func(c instructions.Cost) Load {
		now, after := Cost{c.Now.Chars, c.Now.Counts}, Cost{c.After.Chars, c.After.Counts}
		return Load{When: string(c.Occasion), Note: c.Note, Before: now, Cost: after, Change: after.less(now)}
	}), err
}

// less returns the difference between two costs.
func (c Cost) less(other Cost) Cost {
	return Cost{c.Chars - other.Chars, tokens.Counts{O200k: c.Tokens.O200k - other.Tokens.O200k, Cl100k: c.Tokens.Cl100k - other.Tokens.Cl100k}}
}

// WriteContextCosts prints the tokens for each moment with a cost.
func WriteContextCosts(p *output.Page, costs []Load) {
	var parts []string
	for _, c := range costs {
		if c.Tokens.O200k+c.Before.Tokens.O200k > 0 {
			parts = append(parts, c.When+" "+FromTo(c.Before.Tokens.O200k, c.Tokens.O200k))
		}
	}
	if len(parts) > 0 {
		p.Linef("Tokens (o200k_base) in the context: %s", strings.Join(parts, ", "))
	}
}

// LoadChanges returns the changes that a proposal about files makes to the context of agents, or nil for other
// proposals.
func LoadChanges(d review.Dossier) []instructions.LoadChange {
	if !d.Proposal.Subject.Kind.InFiles() || !d.Proposal.State.Open() {
		return nil
	}
	return instructions.CompareLoads(cmp.Or(d.Live, &registry.Live{}).Definition, d.Revision.Draft.Definition)
}

// FromTo formats a count before and after a change, with the difference.
func FromTo(before, after int) string {
	if before == after {
		return output.Itoa(after)
	}
	return fmt.Sprintf("%d → %d (%+d)", before, after, after-before)
}
