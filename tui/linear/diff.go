package linear

import (
	"fmt"
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// around is how many unchanged lines are read with a change.
const around = 2

// doDiff reads out what the revision changes.
func (s *session) doDiff(how string) error {
	d := s.open
	before, after := d.Change()
	context := around
	if how == "whole" {
		context = -1
	}
	lines := []string{"Against " + wording.Against(d.Proposal.BaseVersion) + "."}
	for _, f := range diff.Contents(before, after) {
		lines = append(lines, fieldLines(f, context)...)
	}
	if s.pages(lines) {
		s.read[d.Proposal.ID].diff = d.Digest
	} else {
		s.out.line("Stopped before the end.")
	}
	return nil
}

// fieldLines tells one changed field.
func fieldLines(f diff.Field, context int) []string {
	patch := f.Patch()
	removed, added := patch.Changed()
	hunks := patch.Unified(context)
	if added+removed == 1 && len(hunks) == 1 && len(hunks[0].Lines) == 1 {
		return []string{fmt.Sprintf("Field %s, %s: %s", f.Path, f.Change, hunks[0].Lines[0].Text)}
	}
	lines := []string{fmt.Sprintf("Field %s, %s: %s, %s.", f.Path, f.Change, wording.Count(added, "line added", "lines added"), wording.Count(removed, "removed", "removed"))}
	last := 0
	for _, h := range hunks {
		if gap := h.NewStart - last - 1; last > 0 && gap > 0 {
			lines = append(lines, "  "+wording.Count(gap, "unchanged line", "unchanged lines"))
		}
		last = h.NewStart + h.NewLines - 1
		for _, l := range h.Lines {
			switch l.Kind {
			case diff.Insert:
				lines = append(lines, fmt.Sprintf("  added %d: %s", l.New, l.Text))
			case diff.Delete:
				lines = append(lines, fmt.Sprintf("  removed %d: %s", l.Old, l.Text))
			case diff.Context:
				lines = append(lines, fmt.Sprintf("  same %d: %s", l.New, l.Text))
			}
			if l.NoNewline && l.Kind != diff.Context && l.Pair >= 0 && !h.Lines[l.Pair].NoNewline {
				lines = append(lines, "  (no newline at the end of that line)")
			}
		}
	}
	return lines
}

// prompts renders the channel prompts that the proposal changes.
func (s *session) prompts() ([]screen.PromptChange, error) {
	scene := review.Scene{Layer: s.cfg.Layer, Where: review.ReferenceContext(), Context: prompt.Reference()}
	previews, err := s.cfg.Desk.Preview(s.ctx, []proposals.ID{s.open.Proposal.ID}, "", scene)
	return screen.ChangedPrompts(previews), err
}

// doPrompt lists the prompts that change, or reads one out.
func (s *session) doPrompt(args string) error {
	if !s.open.Proposal.State.Open() {
		s.out.line("The proposal is closed. Its version records the hashes of the changed prompts.")
		return nil
	}
	all, err := s.prompts()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		s.out.line("No agent's prompt changes.")
		return nil
	}
	number, how, _ := strings.Cut(args, " ")
	if number == "" {
		for i, c := range all {
			counts, err := s.counter.CountAll([]string{c.Now, c.After})
			if err != nil {
				return err
			}
			s.out.linef("%d. %s: %d tokens now, %d after, by o200k; %d and %d by cl100k.", i+1, promptName(c), counts[0].O200k, counts[1].O200k, counts[0].Cl100k, counts[1].Cl100k)
		}
		s.out.line("Say prompt, a number, and now, after or diff.")
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(all) {
		s.out.linef("There are prompts 1 to %d.", len(all))
		return nil
	}
	c := all[n-1]
	switch how {
	case "now":
		s.pages(text("", wording.OrNone(c.Now)))
	case "after":
		s.pages(text("", wording.OrNone(c.After)))
	case "", "diff":
		s.pages(fieldLines(diff.Field{Path: promptName(c), Change: diff.Modified, Before: jsondoc.NewString(c.Now), After: jsondoc.NewString(c.After)}, around))
	default:
		s.out.linef("%q: say now, after or diff.", how)
	}
	return nil
}

func promptName(c screen.PromptChange) string { return c.Agent.String() + " channel " + c.Channel }
