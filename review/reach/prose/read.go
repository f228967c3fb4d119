// Package prose derives facts from sentences: instructions to inform or ask people, claims of
// approval, names of other tools, and the sentences themselves.
package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/shell"
)

// Read adds the facts of a paragraph, a list item, or a table cell.
func Read(d fact.Doc) {
	literal.Hidden(d)
	blank := codeSpans(d)
	masked := d
	masked.Text = blank
	literal.Scan(masked, literal.Prose, fact.Order)
	shell.Unquoted(masked)
	lower := toLower(d.Text)
	sentences(d.Text, func(start, end int) { sentence(d.Part(start, end), lower[start:end]) })
}

// Comment adds the facts of a comment in a program. It does not add the sentences of the comment.
func Comment(d fact.Doc) {
	literal.Hidden(d)
	literal.Scan(d, literal.Prose, fact.Literal)
	orders(d, toLower(d.Text))
}

// toLower returns text in lower case, with each character at the same offset. It does not change a
// character if the lower case of the character has a different length. If text is not valid UTF-8,
// toLower returns it unchanged.
func toLower(text string) string {
	var b []byte
	for i := 0; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			if c, size = utf8.DecodeRuneInString(text[i:]); size == 1 {
				return text
			}
		} else if c < 'A' || c > 'Z' {
			i++
			continue
		}
		if l := unicode.ToLower(c); l != c && utf8.RuneLen(l) == size {
			if b == nil {
				b = []byte(text)
			}
			utf8.EncodeRune(b[i:], l)
		}
		i += size
	}
	if b == nil {
		return text
	}
	return string(b)
}

// codeSpans adds the facts of the code spans in a paragraph
// (https://spec.commonmark.org/0.31.2/#code-spans). It returns the paragraph with spaces in place
// of the spans that are commands.
func codeSpans(d fact.Doc) string {
	text := d.Text
	var blank []byte
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '`')
		if n < 0 {
			break
		}
		open := i + n
		run := 1
		for open+run < len(text) && text[open+run] == '`' {
			run++
		}
		from := open + run
		n = strings.Index(text[from:], text[open:from])
		if n < 0 {
			i = from
			if strings.IndexByte(text[i:], '`') < 0 || run > 3 {
				break
			}
			continue
		}
		to := from + n
		i = to + run
		span := d.Part(from, to)
		if shell.Inline(span) {
			if blank == nil {
				blank = []byte(text)
			}
			for j := from; j < to; j++ {
				if blank[j] != '\n' {
					blank[j] = ' '
				}
			}
			continue
		}
		other(d, text[:open], text[from:to], text[i:], from)
	}
	if blank == nil {
		return text
	}
	return string(blank)
}

// kinds contains nouns. A code span next to one of these nouns is the name of another tool, server,
// skill, or agent.
var kinds = []string{"skill", "agent", "subagent", "sub-agent", "server", "tool", "plugin", "mcp"}

// packages contains nouns. A code span next to one of these nouns is the name of a package.
var packages = []string{"package", "library", "dependency", "module", "crate", "gem"}

// other adds the name of another tool, server, skill, agent, or package. name is the content of a
// code span, and prefix and suffix are the texts before and after the span. other adds nothing
// unless a noun in kinds or packages is next to the span.
func other(d fact.Doc, prefix, name, suffix string, at int) {
	if len(name) > 64 || name == "" || strings.ContainsAny(name, " \n/.(){}=<>\"'") || strings.Trim(name, "-$_:") == "" {
		return
	}
	behind := strings.ToLower(strings.TrimLeft(suffix[:min(len(suffix), 14)], " "))
	ahead := strings.ToLower(strings.TrimRight(prefix[max(0, len(prefix)-14):], " "))
	beside := func(noun string) bool {
		return len(suffix) > 0 && suffix[0] == ' ' && strings.HasPrefix(behind, noun) || strings.HasSuffix(ahead, noun)
	}
	for _, kind := range kinds {
		if beside(kind) {
			d.Add(at, fact.Other, kind, name)
			return
		}
	}
	if slices.ContainsFunc(packages, beside) {
		d.Add(at, fact.Run, fact.Package, name)
	}
}

// sentences calls read with the byte range of each sentence in text, which is a paragraph.
func sentences(text string, read func(start, end int)) {
	start := 0
	for i := 0; i < len(text); {
		if !ends[text[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r {
		case '。', '！', '？':
		case '.', '!', '?', ';':
			if i < len(text) && text[i] != ' ' && text[i] != '\n' && text[i] != '\t' || r == '.' && i-start < minAbbreviated {
				continue
			}
		case '|':
			if i-start < 2 || i < len(text) && text[i] != ' ' {
				continue
			}
		default:
			continue
		}
		read(start, i)
		start = i
	}
	read(start, len(text))
}

// ends contains the first bytes of the characters that may end a sentence.
var ends = [256]bool{'.': true, '!': true, '?': true, ';': true, '|': true, 0xe3: true, 0xef: true}

// minAbbreviated is the minimum length in bytes of a sentence that ends with a period. A period
// after fewer bytes belongs to an abbreviation or an item number.
const minAbbreviated = 12

// minSentence is the minimum length in bytes of a sentence that is added, counting only its
// normalized words.
const minSentence = 8

// sentence adds the sentence d, if sentences are collected, and the facts of the instructions in d.
// lower is the text of d in lower case.
func sentence(d fact.Doc, lower string) {
	start := len(d.Text) - len(strings.TrimLeft(d.Text, " \t\n-*+#>|_"))
	d = d.Part(start, len(d.Text))
	orders(d, lower[start:])
	if !d.Sentences() {
		return
	}
	var key strings.Builder
	key.Grow(len(d.Text))
	gap := false
	for _, r := range d.Text {
		if r >= 'a' && r <= 'z' && !gap { // the common case
			key.WriteByte(byte(r))
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && key.Len() > 0 {
			key.WriteByte(' ')
		}
		gap = false
		key.WriteRune(unicode.ToLower(r))
	}
	if key.Len() < minSentence {
		return
	}
	value := strings.TrimSpace(d.Text)
	if strings.ContainsAny(value, "\n\t") {
		value = strings.Join(strings.Fields(value), " ")
	}
	d.AddKey(0, fact.Text, "", value, key.String())
}

// inWord classifies the bytes that may occur in a word in lower case.
var inWord = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = begins | foreign
		case c >= 'a' && c <= 'z':
			t[c] = begins
		case c == '-':
			t[c] = continues
		}
	}
	return t
}()

const (
	begins = 1 << iota // can begin a word
	continues
	foreign
)

// maxOrder is the maximum length in bytes of the value of a fact about an instruction.
const maxOrder = 80

// orders adds the instructions in d to inform or ask people, the claims of approval in d, and the
// English names of files that other programs obey. d is a sentence or a comment, and lower is its
// text in lower case.
func orders(d fact.Doc, lower string) {
	lex := lexical()
	var seen [roles]languages
	negated, hidden := false, -1
	first, last, claim, distance, since := -1, 0, -1, 100, 100
	note := func(e entry, start, end int) {
		if e[person]|e[tells] != 0 {
			if first < 0 || start < first {
				first = start
			}
			last = max(last, end)
		}
		if e[approval] != 0 {
			claim = start
		}
		if e[conceals] != 0 {
			hidden = start
		}
		for i := range seen {
			seen[i] |= e[i]
		}
	}
	ascii, as := true, false
	for i := 0; i < len(lower); {
		if inWord[lower[i]]&begins == 0 {
			i++
			continue
		}
		start, bits := i, uint8(0)
		for i < len(lower) && (inWord[lower[i]] != 0 || lower[i] == '\'' && i > start+1) { // the apostrophe after a single letter ends the word, as in French
			bits |= inWord[lower[i]]
			i++
		}
		ascii = ascii && bits&foreign == 0
		distance++
		since++
		if lower[start:i] == "as" && since < 8 && first >= 0 {
			as, last = true, i
		}
		e, ok := lex.find(lower[start:i])
		if !ok {
			continue
		}
		if e[negation] != 0 {
			distance = 0
		}
		if e[tells] != 0 {
			negated = negated || distance < 4
			since = 0
		}
		if e[obeys] != 0 {
			for _, name := range lex.obeyed {
				if strings.HasPrefix(lower[start:], name) {
					d.Add(start, fact.File, fact.Mentioned, name)
				}
			}
		}
		note(e, start, i)
	}
	if !ascii {
		for _, s := range lex.inside {
			if i := strings.Index(lower, s.text); i >= 0 {
				note(s.entry, i, i+len(s.text))
			}
		}
	}
	switch {
	case seen[tells]&seen[person] != 0, seen[tells] != 0 && (negated || as):
		d.Add(first, fact.User, fact.Told, phrase(lower, first, last))
	case hidden >= 0:
		d.Add(hidden, fact.User, "hidden", phrase(lower, hidden, min(len(lower), hidden+40)))
	}
	if claim >= 0 && (seen[person]&seen[approval] != 0 || strings.Contains(lower[claim:], " by ")) {
		d.Add(claim, fact.User, "approval", phrase(lower, claim, min(len(lower), claim+40)))
	}
}

// phrase returns text[start:end], truncated to maxOrder bytes, with normalized white space.
func phrase(text string, start, end int) string {
	return strings.Join(strings.Fields(plaintext.CutBytes(text[start:], min(end-start, maxOrder))), " ")
}
