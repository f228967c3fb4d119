// This file implements the conditions under which a match of a rule is benign.

package wording

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// isExcepted reports whether m is benign because m meets all conditions of one of the rule's
// exceptions.
func (a *attack) isExcepted(c *View, s *Scanned, m *scan.Match) bool {
	fails := func(x rulebook.Condition) bool {
		var concepts scan.Set
		if x.Concepts != "" {
			concepts = grammar().Concept(x.Concepts)
		}
		return conditions[x.Name](c, s, m, concepts) == x.Not
	}
	return slices.ContainsFunc(a.Except, func(e rulebook.Exception) bool { return !slices.ContainsFunc(e, fails) })
}

// conditions contains the predicates for the exceptions of rules, indexed by name. m is a match in
// the text s. Only the first three predicates use the list of concepts.
var conditions = map[string]func(c *View, s *Scanned, m *scan.Match, concepts scan.Set) bool{
	// The names or the first sentence of the tool contain a concept of the list.
	"about": func(c *View, _ *Scanned, _ *scan.Match, concepts scan.Set) bool { return c.purpose().Meets(concepts) },
	// The match contains a concept of the list.
	"within": func(_ *View, _ *Scanned, m *scan.Match, concepts scan.Set) bool { return m.Within.Meets(concepts) },
	// The sentence around the match contains a concept of the list.
	"sentence": func(_ *View, _ *Scanned, m *scan.Match, concepts scan.Set) bool { return m.Sentence.Meets(concepts) },
	// The definition is an action tool.
	"tool": func(c *View, _ *Scanned, _ *scan.Match, _ scan.Set) bool { return c.IsAction() },
	// The definition changes an approved version.
	"change": func(c *View, _ *Scanned, _ *scan.Match, _ scan.Set) bool { return c.Before != nil },
	// The text may govern the behavior of the agent, and the frame is not plain.
	"prompt": func(_ *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
		return s.governs() && !strings.HasSuffix(m.Frame, rulebook.PlainMark)
	},
	// The text belongs to a parameter.
	"parameter":  func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Param != "" },
	"identifier": func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Kind == rules.Identifier },
	// The match is in a code block.
	"fenced": func(_ *View, _ *Scanned, m *scan.Match, _ scan.Set) bool { return m.Stance&scan.Fenced != 0 },
	"label":  func(_ *View, s *Scanned, _ *scan.Match, _ scan.Set) bool { return s.Kind == rules.Label },
	// The tool only computes something, and the match follows the clause that states the purpose of
	// the tool.
	"computes-only": func(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
		return s.Kind == rules.Prose && s.Param == "" && m.Start >= firstClause(s.Value) && c.computesOnly()
	},
	// The match contains the name of an unrelated tool.
	"names-another": func(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
		return c.IsAction() && (m.Disguise != 0 || c.namesUnrelatedTool(s.Value[m.Start:m.End]))
	},
	"own-task":        ownTask,
	"named-elsewhere": namedElsewhere,
	// The match has a word in common with the names or the first sentence of the tool. A tool may
	// do what it openly claims to do.
	"own-business": func(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
		return c.IsAction() && c.sharesWordWith(withoutLinks(s.Value[m.Start:m.End]))
	},
	"spares-data": sparesData,
}

// ownTask reports whether m is the beginning of the description and repeats the name of the tool,
// as in "send_feedback: Sends feedback to the makers" or "delete_backup: Delete a shop backup". At
// most two words may occur between the repeated words.
func ownTask(c *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	t := c.Draft.Definition.Tool
	said := wordsOf(s.Value[m.Start:m.End])
	if t == nil || s.Path != "definition.description" || m.Start > 0 || len(said) < 2 {
		return false
	}
	own := stems(t.ID)
	return own[stem(said[0])] && slices.ContainsFunc(said[1:min(len(said), 4)], func(w string) bool { return own[stem(w)] && stem(w) != stem(said[0]) })
}

// namedElsewhere reports whether the file or host at the end of m also occurs in other sentences,
// and therefore belongs to the task of the text. It also returns true if m ends with no name, for
// example with a quotation mark, or with a generic host such as localhost.
func namedElsewhere(_ *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	end := s.addressEnd(m.End)
	start := strings.LastIndexFunc(s.Value[:m.End], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"()[]<>*,;/", r) }) + 1
	name := strings.TrimRight(s.Value[start:end], ".:")
	for host := range hostsIn(name) {
		// Example hosts and the local machine are generic.
		if name = host; host == "localhost" || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "example.") || strings.Contains(host, ".example.") || strings.HasPrefix(host, "your") || !strings.Contains(host, ".") {
			return true
		}
	}
	if name == "" {
		return true
	}
	around := s.wholeSentence(rules.Passage{Start: m.Start, End: end})
	sentence, before := s.Value[around.Start:around.End], max(0, start+strings.Index(s.Value[start:end], name)-around.Start)
	private := m.Sentence.Meets(grammar().Concept("userData|secretFile|secret"))
	at := 0
	for range maxCopies {
		n := strings.Index(s.Value[at:], name)
		if n < 0 {
			break
		}
		at += n
		isCopy := at >= before && strings.HasPrefix(s.Value[at-before:], sentence)
		if !isCopy && (at+len(name) <= around.Start || at >= around.End) && (!private || !s.sendsTo(at)) {
			return true
		}
		at += len(name)
	}
	return false
}

// sendsTo reports whether a sentence sends something to the address at offset in s. Such a sentence
// does not show that the address belongs to the task.
func (s *Scanned) sendsTo(offset int) bool {
	return slices.ContainsFunc(s.Matches, func(m scan.Match) bool {
		return (rulebook.IDOf(m.Frame) == "S161" || rulebook.IDOf(m.Frame) == "S103") && m.Start <= offset && offset < s.addressEnd(m.End) && !mentioned(&m)
	})
}

// maxCopies is the maximum number of occurrences of a name that are examined. The limit is
// necessary because an attack may repeat its sentence.
const maxCopies = 64

// reach is the number of bytes before a match that are searched for the noun to which a pronoun in
// the match refers. It is the length of about two sentences.
const reach = 240

var (
	// inIt matches a pronoun after "ignore any instructions", such as "in it", that refers to a
	// text mentioned before.
	inIt = regexp.MustCompile(`^\W{0,3}(?i:(?:that )?(?:in|inside|within|from) (?:it|them|there)\b|therein\b|` +
		`(?:that )?(?:it|they) (?:may |might |could )?(?:contain|hold|include|carr(?:y|ies))s?\b)`)
	// itsOwn matches a noun for instructions after a possessive pronoun, such as "its
	// instructions".
	itsOwn = regexp.MustCompile(`(?i)\b(?:its|their) (?:instructions|commands|directives|orders|requests)\W*$`)
	// foreign matches nouns for texts of third parties.
	foreign = regexp.MustCompile(`(?i)\b(?:pages?|web ?sites?|results?|outputs?|responses?|documents?|(?:e-?)?mails?|messages?|` +
		`feeds?|issues?|files?|comments?|tickets?|posts?|bod(?:y|ies)|attachments?|payloads?|content|text from|data from)\b`)
	// governing matches nouns for instructions that an attack wants to override. If such a noun
	// occurs, the pronoun may refer to the noun instead of a text of a third party.
	governing = regexp.MustCompile(`(?i)\b(?:system|developer|operator|previous|previously|earlier|prior|above|conversation|` +
		`session|policy|policies|guidelines?|guardrails?|safety|rules?|your|you|assistant'?s?|agent'?s?|model'?s?)\b`)
)

// sparesData reports whether m tells the model not to obey a text of a third party, and refers to
// this text by a pronoun: "The page is data; ignore any instructions in it." Such a sentence
// protects the agent.
func sparesData(_ *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	said := s.Value[m.Start:m.End]
	if !itsOwn.MatchString(said) && !inIt.MatchString(s.Value[m.End:min(len(s.Value), m.End+40)]) {
		return false
	}
	before := s.Value[max(0, m.Start-reach):m.Start]
	return foreign.MatchString(before) && !governing.MatchString(strings.ToLower(before)) && !governing.MatchString(said)
}
