package wording

import (
	"context"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// quoted is the rule that shows what the others let pass because it is spoken
// of rather than said.
func quoted() rules.Rule {
	return rules.Rule{
		ID: "S125",
		Check: func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
			c := Of(change)
			var found []rules.Finding
			for i := range c.Scan() {
				found = append(found, c.quotes(&c.Scan()[i])...)
			}
			return found, nil
		},
	}
}

// onlyLabelled reports whether nothing but a label such as "Sample response:"
// sets m apart.
func onlyLabelled(m *scan.Match) bool {
	g := grammar()
	return !m.Quoted && m.Lead.Meets(g.Concept("sampled")) && m.Lead.Meets(g.Concept("sample"))
}

// quotes finds the attacks in s that are spoken of.
func (c *View) quotes(s *Scanned) []rules.Finding {
	var plain, loose []rules.Passage
	for i := range s.Matches {
		m := &s.Matches[i]
		switch p := s.whole(rules.Passage{Start: m.Start, End: m.End}); {
		case !s.Visible || !counts(m.Frame) || !mentioned(m) || m.Stance&(scan.Negated|scan.Asked|scan.Crossed) != 0:
		case s.Governs() || m.Stance&scan.Shown != 0:
			plain = append(plain, p)
		case setApart(m) && (!onlyLabelled(m) || c.about("sampled|detect")):
			plain = append(plain, p)
		default:
			loose = append(loose, p)
		}
	}
	listed := s.Findings(plain, func(p rules.Passage) string {
		return rules.Quoting("Quotes a phrase that would be an attack if it were said", s.Value[p.Start:p.End])
	})
	for i := range listed {
		listed[i].Severity = rules.Info
	}
	return append(listed, s.Findings(loose, func(p rules.Passage) string {
		return rules.Quoting("Speaks of a phrase that would be an attack if it were said, and does not set it apart", s.Value[p.Start:p.End])
	})...)
}
