package preview

import (
	"context"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/gateway/instructions"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/review/service"
)

// loadedBy returns what the proposals among ids that are about files bring into the context.
func loadedBy(ctx context.Context, a *command.App, desk *service.Desk, ids []proposals.ID) ([]document.Loads, error) {
	var docs []document.Loads
	if len(ids) == 0 {
		return nil, nil
	}
	actor, err := a.Actor()
	if err != nil {
		return nil, err
	}
	counter := tokens.NewCounter()
	for _, id := range ids {
		d, err := desk.Reading.Show(ctx, actor, id)
		if err != nil {
			return nil, err
		}
		changes := document.LoadChanges(d)
		if len(changes) == 0 {
			continue
		}
		doc, err := document.NewLoads(d, changes, counter)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// writeLoads prints what enters the context, and what of it changes.
func writeLoads(p *output.Page, docs []document.Loads, below bool, show string) {
	for i, d := range docs {
		if i > 0 || below {
			p.Blank()
		}
		p.Linef("%s, %s", d.Subject, d.Path)
		document.WriteContextCosts(p, d.Cost)
		p.Blank()
		p.Table([]string{"ENTERS", "FILE", "CHARACTERS", "O200K_BASE", "CL100K_BASE", ""}, output.Mapped(d.Parts, func(part document.Part) []string {
			before := part.Was()
			file := part.File
			if part.Note != "" {
				file += ": " + part.Note
			}
			if unknown := instructions.When(part.When); unknown == instructions.Printed || unknown == instructions.NotText {
				return []string{part.When, file, "-", "-", "-", part.Becomes()}
			}
			return []string{
				part.When, file, document.FromTo(before.Chars, part.Chars), document.FromTo(before.Tokens.O200k, part.Tokens.O200k),
				document.FromTo(before.Tokens.Cl100k, part.Tokens.Cl100k), part.Becomes(),
			}
		}))
		for _, part := range d.Parts {
			writePart(p, part, show)
		}
	}
}

// writePart prints the text of a part, or its changes.
func writePart(p *output.Page, d document.Part, show string) {
	text := d.Text
	if show == showNow {
		text = ""
		if d.Before != nil {
			text = d.Before.Text
		}
	}
	hunks := []document.Hunk{}
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
		document.WriteHunk(p, h)
	}
}
