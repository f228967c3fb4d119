// This file explains why the wording rules did or did not fire in a sentence.

package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// Explanation describes how the wording rules judge one sentence. Its texts are untrusted and must
// be escaped before they are displayed.
type Explanation struct {
	Path     string   `json:"path"`
	Sentence string   `json:"sentence"` // in decoded form
	Concepts []string `json:"concepts"`
	// Score is the score by the learned table; from Threshold on, the sentence warns without a
	// frame.
	Score     float64          `json:"score"`
	Threshold float64          `json:"threshold"`
	Warns     bool             `json:"warns_without_frame"`
	Frames    []ExplainedFrame `json:"frames"`
}

// ExplainedFrame describes the match of a frame in a sentence.
type ExplainedFrame struct {
	Rule     string         `json:"rule"`
	Name     string         `json:"name"`
	Passage  string         `json:"passage"`
	Seen     string         `json:"seen,omitempty"`   // the matched words with their concepts
	Stance   []string       `json:"stance,omitempty"` // such as "negated" or "quoted"; empty for an assertion
	Severity rules.Severity `json:"severity"`         // off if it is not a finding
	Why      string         `json:"why"`
}

// Explain returns the concepts and frames of every judged sentence and the reasons why they did or
// did not fire. Rules about form are not included, because they check characters.
func (c *View) Explain() []Explanation {
	table := c.table()
	e := c.evidence()
	var list []Explanation
	for i := range e.sentences {
		s := &e.sentences[i]
		x := Explanation{
			Path: s.Path, Sentence: s.Text, Concepts: slices.Collect(grammar().Each(s.concepts)), Score: s.score, Threshold: table.unmatchedThreshold(s, c.Margin()),
			Warns: slices.ContainsFunc(e.unmatched, func(o Sentence) bool { return o.text == s.text && o.at == s.at }),
		}
		slices.Sort(x.Concepts)
		for k := range s.text.Matches {
			m := &s.text.Matches[k]
			if m.Start < s.at.End && s.at.Start < m.End && (s.text.Kind != rules.Prose || m.Nested == s.at.Disguise.Decoded()) {
				x.Frames = append(x.Frames, c.explainFrame(s, m))
			}
		}
		x.Frames = append(x.Frames, c.explainChecks(s, x.Frames)...)
		if len(x.Frames) == 0 && !s.Judged() {
			continue // a type, a name, or another text too short to judge
		}
		slices.SortStableFunc(x.Frames, func(a, b ExplainedFrame) int {
			return cmp.Or(strings.Compare(a.Rule, b.Rule), strings.Compare(a.Passage, b.Passage))
		})
		x.Frames = slices.CompactFunc(x.Frames, func(a, b ExplainedFrame) bool { return a.Rule == b.Rule && a.Passage == b.Passage && a.Why == b.Why })
		list = append(list, x)
	}
	return list
}

// explainChecks returns the findings of extra checks in s for rules without a frame that fired.
func (c *View) explainChecks(s *Sentence, frames []ExplainedFrame) []ExplainedFrame {
	var list []ExplainedFrame
	for _, a := range attacks() {
		if slices.ContainsFunc(frames, func(x ExplainedFrame) bool { return x.Rule == a.ID && x.Severity != rules.Off }) {
			continue
		}
		for _, f := range c.evidence().found {
			if f.Rule == a.ID && f.text == &s.text.Text && f.passage.Start < s.at.End && s.at.Start < f.passage.End {
				list = append(list, ExplainedFrame{Rule: a.ID, Name: a.Name, Passage: f.Passage, Severity: f.Severity, Why: "an extra check of the rule found it"})
			}
		}
	}
	return list
}

// explainFrame explains why m did or did not become a finding of its rule.
func (c *View) explainFrame(s *Sentence, m *scan.Match) ExplainedFrame {
	id, _, _ := strings.Cut(rulebook.IDOf(m.Frame), ".")
	x := ExplainedFrame{Rule: id, Passage: s.text.Value[m.Start:m.End], Seen: s.text.matchedWords(m), Stance: m.Stance.Names(), Severity: rules.Off}
	i, _ := slices.BinarySearchFunc(attacks(), id, func(a attack, id string) int { return strings.Compare(a.ID, id) })
	a := &attacks()[i]
	x.Name = a.Name
	if !mentioned(m) && !a.isExcepted(c, s.text, m) {
		for _, f := range c.evidence().found {
			if f.Rule == id && f.text == &s.text.Text && f.passage.Start <= m.Start && m.End <= f.passage.End {
				x.Severity = f.Severity
			}
		}
	}
	x.Why = c.why(a, s, m, x.Severity)
	return x
}

// why returns the reason that decided the severity of m, in words.
func (c *View) why(a *attack, s *Sentence, m *scan.Match, severity rules.Severity) string {
	table := c.table()
	kind := ""
	if m.Frame == a.CompleteName() {
		kind = rulebook.CompleteMark
	}
	at := strconv.FormatFloat(table.frameThreshold(a.ID+kind), 'f', 2, 64)
	switch {
	case !a.appliesTo(s.text):
		return "no agent sees this text"
	case denied(m):
		return "the text negates, refuses, or quotes it: " + strings.Join(m.Stance.Names(), ", ")
	case mentioned(m):
		return "the text only mentions it, as an example or as what a detector looks for"
	case severity == rules.Off && strings.Contains(m.Frame, "."):
		return "the tool's purpose explains it, or the rule does not check this place"
	case severity == rules.Off:
		for _, e := range a.Except {
			if allHold(e, c, s.text, m) {
				return "an exception of the rule applies: " + e.String()
			}
		}
		return "a general exception applies"
	case m.Frame == a.PlainName():
		return "the frame is plain: it counts regardless of the sentence's score"
	case m.Frame == a.CertainName(), m.Frame == a.CompleteName() && c.IsAction():
		return "the frame is certain: it warns regardless of the sentence's score"
	case severity != rules.Info:
		return "the sentence, its clause, or the words themselves reach the threshold of this rule, " + at
	case a.severity == rules.Info:
		return "the rule only informs"
	}
	return "the sentence, its clause, and the words themselves stay below the threshold of this rule, " + at + ": they resemble honest texts"
}
