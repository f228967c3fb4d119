// This file fills templates and removes sections without content.

package prompt

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/commonmark"
)

// section is a part of a template: an ATX heading (CommonMark 0.31, section 4.2)
// with the text up to the next heading of any level. The text before the first
// heading is a section of level 0.
type section struct {
	level int // 1 to 6
	text  string
}

// split splits a template at its headings. Lines in fenced code blocks are not
// headings.
func split(template string) []section {
	sections := []section{{}}
	start := 0
	var fence string
	for at := 0; at < len(template); {
		end := len(template)
		if i := strings.IndexByte(template[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := template[at:end]
		switch {
		case fence != "":
			if commonmark.Closes(line, fence) {
				fence = ""
			}
		case commonmark.Fence(line) != "":
			fence = commonmark.Fence(line)
		case commonmark.HeadingLevel(line) > 0:
			sections[len(sections)-1].text = template[start:at]
			sections = append(sections, section{level: commonmark.HeadingLevel(line)})
			start = at
		}
		at = end
	}
	sections[len(sections)-1].text = template[start:]
	return sections
}

// fill returns the template with its placeholders replaced and without empty
// sections.
//
// A section is removed if only its heading remains; text in subsections counts as
// its own. If the last section is removed, so are the blank lines before it. Only
// headings of the template count, not lines in values. Finally, runs of three or
// more newlines are shortened to two, also in values. fill also counts the
// characters of the result, and uses known as a cache for one value.
func fill(template string, values map[string]string, known passage) (text string, chars int) {
	sections := split(template)
	f := filler{sections: sections, values: values}
	f.parts = appendSubstituted(nil, sections[0].text, values)
	for i := 1; i < len(sections); {
		i = f.section(i)
	}
	if f.lastDropped && f.trimEnd() {
		f.parts = append(f.parts, template[len(strings.TrimRight(template, "\r\n")):])
	}
	return join(f.parts, known)
}

// passage is a long value that several prompts share.
type passage struct {
	text  string // runs of newlines are already shortened
	chars int
	valid bool // valid UTF-8, so its number of characters does not depend on the context
}

func newPassage(text string) passage {
	text = squeeze(text)
	return passage{text, countChars(text), utf8.ValidString(text)}
}

// filler collects the parts of the filled template.
type filler struct {
	sections    []section
	values      map[string]string
	parts       []string
	lastDropped bool // the last section or one of its parents was removed
}

// section adds section i and its subsections, or nothing if they have no body, and
// returns the next section that is not a subsection. Recursion is at most five
// deep, because levels increase.
func (f *filler) section(i int) int {
	start := len(f.parts)
	f.parts = appendSubstituted(f.parts, f.sections[i].text, f.values)
	next := i + 1
	for next < len(f.sections) && f.sections[next].level > f.sections[i].level {
		next = f.section(next)
	}
	if !hasBody(f.parts[start:]) {
		f.parts = f.parts[:start]
		f.lastDropped = next == len(f.sections)
	}
	return next
}

// trimEnd removes line ends at the end and reports whether any text remains.
func (f *filler) trimEnd() bool {
	for n := len(f.parts); n > 0; n-- {
		if last := strings.TrimRight(f.parts[n-1], "\r\n"); last != "" {
			f.parts = append(f.parts[:n-1], last)
			return true
		}
	}
	f.parts = nil
	return false
}

// hasBody reports whether a section has text after its first line. The first
// newline ends the heading, or the first line of a value in the heading; the rest
// of such a value is body.
func hasBody(parts []string) bool {
	heading := true
	for _, p := range parts {
		if heading {
			_, below, ended := strings.Cut(p, "\n")
			p, heading = below, !ended
		}
		if strings.TrimSpace(p) != "" {
			return true
		}
	}
	return false
}

// join concatenates the parts, shortens every run of three or more newlines to two,
// and counts the characters.
func join(parts []string, known passage) (text string, chars int) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	var b strings.Builder
	b.Grow(size)
	run := 0      // number of newlines at the end of b, at most 2
	knownAt := -1 // offset of the known passage
	for _, p := range parts {
		rest := strings.TrimLeft(p, "\n")
		lead := min(len(p)-len(rest), 2-run)
		b.WriteString("\n\n"[:lead])
		run += lead
		if rest == "" {
			continue
		}
		if rest == known.text {
			knownAt = b.Len()
		} else {
			rest = squeeze(rest)
		}
		b.WriteString(rest)
		run = len(rest) - len(strings.TrimRight(rest, "\n"))
	}
	text = b.String()
	if knownAt < 0 || !known.valid {
		return text, countChars(text)
	}
	return text, countChars(text[:knownAt]) + known.chars + countChars(text[knownAt+len(known.text):])
}

// squeeze shortens every run of three or more newlines to two.
func squeeze(text string) string {
	i := strings.Index(text, "\n\n\n")
	if i < 0 {
		return text
	}
	var b strings.Builder
	for i >= 0 {
		b.WriteString(text[:i+2])
		text = strings.TrimLeft(text[i+2:], "\n")
		i = strings.Index(text, "\n\n\n")
	}
	b.WriteString(text)
	return b.String()
}
