// This file scans the texts of a change and shares the results between rules.

package wording

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/hidden"
	"toolcrib/review/rules/scan/letters"
)

// grammar returns the compiled lexicon with the frames of all classes of attack.
func grammar() *scan.Grammar { return rulebook.Grammar() }

// Scanned is a text with the results of the scanner.
type Scanned struct {
	rules.Text
	*scan.Result
	Hidden []hidden.Run
	Plain  bool             // printable ASCII only
	byRule map[string][]int // indices of Matches by frame
}

// scanTexts scans every text of the change.
func (c *View) scanTexts() []*Scanned {
	g := grammar()
	var list []*Scanned
	for _, t := range c.Texts() {
		s := &Scanned{Text: t, Result: g.ScanProse(t.Value, t.Prose), Plain: letters.Plain(t.Value)}
		if !s.Plain {
			s.Hidden = hidden.Find(t.Value)
		}
		if len(s.Matches) > 0 {
			s.byRule = map[string][]int{}
			for i, m := range s.Matches {
				s.byRule[m.Frame] = append(s.byRule[m.Frame], i)
			}
		}
		list = append(list, s)
	}
	return list
}

// mentioned reports whether the text only mentions m instead of saying it: the text denies m, quotes it,
// introduces it as an example or as something to detect, or tells the model not to follow it.
func mentioned(m *scan.Match) bool {
	if m.Disguise.Decoded() {
		return false // nobody encodes an example
	}
	g := grammar()
	meet := func(set scan.Set, concepts ...string) bool {
		return !slices.ContainsFunc(concepts, func(c string) bool { return !set.Meets(g.Concept(c)) })
	}
	return denied(m) ||
		m.Quoted && (meet(m.Before, "detect") || meet(m.Lead, "mentioning")) ||
		meet(m.Before, "detect") && meet(m.Lead, "mentioning") ||
		meet(m.Lead, "urging") && meet(m.Sentence, "when", "neg") ||
		meet(m.Before, "sampled", "sample") || meet(m.Before, "detect", "whether", "attempting")
}

// denied reports whether the text asserts the opposite of m or tells the model to refuse it.
// Encoded text is never treated as denied, because denials are not encoded.
func denied(m *scan.Match) bool {
	return !m.Disguise.Decoded() && m.Stance&(scan.Negated|scan.Asked|scan.Crossed|scan.Shown) != 0
}

// disguised lists the disguises in d in words, or returns "" if there are none.
func disguised(d disguise.Disguise) string { return strings.Join(d.Names(), ", ") }

// governs reports whether the text is an agent's own instruction or a file of a skill or of
// instructions. Such texts may decide which tools to use, when, and in which order.
func (s *Scanned) governs() bool {
	switch s.Path {
	case "definition.prompt", "definition.soul", "definition.promptTemplate", "definition.operatingModel", "definition.interactionLearning",
		"definition.onboarding", "definition.sessionOpen.bootstrap", "definition.sessionOpen.returning":
		return true
	}
	return jsondoc.Within(s.Path, "definition.channelGuidance") || jsondoc.Within(s.Path, "definition.files")
}

// Reading is a text to check: the text of a field, or a text decoded from a passage of the field.
type Reading struct {
	Text    string
	decoded bool
	passage rules.Passage // the encoded passage
}

// Readings returns the text of the field and the texts decoded from it.
func (s *Scanned) Readings() []Reading {
	list := []Reading{{Text: cmp.Or(s.Prose, s.Value)}}
	for _, d := range s.Decoded {
		list = append(list, Reading{d.Text, true, rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise}})
	}
	return list
}

// At returns the passage of the field that corresponds to r.Text[start:end]. For a decoded text
// this is the whole encoded passage.
func (r Reading) At(start, end int) rules.Passage {
	if r.decoded {
		return r.passage
	}
	return rules.Passage{Start: start, End: end}
}

// View extends a change with the results of scanning and scoring its texts, which all rules about
// wording share.
type View struct {
	*rules.Change
	// Learned replaces the current learned table unless it is nil.
	Learned *Learned

	// These functions compute their result on the first call: the scanned texts, the concepts of the
	// stated purpose, the context for scoring, and the scored wording.
	scanned        func() []*Scanned
	purpose        func() scan.Set
	scoringContext func() *scoringContext
	evidence       func() *evidence
}

// Of returns the View of c that all rules share.
func Of(c *rules.Change) *View {
	return rules.Computed(c, func(c *rules.Change) *View {
		v := &View{Change: c}
		v.scanned, v.purpose = sync.OnceValue(v.scanTexts), sync.OnceValue(v.purposeConcepts)
		v.scoringContext, v.evidence = sync.OnceValue(v.newScoringContext), sync.OnceValue(v.judge)
		return v
	})
}

// EachText returns a rule that checks one text at a time.
func EachText(id string, check func(c *View, s *Scanned) []rules.Finding) rules.Rule {
	return rules.Of(id, func(change *rules.Change) (found []rules.Finding) {
		c := Of(change)
		for _, s := range c.scanned() {
			found = append(found, check(c, s)...)
		}
		return found
	})
}
