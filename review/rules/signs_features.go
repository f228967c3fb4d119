package rules

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules/scan"
)

// feature is one thing that is weighed about a sentence; its name is prefix and
// name together, and key the hash of that.
type feature struct {
	prefix, name string
	key          uint64
}

// weighed makes a feature. Its key is FNV-1a.
func weighed(prefix, name string) feature {
	h := uint64(14695981039346656037)
	for i := range len(prefix) {
		h = (h ^ uint64(prefix[i])) * 1099511628211
	}
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return feature{prefix, name, h}
}

// setting is what the sentences of a tool are weighed against: what it is
// called, what it says it does, and which parameters it has.
type setting struct {
	about  map[string]bool // stems of its names and its first sentence
	count  map[string]int  // how often stems occur in its prose and names
	names  map[string]bool // its names and those of its parameters, in lower case
	shared []feature       // of every sentence
}

func (c *Change) setting() *setting {
	c.once.settings.Do(func() { c.once.settingOf = c.newSetting() })
	return c.once.settingOf
}

func (c *Change) newSetting() *setting {
	t := c.Draft.Definition.Tool
	st := &setting{about: map[string]bool{}, names: map[string]bool{}, count: map[string]int{}}
	for _, name := range []string{t.ID, t.Name} {
		st.names[strings.ToLower(name)] = true
	}
	if t.Provider != nil {
		st.names[strings.ToLower(t.Provider.Name)] = true
	}
	for name := range st.names {
		for w := range wordsIn(name) {
			st.about[stem(w)] = true
		}
	}
	for w := range wordsIn(scan.Fold(firstSentence(t.Description))) {
		if !idle[w] && w != "tool" && w != "user" {
			st.about[stem(w)] = true
		}
	}
	for _, text := range c.Texts() {
		if text.Visible && (text.Kind == Prose || text.Kind == Identifier) {
			for w := range wordsIn(scan.Fold(text.Value)) {
				st.count[stem(w)]++
			}
		}
		if text.Kind == Identifier && text.Value == text.Param {
			st.names[strings.ToLower(text.Value)] = true
		}
	}
	for name := range grammar().Each(c.purpose()) {
		if isDomain(name) {
			st.shared = append(st.shared, weighed("@", name))
		}
	}
	return st
}

// isDomain reports whether the concept is one that says what a tool is about.
func isDomain(concept string) bool {
	return concept[0] == 'd' && concept[1] >= 'A' && concept[1] <= 'Z'
}

// signsOf yields the sentences of s, decoded ones included, but for those that
// speak of attacks. The features are overwritten by the next one.
func (c *Change) signsOf(s *scanned) iter.Seq[Sign] {
	return func(yield func(Sign) bool) {
		if !s.Visible || s.Kind != Prose {
			return
		}
		var features []feature
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
				features = c.features(features[:0], s, sign.Text, sentence.Concepts, i == 0)
				sign.features = features
				if !yield(sign) {
					return
				}
			}
		}
	}
}

// speaksOfAttacks reports whether a sentence with the given concepts gives an
// example of an attack or says that it finds them.
func speaksOfAttacks(concepts scan.Set) bool {
	p := attackTalk()
	return concepts.Meets(p.attack) && (concepts.Meets(p.sampled) && concepts.Meets(p.sample) || concepts.Meets(p.detect) && concepts.Meets(p.mentioning))
}

// talk is the concepts by which a sentence speaks of attacks.
type talk struct{ sampled, sample, detect, mentioning, attack scan.Set }

var attackTalk = sync.OnceValue(func() talk {
	g := grammar()
	return talk{
		g.Concept("sampled"), g.Concept("sample"), g.Concept("detect"), g.Concept("mentioning"),
		g.Concept("override|instr|internals|strongSecret|secretFile|safetyNoun|offense"),
	}
})

// features adds to list what is weighed about a sentence: its words by their stem,
// its concepts, where it stands, how many of its words are what the tool is about
// and how many occur nowhere else in the definition.
func (c *Change) features(list []feature, s *scanned, text string, concepts scan.Set, opens bool) []feature {
	st := c.setting()
	place, placed := "@prose", "@prose."
	if s.Param != "" {
		place, placed = "@parameter", "@parameter."
	}
	list = append(append(list, st.shared...), weighed("@", place[1:]))
	related, strange := 0, 0
	weigh := func(w string) {
		if idle[w] {
			return
		}
		w = stem(w)
		if f := weighed("", w); !slices.ContainsFunc(list, func(o feature) bool { return o.key == f.key }) {
			list = append(list, f)
			if st.about[w] {
				related++
			} else if st.count[w] < 2 {
				strange++
			}
		}
	}
	if opens && s.Param != "" {
		for w := range wordsIn(s.Param) {
			weigh(w)
		}
	}
	for w := range wordsIn(withoutLinks(scan.Fold(text))) {
		weigh(w)
	}
	near, far := relatedMarks[min(related, 3)], strangeMarks[min(strange/2, 4)]
	list = append(list, weighed("@", near[1:]), weighed("@", far[1:]), weighed(place, near), weighed(place, far), weighed(near, far))
	if st.namesAnother(text) {
		list = append(list, weighed("@", "another"))
	}
	for name := range grammar().Each(concepts) {
		if !isDomain(name) {
			list = append(list, weighed(".", name), weighed(placed, name))
		}
	}
	return list
}

// Marks for how many words of a sentence are what the tool is about, and how
// many, by two, occur nowhere else.
var (
	relatedMarks = [...]string{"@related0", "@related1", "@related2", "@related3"}
	strangeMarks = [...]string{"@strange0", "@strange1", "@strange2", "@strange3", "@strange4"}
)

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
		if st.another(word) {
			return true
		}
	}
	return false
}

// another reports whether word is such a name.
func (st *setting) another(word string) bool {
	i := strings.IndexByte(word, '_')
	return i > 0 && i < len(word)-1 && !st.names[strings.ToLower(word)]
}

func letterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
