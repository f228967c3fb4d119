// This file scans the texts of a change and shares the results between the rules.

package wording

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/hidden"
	"toolcrib/review/rules/scan/letters"
)

// grammar returns the compiled lexicon and the frames of all rules about wording.
func grammar() *scan.Grammar { return rulebook.Grammar() }

// Scanned is a text with the results of the scanner.
type Scanned struct {
	rules.Text
	*scan.Result
	Hidden []hidden.Run
	Plain  bool             // the text consists of printable ASCII characters
	byRule map[string][]int // indices in Matches, by the name of the frame
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

// mentioned reports whether the text only mentions m and does not assert it. The text may deny m,
// quote m, introduce m as an example or as something to detect, or tell the model not to follow m.
func mentioned(m *scan.Match) bool {
	if m.Disguise.Decoded() {
		return false // examples are not encoded
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

// denied reports whether the text asserts the opposite of m or tells the model to refuse m. It
// returns false for encoded text, because denials are not encoded.
func denied(m *scan.Match) bool {
	return !m.Disguise.Decoded() && m.Stance&(scan.Negated|scan.Asked|scan.Crossed|scan.Shown) != 0
}

// disguised describes the disguises in d, separated by commas. It returns "" for plain text.
func disguised(d disguise.Disguise) string { return strings.Join(d.Names(), ", ") }

// governs reports whether the text may decide which tools an agent uses, when, and in which order.
// Such texts are prompts, the instructions of agents, and the files of skills and instructions.
func (s *Scanned) governs() bool {
	switch s.Path {
	case "definition.prompt", "definition.soul", "definition.promptTemplate", "definition.operatingModel", "definition.interactionLearning",
		"definition.onboarding", "definition.sessionOpen.bootstrap", "definition.sessionOpen.returning":
		return true
	}
	return jsondoc.Within(s.Path, "definition.channelGuidance") || jsondoc.Within(s.Path, "definition.files")
}

// Reading is a text to check. It is either the text of a field, or a text that a passage of the
// field encodes.
type Reading struct {
	Text    string
	decoded bool
	passage rules.Passage // the encoded passage
}

// Readings returns the text of the field and the texts that were decoded from it.
func (s *Scanned) Readings() []Reading {
	list := []Reading{{Text: cmp.Or(s.Prose, s.Value)}}
	for _, d := range s.Decoded {
		list = append(list, Reading{d.Text, true, rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise}})
	}
	return list
}

// At returns the passage of the field that corresponds to r.Text[start:end]. If r is a decoded
// text, it returns the whole encoded passage.
func (r Reading) At(start, end int) rules.Passage {
	if r.decoded {
		return r.passage
	}
	return rules.Passage{Start: start, End: end}
}

// View contains a change, and the results of scanning and scoring its texts. All rules about
// wording share these results.
type View struct {
	*rules.Change
	// Learned is used instead of the current learned table if it is not nil.
	Learned *Learned

	// Each of these functions computes its result on the first call: the scanned texts, the
	// concepts of the stated purpose, the context for scoring, and the scored wording.
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

// EachText returns a rule with the given id that calls check for each text of the change.
func EachText(id string, check func(c *View, s *Scanned) []rules.Finding) rules.Rule {
	return rules.Of(id, func(change *rules.Change) []rules.Finding {
		c := Of(change)
		return slices.Concat(lists.Map(c.scanned(), func(s *Scanned) []rules.Finding { return check(c, s) })...)
	})
}
