package wording

import (
	"toolcrib/review/rules"
)

// candidate is a finding before its evidence is weighed.
type candidate struct {
	rules.Finding
	// text holds the passage at; most is the worst severity that it can get.
	text *rules.Text
	at   rules.Passage
	most rules.Severity
	// certain reports that it warns under every learned table, plain that it blocks.
	certain, plain bool
	// kind tells findings of a rule that looks for several things apart, such as what
	// a parameter asks for.
	kind string
}

// frame names the turn of phrase that was found, as the learned tables know it.
func (f *candidate) frame() string { return f.Rule + f.kind }

// overlaps reports whether f and o share a part of a text.
func (f *candidate) overlaps(o candidate) bool {
	return f.text == o.text && f.at.Start < o.at.End && o.at.Start < f.at.End
}

// candidates makes candidates of passages in s, those that overlap into one.
func (s *Scanned) candidates(passages []rules.Passage, message func(rules.Passage) string) []candidate {
	merged := rules.Merge(passages)
	found := make([]candidate, 0, len(merged))
	for i, f := range s.Findings(merged, message) {
		found = append(found, candidate{Finding: f, text: &s.Text, at: merged[i]})
	}
	return found
}
