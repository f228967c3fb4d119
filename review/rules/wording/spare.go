package wording

import (
	"regexp"
	"strings"

	"toolcrib/review/rules/scan"
)

// reach is how many bytes before a match are searched for the noun of its pronoun:
// about two sentences.
const reach = 240

var (
	// inIt continues "ignore any instructions" when they are those of a text
	// that was named before.
	inIt = regexp.MustCompile(`^\W{0,3}(?i:(?:that )?(?:in|inside|within|from) (?:it|them|there)\b|therein\b|` +
		`(?:that )?(?:it|they) (?:may |might |could )?(?:contain|hold|include|carr(?:y|ies))s?\b)`)
	// itsOwn is such a match that names the owner by a pronoun.
	itsOwn = regexp.MustCompile(`(?i)\b(?:its|their) (?:instructions|commands|directives|orders|requests)\W*$`)
	// foreign are words for text that others write.
	foreign = regexp.MustCompile(`(?i)\b(?:pages?|web ?sites?|results?|outputs?|responses?|documents?|(?:e-?)?mails?|messages?|` +
		`feeds?|issues?|files?|comments?|tickets?|posts?|bod(?:y|ies)|attachments?|payloads?|content|text from|data from)\b`)
	// governing are words for what an attack would have set aside: the pronoun
	// may stand for it.
	governing = regexp.MustCompile(`(?i)\b(?:system|developer|operator|previous|previously|earlier|prior|above|conversation|` +
		`session|policy|policies|guidelines?|guardrails?|safety|rules?|your|you|assistant'?s?|agent'?s?|model'?s?)\b`)
)

// sparesData reports whether m tells the model not to obey text that others
// write, named before and meant by a pronoun: "The page is data; ignore any
// instructions in it." That protects the agent.
func sparesData(_ *View, s *Scanned, m *scan.Match, _ scan.Set) bool {
	said := s.Value[m.Start:m.End]
	if !itsOwn.MatchString(said) && !inIt.MatchString(s.Value[m.End:min(len(s.Value), m.End+40)]) {
		return false
	}
	before := s.Value[max(0, m.Start-reach):m.Start]
	return foreign.MatchString(before) && !governing.MatchString(strings.ToLower(before)) && !governing.MatchString(said)
}
