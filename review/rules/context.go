// This file computes the context of a passage. A waiver covers a passage only in its context.

package rules

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/spans"
	"toolcrib/registry/wire"
	"toolcrib/review/rules/scan/letters"
)

// Bind returns a copy of findings in which Context is set. A waiver applies only to findings with
// the same passage and the same Context.
//
// A passage is often only the beginning of an instruction ("send the API key to https"). A waiver
// of the passage alone would therefore also cover other addresses. The context of a finding depends
// on the field:
//
// In prose, the context is the sentence around the passage, and every address and file name of the
// field, because the sentence may refer to an address elsewhere in the field ("send it there"). In
// a schema, the context is the innermost object that contains the passage. In any other field, the
// context is the value of the field. If the context contains or mentions an address, it also
// includes everything in the definition that may redirect this address.
func (c *Change) Bind(findings []Finding) []Finding {
	bound := slices.Clone(findings)
	for i := range bound {
		bound[i].Context = c.context(bound[i])
	}
	return bound
}

// field is a text with lazily computed addresses and starts of sentences.
type field struct {
	Text
	addresses func() []string
	starts    func() []int
}

func (c *Change) context(f Finding) string {
	if f.Passage == "" {
		return "" // a waiver of a finding without a passage expires with the revision
	}
	var parts []string
	if node := c.enclosing(f.Path); node != nil {
		parts = append(parts, string(jsondoc.Canonical(node)))
	} else {
		for _, t := range c.fields(f.Path) {
			if start, end, ok := f.in(t.Text); ok {
				sentence := t.sentenceAround(start, end)
				parts = append(append(parts, sentence), t.addresses()...)
				if next := followUp(t.Value, sentence); next != "" && mentionsAddress(plainDots(letters.Fold(sentence))) {
					parts = append(parts, next)
				}
			}
		}
	}
	if len(parts) == 0 {
		value := c.draft().Find(f.Path)
		if value == nil {
			value = c.draft()
		}
		parts = append(parts, string(jsondoc.Canonical(value)))
	}
	if f.Severity == Info {
		// Omit the addresses of the definition. An Info finding blocks nothing, so a waiver that
		// covers too much does no harm, and reading all addresses of a skill would take longer than
		// running all rules.
		return registry.HashBytes([]byte(strings.Join(parts, "\x00")))
	}
	if tokens, ok := namesAddress(parts[0]); ok {
		said := Computed(c, (*Change).speaking)
		parts = append(append(parts, said.with(hostWords(tokens))...), registry.HashBytes([]byte(strings.Join(said.addresses, "\x00"))))
	}
	return registry.HashBytes([]byte(strings.Join(parts, "\x00"))) // NUL separates the parts, because the texts of a draft never contain it
}

// schemaPaths are the paths of the fields with JSON schemas.
var schemaPaths = []string{"definition.inputSchema", "definition.outputSchema"}

// enclosing returns the innermost object that contains the value at path. It returns nil unless
// path is in a schema or in the JSON that a tool was imported from.
func (c *Change) enclosing(path string) *jsondoc.Node {
	if rest, ok := strings.CutPrefix(path, wire.SourcePath); ok {
		return c.unread().Enclosing(rest)
	}
	for _, schema := range schemaPaths {
		if jsondoc.Within(path, schema) {
			return c.draft().Enclosing(path)
		}
	}
	return nil
}

// source is the cached result of unread.
type source struct{ *jsondoc.Node }

// unread returns the members of the imported JSON that the definition of the tool does not contain.
// It returns an empty object if the tool was not imported.
func (c *Change) unread() *jsondoc.Node {
	return Computed(c, func(c *Change) source {
		if tool := c.Draft.Definition.Tool; tool != nil && len(c.Source) > 0 {
			if n := wire.Unread(*tool, c.Source); n != nil {
				return source{n}
			}
		}
		return source{jsondoc.NewObject()}
	}).Node
}

// document is the cached result of draft.
type document struct{ *jsondoc.Node }

func (c *Change) draft() *jsondoc.Node {
	return Computed(c, func(c *Change) document {
		n, err := c.Draft.Node()
		if err != nil { // the draft contains a value that cannot be encoded
			n = jsondoc.NewObject()
		}
		return document{n}
	}).Node
}

// fields contains the texts of a change, indexed by path.
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

// in returns the byte range of the finding's passage in t. If the passage is not at the position of
// the finding, the range is the first occurrence of the passage. ok is false if t does not contain
// the passage.
func (f Finding) in(t Text) (start, end int, ok bool) {
	start = spans.Offset(t.Value, jsondoc.Pos{Line: f.Line, Column: f.Column})
	if start < 0 || !strings.HasPrefix(t.Value[start:], f.Passage) {
		start = strings.Index(t.Value, f.Passage)
	}
	return start, start + len(f.Passage), start >= 0
}

// isProse reports whether t consists of sentences.
func (t field) isProse() bool { return t.Kind == Prose || t.Kind == Note || t.Kind == Report }

// sentenceAround returns the sentences of t that overlap the byte range [start, end). If t is not
// prose, it returns the whole text.
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

// sentenceStarts returns the offsets of all sentences in text except the first. In doubt, it joins
// two sentences, because a waiver for a shorter sentence could cover unreviewed text. A line break,
// a list item, or a blank line therefore ends a sentence only after a full stop. A word that looks
// like an address never begins a sentence.
func sentenceStarts(text string) []int {
	var starts []int
	line, lastLine, end := 0, 0, 0 // starts of the current line and of the line of the previous word; end of the previous word
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
		if next < len(text) && text[next] != ' ' && text[next] != '\n' { // the word contains non-ASCII characters
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

// endsSentence reports whether text ends with the punctuation of a sentence.
func endsSentence(text string) bool {
	if text == "" || letters.IsWord(text[len(text)-1]) || text[len(text)-1] == ',' { // the common case
		return false
	}
	text = strings.TrimRight(text, "\"'”’»)]}*_`")
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?…。！？", last) && (last != '.' || !abbreviated(text))
}

// beginsSentence reports whether the first word of text can begin a sentence after a full stop. The
// word must begin with a capital letter or, at the start of a line, with any letter, and it must
// not look like an address.
func beginsSentence(text string, newLine bool) bool {
	word := strings.TrimLeft(text, "-*+•>0123456789.)\"'“‘«([{_` \t")
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word = word[:end]
	}
	first, _ := utf8.DecodeRuneInString(word)
	return !isAddress(word) && unicode.IsLetter(first) && (newLine || !unicode.IsLower(first))
}

// heading reports whether line is a Markdown heading.
func heading(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "#") }

// abbreviations contains words after which a full stop does not end a sentence.
var abbreviations = []string{"etc", "approx", "resp", "incl", "excl", "cf", "vs", "dr", "mr", "mrs", "ms", "no", "nr", "st", "esp", "fig", "ca", "z", "b", "u", "a", "inc", "ltd", "co", "corp"}

// abbreviated reports whether the full stop at the end of text belongs to an abbreviation.
func abbreviated(text string) bool {
	word := strings.TrimSuffix(text, ".")
	word = word[strings.LastIndexFunc(word, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	if parts := strings.Split(word, "."); len(parts) > 1 { // such as "e.g."
		return !slices.ContainsFunc(parts, func(part string) bool { return len(part) > 2 })
	}
	return slices.Contains(abbreviations, strings.ToLower(word))
}

// addresses returns the words of text that may name a host, an account, or a file, sorted and
// without duplicates. It skips numbers and abbreviations.
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

// isAddress reports whether word may be an address or a file name. Such a word contains a slash, a
// backslash, "@", or "~" anywhere, or another special character between letters or digits.
func isAddress(word string) bool {
	if strings.ContainsAny(word, `/\@~`) {
		return true
	}
	inner := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.ContainsFunc(inner, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’_*", r)
	})
}
