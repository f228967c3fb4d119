package wording

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules"
)

// succeeding are words by which a tool names its successor.
var succeeding = words("deprecated alias replaced superseded renamed obsolete retired legacy instead removed moved same wrapper shortcut shorthand")

// directingOnly finds descriptions of which every sentence sends the model to a
// tool of another name and none describes the tool itself: "For best results
// call query_orders before this helper." A tool of a family, by a word in both
// names, may speak of the others, and so may one that was replaced.
func directingOnly(c *View) []candidate {
	if !c.IsAction() {
		return nil
	}
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Path != "definition.description" || len(s.Sentences) == 0 {
			continue
		}
		var spans []rules.Passage
		for _, sentence := range s.Sentences {
			text := s.Value[sentence.Start:sentence.End]
			if !c.sendsToStranger(text) {
				return nil
			}
			spans = append(spans, rules.Passage{Start: sentence.Start, End: sentence.End})
		}
		return s.candidates(spans, func(rules.Passage) string {
			return "Says which other tool to call, and nowhere what this one does"
		})
	}
	return nil
}

// calling are the verbs before the name of a tool to be called, and between are
// the words allowed between the two.
var (
	calling = words("call calls calling invoke invokes invoking run runs running use uses using execute executes trigger triggers")
	between = words("the a an its tool function")
)

// toolName is a name as tools have them: read_file, or in quotation marks.
var toolName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\b[a-z0-9]+(?:_[a-z0-9]+)+\\b|[`'\"][A-Za-z0-9_.-]{3,60}[`'\"]")
})

// namesStranger reports whether text names a tool that is neither this one nor
// one of its parameters, and whose name shares no word with this tool's own.
func (c *View) namesStranger(text string) bool {
	st := c.setting()
	own := map[string]bool{}
	for _, w := range wordsOf(c.Draft.Definition.Tool.ID) {
		own[stem(w)] = true
	}
	for _, name := range toolName().FindAllString(text, rules.MaxPerText) {
		name = strings.Trim(name, "`'\"")
		if !st.names[strings.ToLower(name)] && !slices.ContainsFunc(wordsOf(name), func(part string) bool { return own[stem(part)] }) {
			return true
		}
	}
	return false
}

// sendsToStranger reports whether text has the model call a tool whose name, such
// as read_file, shares no word with this tool's own, unless the text names it as
// this tool's successor.
func (c *View) sendsToStranger(text string) bool {
	st := c.setting()
	own := map[string]bool{}
	for _, w := range wordsOf(c.Draft.Definition.Tool.ID) {
		own[stem(w)] = true
	}
	sends, called := false, false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !LetterOrDigit(r) }) {
		w := strings.ToLower(word)
		switch {
		case succeeding[w]:
			return false
		case st.another(word):
			if slices.ContainsFunc(wordsOf(word), func(part string) bool { return own[stem(part)] }) {
				return false
			}
			sends = sends || called
		}
		called = calling[w] || called && between[w]
	}
	return sends
}
