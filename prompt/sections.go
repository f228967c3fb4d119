package prompt

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/commonmark"
)

// section is a piece of a template: an ATX heading of Markdown (CommonMark
// 0.31, section 4.2) with the text up to the next heading of any level. What
// stands before the first heading is a section of level 0.
type section struct {
	level int // 1 to 6
	text  string
}

// split divides a template at its headings. A line in a fenced code block is
// no heading.
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

// fill returns the template with its placeholders replaced and without the
// sections that have nothing left to say.
//
// A section is dropped when no text but its heading is left of it; text of the
// sections below it counts as its own. With the last section go the blank lines
// before it. Only the template's own headings count, never a line of a value. At
// last, runs of three and more newlines become two everywhere, even where a value
// ends in one. fill also counts the characters of the result; known caches both
// for a value.
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

// passage is a long value of which several prompts are made.
type passage struct {
	text  string // without runs of three and more newlines
	chars int
	valid bool // UTF-8, so that it has as many characters wherever it stands
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
	lastDropped bool // the last section, or one that holds it
}

// section adds section i and those below it, or nothing if there is no body,
// and returns the next section that is not below it. Levels only grow on the
// way down, so it calls itself at most five deep.
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

// trimEnd takes the ends of lines off the end and reports whether any text is
// left.
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

// hasBody reports whether there is text below the first line of a section. The
// first newline ends the heading, or the first line of a value that was put
// into it; the rest of such a value is body.
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

// join returns the parts as one text, every run of three and more newlines
// shortened to two, also those that two parts make together, and counts its
// characters.
func join(parts []string, known passage) (text string, chars int) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	var b strings.Builder
	b.Grow(size)
	run := 0      // newlines at the end of b, at most 2
	knownAt := -1 // where the known passage begins
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

// squeeze shortens every run of three and more newlines in text to two.
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
