// Package literal derives facts from single words in any text: addresses, paths, credential stores,
// flags, settings, and encoded texts.
package literal

import (
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// index contains the tables of this package, indexed by name.
type index struct {
	first      map[string][]entry // places by their first element
	wild       []entry            // places with a "*" in their first element
	flags      map[string]bool
	flagStarts []string
	settings   map[string][]string // risky values by name; empty if every value is risky
	named      fact.Filter         // names of settings
}

// tables returns the index. It is built on first use, because most commands do not need it.
var tables = sync.OnceValue(func() *index {
	t := &index{first: map[string][]entry{}, flags: map[string]bool{}, settings: map[string][]string{}}
	for place, paths := range fact.Rows(places) {
		for p := range strings.FieldsSeq(paths) {
			name, rooted := strings.CutPrefix(p, "/")
			e := entry{map[string]Place{"credentials": Credentials, "obeyed": Obeyed}[place], rooted, strings.Split(name, "/")}
			if strings.Contains(e.elements[0], "*") {
				t.wild = append(t.wild, e)
			} else {
				t.first[e.elements[0]] = append(t.first[e.elements[0]], e)
			}
		}
	}
	for what, names := range fact.Rows(rights) {
		for name := range strings.FieldsSeq(names) {
			start, begins := strings.CutSuffix(name, "*")
			switch {
			case what != "flag": // values of a setting; "-" means any
				t.settings[name] = strings.Fields(strings.TrimPrefix(what, "-"))
				t.named.Add(name)
			case begins:
				t.flagStarts = append(t.flagStarts, start)
			default:
				t.flags[name] = true
			}
		}
	}
	return t
})

// Mode determines how a text is read.
type Mode uint8

// The modes.
const (
	Prose  Mode = iota // sentences; a link in a sentence is a fact of kind fact.Link
	Data               // strings in programs, values of settings, and words of commands
	Tables             // data with many values; only addresses with a scheme are facts
)

// class is a set of kinds of characters. The kinds of characters in a word determine how the word
// is read.
type class uint16

const (
	slash class = 1 << iota
	dot
	at
	colon
	dash
	underscore
	special // $ ~ % \
	equals
	upper
	lower
	digit
	plus
	closing // . : ! ? * _ belong to the sentence if they end a word
	delimiter
)

var classes = func() (c [256]class) {
	for i := range c {
		switch {
		case i <= ' ' || strings.IndexByte("\"'`()[]<>|,;{}", byte(i)) >= 0:
			c[i] = delimiter
		case i >= 'a' && i <= 'z':
			c[i] = lower
		case i >= 'A' && i <= 'Z':
			c[i] = upper
		case i >= '0' && i <= '9':
			c[i] = digit
		}
	}
	for b, bit := range map[byte]class{
		'/': slash, '.': dot | closing, '@': at, ':': colon | closing, '-': dash, '_': underscore | closing, '$': special, '~': special, '%': special, '\\': special, '=': equals, '+': plus,
		'!': closing, '?': closing, '*': closing,
	} {
		c[b] = bit
	}
	return c
}()

// word is a word of a text, at Text[start:end].
type word struct {
	text       string
	start, end int
	bits       class
}

// Scan adds the facts of the words in d. Facts about addresses, flags, and settings get the given
// use.
func Scan(d fact.Doc, mode Mode, use string) {
	s := scanner{Doc: d, mode: mode, use: use}
	text, settings, named := d.Text, tables().settings, &tables().named
	for i := 0; i < len(text); {
		if classes[text[i]]&delimiter != 0 {
			i++
			continue
		}
		w := next(text, i)
		i = w.end
		if w.bits&^(lower|upper) == 0 && w.bits != upper && len(w.text) < 24 { // an ordinary word, unless it is the name of a setting
			if !named.Has(w.text) {
				continue
			}
			if _, known := settings[w.text]; !known {
				continue
			}
		}
		s.word(w)
	}
}

// next returns the word that begins at offset i of text. The braces of a variable or a placeholder
// in the word, and the text between them, belong to the word.
func next(text string, i int) word {
	w := word{start: i}
	for ; i < len(text); i++ {
		bit := classes[text[i]]
		if bit&delimiter != 0 {
			if text[i] == '{' && i > w.start && (text[i-1] == '$' || text[i-1] == '/' || text[i-1] == '.' || text[i-1] == '#') {
				if n := strings.IndexByte(text[i:min(len(text), i+60)], '}'); n > 0 && !strings.ContainsAny(text[i:i+n], " \n\"'`") {
					i += n
					continue
				}
			}
			break
		}
		w.bits |= bit
	}
	w.end, w.text = i, text[w.start:i]
	if w.bits&closing == 0 {
		return w // the common case
	}
	w.bits &^= closing
	for w.text != "" && classes[w.text[len(w.text)-1]]&closing != 0 {
		w.text = w.text[:len(w.text)-1]
	}
	for w.bits&equals == 0 && w.text != "" && (w.text[0] == '*' || w.text[0] == '_') {
		w.text = w.text[1:]
	}
	if w.end-w.start == len(w.text)+1 && w.bits&(dot|colon) != 0 && strings.IndexByte(w.text, '.') < 0 && strings.IndexByte(w.text, ':') < 0 { // the last word of a sentence
		w.bits &^= dot | colon
	}
	return w
}

type scanner struct {
	fact.Doc
	mode Mode
	use  string
}

func (s *scanner) word(w word) {
	if w.text == "" {
		return
	}
	if w.bits&(colon|slash) == colon|slash {
		if i := strings.Index(w.text, "://"); i > 0 {
			s.address(w, i)
			return
		}
	}
	if s.mode == Tables {
		return
	}
	switch {
	case w.text[0] == '-' && len(w.text) > 2:
		if Flag(w.text) {
			s.Add(w.start, fact.Rights, s.use, w.text)
		}
		if _, value, ok := strings.Cut(w.text, "="); ok && value != "" {
			s.path(w.start, value)
		}
		return
	case w.bits&at != 0:
		s.mailbox(w)
	}
	if w.bits&(digit|dot) == digit|dot && w.bits&(lower|upper|slash) == 0 || w.bits&(slash|colon|digit|dot) != 0 && w.text[0] >= '0' && w.text[0] <= '9' {
		s.ip(w)
	}
	if w.bits&dot != 0 && w.bits&(lower|upper) != 0 && w.bits&at == 0 {
		s.bareHost(w)
	}
	if w.bits&(slash|dot|special) != 0 || strings.HasPrefix(w.text, "id_") || strings.HasPrefix(w.text, "Launch") {
		value := w.text
		if i := strings.IndexByte(value, '='); i > 0 {
			value = value[i+1:]
		}
		s.path(w.start, value)
	}
	if w.bits&lower == 0 && w.bits&upper != 0 {
		Variable(s.Doc, w.start, w.text)
	} else if w.bits&(special|equals) != 0 {
		s.variables(w)
	}
	if modes[w.text] {
		s.Add(w.start, fact.Rights, s.use, w.text)
	}
	s.setting(w)
	if len(w.text) >= minEncoded && w.bits&(dash|at|special) == 0 {
		s.encoded(w)
	}
	if w.bits&underscore != 0 && strings.HasPrefix(w.text, "mcp__") {
		s.Add(w.start, fact.Other, "tool", w.text) // https://code.claude.com/docs/en/mcp
	}
}

// setting adds the setting in w if it is a known setting. The value of the setting is in w or in
// the next word.
func (s *scanner) setting(w word) {
	name, value, ok := strings.Cut(w.text, "=")
	if i := strings.LastIndexAny(name, ".:"); i > 0 {
		if _, known := tables().settings[name]; !known {
			name = name[i+1:]
		}
	}
	row, known := tables().settings[name]
	if !known {
		return
	}
	if !ok {
		if i := strings.IndexByte(w.text, ':'); i > 0 && i < len(w.text)-1 {
			name, value = w.text[:i], w.text[i+1:]
		} else {
			value = valueAfter(s.Text, w.end-(len(s.Text[w.start:w.end])-len(strings.TrimRight(s.Text[w.start:w.end], ":"))))
		}
	}
	addSetting(s.Doc, w.start, s.use, name, value, row)
}

func addSetting(d fact.Doc, at int, use, name, value string, values []string) {
	if Setting(name, value) {
		if len(values) > 0 {
			name += "=" + value
		}
		d.Add(at, fact.Rights, use, name)
	}
}

// Named adds the setting with the given name in a program, if the setting is known. behind is the
// code after the name and begins with the value.
func Named(d fact.Doc, at int, name, behind string) {
	if values, known := tables().settings[name]; known {
		addSetting(d, at, fact.Literal, name, valueAfter(behind, 0), values)
	}
}

// maxSettingValue limits the value of a setting, in bytes. Without a limit, reading the same long
// value for many names would take quadratic time.
const maxSettingValue = 100

// valueAfter returns the word that follows ":", "=", or a space at offset i. It removes quotes and
// truncates the word to maxSettingValue bytes.
func valueAfter(text string, i int) string {
	rest := strings.TrimLeft(text[i:min(len(text), i+12)], "\"' \t:=>")
	if rest == "" || strings.ContainsRune(text[i:i+len(text[i:min(len(text), i+12)])-len(rest)], '\n') {
		return ""
	}
	from := min(len(text), i+12) - len(rest)
	return next(text[:min(len(text), from+maxSettingValue)], from).text
}

// credentialWords are parts of the names of variables with credentials, as in secret scanners:
// https://github.com/Yelp/detect-secrets (KeywordDetector).
var credentialWords = map[string]bool{
	"TOKEN": true, "SECRET": true, "SECRETS": true, "PASSWORD": true, "PASSWD": true, "PASSPHRASE": true, "APIKEY": true,
	"CREDENTIALS": true, "CREDENTIAL": true, "PAT": true, "PRIVATEKEY": true,
}

// CredentialName reports whether name, in capital letters, is the name of a variable with a
// credential. Such a name contains a part such as TOKEN, or a pair of parts such as API_KEY,
// ACCESS_KEY, or PRIVATE_KEY.
func CredentialName(name string) bool {
	if len(name) < 5 || len(name) > 100 || name[len(name)-1] == '_' || strings.HasPrefix(name, "YOUR_") {
		return false
	}
	previous := ""
	for part := range strings.SplitSeq(name, "_") {
		if credentialWords[part] && (part != "PAT" || part != name) || (part == "KEY" || part == "KEYS") && (previous == "API" || previous == "ACCESS" || previous == "PRIVATE" || previous == "AUTH" || previous == "SECRET") {
			return true
		}
		previous = part
	}
	return false
}

// Variable adds the variable with the given name if the name is in capital letters and
// CredentialName accepts it.
func Variable(d fact.Doc, at int, name string) {
	name = strings.Trim(name, "$%{}!?:=")
	if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && CredentialName(name) {
		d.AddKey(at, fact.Secret, fact.Variable, name, fact.Variable+"\x00"+name)
	}
}

// variables adds the variables with credentials in a word such as "a=$TOKEN".
func (s *scanner) variables(w word) {
	start := -1
	for i := 0; i <= len(w.text); i++ {
		capital := i < len(w.text) && (classes[w.text[i]]&(upper|underscore) != 0 || start >= 0 && classes[w.text[i]]&digit != 0)
		switch {
		case capital && start < 0:
			start = i
		case !capital && start >= 0:
			if i == len(w.text) || classes[w.text[i]]&lower == 0 {
				Variable(s.Doc, w.start+start, w.text[start:i])
			}
			start = -1
		}
	}
}
