// This file splits texts into words and determines the purpose of a tool.

package overlap

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/folding"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// word is a word in its folded form and its byte range in the text.
type word struct {
	folded     []byte // valid only until the callback returns
	start, end int
}

// words calls visit for each word of text in order. A word is a sequence of letters and digits. Its folded form is in
// lower case and has no accents and no invisible characters. In writing systems without spaces between words, each
// character is a word.
func words(text string, visit func(word)) {
	var f folder
	var w word
	open := false
	finish := func() {
		if open {
			visit(w)
		}
		w.folded, open = w.folded[:0], false
	}
	begin := func(at int) {
		if !open {
			w.start, open = at, true
		}
	}
	for i := 0; i < len(text); {
		at, c := i, text[i]
		if c < utf8.RuneSelf {
			i++
			switch l := lower(c); {
			case l != 0:
				begin(at)
				w.folded, w.end = append(w.folded, l), i
			case c != '\'':
				finish()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch folded := f.fold(r); folded.class {
		case boundary:
			finish()
		case nothing:
		case glyph:
			finish()
			begin(at)
			w.folded, w.end = append(w.folded, folded.text...), i
			finish()
		case letter:
			begin(at)
			w.folded, w.end = append(w.folded, folded.text...), i
		}
	}
	finish()
}

// lower returns c in lower case if c is an ASCII letter or digit. Otherwise, it returns 0.
func lower(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c >= 'A' && c <= 'Z':
		return c | 0x20
	}
	return 0
}

// class is the effect that a character has on the words of a text.
type class uint8

const (
	boundary class = iota // white space, punctuation, symbols
	letter                // part of a word, including digits
	nothing               // ignored: invisible characters and accents
	glyph                 // a separate word, in writing systems without spaces between words
)

// folded is a character in lower case, without accents and compatibility forms.
type folded struct {
	class class
	text  string
}

// fold returns the folded form of r, which must not be an ASCII character.
func fold(r rune) folded {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return folded{class: nothing}
	case r == '’': // the apostrophe of "don’t"
		return folded{class: nothing}
	case !unicode.In(r, unicode.L, unicode.N, unicode.Mc, unicode.So):
		return folded{class: boundary}
	}
	var b []byte
	for _, d := range folding.Decompose(r) {
		if unicode.In(d, unicode.L, unicode.N, unicode.Mc) {
			b = utf8.AppendRune(b, unicode.ToLower(d))
		}
	}
	switch {
	case len(b) == 0:
		return folded{class: boundary}
	case folding.Unspaced(r):
		return folded{class: glyph, text: string(b)}
	}
	return folded{class: letter, text: string(b)}
}

// folder caches the results of fold, because a text contains few different characters.
type folder struct {
	cache *[cached]cachedRune
}

const cached = 1 << 10

type cachedRune struct {
	r rune
	f folded
}

func (f *folder) fold(r rune) folded {
	if f.cache == nil {
		f.cache = new([cached]cachedRune)
	}
	e := &f.cache[uint32(r)%cached]
	if e.r != r {
		e.r, e.f = r, fold(r)
	}
	return e.f
}

// maxParameters limits the number of parameters of a tool that are read.
const maxParameters = 200

// purpose maps the stem of each content word of a tool to the word and its weight.
type purpose map[string]term

type term struct {
	Word   string // first spelling of the word in the tool
	Weight int
}

// purposeOf returns the content words that describe the purpose of t. The weight of a word depends on the text that
// contains it; a word in several texts has the highest of these weights. purposeOf ignores the rest of the
// description, such as when to use the tool and what to avoid. These parts are about other tools and situations, and
// would outweigh the purpose.
func purposeOf(t registry.Tool) purpose {
	id := t.ID
	if t.Source != nil { // the id begins with the name of the server, which has nothing to do with the purpose
		_, name, _ := strings.Cut(t.Source.Ref, "#")
		id = cmp.Or(name, t.ID)
	}
	p := purpose{}
	p.add(3, t.Name, id)
	p.add(2, t.Goals, t.Short())
	p.add(2, parameters(t)...)
	return p
}

// add adds the content words of texts with the given weight. It does not change the weights of words that p already
// contains, so callers must add texts by decreasing weight.
func (p purpose) add(weight int, texts ...string) {
	read := map[string]bool{} // a text contains few different words
	for _, text := range texts {
		words(text, func(w word) {
			if read[string(w.folded)] {
				return
			}
			folded := string(w.folded)
			read[folded] = true
			if s := stem(folded); s != "" {
				if _, ok := p[s]; !ok {
					p[s] = term{Word: folded, Weight: weight}
				}
			}
		})
	}
}

// parameters returns the names of the top-level parameters of t.
func parameters(t registry.Tool) []string {
	if len(t.InputSchema) == 0 {
		return nil
	}
	schema, err := jsondoc.Parse(t.InputSchema, jsondoc.DefaultLimits)
	if err != nil { // other code reports that the schema is not valid
		return nil
	}
	properties := schema.Get("properties")
	if properties == nil {
		return nil
	}
	return lists.Map(properties.Members[:min(len(properties.Members), maxParameters)], func(m jsondoc.Member) string { return m.Key })
}

// stem returns the form of a content word that is used for comparisons, or "" for a stop word. It removes endings
// without regard to grammar: reader, reads, and reading become read. It also replaces verbs by a common verb with the
// same meaning for a tool.
func stem(s string) string {
	vocabulary := theVocabulary()
	if len(s) < 2 || vocabulary.idle[s] {
		return ""
	}
	s = cut(s)
	if verb, ok := vocabulary.verbs[s]; ok {
		return verb
	}
	return s
}

// endings lists the endings that cut tries to remove, in this order. At least minStem bytes of the word must remain.
var endings = [...]string{"ers", "ors", "ing", "ed", "es", "er", "or", "s", "e", "y"}

const minStem = 3

func cut(s string) string {
	for _, ending := range endings {
		rest, ok := strings.CutSuffix(s, ending)
		if !ok || len(rest) < minStem {
			continue
		}
		if ending == "s" && strings.HasSuffix(rest, "s") { // "process"
			return s
		}
		if n := len(rest); n > minStem && rest[n-1] == rest[n-2] && rest[n-1] != 's' && rest[n-1] != 'l' { // "scanning"
			rest = rest[:n-1]
		}
		return strings.TrimSuffix(rest, "i") // "queries"
	}
	return s
}

// stopWords contains English function words, and words that occur in the descriptions of most tools.
const stopWords = `
a about above after again against all also am an and any are as at be because been before being below between both but
by can cannot could did do does doing done down during each either else etc even every few for from further get gets
getting give given gives had has have having he her here hers him his how however if in instead into is it its itself
just let like made make makes making many may me might more most much must my need needed needs neither no non nor not
now of off often on once one only onto or other others our out over own per please rather same she should since so some
such than that the their them then there these they thing this those through to too toward under unless until up upon us
use used user uses using very via want was way we well were what when where whether which while who whom whose why will
with within without would yes yet you your eg ie
tool tools call called calling function allow allows based able provide provided provides return returned returns result
results specific specified`

// verbs lists verbs that describe tools. All verbs on one line have the same meaning for a purpose.
const verbs = `
read open show view fetch retrieve load display
list enumerate
create add insert new post append
update edit change modify patch rename revise rewrite
delete remove drop clear erase
search find locate query lookup
check validate verify review audit
analyze analyse diagnose inspect examine
send mail deliver
run execute invoke`

type vocabulary struct {
	idle  map[string]bool
	verbs map[string]string // maps the stem of each verb to the first verb on its line
}

var theVocabulary = sync.OnceValue(func() vocabulary {
	v := vocabulary{idle: map[string]bool{}, verbs: map[string]string{}}
	for _, w := range strings.Fields(stopWords) {
		v.idle[w] = true
	}
	for line := range strings.Lines(verbs) {
		line := strings.Fields(line)
		for _, w := range line {
			v.verbs[cut(w)] = line[0]
		}
	}
	return v
})
