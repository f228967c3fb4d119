package mdfile

import (
	"strings"
	"unicode/utf8"
)

// Titles knows which headings divide a file. It returns the canonical spelling
// of a title, or false when a heading with that title is plain text.
type Titles func(title string) (canonical string, ok bool)

// TitleSet returns the Titles that are written in list, in any letter case.
func TitleSet(list ...string) Titles {
	return func(title string) (string, bool) {
		for _, t := range list {
			if strings.EqualFold(t, title) {
				return t, true
			}
		}
		return "", false
	}
}

// heading returns the canonical title when line is a heading that known knows:
// "## ", the title, and nothing else but blanks.
func (known Titles) heading(line string) (title string, ok bool) {
	rest, ok := strings.CutPrefix(line, "## ")
	if !ok {
		return "", false
	}
	return known(strings.Trim(rest, blanks))
}

// escape protects a line of text that would be read as a heading, or that is
// already protected.
func (known Titles) escape(line string) string {
	if _, ok := known.heading(strings.TrimLeft(line, `\`)); ok {
		return `\` + line
	}
	return line
}

// unescape undoes escape.
func (known Titles) unescape(line string) string {
	if !strings.HasPrefix(line, `\`) {
		return line
	}
	if _, ok := known.heading(strings.TrimLeft(line, `\`)); ok {
		return line[1:]
	}
	return line
}

const blanks = " \t"

// Representable reports whether text comes back unchanged when it is written
// as a section. A text that is empty, begins with a blank line, ends in white
// space, or holds a carriage return or a NUL does not; it belongs into the
// front matter.
func Representable(text string) bool {
	return text != "" && text == trim(text) && utf8.ValidString(text) && !strings.ContainsAny(text, "\r\x00")
}

// trim takes off blank lines at the beginning and white space at the end.
func trim(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.Trim(line, blanks) != "" {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, blanks+"\n")
}
