package linear

import (
	"fmt"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// merge reads out where the open proposal and the live version changed the same
// thing, and offers to finish the merge in the editor. Nothing was written.
func (s *session) merge(c *review.RebaseConflict) error {
	s.out.linef("This proposal and version %d conflict. Nothing was saved.", c.Live)
	var lines []string
	for _, f := range c.Fields {
		lines = append(lines, conflictLines(f)...)
	}
	s.pages(lines)
	if why := s.noEditor(); why != "" {
		s.out.linef("Resolve it in an editor, but %s. toolcrib rebase --source FILE writes the merge to a file.", why)
		return nil
	}
	s.out.line("The draft keeps these sides; texts have both sides between conflict markers.")
	if !s.agree("resolve it in the editor") {
		return nil
	}
	return s.write(s.cfg.Merge(s.open.Proposal, c))
}

// conflictLines reads the three sides of a field out, or of each passage of a
// text.
func conflictLines(f diff.FieldConflict) []string {
	var lines []string
	side := func(name, what string) {
		if what == "" {
			lines = append(lines, name+" nothing.")
			return
		}
		lines = append(lines, name+":")
		lines = append(lines, text("| ", what)...)
	}
	sides := func(base, ours, theirs string) {
		side("It was", base)
		side("The proposal has", ours)
		side("The live version has", theirs)
	}
	if f.Text == nil {
		lines = append(lines, f.Path+":")
		sides(nodeText(f.Base), nodeText(f.Ours), nodeText(f.Theirs))
		return lines
	}
	for _, c := range f.Text.Conflicts {
		lines = append(lines, fmt.Sprintf("%s, line %d:", f.Path, c.Ours.Lines.Start+1))
		sides(c.Base.Text, c.Ours.Text, c.Theirs.Text)
	}
	return lines
}

func nodeText(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.String:
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}
