package wording

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// needless finds what the texts of a tool ask for without need.
func (a *attack) needless(c *View) []candidate {
	if len(a.Asks) == 0 || !c.IsAction() {
		return nil
	}
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Visible && (len(s.byRule) > 0 || s.Kind == rules.Identifier) {
			found = append(found, a.asked(c, s)...)
		}
	}
	return found
}

// asked finds what s asks for without need.
func (a *attack) asked(c *View, s *Scanned) []candidate {
	parameter := s.Param != "" && under(s.Path, "definition.inputSchema") && s.Kind != rules.Value
	var spans []rules.Passage
	what, kind := "", ""
	if s.Kind == rules.Identifier && parameter && talks[strings.ToLower(s.Value)] && !c.about("dTalk") {
		spans, what = []rules.Passage{{End: len(s.Value)}}, "the conversation"
	}
	for n, ask := range a.Asks {
		for _, i := range s.byRule[a.AskName(n, !parameter)] {
			m := &s.Matches[i]
			due := c.about(ask.Needs) || ask.Foreign && c.concerns(s.Value[m.Start:m.End])
			if !due && !mentioned(m) {
				spans = append(spans, rules.Passage{Start: m.Start, End: m.End, Disguise: m.Disguise})
				kind = fmt.Sprintf(".%d", n+1)
				what = ask.What + " (" + rules.Quotation(clipped(s.Value[m.Start:m.End], maxWord)) + ")"
			}
		}
	}
	found := s.candidates(spans, func(rules.Passage) string {
		if parameter {
			return "Parameter " + rules.Quotation(s.Param) + " asks for " + what + ", which the tool does not need for its stated purpose"
		}
		return "Asks for " + what + ", which the tool does not need for its stated purpose"
	})
	for i := range found {
		found[i].kind = kind
	}
	return found
}

// talks are names of parameters that hold the conversation.
var talks = map[string]bool{"conversation": true, "chat": true, "dialog": true, "dialogue": true, "transcript": true, "chathistory": true, "messages": true}

// concerns reports whether the tool's names or first sentence share a word with
// text.
func (c *View) concerns(text string) bool {
	about := c.setting().about
	return slices.ContainsFunc(wordsOf(scan.Fold(text)), func(w string) bool { return !idle[w] && about[stem(w)] })
}

// under reports whether path lies within root.
func under(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}
