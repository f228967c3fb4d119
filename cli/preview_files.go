package cli

import (
	"context"
	"strings"
	"unicode/utf8"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/gateway/instructions"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// docLoads has what one skill or one file of instructions brings into the context of a
// coding agent after the approval.
type docLoads struct {
	Subject string    `json:"subject"`
	Path    string    `json:"path"`
	Cost    []docLoad `json:"cost"`  // of each moment, without texts
	Parts   []docPart `json:"parts"` // the earliest first
}

// docLoad is the cost of what enters the context at one moment.
type docLoad struct {
	When   string  `json:"when"` // at once, on matching, on use, when read, output only or not text
	Note   string  `json:"note,omitempty"`
	Before docCost `json:"before"`
	docCost
	Change docCost `json:"change"`
}

// docPart is a part of a file that enters the context at one moment. It has no text where
// that is not known: the output of a program.
type docPart struct {
	When string `json:"when"`
	File string `json:"file"`
	Note string `json:"note,omitempty"` // what the client goes by
	docCompared
}

// loadChanges returns what a proposal about files does to the context of agents, nil for
// one about something else.
func loadChanges(d review.Dossier) []instructions.LoadChange {
	if !d.Proposal.Subject.Kind.InFiles() || !d.Proposal.State.Open() {
		return nil
	}
	var before registry.Definition
	if d.Live != nil {
		before = d.Live.Definition
	}
	return instructions.CompareLoads(before, d.Revision.Draft.Definition)
}

// loadedBy returns what the proposals among ids that are about files bring into the context.
func loadedBy(ctx context.Context, a *command.App, desk *review.Desk, ids []proposals.ID) ([]docLoads, error) {
	var docs []docLoads
	if len(ids) == 0 {
		return nil, nil
	}
	actor, err := a.Actor()
	if err != nil {
		return nil, err
	}
	counter := tokens.NewCounter()
	for _, id := range ids {
		d, err := desk.Show(ctx, actor, id)
		if err != nil {
			return nil, err
		}
		changes := loadChanges(d)
		if len(changes) == 0 {
			continue
		}
		doc, err := newDocLoads(d, changes, counter)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func newDocLoads(d review.Dossier, changes []instructions.LoadChange, counter *tokens.Counter) (docLoads, error) {
	doc := docLoads{Subject: d.Proposal.Subject.String(), Path: d.Proposal.Title}
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
	next := func(l *instructions.Load) (p docPrompt) {
		if l != nil {
			p, counts = newDocPrompt(prompt.Output{Text: l.Text, Chars: utf8.RuneCountInString(l.Text)}, counts[0]), counts[1:]
		}
		return p
	}
	for _, c := range changes {
		l := c.Load()
		part := docPart{When: string(l.When), File: l.File, Note: l.Note}
		before := next(c.Now)
		part.compare(before, next(c.After), c.Now != nil, c.After != nil)
		part.Untouched = c.Same
		doc.Parts = append(doc.Parts, part)
	}
	return doc, nil
}

func newDocLoadCosts(counter *tokens.Counter, changes []instructions.LoadChange) ([]docLoad, error) {
	costs, err := instructions.Costs(counter, changes)
	return output.Mapped(costs, func(c instructions.Cost) docLoad {
		now, after := docSize(c.Now), docSize(c.After)
		return docLoad{When: string(c.When), Note: c.Note, Before: now, docCost: after, Change: after.less(now)}
	}), err
}

func docSize(s instructions.Size) docCost {
	return docCost{Chars: s.Chars, Tokens: docTokens{O200k: s.O200k, Cl100k: s.Cl100k}}
}

// less returns how much more c is than other.
func (c docCost) less(other docCost) docCost {
	return docCost{
		Chars:  c.Chars - other.Chars,
		Tokens: docTokens{O200k: c.Tokens.O200k - other.Tokens.O200k, Cl100k: c.Tokens.Cl100k - other.Tokens.Cl100k},
	}
}

// contextCosts returns what an approval adds to the context of agents at each moment; nil
// where it adds no files, or the vocabulary, which is compiled in, cannot be read.
func contextCosts(d review.Dossier) []docLoad {
	changes := loadChanges(d)
	if len(changes) == 0 {
		return nil
	}
	costs, err := newDocLoadCosts(tokens.NewCounter(), changes)
	if err != nil {
		return nil
	}
	return costs
}

// writeContextCosts prints the tokens of each moment that has some.
func writeContextCosts(p *output.Page, costs []docLoad) {
	var parts []string
	for _, c := range costs {
		if c.Tokens.O200k+c.Before.Tokens.O200k > 0 {
			parts = append(parts, c.When+" "+fromTo(c.Before.Tokens.O200k, c.Tokens.O200k))
		}
	}
	if len(parts) > 0 {
		p.Linef("Tokens (o200k_base) in the context: %s", strings.Join(parts, ", "))
	}
}

// writeLoads prints what enters the context, and what of it changes.
func writeLoads(p *output.Page, docs []docLoads, below bool, show string) {
	for i, d := range docs {
		if i > 0 || below {
			p.Blank()
		}
		p.Linef("%s, %s", d.Subject, d.Path)
		writeContextCosts(p, d.Cost)
		p.Blank()
		p.Table([]string{"ENTERS", "FILE", "CHARACTERS", "O200K_BASE", "CL100K_BASE", ""}, output.Mapped(d.Parts, func(part docPart) []string {
			before := part.before()
			file := part.File
			if part.Note != "" {
				file += ": " + part.Note
			}
			if unknown := instructions.When(part.When); unknown == instructions.Printed || unknown == instructions.NotText {
				return []string{part.When, file, "-", "-", "-", part.becomes()}
			}
			return []string{
				part.When, file, fromTo(before.Chars, part.Chars), fromTo(before.Tokens.O200k, part.Tokens.O200k),
				fromTo(before.Tokens.Cl100k, part.Tokens.Cl100k), part.becomes(),
			}
		}))
		for _, part := range d.Parts {
			part.write(p, show)
		}
	}
}

func (d docPart) before() docCost {
	if d.Before == nil {
		return docCost{}
	}
	return d.Before.docCost
}

// write prints the text of a part, or its changes.
func (d docPart) write(p *output.Page, show string) {
	text := d.Text
	if show == showNow {
		text = ""
		if d.Before != nil {
			text = d.Before.Text
		}
	}
	hunks := []docHunk{}
	if d.Diff != nil {
		hunks = *d.Diff
	}
	if show == showSummary || show == showDiff && len(hunks) == 0 || show != showDiff && text == "" {
		return
	}
	p.Blank()
	p.Raw(p.Paint(output.InkStrong, "── "+output.Safe(d.When)+": "+output.Safe(d.File)+" ──"))
	if show != showDiff {
		p.Text("", text)
		return
	}
	for _, h := range hunks {
		writeHunk(p, h)
	}
}
