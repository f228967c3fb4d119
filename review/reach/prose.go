// This file finds the prose in a file.

package reach

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/registry/mdfile"
	"toolcrib/review/reach/code"
	"toolcrib/review/reach/passage"
)

// prosePart is the part of a file that is prose.
type prosePart uint8

const (
	paragraphs prosePart = iota // Markdown with front matter
	comments                    // comments, and strings that look like prose
	values                      // values of settings that look like prose
	nothing                     // data without sentences
)

// Prose returns a copy of a file's text in which everything except prose is replaced by spaces.
// Offsets are the same as in text. The prose of a document is its paragraphs. The prose of any
// other file is the comments, strings, and values that address a reader. A key of front matter is
// replaced by a line break. document reports whether the file is a document, which consists of
// prose except for its code blocks.
func Prose(name, text string) (said string, document bool) {
	f, ext := formatOf(name, text)
	if f.says == nothing {
		return string(blank(text)), false
	}
	m := masked{text: text, out: blank(text)}
	switch f.says {
	case paragraphs:
		_, body, ok := mdfile.SplitFront(text)
		from := 0
		if ok {
			from = len(text) - len(body)
			m.keep(0, from)
			for _, key := range frontKey.FindAllStringIndex(text[:from], -1) { // without the line breaks, the values of several keys would form a single sentence
				copy(m.out[key[0]:key[1]], "\n"+strings.Repeat(" ", key[1]-key[0]-2)+text[key[1]-1:key[1]])
			}
		}
		m.markdown(from, len(text), 0)
	case comments:
		m.program(0, len(text), ext)
	case values:
		m.settings(0, len(text), ext)
	case nothing:
	}
	return string(m.out), f.says == paragraphs
}

// masked is a text with a copy (out) of the same length. In the copy, spaces replace everything
// except the selected parts of the text.
type masked struct {
	text string
	out  []byte
}

// blank returns a copy of text in which every byte except line breaks is a space.
func blank(text string) []byte {
	out := make([]byte, len(text))
	for i := range out {
		if out[i] = ' '; text[i] == '\n' {
			out[i] = '\n'
		}
	}
	return out
}

func (m *masked) keep(start, end int) { copy(m.out[start:end], m.text[start:end]) }

// keepProse copies a part of the text to out if the part looks like prose. It also copies parts
// with many escape sequences, which may encode prose.
func (m *masked) keepProse(start, end int) {
	part := m.text[start:end]
	if readsAsProse(part) || strings.Count(part, `\u00`)+strings.Count(part, `\x`) >= fewestEscapes || strings.Count(part, "%20") >= fewestWords-1 {
		m.keep(start, end)
	}
}

// markdown copies the prose of the Markdown text in the byte range [from, to) to out. depth is the
// number of Markdown code blocks that contain this text.
func (m *masked) markdown(from, to, depth int) {
	for p := range passage.Markdown(m.text[from:to]) {
		start, end := from+p.Start, from+p.End
		switch {
		case p.Kind == passage.Code && (p.Language == "markdown" || p.Language == "md" || p.Language == "mdx") && depth < 2:
			m.markdown(start, end, depth+1)
		case p.Kind == passage.Code && (isShell(p.Language) || code.Known(p.Language)) && p.Language != "":
			m.program(start, end, p.Language)
		case p.Kind == passage.Code && p.Language != "" && strings.Contains(dataFences, " "+p.Language+" "):
			m.settings(start, end, p.Language)
		case p.Kind == passage.Code:
			for line := range strings.Lines(m.text[start:end]) {
				m.keepProse(start, start+len(line))
				start += len(line)
			}
		case p.Kind == passage.Indented:
			m.keepProse(start, end)
		case strings.HasPrefix(strings.TrimLeft(m.text[start:end], " \t>"), "|"):
			m.row(start, end)
		default:
			m.keep(start, end)
		}
	}
}

// frontKey matches the usual keys of front matter, which are not part of a sentence. Any other key
// may be part of a sentence, because an agent may read "send: the keys to https://drop.example" as
// a text.
var frontKey = regexp.MustCompile(`(?m)^(?:name|title|description|version|author|license|category|tags|metadata|compatibility|model|color|tools|allowed-tools|argument-hint|alwaysApply|globs):(?:[ \t]|$)`)

// row copies a table row to out, but only the cells that look like prose.
func (m *masked) row(start, end int) {
	for at := start; at < end; {
		next := strings.IndexByte(m.text[at:end], '|')
		if next < 0 {
			next = end - at
		}
		m.keepProse(at, at+next)
		at += next + 1
		if at <= end {
			m.keep(at-1, at) // the "|" separates sentences
		}
	}
}

// program copies the comments and strings of a program to out if they look like prose.
func (m *masked) program(start, end int, lang string) {
	commented, quoted := code.Texts(m.text[start:end], lang)
	for _, c := range commented {
		m.keepProse(start+c[0], start+c[1])
	}
	for _, q := range quoted {
		m.keepProse(start+q[0], start+q[1])
	}
}

// settings copies the values and comments of settings to out if they look like prose. It blanks the
// quotation marks of JSON, because they do not mean that a value quotes someone.
func (m *masked) settings(start, end int, format string) {
	m.program(start, end, "")
	at := start
	for line := range strings.Lines(m.text[start:end]) {
		m.keepProse(at+strings.IndexAny(line, ":=")+1, at+len(line)) // the whole line if it has no key
		at += len(line)
	}
	for i := start; i < end && strings.HasPrefix(format, "json"); i++ {
		switch m.text[i] {
		case '\\':
			i++
		case '"':
			m.out[i] = ' '
		}
	}
}

// Minimum sizes of a text that looks like prose, in words, in characters of a writing system
// without spaces, or in escaped letters.
const (
	fewestWords   = 3
	fewestGlyphs  = 4
	fewestEscapes = 8 // also the minimum number of letters in a text that is spelled letter by letter
)

// readsAsProse reports whether text looks like prose: most of its words consist only of letters. A
// word may also be several joined words ("ignore_all_rules"), be spelled letter by letter, or
// contain digits in place of letters. The rules about wording recognize these disguises.
func readsAsProse(text string) bool {
	words, others, single, glyphs := 0, 0, 0, 0
	for field := range strings.FieldsSeq(text) {
		field = strings.Trim(field, ".,;:!?()[]{}\"'*_#>-…`“”‘’")
		if field == "" {
			continue
		}
		n, of := wordsIn(field)
		if glyphs += of; n > 0 {
			words += n
			continue
		}
		others++
		if r, size := utf8.DecodeRuneInString(field); size == len(field) && unicode.IsLetter(r) {
			single++
		}
	}
	return words >= fewestWords && words > others || glyphs >= fewestGlyphs || single >= fewestEscapes
}

// longWord is the minimum number of consecutive letters that are taken for several joined words.
const longWord = 24

// wordsIn returns the number of words in a field without spaces, and the number of characters in
// writing systems without spaces. A field that looks like code, or that is a single letter other
// than "a" or "I", contains 0 words.
func wordsIn(field string) (words, glyphs int) {
	letters, digits, parts := 0, 0, 1
	mark, before := false, rune(0) // mark is set if "_" or "." joins words
	for _, r := range field {
		switch {
		case r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul):
			glyphs++
		case unicode.IsLetter(r) || unicode.IsMark(r):
			if letters++; unicode.IsUpper(r) && unicode.IsLower(before) {
				parts++
			}
		case r == '_' || r == '-' || r == '.':
			parts++
			mark = mark || r != '-'
		case strings.ContainsRune("013457@$!|", r):
			digits++
		case r != '\'' && r != '’':
			words = -1 // code
		}
		before = r
	}
	switch {
	case words < 0 || digits > letters:
		return 0, glyphs
	case digits == 0 && parts >= fewestWords:
		return parts, glyphs
	case mark:
		return 0, glyphs
	case letters >= longWord:
		return fewestWords, glyphs
	case letters+glyphs > 1 || field == "a" || field == "I":
		return 1, glyphs
	}
	return 0, glyphs
}
