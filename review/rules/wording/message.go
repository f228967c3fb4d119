package wording

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// purposeMark stands in a rule's message for what the tool says it is for.
const purposeMark = "{purpose}"

// message describes a match: the rule's sentence, the sentence of the
// text with the passage between ">>" and "<<", and the words that fill the frame
// with their concepts.
func (a *attack) message(c *View, s *Scanned, p rules.Passage, m *scan.Match) string {
	text := strings.ReplaceAll(a.Message, purposeMark, quotation(c.statedPurpose()))
	if p.Disguise != 0 {
		text += ", in disguise (" + disguised(p.Disguise) + ")"
	}
	text += s.marked(p) + "."
	if seen := s.seen(m); seen != "" {
		text += " Seen: " + seen + "."
	}
	return text
}

// maxAround is how many bytes of a sentence are shown on each side of a passage.
const maxAround = 160

// marked returns the sentence around p with p marked, after a colon; "" when p is
// all of it.
func (s *Scanned) marked(p rules.Passage) string {
	start, end := 0, len(s.Value)
	for _, x := range s.Sentences {
		if x.Start <= p.Start && p.Start < x.End {
			start, end = x.Start, max(x.End, p.End)
		}
	}
	if strings.TrimSpace(s.Value[start:p.Start])+strings.Trim(s.Value[p.End:end], " .!\n") == "" {
		return ""
	}
	before, after := s.Value[start:p.Start], s.Value[p.End:end]
	if len(before) > maxAround {
		before = "..." + strings.ToValidUTF8(before[len(before)-maxAround:], "")
	}
	after = clipped(after, maxAround)
	return ": " + quotation(strings.TrimLeft(before, " \n")+">>"+clipped(s.Value[p.Start:p.End], maxAround)+"<<"+strings.TrimRight(after, " \n"))
}

// quotation returns text in quotation marks for a message: letters of every
// language as they are, and the code point of each character that a terminal would
// obey or draw as nothing.
func quotation(text string) string {
	return `"` + strings.ReplaceAll(visible.Line(text), `"`, `\"`) + `"`
}

// clipped returns at most n bytes of text, and dots where there was more.
func clipped(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "..."
}

// maxWord is how many bytes of a word are repeated in a message.
const maxWord = 40

// seen lists the words of a match with the concepts that they stand for. Those of
// a decoded match do not stand in the text.
func (s *Scanned) seen(m *scan.Match) string {
	if m == nil || m.Disguise.Decoded() {
		return ""
	}
	var parts []string
	for _, step := range m.Steps {
		word := quotation(clipped(s.Value[step.Start:step.End], maxWord))
		if step.Concept != "" {
			word = step.Concept + " " + word
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, ", ")
}

// statedPurpose returns the purpose that the tool claims.
func (c *View) statedPurpose() string {
	t := c.Draft.Definition.Tool
	if t == nil {
		return ""
	}
	if first := firstSentence(t.Description); first != "" {
		return clipped(first, maxAround)
	}
	return t.ID
}
