// This file implements rule S108, which finds attacks in encoded passages.

package wording

import (
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// encoded finds attacks in encoded passages.
func encoded(_ *View, s *Scanned) []rules.Finding {
	var spans []rules.Passage
	for i := range s.Matches {
		m := &s.Matches[i]
		if m.Nested && m.Disguise.Decoded() && warnsByDefault(m.Frame) && !s.matchesUndecoded(m) {
			spans = append(spans, rules.Passage{Start: m.Start, End: m.End, Disguise: m.Disguise})
		}
	}
	return s.Findings(spans, func(p rules.Passage) string {
		return rules.Quoting("Hides text from reviewers ("+disguised(p.Disguise)+") that decodes to", s.decoded(p))
	})
}

// decoded returns the text that the passage p encodes. If several encodings are nested, it returns
// the text after the innermost decoding.
func (s *Scanned) decoded(p rules.Passage) string {
	text := ""
	for _, d := range s.Decoded {
		if d.Start < p.End && p.Start < d.End && d.Disguise&p.Disguise != 0 && d.Disguise.Decoded() {
			text = d.Text // the innermost decoding comes last
		}
	}
	return text
}

// matchesUndecoded reports whether the frame of m also matches the undecoded text at the same
// position.
func (s *Scanned) matchesUndecoded(m *scan.Match) bool {
	for _, i := range s.byRule[m.Frame] {
		if o := &s.Matches[i]; !o.Nested && o.Start < m.End && m.Start < o.End {
			return true
		}
	}
	return false
}
