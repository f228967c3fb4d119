package screen

import (
	"slices"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// PromptChange is a channel prompt that an approval changes; a missing one is "".
type PromptChange struct {
	Agent      registry.Subject
	Channel    string
	Now, After string
}

// ChangedPrompts returns the prompts that differ, the channels of each agent in
// the order in which they are shown.
func ChangedPrompts(previews []review.Preview) []PromptChange {
	var out []PromptChange
	for _, p := range previews {
		for _, o := range slices.Concat(p.Then, p.Now) {
			c := PromptChange{p.Agent, o.Channel, textOf(p.Now, o.Channel), textOf(p.Then, o.Channel)}
			if c.Now != c.After && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

func textOf(outputs []prompt.Output, channel string) string {
	for _, o := range outputs {
		if o.Channel == channel {
			return o.Text
		}
	}
	return ""
}

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

// TestsField lists what proposals do to the test cases of their subjects; those that
// drop or change one stand out.
func (f Frame) TestsField(page *prose.Page, ds ...review.Dossier) {
	label := draw.Safe("tests")
	for _, d := range ds {
		for _, c := range wording.TestChanges(d.TestChanges()) {
			style, sign := f.Theme.Faint, draw.Safe("  ")
			if c.Weaker {
				style, sign = f.Theme.Warn, "! "
			}
			text := c.Text
			if len(ds) > 1 {
				text = wording.Reference(d.Proposal) + " " + text
			}
			page.Item(draw.Of(f.Theme.Faint, draw.Pad(label, prose.LabelWidth)).Add(style, sign), text)
			label = ""
		}
	}
}

// Unassigned warns that a tool reaches nobody, and what to do about it.
func (f Frame) Unassigned(page *prose.Page, p proposals.Proposal) {
	page.Item(draw.Of(f.Theme.Warn, "! "), "No agent has "+p.Subject.ID+". Assign it: toolcrib assign "+p.Subject.ID+" --to NAME")
}
