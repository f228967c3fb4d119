package linear

import (
	"fmt"

	"toolcrib/history/diff"
	"toolcrib/review"
	"toolcrib/tui"
)

// merge reads out where the open proposal and the live version changed the same
// thing, asks for each which side to take, and leaves the rest to the editor.
// Nothing was written.
func (s *session) merge(c *review.RebaseConflict) error {
	s.out.linef("This proposal and version %d conflict. Nothing was saved.", c.Live)
	choices, open, err := s.sides(c.Passages())
	if err != nil {
		return err
	}
	merge := *c
	if merge.Draft, err = c.Take(choices); err != nil {
		return err
	}
	if open == 0 {
		if !s.agree("save the revision") {
			return nil
		}
		return s.send(tui.Manuscript{ID: s.open.Proposal.ID}, merge.Draft, true)
	}
	if why := s.noEditor(); why != "" {
		s.out.linef("Resolve the rest in an editor, but %s. toolcrib rebase --source FILE writes the merge to a file.", why)
		return nil
	}
	s.out.line("The draft keeps the proposal's side; texts have both sides between conflict markers.")
	if !s.agree("resolve it in the editor") {
		return nil
	}
	return s.write(s.cfg.Merge(s.open.Proposal, &merge))
}

// sides asks for each passage which side to take, and returns how many are open.
func (s *session) sides(passages []review.Passage) (choices []diff.Choice, open int, err error) {
	choices = make([]diff.Choice, len(passages))
	for i, p := range passages {
		s.pages(conflictLines(p))
		answer, ok := s.ask("Type here or live and press enter to take that side; anything else leaves it for the editor: ")
		if !ok {
			return nil, 0, s.ctx.Err()
		}
		switch answer {
		case "here":
			choices[i] = diff.TakeOurs
		case "live":
			choices[i] = diff.TakeTheirs
		default:
			open++
		}
	}
	return choices, open, nil
}

// conflictLines reads the three sides of a passage out.
func conflictLines(p review.Passage) []string {
	heading := p.Path + ":"
	if p.Line > 0 {
		heading = fmt.Sprintf("%s, line %d:", p.Path, p.Line)
	}
	lines := []string{heading}
	for _, side := range [][2]string{{"It was", p.Base}, {"The proposal has", p.Ours}, {"The live version has", p.Theirs}} {
		if side[1] == "" {
			lines = append(lines, side[0]+" nothing.")
			continue
		}
		lines = append(lines, side[0]+":")
		lines = append(lines, text("| ", side[1])...)
	}
	return lines
}
