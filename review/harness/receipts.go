// This file recognizes receipts, which are references to a source.

package harness

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/folding"
)

// receipts recognizes receipts. A receipt is a reference that allows a reader to check a claim:
//
//   - a position in a file: Story/Scenes/SCN-harbour.md:52-53, main.go:7:3,
//     src/main.go#L10-L20, "lines 3-9 of a.md", "a.md, line 12". The file has a
//     folder or an extension, lines count from 1, and ranges are ascending;
//   - a line of the input, "line 12" or "lines 3-9", if the input has that many lines;
//   - two or more words of the input in quotation marks or backticks, if the input
//     contains them in that order, ignoring case and punctuation;
//   - the number of a record: #214, owner/repo#214;
//   - the id of a call: call_8fKq2z, toolu_01A9, "receipt: r-17", [call 3];
//   - a URL: https://example.org/page;
//   - a footnote, [2] or [^2], if a line "[2]: …" of the answer contains a receipt.
//
// A path without a line is not a receipt, because the reader cannot find the place. A quotation that is not from the
// input is not a receipt either.
type receipts struct {
	lines     int    // number of lines of the input
	words     string // words of the input, as returned by wordsOf
	lookups   int    // number of further quotations that may be searched for
	footnotes map[string]bool
}

// The input is searched for at most maxLookups quotations of an answer. Only the first maxInput bytes of the input are
// searched.
const (
	maxLookups = 500
	maxInput   = 1 << 20
)

// receiptPatterns returns the patterns of receipts. It compiles them on first use.
var receiptPatterns = sync.OnceValue(compileReceipts)

func compileReceipts() (p struct{ place, lineOf, line, plain, quote, footnote *regexp.Regexp }) {
	const (
		path  = `(?:[\p{L}\p{N}_.~@+-]*/)*[\p{L}\p{N}_~@+-][\p{L}\p{N}_.~@+-]*`
		file  = `(?:[\p{L}\p{N}_.~@+-]*/` + path + `|` + path + `\.[A-Za-z][A-Za-z0-9]{0,9})`
		until = `(?:\s?(?:-|–|—|to|and)\s?L?(\d{1,7}))?`
	)
	p.place = regexp.MustCompile(file + `(?::|#L)(\d{1,7})(?::\d+)?(?:C\d+)?` + until)
	p.lineOf = regexp.MustCompile(`(?i)` + file + "[`\"”]?" + `[\s,;:(\[]{1,3}(?:at\s)?(?:lines?|ll?\.)\s?(\d{1,7})` + until +
		`|\b(?:lines?|ll?\.)\s?(\d{1,7})` + until + `\s(?:of|in)\s["“` + "`" + `]?` + file)
	p.line = regexp.MustCompile(`(?i)\b(?:lines?\s?|L)(\d{1,7})` + until)
	p.plain = regexp.MustCompile(`(?:^|[^\p{L}\p{N}&])(?:[\w.-]+/[\w.-]+)?#\d{1,9}\b` +
		`|\b(?:call|toolu)_[A-Za-z0-9_-]{4,}` +
		`|(?i:\b(?:call|receipt)(?: id)?\s?[:#]\s?[\w-]{0,63}\d)` +
		`|(?i:[\[(](?:call|receipt)(?: id)?\s[\w-]{0,63}\d[\w-]*[\])])` +
		`|https?://[^\s<>()\[\]/]+\.[^\s<>()\[\]]+`)
	p.quote = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|»([^«]+)«|‘([^’]+)’|` + "`([^`]+)`")
	p.footnote = regexp.MustCompile(`\[(\^?[\w-]{1,16})\]`)
	return p
}

// refers reports whether s contains a receipt that can be recognized without the input and the footnotes.
func refers(s string) bool {
	p := receiptPatterns()
	if hasDigit(s) && (strings.ContainsAny(s, ":#") && inRange(p.place, s, 0) || mentionsLine(s) && inRange(p.lineOf, s, 0)) {
		return true
	}
	return (hasDigit(s) || strings.Contains(s, "_") || strings.Contains(s, "://")) && p.plain.MatchString(s)
}

// mentionsLine reports whether s contains "line" or "l.". Every match of the pattern lineOf contains one of these
// strings.
func mentionsLine(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "line") || strings.Contains(s, "l.")
}

// hasDigit reports whether s contains a digit. Most kinds of receipts contain a digit.
func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// newReceipts returns a receipts value for the answer a.
func newReceipts(a answer) *receipts {
	input := a.input[:min(len(a.input), maxInput)]
	r := &receipts{
		lines:     strings.Count(strings.TrimRight(input, "\n"), "\n") + 1,
		words:     wordsOf(input),
		lookups:   maxLookups,
		footnotes: map[string]bool{},
	}
	for line := range strings.Lines(a.text) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), "]")
		if ok && strings.HasPrefix(name, "[") && r.in(rest) {
			r.footnotes[name[1:]] = true
		}
	}
	return r
}

// in reports whether s contains a receipt.
func (r *receipts) in(s string) bool {
	p := receiptPatterns()
	if refers(s) || r.words != "" && hasDigit(s) && inRange(p.line, s, r.lines) {
		return true
	}
	if slices.ContainsFunc(p.footnote.FindAllStringSubmatch(s, -1), func(m []string) bool { return r.footnotes[m[1]] }) {
		return true
	}
	return r.words != "" && slices.ContainsFunc(p.quote.FindAllStringSubmatch(s, -1), func(m []string) bool {
		return r.verbatim(strings.Join(m[1:], ""))
	})
}

// inRange reports whether re finds a position in s with ascending line numbers that are at least 1. If maxLine is not
// 0, the line numbers must be at most maxLine.
func inRange(re *regexp.Regexp, s string, maxLine int) bool {
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		var lines []int
		for _, group := range m[1:] {
			if n, err := strconv.Atoi(group); err == nil {
				lines = append(lines, n)
			}
		}
		from, to := lines[0], lines[len(lines)-1]
		if from >= 1 && from <= to && (maxLine == 0 || to <= maxLine) {
			return true
		}
	}
	return false
}

// verbatim reports whether s consists of two or more consecutive words of the input.
func (r *receipts) verbatim(s string) bool {
	if r.words == "" || r.lookups == 0 {
		return false
	}
	words := wordsOf(s)
	if countWords(words) < 2 {
		return false
	}
	r.lookups--
	return strings.Contains(r.words, words)
}

// wordsOf returns the words of s in lower case, separated by single spaces, with a space before the first and after
// the last word. It returns "" if s has no words. In writing systems without spaces between words, each character is a
// word.
func wordsOf(s string) string {
	var b strings.Builder
	inside := false
	for _, r := range strings.ToLower(s) {
		switch {
		case folding.Unspaced(r):
			inside = false
			b.WriteByte(' ')
			b.WriteRune(r)
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			if !inside {
				b.WriteByte(' ')
			}
			inside = true
			b.WriteRune(r)
		case r != '\'' && r != '’':
			inside = false
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + " "
}

func wordCount(s string) int { return countWords(wordsOf(s)) }

// countWords returns the number of words in s, which must be a result of wordsOf.
func countWords(s string) int { return max(0, strings.Count(s, " ")-1) }

// kind is the type of a block.
type kind uint8

const (
	paragraph kind = iota
	item           // list item, including its continuation lines
	row            // table row other than the header
	quotation      // block quote
)

// block is a part of an answer. Headings, code blocks, and thematic breaks are not blocks.
type block struct {
	kind   kind
	indent int    // offset of the marker of an item, in bytes
	text   string // text without markers, with its lines joined by spaces
}

// blocks splits a Markdown text (CommonMark 0.31 with tables) into blocks.
func blocks(text string) []block {
	var (
		found []block
		open  *block
		lines []string // lines of the open block
		code  string   // opening fence of the code block to skip
	)
	finish := func() {
		if open != nil {
			open.text = strings.Join(lines, " ")
			found = append(found, *open)
		}
		open, lines = nil, nil
	}
	begin := func(b block) {
		finish()
		open = &b
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		fence := commonmark.Fence(trimmed)
		switch {
		case code != "":
			if commonmark.Closes(trimmed, code) {
				code = ""
			}
			continue
		case fence != "":
			finish()
			code = fence
			continue
		case trimmed == "", commonmark.HeadingLevel(trimmed) > 0:
			finish()
			continue
		case len(trimmed) >= 3 && strings.Trim(trimmed, "-=_*|:+ \t") == "" && strings.ContainsAny(trimmed, "-=_*"):
			// A thematic break, the underline of a heading, or the delimiter row of a table.
			if open != nil && open.kind == row && strings.Contains(trimmed, "|") {
				open = nil // the row above is the header of the table
			}
			if open != nil && open.kind == paragraph && strings.Trim(trimmed, "=-") == "" {
				open = nil // the line above is a heading
			}
			finish()
			continue
		case strings.HasPrefix(trimmed, ">"):
			if open == nil || open.kind != quotation {
				begin(block{kind: quotation})
			}
			trimmed = strings.TrimLeft(trimmed, "> ")
		case strings.HasPrefix(trimmed, "|"):
			begin(block{kind: row})
			trimmed = strings.Trim(trimmed, "|")
		default:
			if marker := listMarker(trimmed); marker != "" {
				begin(block{kind: item, indent: len(line) - len(strings.TrimLeft(line, " \t"))})
				trimmed = strings.TrimSpace(trimmed[len(marker):])
			} else if open == nil || open.kind == row {
				begin(block{kind: paragraph})
			}
		}
		lines = append(lines, trimmed)
	}
	finish()
	return found
}

// listMarker returns the marker at the beginning of a list item, including the space after it. It returns "" for any
// other line.
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
