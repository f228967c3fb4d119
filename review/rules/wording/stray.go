package wording

import (
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// viewing are the verbs of tools that only look or compute, as their ids begin.
var viewing = words(`get list show view search find read check count lookup fetch retrieve display describe preview compare
	estimate status is has explain define translate convert format calc calculate compute sort lint spell test ping summarize summarise
	hash encode decode parse validate analyze analyse measure quote summary stats info dictionary weather time`)

// acting are the verbs, in the third person, of what such a tool has no
// business doing besides.
var acting = words(`deletes removes cancels charges signs installs executes sets changes publishes posts sends uploads places buys orders
	marks follows unfollows turns switches disables overwrites resets revokes grants transfers books pays subscribes unsubscribes forwards
	emails shares invites renames wipes kills registers submits approves merges commits
	replaces applies exports mails unlocks encrypts uninstalls donates bills purchases rewrites rotates`)

// leading are words that may stand before the verb.
var leading = words("it then also afterwards finally next and the tool")

// words makes a set of a list.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// looksOnly reports whether the tool says by its id that it looks at something
// or computes something.
func (c *View) looksOnly() bool {
	t := c.Draft.Definition.Tool
	parts := wordsOf(t.ID)
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return viewing[parts[0]] || last == "view" || last == "viewer" || last == "preview" || last == "lookup"
}

// actingBesides finds the sentences of the description, after the first, that
// announce an act of a tool that only reads: "Gets a quote. Charges the card."
func actingBesides(c *View) []candidate {
	if !c.IsAction() || !c.looksOnly() {
		return nil
	}
	about := c.setting().about
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Path != "definition.description" || len(s.Sentences) == 0 {
			continue
		}
		var spans []rules.Passage
		for _, sentence := range s.Sentences[1:] {
			said := wordsOf(scan.Fold(s.Value[sentence.Start:sentence.End]))
			for len(said) > 0 && leading[said[0]] {
				said = said[1:]
			}
			if len(said) < 3 || !acting[said[0]] || about[stem(said[0])] {
				continue
			}
			spans = append(spans, rules.Passage{Start: sentence.Start, End: sentence.End})
		}
		found = append(found, s.candidates(spans, func(rules.Passage) string {
			return "Says that the tool acts, although by its name it only looks or computes"
		})...)
	}
	return found
}

// reachingBeyond are names of parameters by which a tool that only looks
// would run or send something, by their last or first word.
var reachingBeyond = words(`cmd command shell exec execute script webhook callback payload exfil exfiltrate sudo hook`)

// aboutReaching are the subjects of a tool that such a parameter belongs to.
func aboutReaching() []string {
	return []string{
		"command", "run", "execut", "script", "shell", "terminal", "webhook", "callback", "notify", "send", "post", "api", "http",
		"request", "message", "event", "code", "payload",
	}
}

// reachingParameters finds them in tools that only look.
func reachingParameters(c *View) []candidate {
	if !c.IsAction() || !c.looksOnly() {
		return nil
	}
	about := c.setting().about
	for _, w := range aboutReaching() {
		if about[stem(w)] || about[w] {
			return nil
		}
	}
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Kind != rules.Identifier || s.Value != s.Param || !under(s.Path, "definition.inputSchema") {
			continue
		}
		parts := wordsOf(s.Value)
		if len(parts) == 0 || !reachingBeyond[parts[0]] && !reachingBeyond[parts[len(parts)-1]] {
			continue
		}
		found = append(found, s.candidates([]rules.Passage{{Start: 0, End: len(s.Value)}}, func(rules.Passage) string {
			return reachesBeyond(c, s)
		})...)
	}
	return found
}
