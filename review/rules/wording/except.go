package wording

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
	"toolcrib/review/rules/schema"
)

// exception is conditions under which a match is honest when they all hold.
type exception []clause

// clause is a condition, or its negation.
type clause struct {
	not   bool
	holds condition
	names string // of the concepts that it asks for
}

// condition reports whether something holds of match m in text s. The concepts are
// those that the rule gives it.
type condition func(c *View, s *Scanned, m *scan.Match, concepts scan.Set) bool

// exceptionOf looks conditions up.
func exceptionOf(list rulebook.Exception) (exception, error) {
	var e exception
	for _, x := range list {
		known := conditions
		if x.Concepts != "" {
			known = conceptConditions
		}
		holds, ok := known[x.Name]
		if !ok {
			return nil, fmt.Errorf("unknown condition %q; there are %s", x.Name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		e = append(e, clause{x.Not, holds, x.Concepts})
	}
	return e, nil
}

func (e exception) holds(c *View, s *Scanned, m *scan.Match) bool {
	for _, x := range e {
		var concepts scan.Set
		if x.names != "" {
			concepts = grammar().Concept(x.names)
		}
		if x.holds(c, s, m, concepts) == x.not {
			return false
		}
	}
	return true
}

// conceptConditions are the conditions that take concepts, by name.
var conceptConditions = map[string]condition{
	// The tool's names or first sentence have one of them.
	"about": func(c *View, _ *Scanned, _ *scan.Match, concepts scan.Set) bool { return c.purpose().Meets(concepts) },
	// The match has one of them.
	"within": func(_ *View, _ *Scanned, m *scan.Match, concepts scan.Set) bool { return m.Within.Meets(concepts) },
	// Its sentence has one of them.
	"sentence": func(_ *View, _ *Scanned, m *scan.Match, concepts scan.Set) bool { return m.Sentence.Meets(concepts) },
}

// conditions are the others.
var conditions = map[string]condition{
	// The definition is that of a tool that is called.
	"tool": func(c *View, _ *Scanned, _ *scan.Match, _ scan.Set) bool { return c.IsAction() },
	// The text is an agent's own instruction.
	"prompt": func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Governs() },
	// The text belongs to a parameter.
	"parameter":  func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Param != "" },
	"identifier": func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Kind == rules.Identifier },
	// The match is in a code block.
	"fenced": func(_ *View, _ *Scanned, m *scan.Match, _ scan.Set) bool { return m.Stance&scan.Fenced != 0 },
	"label":  func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Kind == rules.Label },
	// The text is a value, title or comment of a schema.
	"value": func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.inValue() },
	// The tool only computes or looks something up.
	"computes-only": func(c *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return c.strays(s) },
	// The match names a tool that is neither this one nor of its family.
	"names-another": func(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
		return c.IsAction() && (m.Disguise != 0 || c.namesStranger(s.Value[m.Start:m.End]))
	},
	"own-task":     ownTask,
	"own-business": ownBusiness,
	"spares-data":  sparesData,
}

// ownTask reports whether the description begins with m, in words of the tool's
// name: "send_feedback: Sends feedback to the makers".
func ownTask(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	t := c.Draft.Definition.Tool
	said := wordsOf(s.Value[m.Start:m.End])
	if t == nil || s.Path != "definition.description" || m.Start > 0 || len(said) < 2 {
		return false
	}
	own := map[string]bool{}
	for w := range wordsIn(t.ID) {
		own[stem(w)] = true
	}
	return own[stem(said[0])] && own[stem(said[1])]
}

// ownBusiness reports whether the tool's names or first sentence speak of what m
// speaks of: what a tool says openly that it is for, it may do.
func ownBusiness(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	return c.IsAction() && c.concerns(withoutLinks(s.Value[m.Start:m.End]))
}

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

// defaults finds parameters with dangerous default values: a model leaves out
// parameters that have one.
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
		for _, keyword := range []string{"default", "const"} {
			value := part.Node.Get(keyword)
			if value == nil {
				continue
			}
			if text, ok := a.dangerous(c, part.Name, value); ok {
				found = append(found, candidate{certain: true, Finding: rules.Finding{
					Path: s.Below(jsondoc.Join(part.Path(), keyword)), Passage: text,
					Message: fmt.Sprintf("Parameter %s is %s unless the caller says otherwise, and the tool does not say that it is for that.", jsondoc.Quote(part.Name), jsondoc.Quote(text)),
				}})
			}
		}
	}
	return found
}

// dangerous returns the value of a parameter as text and reports whether a lists
// it and the tool is not about it.
func (a *attack) dangerous(c *View, parameter string, value *jsondoc.Node) (string, bool) {
	values := []*jsondoc.Node{value}
	if value.Kind == jsondoc.Array {
		values = value.Items
	}
	name := strings.Join(wordsOf(parameter), " ")
	for _, v := range values {
		text := textOf(v)
		for i := range a.Defaults {
			if d := &a.Defaults[i]; text != "" && (d.Purpose == "" || c.about(d.Purpose)) && inName(name, d.Parameter) && listed(d, text) && !c.concerns(parameter+" "+text) {
				return text, true
			}
		}
	}
	return "", false
}

// textOf returns a string or a boolean as text.
func textOf(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String || n.Kind == jsondoc.Bool {
		return n.Text
	}
	return ""
}

// inName reports whether a name, its words apart, has one of the phrases.
func inName(name string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return p == "*" || strings.Contains(" "+name+" ", " "+p+" ") })
}

// listed reports whether d lists the value.
func listed(d *rulebook.Default, value string) bool {
	return slices.ContainsFunc(d.Value, func(v string) bool {
		switch v {
		case "email", "url":
			return addressOfStranger(value) && strings.Contains(value, map[string]string{"email": "@", "url": "://"}[v])
		case "wallet":
			return grammar().Scan(value).Concepts.Meets(grammar().Concept("account"))
		}
		return v == strings.ToLower(value)
	})
}
