package rules

import (
	"slices"
	"strconv"
	"strings"

	"toolcrib/review/rules/scan"
)

// setting is what the sentences of a tool are weighed against: what it is
// called, what it says it does, and which parameters it has.
type setting struct {
	about  map[string]bool // stems of its names and its first sentence
	count  map[string]int  // how often stems occur in its prose and names
	names  map[string]bool // its names and those of its parameters, in lower case
	shared []string        // features of every sentence
}

func (c *Change) setting() *setting {
	c.once.settings.Do(func() {
		t := c.Draft.Definition.Tool
		g := grammar()
		st := &setting{about: map[string]bool{}, names: map[string]bool{}, count: map[string]int{}}
		for _, name := range []string{t.ID, t.Name} {
			st.names[strings.ToLower(name)] = true
		}
		if t.Provider != nil {
			st.names[strings.ToLower(t.Provider.Name)] = true
		}
		for name := range st.names {
			for _, w := range wordsOf(name) {
				st.about[stem(w)] = true
			}
		}
		for _, w := range wordsOf(scan.Fold(firstSentence(t.Description))) {
			if !idle[w] && w != "tool" && w != "user" {
				st.about[stem(w)] = true
			}
		}
		for _, text := range c.Texts() {
			if text.Visible && (text.Kind == Prose || text.Kind == Identifier) {
				for _, w := range wordsOf(scan.Fold(text.Value)) {
					st.count[stem(w)]++
				}
			}
			if text.Kind == Identifier && text.Value == text.Param {
				st.names[strings.ToLower(text.Value)] = true
			}
		}
		for _, name := range g.Names(c.purpose()) {
			if isDomain(name) {
				st.shared = append(st.shared, "@"+name)
			}
		}
		c.once.settingOf = st
	})
	return c.once.settingOf
}

// isDomain reports whether the concept is one that says what a tool is about.
func isDomain(concept string) bool {
	return concept[0] == 'd' && concept[1] >= 'A' && concept[1] <= 'Z'
}

// idle are words that say nothing of what a tool is about.
var idle = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "to": true, "and": true, "or": true, "in": true, "on": true, "for": true, "with": true,
	"from": true, "by": true, "is": true, "are": true, "be": true, "it": true, "this": true, "that": true, "as": true, "at": true, "if": true,
	"was": true, "were": true, "has": true, "have": true, "had": true, "been": true, "its": true, "which": true, "there": true, "then": true,
}

// signsOf returns the sentences of s, decoded ones included, but for those that
// speak of attacks.
func (c *Change) signsOf(s *scanned) []Sign {
	if !s.Visible || s.Kind != Prose {
		return nil
	}
	var list []Sign
	for _, r := range s.readings() {
		sentences := s.Sentences
		if r.decoded {
			sentences = grammar().Scan(r.text).Sentences
		}
		for i, sentence := range sentences {
			if speaksOfAttacks(sentence.Concepts) {
				continue
			}
			sign := Sign{Path: s.Path, Text: r.text[sentence.Start:sentence.End], at: r.at(sentence.Start, sentence.End)}
			sign.First = i == 0 && s.Path == "definition.description" && !r.decoded
			sign.Features = c.features(s, sign.Text, sentence.Concepts, i == 0)
			list = append(list, sign)
		}
	}
	return list
}

// speaksOfAttacks reports whether a sentence with the given concepts gives an
// example of an attack or says that it finds them.
func speaksOfAttacks(concepts scan.Set) bool {
	g := grammar()
	says := func(concept string) bool { return concepts.Meets(g.Concept(concept)) }
	return says("sampled") && says("sample") || says("detect") && says("mentioning") && says("override|instr|internals|strongSecret|secretFile|safetyNoun|offense")
}

// features lists what is weighed about a sentence: its words by their stem,
// pairs of words that follow each other, its concepts and pairs of them, and
// where it stands (after "@").
func (c *Change) features(s *scanned, text string, concepts scan.Set, opens bool) []string {
	st, g := c.setting(), grammar()
	features := slices.Clone(st.shared)
	place := "@prose"
	if s.Param != "" {
		place = "@parameter"
	}
	features = append(features, place)
	words := wordsOf(withoutLinks(scan.Fold(text)))
	if opens && s.Param != "" {
		words = append(wordsOf(s.Param), words...)
	}
	related, strange := 0, 0
	seen := map[string]bool{}
	for _, w := range words {
		idles := idle[w]
		w = stem(w)
		if !idles && !seen[w] {
			features = append(features, w)
			seen[w] = true
			if st.about[w] {
				related++
			} else if st.count[w] < 2 {
				strange++
			}
		}
	}
	rel := "@related" + strconv.Itoa(min(related, 3))
	str := "@strange" + strconv.Itoa(min(strange/2, 4))
	features = append(features, rel, str, place+rel, place+str, rel+str)
	if st.namesAnother(text) {
		features = append(features, "@another")
	}
	for _, name := range g.Names(concepts) {
		if !isDomain(name) {
			features = append(features, "."+name, place+"."+name)
		}
	}
	slices.Sort(features)
	return slices.Compact(features)
}

// withoutLinks cuts URLs out of text: their words are not those of a sentence.
func withoutLinks(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	var b strings.Builder
	for {
		start := strings.Index(text, "://")
		if start < 0 {
			return b.String() + text
		}
		end := start
		for start > 0 && letterOrDigit(rune(text[start-1])) {
			start--
		}
		for end < len(text) && text[end] > ' ' && text[end] != ')' && text[end] != '"' {
			end++
		}
		b.WriteString(text[:start])
		text = text[end:]
	}
}

// namesAnother reports whether text holds a name such as read_file that is
// neither the tool's own nor that of a parameter.
func (st *setting) namesAnother(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !letterOrDigit(r) }) {
		if i := strings.IndexByte(word, '_'); i > 0 && i < len(word)-1 && !st.names[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

func letterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// stem cuts the ending of a regular English inflection off, roughly: what
// matters is that the forms of a word come out alike.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		return strings.TrimSuffix(undouble(w[:n-3]), "e")
	case n > 4 && strings.HasSuffix(w, "ied"), n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		return strings.TrimSuffix(undouble(w[:n-2]), "e")
	case n > 4 && strings.HasSuffix(w, "es"):
		return w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && w[n-2] != 's':
		return strings.TrimSuffix(w[:n-1], "e")
	case n > 4 && strings.HasSuffix(w, "e"):
		return w[:n-1]
	}
	return w
}

func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

// wordsOf returns the words of ASCII letters in text in lower case, those of
// names such as apiKey and api_key apart; numbers all read "0".
func wordsOf(text string) []string {
	var words []string
	start := -1
	end := func(i int) {
		if start >= 0 {
			word := strings.ToLower(text[start:i])
			if word[0] >= '0' && word[0] <= '9' {
				word = "0"
			}
			words = append(words, strings.ReplaceAll(word, "'", ""))
		}
		start = -1
	}
	for i := range len(text) {
		c := text[i]
		lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		switch {
		case c == '\'' && start >= 0 && i+1 < len(text) && text[i+1]|0x20 >= 'a' && text[i+1]|0x20 <= 'z':
			continue
		case !lower && !upper && !digit:
			end(i)
			continue
		case start >= 0 && (upper && text[i-1] >= 'a' && text[i-1] <= 'z' || digit != (text[i-1] >= '0' && text[i-1] <= '9') && text[i-1] != '\''):
			end(i)
		}
		if start < 0 {
			start = i
		}
	}
	end(len(text))
	return words
}
