package rules

import (
	"context"
	"fmt"

	"toolcrib/internal/visible"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// hiding are the rules about characters: what is in a text that nobody sees,
// or that looks like something else.
func hiding() []Rule {
	return []Rule{
		characters("S109", "invisible", scan.Invisible, scan.Variation, scan.PrivateUse),
		characters("S110", "direction override", scan.Override),
		characters("S111", "hidden tag", scan.Tag),
		characters("S113", "control", scan.Escape, scan.Control),
		characters("S133", "direction control", scan.Isolate, scan.DirectionMark),
		lookalikes(), encoded(), comment(), padding(), credentials(), quoted(), readable(),
	}
}

// characters is the rule about hidden characters of the given kinds; attribute is
// what messages call them.
func characters(id, attribute string, kinds ...scan.Kind) Rule {
	wanted := map[scan.Kind]bool{}
	for _, k := range kinds {
		wanted[k] = true
	}
	return Rule{
		ID: id,
		Check: eachText(func(s *scanned) []Finding {
			var spans []passage
			runs := map[int]scan.Hidden{}
			for _, h := range s.hidden {
				if wanted[h.Kind] {
					spans = append(spans, passage{start: h.Start, end: h.End})
					runs[h.Start] = h
				}
			}
			found := s.findings(spans, func(p passage) string {
				return hiddenCharacters(attribute, runs[p.start], s.Value)
			})
			if strays(s.Value, runs) {
				for i := range found {
					found[i].Severity = Warn
				}
			}
			return found
		}),
	}
}

// maxSpelled is how many tag characters a message spells out.
const maxSpelled = 200

// hiddenCharacters names the characters of a run, and what they spell.
func hiddenCharacters(attribute string, h scan.Hidden, text string) string {
	counted := fmt.Sprintf("%d %s characters", h.Count, attribute)
	if h.Count == 1 {
		counted = "1 " + attribute + " character"
	}
	run := text[h.Start:h.End]
	if spelled, n := visible.Spelled(run); n > 0 && n == h.Count {
		verb := "spell"
		if n == 1 {
			verb = "stands for"
		}
		return fmt.Sprintf("%s %s %q.", counted, verb, spelled[:min(n, maxSpelled)])
	}
	if named := visible.Named(run); named != "" {
		return counted + ": " + named + "."
	}
	return counted + fmt.Sprintf(": %s.", visible.Name(h.First))
}

// manyStrays is how many invisible characters a text may have by accident.
const manyStrays = 16

// strays reports whether the runs are what copying leaves behind: a few single or
// paired invisible characters that split no word, or characters of one font.
// They carry no text.
func strays(text string, runs map[int]scan.Hidden) bool {
	total := 0
	for _, h := range runs {
		total += h.Count
		switch {
		case h.Kind == scan.PrivateUse:
		case h.Kind != scan.Invisible || h.Count > 2 || total > manyStrays:
			return false
		case h.Start > 0 && h.End < len(text) && letterOrDigit(rune(text[h.Start-1])) && letterOrDigit(rune(text[h.End])):
			return false
		}
	}
	return true
}

// eachText makes a check of one that looks at one text at a time.
func eachText(check func(s *scanned) []Finding) func(context.Context, *Change) ([]Finding, error) {
	return func(_ context.Context, c *Change) ([]Finding, error) {
		var found []Finding
		for i := range c.scan() {
			found = append(found, check(&c.scan()[i])...)
		}
		return found, nil
	}
}

// encoded is the rule about attacks that were encoded.
func encoded() Rule {
	return Rule{
		ID: "S108",
		Check: eachText(func(s *scanned) []Finding {
			var spans []passage
			for i := range s.Matches {
				m := &s.Matches[i]
				if m.Nested && m.Disguise.Decoded() && counts(m.Frame) && !s.inTheOpen(m) {
					spans = append(spans, passage{m.Start, m.End, m.Disguise})
				}
			}
			return s.findings(spans, func(p passage) string {
				return "Decodes to text that works on the model (" + disguised(p.disguise) + ")."
			})
		}),
	}
}

// inTheOpen reports whether the frame of m also fits the text as it stands, at the
// same place.
func (s *scanned) inTheOpen(m *scan.Match) bool {
	for _, i := range s.byRule[m.Frame] {
		if o := &s.Matches[i]; !o.Nested && o.Start < m.End && m.Start < o.End {
			return true
		}
	}
	return false
}

// comment is the rule about instructions in comments.
func comment() Rule {
	return Rule{
		ID: "S107",
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			var found []Finding
			for i := range c.scan() {
				if s := &c.scan()[i]; s.Visible {
					found = append(found, c.comments(s)...)
				}
			}
			return found, nil
		},
	}
}

// longComment is the number of words from which a comment in a tool is worth a
// warning.
const longComment = 8

// comments finds the comments of s that instruct the model.
func (c *Change) comments(s *scanned) []Finding {
	var orders, long []passage
	for _, at := range s.Comments {
		p := passage{start: at[0], end: at[1]}
		switch {
		case c.instructs(s, p):
			orders = append(orders, p)
		case c.isAction() && len(wordsOf(s.Value[p.start:p.end])) >= longComment:
			long = append(long, p)
		}
	}
	found := s.findings(orders, func(passage) string { return "A comment that readers do not see instructs the model." })
	for _, f := range s.findings(long, func(passage) string { return "A comment that readers do not see and the model reads." }) {
		f.Severity = Warn
		found = append(found, f)
	}
	return found
}

// instructs reports whether the part p of s speaks to the model: a sentence in it
// is telling; in a tool also when a rule fires in it, or when it addresses the
// model and tells it what to do.
func (c *Change) instructs(s *scanned, p passage) bool {
	for _, x := range c.evidence().sentences {
		if x.text == s && x.at.start < p.end && p.start < x.at.end && c.table().tells(&x) {
			return true
		}
	}
	if !c.isAction() {
		return false
	}
	for i := range s.Matches {
		if m := &s.Matches[i]; m.Start < p.end && p.start < m.End && counts(m.Frame) && !denied(m) {
			return true
		}
	}
	g := grammar()
	said := g.Scan(s.Value[p.start:p.end]).Concepts
	return said.Meets(g.Concept("addressee")) && said.Meets(g.Concept("always")) &&
		said.Meets(g.Concept("read|send|call|include|demand"))
}

// counts reports whether a match for the rule with the given id is a warning
// or worse.
func counts(id string) bool { return severities()[rulebook.IDOf(id)].Rank() >= Warn.Rank() }
