package filter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/proposals/facts"
)

// Parse parses a filter. It returns an *Error for the first mistake.
func Parse(text string) (Filter, error) {
	if !utf8.ValidString(text) {
		return Filter{}, &Error{Column: 1, Message: "not valid UTF-8"}
	}
	p := parser{text: []rune(text)}
	var f Filter
	for p.skipSpace(); !p.done(); p.skipSpace() {
		start := p.at
		var t Term
		if p.peek() == '-' && p.at+1 < len(p.text) && !unicode.IsSpace(p.text[p.at+1]) { // a minus followed by a space is a text
			t.Not = true
			p.at++
		}
		var err error
		if p.peek() == '"' {
			var text string
			text, err = p.quoted()
			t.Any = []facts.Atom{{Is: facts.Text, Value: text}}
		} else {
			err = p.unquoted(&t, p.at)
		}
		if err != nil {
			return Filter{}, err
		}
		if len(f.Terms) == MaxTerms {
			return Filter{}, p.errorAt(start, "more than %d terms; quote texts of several words", MaxTerms)
		}
		f.Terms = append(f.Terms, t)
	}
	return f, nil
}

type parser struct {
	text []rune
	at   int
}

func (p *parser) done() bool { return p.at == len(p.text) }

func (p *parser) peek() rune {
	if p.done() {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) skipSpace() {
	for !p.done() && unicode.IsSpace(p.peek()) {
		p.at++
	}
}

func (p *parser) errorAt(at int, format string, args ...any) *Error {
	return &Error{Column: at + 1, Message: fmt.Sprintf(format, args...)}
}

// unquoted parses a word, or a key with its values. It adds the alternatives to t.
func (p *parser) unquoted(t *Term, start int) error {
	word := p.word(":")
	if p.peek() != ':' {
		return p.plain(t, start, word)
	}
	p.at++
	key := strings.ToLower(word)
	read, known := keys[key]
	if !known {
		return p.errorAt(start, "unknown %q: use %s, or quote the text", word+":", strings.Join(keysWithColon(), ", "))
	}
	for n := 1; ; n++ {
		at := p.at
		var value string
		var err error
		if p.peek() == '"' {
			value, err = p.quoted()
		} else if value = p.word(","); value == "" && !read.MayBeEmpty {
			err = p.errorAt(p.at, "%q needs a value: %s", key+":", read.Expects)
		}
		if err != nil {
			return err
		}
		atoms, err := read.Read(value)
		if err != nil {
			return p.errorAt(at, "%s", err)
		}
		if n > MaxValues {
			return p.errorAt(at, "more than %d values in a term", MaxValues)
		}
		t.Any = append(t.Any, atoms...)
		if p.peek() != ',' {
			return nil
		}
		p.at++
	}
}

// word reads a word, which ends at white space, at a quotation mark, or at a character in
// delims.
func (p *parser) word(delims string) string {
	start := p.at
	for !p.done() && !unicode.IsSpace(p.peek()) && p.peek() != '"' && !strings.ContainsRune(delims, p.peek()) {
		p.at++
	}
	return string(p.text[start:p.at])
}

// quoted parses a text in quotation marks.
func (p *parser) quoted() (string, error) {
	start := p.at
	var text strings.Builder
	for p.at++; !p.done(); p.at++ {
		switch r := p.peek(); r {
		case '"':
			p.at++
			if text.Len() == 0 {
				return "", p.errorAt(start, "missing text between the quotation marks")
			}
			return text.String(), nil
		case '\\':
			if p.at++; p.done() || p.peek() != '"' && p.peek() != '\\' {
				return "", p.errorAt(p.at-1, `inside quotation marks, use \\ for a backslash and \" for a quotation mark`)
			}
			text.WriteRune(p.peek())
		default:
			text.WriteRune(r)
		}
	}
	return "", p.errorAt(start, "missing closing quotation mark")
}
