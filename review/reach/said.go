package reach

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/registry/mdfile"
	"toolcrib/review/reach/code"
	"toolcrib/review/reach/passage"
)

// prosePart names the part of a file that is prose.
type prosePart uint8

const (
	paragraphs prosePart = iota // Markdown with front matter
	comments                    // of a program, and the strings that say something
	values                      // of settings, those that say something
	nothing                     // data that nobody reads as sentences
)

// Prose returns the text of a file with spaces for everything but its prose, at the same
// offsets: paragraphs of Markdown, and the comments, strings and values that address a reader.
// Code, markup and tables of data are blank. It reports whether the file is a document, which
// is prose but for its code.
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
			copy(m.out, text[:from])
		}
		m.markdown(from, len(text), 0)
	case comments:
		m.program(0, len(text), ext)
	case values:
		m.settings(0, len(text))
	case nothing:
	}
	return string(m.out), f.says == paragraphs
}

// masked is a text in which everything but the kept parts is blank.
type masked struct {
	text string
	out  []byte
}

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

// keepSaid keeps a part if it addresses a reader.
func (m *masked) keepSaid(start, end int) {
	if part := m.text[start:end]; says(part) || strings.Count(part, `\u00`)+strings.Count(part, `\x`) >= fewestEscapes {
		m.keep(start, end)
	}
}

// markdown keeps the prose of Markdown.
func (m *masked) markdown(from, to, depth int) {
	for p := range passage.Markdown(m.text[from:to]) {
		start, end := from+p.Start, from+p.End
		switch {
		case p.Kind == passage.Code && (p.Language == "markdown" || p.Language == "md" || p.Language == "mdx") && depth < 2:
			m.markdown(start, end, depth+1)
		case p.Kind == passage.Code && (isShell(p.Language) || code.Known(p.Language)) && p.Language != "":
			m.program(start, end, p.Language)
		case p.Kind == passage.Code && p.Language != "" && strings.Contains(dataFences, " "+p.Language+" "):
			m.settings(start, end)
		case p.Kind == passage.Code:
			m.lines(start, end)
		case p.Kind == passage.Indented:
			m.keepSaid(start, end)
		case strings.HasPrefix(strings.TrimLeft(m.text[start:end], " \t>"), "|"):
			m.row(start, end)
		default:
			m.keep(start, end)
		}
	}
}

// row keeps the cells of a row of a table that say something.
func (m *masked) row(start, end int) {
	for at := start; at < end; {
		next := strings.IndexByte(m.text[at:end], '|')
		if next < 0 {
			next = end - at
		}
		m.keepSaid(at, at+next)
		at += next + 1
		if at <= end {
			m.keep(at-1, at) // the mark parts sentences
		}
	}
}

// lines keeps the lines of a text without a language that say something.
func (m *masked) lines(start, end int) {
	for at := start; at < end; {
		next := passage.LineEnd(m.text[:end], at)
		m.keepSaid(at, next)
		at = next
	}
}

// program keeps the comments of a program and the strings that say something.
func (m *masked) program(start, end int, lang string) {
	commented, quoted := code.Texts(m.text[start:end], lang)
	for _, c := range commented {
		m.keepSaid(start+c[0], start+c[1])
	}
	for _, q := range quoted {
		m.keepSaid(start+q[0], start+q[1])
	}
}

// settings keeps the values and comments of settings that say something.
func (m *masked) settings(start, end int) {
	m.program(start, end, "")
	for at := start; at < end; {
		next := passage.LineEnd(m.text[:end], at)
		if i := strings.IndexAny(m.text[at:next], ":="); i >= 0 {
			m.keepSaid(at+i+1, next)
		} else {
			m.keepSaid(at, next)
		}
		at = next
	}
}

// fewestWords is the minimum number of words in a text that addresses a reader, fewestGlyphs of
// characters in a script without spaces.
const (
	fewestWords   = 4
	fewestGlyphs  = 8
	fewestEscapes = 8 // letters that are written as escapes
)

// says reports whether a text reads as words of a language: most of it are words of letters
// alone, in a row.
func says(text string) bool {
	words, others, glyphs := 0, 0, 0
	for field := range strings.FieldsSeq(text) {
		field = strings.Trim(field, ".,;:!?()[]\"'*_#>-…`“”‘’")
		if field == "" {
			continue
		}
		letters := true
		for _, r := range field {
			switch {
			case r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul):
				glyphs++
			case !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' && r != '-':
				letters = false
			}
		}
		if letters && (utf8.RuneCountInString(field) > 1 || field == "a" || field == "I") {
			words++
		} else {
			others++
		}
	}
	return words >= fewestWords && words > others || glyphs >= fewestGlyphs
}
