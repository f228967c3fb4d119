package rules

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules/scan"
)

// needless finds what the texts of a tool ask for without need.
func (a *attack) needless(c *Change) []Finding {
	if len(a.Asks) == 0 || !c.isAction() {
		return nil
	}
	var found []Finding
	for i := range c.scan() {
		s := &c.scan()[i]
		if s.Visible && (len(s.byRule) > 0 || s.Kind == Identifier) {
			found = append(found, a.asked(c, s)...)
		}
	}
	return found
}

// asked finds what s asks for without need.
func (a *attack) asked(c *Change, s *scanned) []Finding {
	parameter := s.Param != "" && under(s.Path, "definition.inputSchema") && s.Kind != Value
	var spans []passage
	what, kind := "", ""
	if s.Kind == Identifier && parameter && talks[strings.ToLower(s.Value)] && !c.about("dTalk") {
		spans, what = []passage{{end: len(s.Value)}}, "the conversation"
	}
	for n, ask := range a.Asks {
		for _, i := range s.byRule[a.AskName(n, !parameter)] {
			m := &s.Matches[i]
			due := c.about(ask.Needs) || ask.Foreign && c.concerns(s.Value[m.Start:m.End])
			if !due && !mentioned(m) {
				spans = append(spans, passage{m.Start, m.End, m.Disguise})
				kind = fmt.Sprintf(".%d", n+1)
				what = ask.What + " (" + jsondoc.Quote(clipped(s.Value[m.Start:m.End], maxWord)) + ")"
			}
		}
	}
	found := s.findings(spans, func(passage) string {
		if parameter {
			return fmt.Sprintf("Parameter %+q asks for %s, which the tool's purpose, %s, does not need.", s.Param, what, jsondoc.Quote(c.statedPurpose()))
		}
		return fmt.Sprintf("Asks for %s, which the tool's purpose, %s, does not need.", what, jsondoc.Quote(c.statedPurpose()))
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
func (c *Change) concerns(text string) bool {
	about := c.setting().about
	return slices.ContainsFunc(wordsOf(scan.Fold(text)), func(w string) bool { return !idle[w] && about[stem(w)] })
}

// under reports whether path lies within root.
func under(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}
