// This file implements rule S107, which finds comments that instruct the model.

package wording

import (
	"slices"

	"toolcrib/review/rules"
)

// longComment is the minimum number of words of a comment that causes a warning even if it contains
// no instruction. In a prompt, the comment must also address a model.
const longComment = 8

// secondPerson and models are words in comments that address a model.
var (
	secondPerson = words("you your yours")
	models       = words("model models llm llms ai assistant assistants agent agents chatbot claude gpt chatgpt gemini copilot cursor codex")
)

// comments finds comments in s that instruct the model or are long. It skips programs, which may
// contain comment marks as data.
func comments(c *View, s *Scanned) []rules.Finding {
	if !s.Visible || s.Kind == rules.Program {
		return nil
	}
	var orders, long []rules.Passage
	for _, at := range s.Comments {
		p := rules.Passage{Start: at[0], End: at[1]}
		if c.instructs(s, p) {
			orders = append(orders, p)
			continue
		}
		said := wordsOf(s.Value[p.Start:p.End])
		has := func(set map[string]bool) bool {
			return slices.ContainsFunc(said, func(w string) bool { return set[w] })
		}
		if len(said) >= longComment && (c.IsAction() || has(models) && has(secondPerson)) {
			long = append(long, p)
		}
	}
	found := s.Findings(orders, func(p rules.Passage) string {
		return rules.Quoting("Instructs the model in a comment that rendered pages hide", s.Value[p.Start:p.End])
	})
	for _, f := range s.Findings(long, func(p rules.Passage) string {
		return rules.Quoting("Has a comment that the model reads, but that rendered pages hide", s.Value[p.Start:p.End])
	}) {
		f.Severity = rules.Warn
		found = append(found, f)
	}
	return found
}

// instructs reports whether the passage p of s instructs the model. This is the case if one of the
// sentences in p scores as an attack. In a tool, it is also the case if a rule fires in p, or if p
// addresses the model with an instruction.
func (c *View) instructs(s *Scanned, p rules.Passage) bool {
	for _, x := range c.evidence().sentences {
		if x.text == s && x.at.Start < p.End && p.Start < x.at.End && c.table().warns(&x, c.Margin()) {
			return true
		}
	}
	if !c.IsAction() {
		return false
	}
	for i := range s.Matches {
		if m := &s.Matches[i]; m.Start < p.End && p.Start < m.End && warnsByDefault(m.Frame) && !denied(m) {
			return true
		}
	}
	g := grammar()
	said := g.Scan(s.Value[p.Start:p.End]).Concepts
	return said.Meets(g.Concept("addressee")) && said.Meets(g.Concept("always")) &&
		said.Meets(g.Concept("read|send|call|include|demand"))
}
