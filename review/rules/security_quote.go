package rules

import (
	"context"

	"toolcrib/review/rules/scan"
)

// quoted is the rule that shows what the others let pass because it is spoken
// of rather than said.
func quoted() Rule {
	return Rule{
		ID: "S125",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			var found []Finding
			for i := range c.scan() {
				found = append(found, c.quotes(&c.scan()[i])...)
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
func (c *Change) quotes(s *scanned) []Finding {
	var plain, loose []passage
	for i := range s.Matches {
		m := &s.Matches[i]
		switch p := (passage{start: m.Start, end: m.End}); {
		case !s.Visible || !counts(m.Frame) || !mentioned(m) || m.Stance&(scan.Negated|scan.Asked|scan.Crossed) != 0:
		case s.governs() || m.Stance&scan.Shown != 0:
			plain = append(plain, p)
		case setApart(m) && (!onlyLabelled(m) || c.about("sampled|detect")):
			plain = append(plain, p)
		default:
			loose = append(loose, p)
		}
	}
	listed := s.findings(plain, func(passage) string { return "Quotes a phrase that would be an attack if it were said." })
	for i := range listed {
		listed[i].Severity = Info
	}
	return append(listed, s.findings(loose, func(passage) string {
		return "Speaks of a phrase that would be an attack if it were said, and does not set it apart."
	})...)
}

// readable is the rule that shows what was encoded without doing harm.
func readable() Rule {
	return Rule{
		ID: "S137",
		Check: eachText(func(s *scanned) []Finding {
			var spans []passage
			for _, d := range s.Decoded {
				if s.Visible && d.Disguise&(scan.Base64|scan.Hex|scan.Bits) != 0 {
					spans = append(spans, passage{start: d.Start, end: d.End, disguise: d.Disguise})
				}
			}
			return s.findings(spans, func(p passage) string { return "Decodes to readable text (" + disguised(p.disguise) + ")." })
		}),
	}
}
