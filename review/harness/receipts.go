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
)

// A receipt is a reference by which a reader can check a claim:
//
//   - a place in a file: Story/Scenes/SCN-harbour.md:52-53, main.go:7:3,
//     src/main.go#L10-L20, "lines 3-9 of a.md", "a.md, line 12". The file has a
//     folder or an extension, lines count from 1, and a range runs forward;
//   - a line of the input, "line 12" or "lines 3-9", if the input is that long;
//   - words of the input, two or more in quotation marks or backticks, if they
//     stand there in that order, whatever the case and punctuation;
//   - a record by its number: #214, owner/repo#214;
//   - a call by its id: call_8fKq2z, toolu_01A9, "receipt: r-17", [call 3];
//   - an address: https://example.org/page;
//   - a footnote, [2] or [^2], if a line "[2]: …" of the answer has a receipt.
//
// A bare path is not a receipt, nor is a quotation from elsewhere: neither is a place to
// look.
type receipts struct {
	lines     int    // of the input
	words     string // of the input, see wordsOf
	lookups   int    // quotations that may still be looked for
	footnotes map[string]bool
}

// maxLookups limits the quotations of an answer that are searched in its input, and maxInput
// the bytes of the input that are searched.
const (
	maxLookups = 500
	maxInput   = 1 << 20
)

// receiptPatterns are compiled when the first answer is looked at.
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

// refers reports whether s holds a receipt that needs neither input nor
// footnotes.
func refers(s string) bool {
	p := receiptPatterns()
	if hasDigit(s) && (inRange(p.place, s, 0) || inRange(p.lineOf, s, 0)) {
		return true
	}
	return (hasDigit(s) || strings.Contains(s, "_") || strings.Contains(s, "://")) && p.plain.MatchString(s)
}

// hasDigit reports whether s contains a digit. A text without one contains no reference.
func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// newReceipts returns a recognizer of the receipts for a.
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

// in reports whether s holds a receipt.
func (r *receipts) in(s string) bool {
	p := receiptPatterns()
	if refers(s) || r.words != "" && hasDigit(s) && inRange(p.line, s, r.lines) {
		return true
	}
	for _, m := range p.footnote.FindAllStringSubmatch(s, -1) {
		if r.footnotes[m[1]] {
			return true
		}
	}
	return r.words != "" && slices.ContainsFunc(p.quote.FindAllStringSubmatch(s, -1), func(m []string) bool {
		return r.verbatim(strings.Join(m[1:], ""))
	})
}

// inRange reports whether s holds a place whose lines are in order: from 1 on,
// at most last when that is not 0.
func inRange(re *regexp.Regexp, s string, last int) bool {
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		var lines []int
		for _, group := range m[1:] {
			if n, err := strconv.Atoi(group); err == nil {
				lines = append(lines, n)
			}
		}
		from, to := lines[0], lines[len(lines)-1]
		if from >= 1 && from <= to && (last == 0 || to <= last) {
			return true
		}
	}
	return false
}

// verbatim reports whether s is two words or more of the input.
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

// wordsOf returns the words of s in lower case with one space before, between, and after them, or "" if there are none.
// In scripts without spaces between words, every character is a word.
func wordsOf(s string) string {
	var b strings.Builder
	inside := false
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.In(r, unspaced...):
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

// unspaced are the scripts that put no space between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func wordCount(s string) int { return countWords(wordsOf(s)) }

// countWords counts the words in the result of wordsOf.
func countWords(words string) int { return max(0, strings.Count(words, " ")-1) }

// kind is the kind of a block of Markdown.
type kind uint8

const (
	paragraph kind = iota
	item           // of a list, with the lines that continue it
	row            // of a table, without its header
	quotation      // a block quote
)

// block is one piece of an answer, other than a heading, code, or a rule.
type block struct {
	kind   kind
	indent int    // of an item's marker, in bytes
	text   string // without markers, lines joined by a space
}

// blocks groups the lines of a Markdown text (CommonMark 0.31, and tables).
func blocks(text string) []block {
	var (
		found []block
		open  *block
		lines []string // of open
		code  string   // the fence that began the code that is being skipped
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
			// It is a thematic break, underlines a heading, or divides a table.
			if open != nil && open.kind == row && strings.Contains(trimmed, "|") {
				open = nil // the row above is the table's head
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

// listMarker returns the marker that makes line an item of a list, with the space after it; ""
// for other lines.
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
