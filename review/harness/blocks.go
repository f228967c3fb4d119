package harness

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/commonmark"
)

// kind is the kind of a block of Markdown.
type kind uint8

const (
	paragraph kind = iota
	item           // of a list, with the lines that continue it
	row            // of a table, its head left out
	quotation      // a block quote
)

// block is one piece of an answer. Headings, code and rules are none.
type block struct {
	kind   kind
	indent int    // of an item's marker, in bytes
	text   string // without markers, lines joined by a space
}

// blocks reads as much of Markdown (CommonMark 0.31, and tables) as is needed to
// group lines.
func blocks(text string) []block {
	r := blockReader{}
	for line := range strings.Lines(text) {
		r.line(line)
	}
	r.finish()
	return r.blocks
}

type blockReader struct {
	blocks []block
	open   *block
	lines  []string
	fence  string // the mark that began the code that is being skipped
}

func (r *blockReader) line(line string) {
	trimmed := strings.TrimSpace(line)
	fence := commonmark.Fence(trimmed)
	switch {
	case r.fence != "":
		if commonmark.Closes(trimmed, r.fence) {
			r.fence = ""
		}
		return
	case fence != "":
		r.finish()
		r.fence = fence
		return
	case trimmed == "", commonmark.HeadingLevel(trimmed) > 0:
		r.finish()
		return
	case isRule(trimmed):
		if r.open != nil && r.open.kind == row && strings.Contains(trimmed, "|") {
			r.open = nil // the row above is the table's head
		}
		if r.open != nil && r.open.kind == paragraph && strings.Trim(trimmed, "=-") == "" {
			r.open = nil // the line above is a heading
		}
		r.finish()
		return
	case strings.HasPrefix(trimmed, ">"):
		if r.open == nil || r.open.kind != quotation {
			r.begin(block{kind: quotation})
		}
		trimmed = strings.TrimLeft(trimmed, "> ")
	case strings.HasPrefix(trimmed, "|"):
		r.begin(block{kind: row})
		trimmed = strings.Trim(trimmed, "|")
	default:
		if marker := listMarker(trimmed); marker != "" {
			r.begin(block{kind: item, indent: len(line) - len(strings.TrimLeft(line, " \t"))})
			trimmed = strings.TrimSpace(trimmed[len(marker):])
		} else if r.open == nil || r.open.kind == row {
			r.begin(block{kind: paragraph})
		}
	}
	r.lines = append(r.lines, trimmed)
}

func (r *blockReader) begin(b block) {
	r.finish()
	r.open = &b
}

func (r *blockReader) finish() {
	if r.open != nil {
		r.open.text = strings.Join(r.lines, " ")
		r.blocks = append(r.blocks, *r.open)
	}
	r.open, r.lines = nil, nil
}

// isRule reports whether line is a thematic break, underlines a heading or
// divides a table.
func isRule(line string) bool {
	return len(line) >= 3 && strings.Trim(line, "-=_*|:+ \t") == "" && strings.ContainsAny(line, "-=_*")
}

// listMarker returns what makes line an item of a list, the space behind it
// included, "" when it is none.
func listMarker(line string) string {
	r, size := utf8.DecodeRuneInString(line)
	switch {
	case strings.ContainsRune("-*+•–—", r):
	case r >= '0' && r <= '9':
		digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
		if digits > 9 || digits == len(line) || line[digits] != '.' && line[digits] != ')' {
			return ""
		}
		size = digits + 1
	default:
		return ""
	}
	if size < len(line) && line[size] != ' ' && line[size] != '\t' {
		return ""
	}
	return line[:min(size+1, len(line))]
}
