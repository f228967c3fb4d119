// This file finds the claims in an answer and checks that each claim cites a receipt.

package harness

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lazyregexp"
	"toolcrib/prompt/toolcall"
	"toolcrib/registry/jsondoc"
)

// evidence checks that each claim in the answer cites a receipt.
//
// A claim is a sentence of a paragraph, an item of a list, or a row of a table that has at least three words. A claim
// cites a receipt if it contains the receipt, or if the receipt directly follows it in brackets. The following are not
// claims:
//
//   - headings, code, block quotes, and the header of a table;
//   - questions, requests to the user, and English sentences in which the model states that it lacks an ability or
//     information;
//   - introductions: a text that ends in a colon, an item directly before its nested items, and a paragraph of a single
//     sentence directly before a list, a table, or a block quote that contains a receipt or a part of the input;
//   - a list of sources that contains only paths, with or without a label.
//
// In a JSON answer, the claims are the strings with at least three words. Each string in an array is a claim, and all
// strings of an object together are one claim. An object cites a receipt if it contains a receipt anywhere, or a path
// (path, file) and a line (line, start_line, lines).
//
// A tool call contains no claims. Any other answer that is not empty and contains no receipt fails, even if it has only
// one or two words.
func (a answer) evidence() string {
	if strings.TrimSpace(a.text) == "" {
		return "the answer is empty"
	}
	if _, err := toolcall.Parse(a.text); err == nil {
		return ""
	}
	l := &claimCounter{receipts: newReceipts(a)}
	if n, err := jsondoc.Parse([]byte(toolcall.Unwrap(a.text)), jsonLimits); err == nil && (n.Kind == jsondoc.Object || n.Kind == jsondoc.Array) {
		l.value(n)
	} else {
		l.prose(a.text)
	}
	switch {
	case l.claims == 1 && l.bare == 1:
		return "a claim cites no receipt: " + jsondoc.Quote(l.first)
	case l.bare > 0:
		return fmt.Sprintf("%d of %d claims cite no receipt, the first: %s", l.bare, l.claims, jsondoc.Quote(l.first))
	case l.claims == 0 && l.remark != "":
		return "the answer cites no receipt: " + jsondoc.Quote(l.remark)
	}
	return ""
}

// claimCounter counts the claims in an answer.
type claimCounter struct {
	receipts *receipts
	claims   int
	bare     int    // number of claims without a receipt
	first    string // first claim without a receipt
	remark   string // first statement with too few words for a claim
}

// minClaim is the minimum number of words of a claim.
const minClaim = 3

// prose counts the claims in Markdown.
func (l *claimCounter) prose(text string) {
	all := blocks(text)
	if len(all) == 0 { // text contains only headings and code
		l.remark = strings.TrimSpace(text)
	}
	for i, b := range all {
		introduces := i+1 < len(all) && all[i+1].follows(b) && len(slices.Collect(sentences(b.text))) == 1
		if introduces && all[i+1].kind == quotation {
			quoted := all[i+1].text
			introduces = l.receipts.in(quoted) || l.receipts.verbatim(quoted)
		}
		switch {
		case introduces, b.kind == quotation:
		case b.kind == paragraph:
			for sentence := range sentences(b.text) {
				l.enter(sentence, l.receipts.in(sentence))
			}
		default:
			l.enter(b.text, l.receipts.in(b.text))
		}
	}
}

// follows reports whether prev, the block before b, can be an introduction of b.
func (b block) follows(prev block) bool {
	if prev.kind == item {
		return b.kind == item && b.indent > prev.indent
	}
	return prev.kind == paragraph && b.kind != paragraph
}

// enter counts text if it is a claim. cites reports whether text cites a receipt.
func (l *claimCounter) enter(text string, cites bool) {
	plain := strings.Trim(text, "*_~`\"'“”‘’()[] \t")
	words := wordCount(plain)
	switch {
	case words == 0, strings.HasSuffix(plain, "?"), strings.HasSuffix(plain, "？"), strings.HasSuffix(plain, ":"):
	case hedged().MatchString(plain), isSources(plain):
	case cites:
		l.claims++
	case words < minClaim:
		if l.remark == "" {
			l.remark = text
		}
	default:
		l.claims++
		l.bare++
		if l.bare == 1 {
			l.first = text
		}
	}
}

// hedged matches the beginning of a request to the user, or of a sentence in which the model states that it lacks an
// ability or information.
var hedged = lazyregexp.New(`(?i)^(?:(?:sorry|unfortunately)\b[,;:]?\s*(?:but\s)?)?(?:` +
	`please\s|(?:tell|show|send|give)\sme\s|let\sme\sknow\b|` +
	`(?:i|we)(?:\sam|\sare|['’]m|['’]re)?\s(?:can\s?not|can['’]t|could\snot|couldn['’]t|unable\sto|not\sable\sto|` +
	`do\snot\shave|don['’]t\shave|have\sno\saccess|have\snot\sbeen\sgiven|was\snot\sgiven|were\snot\sgiven|need\s))`)

// isSources reports whether text contains only paths, with or without a label.
func isSources(text string) bool {
	if label, rest, ok := strings.Cut(text, ": "); ok && len(label) <= 40 {
		text = rest
	}
	n := 0
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,;`()[]", r) }) {
		field = strings.TrimRight(field, ".")
		if field == "and" || field == "" {
			continue
		}
		if !strings.Contains(strings.Trim(field, "/"), "/") && !sourceName().MatchString(field) {
			return false
		}
		n++
	}
	return n > 0
}

// sourceName matches a file name with an extension.
var sourceName = lazyregexp.New(`^[\p{L}\p{N}_.~@+-]+\.[A-Za-z][A-Za-z0-9]{0,9}$`)

// value counts the claims in n and its descendants, and reports whether n contains a receipt. All strings of an object
// together are treated as one claim.
func (l *claimCounter) value(n *jsondoc.Node) (cites bool) {
	switch n.Kind { //nolint:exhaustive // other values contain no text
	case jsondoc.String:
		return l.receipts.in(n.Text) || l.receipts.verbatim(n.Text)
	case jsondoc.Object:
		var path, line bool // in separate members
		claim := ""
		for _, m := range n.Members {
			switch strings.ToLower(m.Key) {
			case "path", "file", "file_path", "filepath", "filename":
				path = path || m.Value.Kind == jsondoc.String && m.Value.Text != ""
			case "line", "lines", "start_line", "startline", "first_line":
				line = line || m.Value.Kind == jsondoc.Number || m.Value.Kind == jsondoc.Array ||
					m.Value.Kind == jsondoc.String && strings.ContainsFunc(m.Value.Text, unicode.IsDigit)
			}
			found := l.value(m.Value)
			cites = cites || found
			if m.Value.Kind == jsondoc.String && claim == "" && wordCount(m.Value.Text) >= minClaim {
				claim = m.Value.Text
			}
		}
		cites = cites || path && line
		if claim != "" {
			l.enter(claim, cites)
		}
	case jsondoc.Array:
		for _, item := range n.Items {
			found := l.value(item)
			cites = cites || found
			if item.Kind == jsondoc.String {
				l.enter(item.Text, found)
			}
		}
	}
	return cites
}

// abbreviations contains words that end in a period without ending a sentence.
const abbreviations = " e.g. i.e. cf. vs. etc. ch. chap. p. pp. l. ll. no. nos. fig. sec. vol. ed. eds. dr. mr. mrs. ms. st. jr. sr. prof. approx. ca. "

// sentences yields the sentences of text. A reference in brackets after the end of a sentence belongs to this sentence.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
			end := sentenceEnd(text)
			if !yield(strings.TrimSpace(text[:end])) {
				return
			}
			text = text[end:]
		}
	}
}

// sentenceEnd returns the length in bytes of the first sentence of text.
func sentenceEnd(text string) int {
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("。！？", r):
		case !strings.ContainsRune(".!?…", r), r == '.' && abbreviated(text[:end]):
			continue
		}
		for end < len(text) { // include closing punctuation
			c, size := utf8.DecodeRuneInString(text[end:])
			if !strings.ContainsRune(".!?…)]}\"'”’»*_`", c) {
				break
			}
			end += size
		}
		c, _ := utf8.DecodeRuneInString(text[end:])
		if end < len(text) && !unicode.IsSpace(c) && r < 0x3000 {
			continue // the mark is part of a number, a path, or a URL
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end:], " \t"))
		if (strings.HasSuffix(text[:end], "..") || strings.HasSuffix(text[:end], "…")) && unicode.IsLower(next) {
			continue // an ellipsis within the sentence
		}
		return afterReference(text, end)
	}
	return len(text)
}

// abbreviated reports whether s ends in an abbreviation or in an initial.
func abbreviated(s string) bool {
	const longest = len(" approx.")
	s = s[max(0, len(s)-longest):]
	word := s[strings.LastIndexAny(s, " \t(\"“[")+1:]
	if len(word) == 2 && word[0] >= 'A' && word[0] <= 'Z' {
		return true
	}
	return strings.Contains(abbreviations, " "+strings.ToLower(word)+" ")
}

// maxReference is the maximum length in bytes of a reference in brackets.
const maxReference = 300

// afterReference returns the end of the references in brackets that follow a sentence. end is the end of the sentence.
// A period after a reference belongs to the reference.
func afterReference(text string, end int) int {
	for {
		rest := strings.TrimLeft(text[end:], " \t")
		if rest == "" || rest[0] != '[' && rest[0] != '(' {
			return end
		}
		closing := strings.IndexAny(rest[:min(len(rest), maxReference)], ")]")
		if closing < 0 || !refers(rest[:closing+1]) {
			return end
		}
		end = len(text) - len(rest) + closing + 1
		if end < len(text) && text[end] == '.' {
			end++
		}
	}
}
