// This file compiles the lexicon of words about people, orders, and approval.

package prose

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

//go:embed lexicon.tsv
var lexicon string

// The roles of words. lexicon.tsv lists the words of each role and language.
const (
	person = iota
	tells
	negation
	approval
	conceals
	obeys // begins the name of a file that other programs obey
	roles
)

var roleNames = []string{"person", "tells", "negation", "approval", "conceals", "obeys"}

// languages is a set of languages, with a bit for each language in the lexicon.
type languages uint16

// entry contains, for each role, the languages in which a word has this role.
type entry [roles]languages

// words is the compiled lexicon: complete words, and stems indexed by their first two bytes.
type words struct {
	whole  map[string]entry
	stems  map[string][]stem
	begins [1 << 16]bool // the first two bytes of all stems, as a filter that rules out most words
	known  fact.Filter   // filter for complete words
	inside []stem        // words of languages without spaces between words, and of Korean
	obeyed []string      // names of files that other programs obey
}

type stem struct {
	text  string
	entry entry
}

var lexical = sync.OnceValue(func() *words {
	w := &words{whole: map[string]entry{}, stems: map[string][]stem{}}
	rows := map[string]int{}
	for what, names := range fact.Rows(lexicon) {
		language, name, _ := strings.Cut(what, " ")
		role := slices.Index(roleNames, name)
		if _, ok := rows[language]; !ok {
			rows[language] = len(rows)
		}
		add := func(word string) {
			e := w.whole[word]
			e[role] |= 1 << rows[language]
			w.whole[word] = e
			w.known.Add(word)
		}
		if role == obeys {
			for name := range strings.SplitSeq(names, ",") {
				first, _, _ := strings.Cut(name, " ")
				w.obeyed = append(w.obeyed, name)
				add(first)
			}
			continue
		}
		for word := range strings.FieldsSeq(names) {
			begin, cut := strings.CutSuffix(word, "*")
			var e entry
			e[role] = 1 << rows[language]
			switch {
			case language == "zh" || language == "ja" || language == "ko":
				w.inside = append(w.inside, stem{word, e})
			case cut && len(begin) > 2:
				w.stems[begin[:2]] = append(w.stems[begin[:2]], stem{begin, e})
				w.begins[int(begin[0])<<8|int(begin[1])] = true
			default:
				add(begin)
			}
		}
	}
	return w
})

// find returns the entry of word, which must be in lower case. The entry includes the roles of all
// stems at the beginning of the word.
func (w *words) find(word string) (e entry, ok bool) {
	if w.known.Has(word) {
		e, ok = w.whole[word]
	}
	if len(word) > 2 && w.begins[int(word[0])<<8|int(word[1])] {
		for _, s := range w.stems[word[:2]] {
			if strings.HasPrefix(word, s.text) {
				ok = true
				for i := range e {
					e[i] |= s.entry[i]
				}
			}
		}
	}
	return e, ok
}
