// This file checks the data that a tool requests, and the default values of its parameters.

package wording

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan/letters"
	"toolcrib/review/rules/schema"
)

// needlessRequests returns a candidate for each kind of data that the texts of a tool request
// although the stated purpose of the tool does not require it.
func (a *attack) needlessRequests(c *View) []candidate {
	if len(a.Asks) == 0 || !c.IsAction() {
		return nil
	}
	var found []candidate
	for _, s := range c.scanned() {
		if !s.Visible || len(s.byRule) == 0 && s.Kind != rules.Identifier {
			continue
		}
		parameter := s.Param != "" && jsondoc.Within(s.Path, "definition.inputSchema") && s.Kind != rules.Value
		var spans []rules.Passage
		what, kind := "", ""
		if s.Kind == rules.Identifier && parameter && conversationNames[strings.ToLower(s.Value)] && !c.purposeHas("dTalk") {
			spans, what = []rules.Passage{{End: len(s.Value)}}, "the conversation"
		}
		for n, ask := range a.Asks {
			for _, i := range s.byRule[a.AskName(n, !parameter)] {
				m := &s.Matches[i]
				due := c.purposeHas(ask.Needs) || ask.Foreign && c.sharesWordWith(s.Value[m.Start:m.End])
				if !due && !mentioned(m) {
					spans = append(spans, rules.Passage{Start: m.Start, End: m.End, Disguise: m.Disguise})
					kind = fmt.Sprintf(".%d", n+1)
					what = ask.What + " (" + rules.Quotation(plaintext.ClipBytes(s.Value[m.Start:m.End], maxWord)) + ")"
				}
			}
		}
		for _, f := range s.candidates(spans, func(rules.Passage) string {
			if parameter {
				return "Parameter " + rules.Quotation(s.Param) + " asks for " + what + ", which the tool does not need for its stated purpose"
			}
			return "Asks for " + what + ", which the tool does not need for its stated purpose"
		}) {
			f.kind = kind
			// By convention, callers ignore a parameter if its name begins with "_". Only a model
			// would fill in such a parameter.
			f.plain = s.Kind == rules.Identifier && strings.HasPrefix(s.Value, "_")
			f.certain = f.plain
			found = append(found, f)
		}
	}
	return found
}

// maxWord is the maximum length in bytes of a word that a message quotes.
const maxWord = 40

// conversationNames are names of parameters that receive the whole conversation.
var conversationNames = map[string]bool{"conversation": true, "chat": true, "dialog": true, "dialogue": true, "transcript": true, "chathistory": true, "messages": true}

// defaults returns a candidate for each parameter with a dangerous default value. Such a value
// usually applies, because models omit parameters that have a default.
func (a *attack) defaults(c *View) []candidate {
	s := schema.Input(c.Change)
	if len(a.Defaults) == 0 || !c.IsAction() || s == nil {
		return nil
	}
	var found []candidate
	for _, part := range s.Parts {
		if part.Name == "" || len(found) == rules.MaxPerText {
			continue
		}
		for _, k := range []struct{ word, verb string }{{"default", "defaults to"}, {"const", "is fixed to"}} {
			value := part.Node.Get(k.word)
			if value == nil {
				continue
			}
			if text, ok := a.dangerous(c, part.Name, value); ok {
				found = append(found, candidate{certain: true, Finding: rules.Finding{
					Path: s.Below(jsondoc.Join(part.Path(), k.word)), Passage: text,
					Message: fmt.Sprintf("Parameter %s %s %s, and the tool does not state that this is its purpose.", jsondoc.Quote(part.Name), k.verb, jsondoc.Quote(text)),
				}})
			}
		}
	}
	return found
}

// dangerous reports whether value is a dangerous default for the given parameter, and returns the
// dangerous value as text. A value is not dangerous if the stated purpose of the tool explains it.
func (a *attack) dangerous(c *View, parameter string, value *jsondoc.Node) (string, bool) {
	values := []*jsondoc.Node{value}
	if value.Kind == jsondoc.Array {
		values = value.Items
	}
	name := " " + strings.Join(wordsOf(parameter), " ") + " "
	named := func(phrase string) bool { return phrase == "*" || strings.Contains(name, " "+phrase+" ") }
	for _, v := range values {
		for i := range a.Defaults {
			if d := &a.Defaults[i]; (v.Kind == jsondoc.String || v.Kind == jsondoc.Bool) && v.Text != "" && (d.Purpose == "" || c.purposeHas(d.Purpose)) && slices.ContainsFunc(d.Parameter, named) && listed(d, v.Text) && !c.sharesWordWith(parameter+" "+v.Text) {
				return v.Text, true
			}
		}
	}
	return "", false
}

func listed(d *rulebook.Default, value string) bool {
	return slices.ContainsFunc(d.Value, func(v string) bool {
		switch v {
		case "email", "url":
			return isForeignAddress(value) && strings.Contains(value, map[string]string{"email": "@", "url": "://"}[v])
		case "wallet":
			return grammar().Scan(value).Concepts.Meets(grammar().Concept("account"))
		}
		return v == strings.ToLower(value)
	})
}

// isForeignAddress reports whether value is a real address and not a placeholder, an example domain
// of RFC 2606, or the local machine.
func isForeignAddress(value string) bool {
	lower := strings.ToLower(letters.Fold(value))
	if !strings.Contains(lower, "://") && !strings.Contains(lower, "@") {
		return false
	}
	harmless := []string{"example", "localhost", "127.0.0.1", ".test", ".invalid", "your", "<", "{"}
	return !slices.ContainsFunc(harmless, func(s string) bool { return strings.Contains(lower, s) })
}
