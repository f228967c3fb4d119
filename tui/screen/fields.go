package screen

import (
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// PromptsField lists the channel prompts that a yes would change.
func PromptsField(page *prose.Page, d review.Dossier) {
	if len(d.Rendered) == 0 {
		page.Field("prompts", "no agent's prompt changes")
	}
	for i, line := range wording.Channels(d, nil) {
		label := ""
		if i == 0 {
			label = "prompts"
		}
		page.Field(label, line)
	}
}

// Unassigned warns that a tool reaches nobody, and what to do about it.
func (f Frame) Unassigned(page *prose.Page, p proposals.Proposal) {
	page.Item(draw.Of(f.Theme.Warn, "! "), "No agent has "+p.Subject.ID+". Assign it: toolcrib assign "+p.Subject.ID+" --to NAME")
}
