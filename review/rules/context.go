package rules

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Bind returns findings with their Context, to which a waiver is bound in addition to the passage.
//
// A passage is often only the head of an order ("send the API key to https"), so
// a waiver of the passage alone would also cover another address. The context of
// a passage in prose is its whole sentence, and every address and file name of
// its field, which "send it there" may mean; that of a passage in a schema is the
// whole node; that of anything else the value at its path. Where that has an address, or
// speaks of one, all of the definition that may move the address belongs to it too.
func (c *Change) Bind(findings []Finding) []Finding {
	b := binder{c: c}
	bound := slices.Clone(findings)
	for i := range bound {
		bound[i].Context = b.context(bound[i])
	}
	return bound
}

// binder finds the contexts of findings in one change.
type binder struct {
	c      *Change
	root   *jsondoc.Node // of the draft
	source *jsondoc.Node // of what it was imported from, as texts name it
	// speaking is the digest of what may name or move an address, sentences are those of
	// all texts, and lower has the same in lower case.
	speaking         string
	sentences, lower []string
}

// field is a text with its addresses and the starts of its sentences, which are looked up
// once.
type field struct {
	Text
	addresses func() []string
	starts    func() []int
}

func (b *binder) context(f Finding) string {
	if f.Passage == "" {
		return "" // a waiver of it ends with the revision
	}
	var parts []string
	if node := b.node(f.Path); node != nil {
		parts = append(parts, string(jsondoc.Canonical(node)))
	} else {
		for _, t := range b.c.fields(f.Path) {
			if start, end, ok := f.in(t.Text); ok {
				sentence := t.sentenceAround(start, end)
				parts = append(append(parts, sentence), t.addresses()...)
				if next := beside(t.Value, sentence); next != "" && speaksOfAddress(plainDots(letters.Fold(sentence))) {
					parts = append(parts, next)
				}
			}
		}
	}
	if len(parts) == 0 {
		parts = append(parts, string(jsondoc.Canonical(b.value(f.Path))))
	}
	if f.Severity == Info {
		// A hint holds nothing up, so that nobody gains by a waiver of it that goes too far;
		// reading all addresses of a skill takes longer than all rules.
		return registry.HashBytes([]byte(strings.Join(parts, "\x00")))
	}
	around := plainDots(letters.Fold(parts[0]))
	if tokens := addressTokens(around); len(tokens) > 0 || speaksOfAddress(around) {
		parts = append(parts, b.destinations(hostWords(tokens))...)
	}
	return registry.HashBytes([]byte(strings.Join(parts, "\x00"))) // no text of a draft holds a NUL
}

// schemaPaths are the fields that hold JSON schemas.
var schemaPaths = []string{"definition.inputSchema", "definition.outputSchema"}

// node returns the object of a schema, or of the JSON that a tool was imported from,
// in which the value at path stands; nil for other paths.
func (b *binder) node(path string) *jsondoc.Node {
	if rest, ok := strings.CutPrefix(path, wire.SourcePath); ok {
		if b.source == nil {
			if tool := b.c.Draft.Definition.Tool; tool != nil {
				b.source = wire.Unread(*tool, b.c.Source)
			}
			if b.source == nil {
				b.source = jsondoc.NewObject()
			}
		}
		return b.source.Enclosing(rest)
	}
	for _, schema := range schemaPaths {
		if rest, ok := strings.CutPrefix(path, schema); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return b.draft().Enclosing(path)
		}
	}
	return nil
}

// value returns the value at path, or all of the draft when nothing stands there.
func (b *binder) value(path string) *jsondoc.Node {
	if n := b.draft().Find(path); n != nil {
		return n
	}
	return b.draft()
}

func (b *binder) draft() *jsondoc.Node {
	if b.root == nil {
		n, err := b.c.Draft.Node()
		if err != nil { // of a value that no decoder lets in
			n = jsondoc.NewObject()
		}
		b.root = n
	}
	return b.root
}

// fields are the texts of a change by path.
type fields map[string][]field

func (c *Change) fields(path string) []field {
	return Computed(c, func(c *Change) fields {
		byPath := fields{}
		for _, t := range c.Texts() {
			byPath[t.Path] = append(byPath[t.Path], newField(t))
		}
		return byPath
	})[path]
}

func newField(t Text) field {
	return field{
		Text:      t,
		addresses: sync.OnceValue(func() []string { return addresses(t.Value) }),
		starts:    sync.OnceValue(func() []int { return sentenceStarts(t.Value) }),
	}
}

// in returns where the passage of f stands in t, in bytes. A reviewer who gave no
// place, or another one, means the first that has the passage.
func (f Finding) in(t Text) (start, end int, ok bool) {
	start = offset(t.Value, f.Line, f.Column)
	if start < 0 || !strings.HasPrefix(t.Value[start:], f.Passage) {
		start = strings.Index(t.Value, f.Passage)
	}
	return start, start + len(f.Passage), start >= 0
}

// offset returns the byte at a line and a column, which count from 1, in
// characters; -1 when the text has no such place.
func offset(text string, line, column int) int {
	if line < 1 || column < 1 {
		return -1
	}
	at := cursor{text: text, line: 1, column: 1}
	for at.line < line || at.line == line && at.column < column {
		if at.at == len(text) || at.line > line {
			return -1
		}
		_, n := utf8.DecodeRuneInString(text[at.at:])
		at.move(at.at + n)
	}
	if at.line != line || at.column != column {
		return -1
	}
	return at.at
}

// isProse reports whether t consists of sentences.
func (t field) isProse() bool { return t.Kind == Prose || t.Kind == Note || t.Kind == Report }

// sentenceAround returns the sentences of t that the bytes from start to end stand in;
// of a text that is no prose, all.
func (t field) sentenceAround(start, end int) string {
	if !t.isProse() {
		return t.Value
	}
	first, last := 0, len(t.Value)
	for _, at := range t.starts() {
		if at <= start {
			first = at
		} else if at >= end {
			last = at
			break
		}
	}
	return strings.TrimSpace(t.Value[first:last])
}

// sentenceStarts returns where the sentences of text begin, after the first. When in doubt, it
// joins two sentences: a waiver that covers too little is only asked for again, one that covers
// too much approves text that nobody waived. So line breaks, list items, and blank lines do not
// end a sentence without a full stop, and no sentence begins with an address.
func sentenceStarts(text string) []int {
	var starts []int
	line, lastLine, end := 0, 0, 0 // the start of this line, and the last word's line and end
	for at := 0; at < len(text); {
		if c := text[at]; c == ' ' || c == '\n' {
			at++
			if c == '\n' {
				line = at
			}
			continue
		}
		next := at
		for next < len(text) && text[next] > ' ' && text[next] < utf8.RuneSelf {
			next++
		}
		if next < len(text) && text[next] != ' ' && text[next] != '\n' { // needs a look at characters
			if r, size := utf8.DecodeRuneInString(text[at:]); unicode.IsSpace(r) {
				at += size
				continue
			}
			next = len(text)
			if n := strings.IndexFunc(text[at:], unicode.IsSpace); n >= 0 {
				next = at + n
			}
		}
		if newLine := line > lastLine; at > 0 && (newLine && (heading(text[at:]) || heading(text[lastLine:])) || endsSentence(text[:end]) && beginsSentence(text[at:], newLine)) {
			starts = append(starts, at)
		}
		at, end, lastLine = next, next, line
	}
	return starts
}

// endsSentence reports whether a text ends with the stop of a sentence.
func endsSentence(text string) bool {
	if text == "" || letters.IsWord(text[len(text)-1]) || text[len(text)-1] == ',' { // most words
		return false
	}
	text = strings.TrimRight(text, "\"'”’»)]}*_`")
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?…。！？", last) && (last != '.' || !abbreviated(text))
}

// beginsSentence reports whether a text behind a stop begins a sentence: with a capital, or with
// any letter on a new line, but not with an address.
func beginsSentence(text string, newLine bool) bool {
	word := strings.TrimLeft(text, "-*+•>0123456789.)\"'“‘«([{_` \t")
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word = word[:end]
	}
	first, _ := utf8.DecodeRuneInString(word)
	return !isAddress(word) && unicode.IsLetter(first) && (newLine || !unicode.IsLower(first))
}

// heading reports whether a line of Markdown begins a section.
func heading(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "#") }

// abbreviations end with a stop that ends no sentence.
var abbreviations = []string{"etc", "approx", "resp", "incl", "excl", "cf", "vs", "dr", "mr", "mrs", "ms", "no", "nr", "st", "esp", "fig", "ca", "z", "b", "u", "a", "inc", "ltd", "co", "corp"}

// abbreviated reports whether a text ends with an abbreviation and its stop.
func abbreviated(text string) bool {
	word := strings.TrimSuffix(text, ".")
	word = word[strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	if parts := strings.Split(word, "."); len(parts) > 1 { // such as "e.g."
		return !slices.ContainsFunc(parts, func(part string) bool { return len(part) > 2 })
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}

// addresses returns the words of text that may name a host, an account or a file,
// sorted, each once. Numbers and abbreviations do not.
func addresses(text string) []string {
	var found []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`(){},;|", r) }) {
		fraction := strings.Trim(strings.Trim(word, "+-.:%"), "0123456789") == "."
		letters := !slices.ContainsFunc(strings.Split(strings.TrimRight(word, "."), "."), func(part string) bool { return len(part) != 1 }) // "e.g."
		if isAddress(word) && !fraction && !letters {
			found = append(found, strings.TrimRight(word, ".:!?*_"))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// isAddress reports whether a word has a character inside, or a slash anywhere, by
// which it may be an address or the name of a file.
func isAddress(word string) bool {
	if strings.ContainsAny(word, `/\@~`) {
		return true
	}
	inner := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.ContainsFunc(inner, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’_*", r)
	})
}
