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
	// more is how many passages besides have no candidate, as there are too many.
	more int
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

// candidates makes candidates of passages in s, those that overlap into one. Their
// message is the deed, without a full stop.
func (s *Scanned) candidates(passages []rules.Passage, deed func(rules.Passage) string) []candidate {
	merged := rules.Merge(passages)
	more := max(0, len(merged)-rules.MaxPerText)
	found := make([]candidate, 0, len(merged)-more)
	for _, p := range merged[:len(merged)-more] {
		f := rules.Finding{Path: s.Path, Passage: s.Value[p.Start:p.End], Message: deed(p)}
		found = append(found, candidate{Finding: f, text: &s.Text, at: p})
	}
	if more > 0 {
		found[len(found)-1].more = more
	}
	return found
}
