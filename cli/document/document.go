// Package document defines the JSON documents that several packages of commands print. A new version of toolcrib can
// add fields, but must not rename them.
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

// Loads describes the text that a skill or an instruction file adds to the context of a coding agent after the
// approval of a proposal.
type Loads struct {
	Subject string `json:"subject"`
	Path    string `json:"path"`
	Cost    []Load `json:"cost"`  // cost of the text that enters the context on each occasion
	Parts   []Part `json:"parts"` // parts in the order in which they enter the context
}

// Load is the cost of the text that enters the context on one occasion, before and after the approval.
type Load struct {
	When   string `json:"when"` // "at once", "on matching", "on use", "when read", "output only", or "not text"
	Note   string `json:"note,omitempty"`
	Before Cost   `json:"before"`
	Cost
	Change Cost `json:"change"`
}

// Part is a part of a file that enters the context on one occasion. Its text is empty if the text is unknown in
// advance, for example the output of a program.
type Part struct {
	When string `json:"when"`
	File string `json:"file"`
	Note string `json:"note,omitempty"` // rule of the client that loads this part
	Compared
}

// NewLoads returns a document that describes how the proposal of d changes the context of a coding agent. changes is
// the result of LoadChanges for d.
func NewLoads(d review.Dossier, changes []instructions.LoadChange, counter *tokens.Counter) (Loads, error) {
	doc := Loads{Subject: d.Proposal.Subject.String(), Path: d.Proposal.Title}
	var err error
	if doc.Cost, err = newDocLoadCosts(counter, changes); err != nil {
		return doc, err
	}
	counts, err := counter.CountAll(instructions.Texts(changes))
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

// less subtracts other from c.
func (c Cost) less(other Cost) Cost {
	return Cost{c.Chars - other.Chars, tokens.Counts{O200k: c.Tokens.O200k - other.Tokens.O200k, Cl100k: c.Tokens.Cl100k - other.Tokens.Cl100k}}
}

// WriteContextCosts prints the token counts before and after the change for each occasion on which text enters the
// context.
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

// LoadChanges returns the changes that the proposal of d makes to the context of agents. It returns nil if the proposal
// is not open, or if its subject is not a skill or an instruction file.
func LoadChanges(d review.Dossier) []instructions.LoadChange {
	if !d.Proposal.Subject.Kind.InFiles() || !d.Proposal.State.Open() {
		return nil
	}
	return instructions.CompareLoads(cmp.Or(d.Live, &registry.Live{}).Definition, d.Revision.Draft.Definition)
}

// FromTo formats the counts before and after a change, followed by their difference. If both counts are equal, the
// result contains only this count.
func FromTo(before, after int) string {
	if before == after {
		return output.Itoa(after)
	}
	return fmt.Sprintf("%d → %d (%+d)", before, after, after-before)
}
