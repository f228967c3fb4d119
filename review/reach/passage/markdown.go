// Package passage splits Markdown into prose and code. The rules about wording read only the prose.
// Package reach derives facts from both.
package passage

import (
	"iter"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/commonmark"
)

// Kind distinguishes prose from code.
type Kind uint8

// The kinds of parts.
const (
	Prose    Kind = iota // a paragraph, list item, heading, or table row
	Code                 // the content of a fenced code block
	Indented             // a line of an indented code block
)

// Part is a byte range of a Markdown text that contains only prose or only code.
type Part struct {
	Start, End int
	Kind       Kind
	Language   string // the first word of the fence, in lower case
}

// Markdown yields the parts of text in order. It omits the fences of code blocks, and blank lines
// outside code blocks.
func Markdown(text string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		paragraph := -1 // start of the current paragraph, or -1
		flush := func(end int) bool {
			from := paragraph
			paragraph = -1
			return from < 0 || yield(Part{from, end, Prose, ""})
		}
		indented := false // the previous line belongs to an indented code block
		for at := 0; at < len(text); {
			end := LineEnd(text, at)
			line := text[at:end]
			content := trimLeft(line, quoted)
			opener := trimLeft(content, listed)
			fence := ""
			if opener != "" && (opener[0] == '`' || opener[0] == '~') {
				fence = commonmark.Fence(opener)
			}
			ok := true
			switch {
			case fence != "":
				ok = flush(at)
				word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(opener), "`~ "), " ")
				from := end
				at = end
				for at < len(text) && !commonmark.Closes(trimLeft(text[at:LineEnd(text, at)], quoted), fence) {
					at = LineEnd(text, at)
				}
				if !ok || !yield(Part{from, at, Code, strings.ToLower(strings.Trim(word, "{}.,:"))}) {
					return
				}
				at = LineEnd(text, at)
				continue
			case content == "" || (content[0] <= ' ' || content[0] >= utf8.RuneSelf) && strings.TrimSpace(content) == "":
				ok = flush(at)
			case paragraph < 0 && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) && opener == strings.TrimLeft(line, " \t") && (indented || at == 0 || blankBefore(text, at)):
				if !yield(Part{at, end, Indented, ""}) {
					return
				}
				indented = true
				at = end
				continue
			case begins(content):
				ok = flush(at)
				paragraph = at
				if ok && (content[0] == '#' || content[0] == '|') {
					ok = flush(end)
				}
			case paragraph < 0:
				paragraph = at
			}
			if !ok {
				return
			}
			indented = false
			at = end
		}
		flush(len(text))
	}
}

// Kinds of marks that precede the content of a line: marks of block quotes, and marks of lists.
const (
	quoted = 1 << iota
	listed
)

var markers = [utf8.RuneSelf]uint8{
	' ': quoted | listed, '\t': quoted, '>': quoted, '-': listed, '*': listed, '+': listed, '.': listed,
	'0': listed, '1': listed, '2': listed, '3': listed, '4': listed, '5': listed, '6': listed, '7': listed, '8': listed, '9': listed,
}

// trimLeft returns line without the leading marks of the given kinds. It is faster than
// strings.TrimLeft.
func trimLeft(line string, marks uint8) string {
	for line != "" && line[0] < utf8.RuneSelf && markers[line[0]]&marks != 0 {
		line = line[1:]
	}
	return line
}

// LineEnd returns the end of the line that begins at offset start, including its line break.
func LineEnd(text string, start int) int {
	if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
		return start + n + 1
	}
	return len(text)
}

func blankBefore(text string, at int) bool {
	before := text[max(0, at-2):at]
	return before == "\n\n" || strings.HasSuffix(strings.TrimRight(text[max(0, at-200):at], " \t"), "\n\n")
}

// begins reports whether a line with the given content begins a new block: a heading, a list item,
// or a table row. The content must not be empty.
func begins(content string) bool {
	switch content[0] {
	case '#', '|':
		return true
	case '-', '*', '+':
		return len(content) > 1 && content[1] == ' '
	}
	i := 0
	for i < len(content) && content[i] >= '0' && content[i] <= '9' {
		i++
	}
	return i > 0 && (strings.HasPrefix(content[i:], ". ") || strings.HasPrefix(content[i:], ") "))
}
