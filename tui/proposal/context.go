// This file computes which texts skills and instructions add to the context of an agent.

package proposal

import (
	"strings"

	"toolcrib/gateway/instructions"
	"toolcrib/prompt/tokens"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// contextChanges returns the texts that a skill or instructions add to the context of an agent, and their
// sizes. Each result has an element for each occasion, for example the start of a session. The Prompt tab
// shows these texts instead of channel prompts.
func contextChanges(d review.Dossier, counter *tokens.Counter) ([]screen.PromptChange, []promptCount, error) {
	var before registry.Definition
	if d.Live != nil {
		before = d.Live.Definition
	}
	loads := instructions.CompareLoads(before, d.Revision.Draft.Definition)
	costs, err := instructions.Costs(counter, loads)
	changes := make([]screen.PromptChange, len(costs))
	counts := make([]promptCount, len(costs))
	for i, cost := range costs {
		changes[i] = screen.PromptChange{Agent: d.Proposal.Subject, Channel: string(cost.Occasion)}
		counts[i] = promptCount{before: cost.Now, after: cost.After, note: cost.Note}
		var now, after []instructions.Load
		for _, c := range loads {
			if c.Load().Occasion != cost.Occasion {
				continue
			}
			if c.Now != nil {
				now = append(now, *c.Now)
			}
			if c.After != nil {
				after = append(after, *c.After)
			}
		}
		changes[i].Before, changes[i].After = joined(now), joined(after)
	}
	return changes, counts, err
}

// joined returns the texts of one occasion. If the occasion has several texts, the name of the file precedes
// each text.
func joined(loads []instructions.Load) string {
	if len(loads) == 1 && loads[0].Text != "" {
		return loads[0].Text
	}
	var b strings.Builder
	for _, l := range loads {
		name := l.File
		if l.Note != "" {
			name += ": " + l.Note
		}
		if l.Text == "" {
			b.WriteString(name + "\n")
			continue
		}
		b.WriteString("── " + name + " ──\n" + strings.TrimSuffix(l.Text, "\n") + "\n\n")
	}
	return b.String()
}

// fileCosts draws the number of tokens that the files add to the context of an agent, before and after an
// approval. It draws a line for each occasion. Until the tokens have been counted, it draws nothing.
func (t *promptPane) fileCosts(page *prose.Page) {
	if t.digest != t.dossier.Digest || len(t.counts) == 0 || !t.dossier.Proposal.State.Open() {
		return
	}
	th := t.frame.Theme
	page.Blank()
	page.Heading("Tokens in the context of an agent (o200k)")
	for i, c := range t.changes {
		n := t.counts[i]
		if n.before.O200k+n.after.O200k == 0 {
			continue
		}
		page.Line(draw.Of(th.Faint, "  "+draw.Pad(draw.Escape(c.Channel), 12)).Add(th.Text, draw.Escapef("%d → %d", n.before.O200k, n.after.O200k)).
			Add(th.Title, draw.Escapef(" (%+d)", n.after.O200k-n.before.O200k)))
	}
}
