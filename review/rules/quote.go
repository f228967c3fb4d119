package rules

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
)

// maxQuoted is how many bytes of a passage a message quotes.
const maxQuoted = 600

// Quotation returns text in quotation marks on one line: letters of every language as
// they are, and the code point of each character that a terminal would obey or draw as
// nothing. Of a long text it has the beginning.
func Quotation(text string) string {
	var b strings.Builder
	for i, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.Trim(line, " \t"); i > 0 && line != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	text = b.String()
	if n := maxQuoted; len(text) > n {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + "…"
	}
	return `"` + strings.ReplaceAll(visible.Line(text), `"`, `\"`) + `"`
}

// Quoting returns the message of a finding: what the passage does, and the passage.
func Quoting(deed, passage string) string {
	quoted := Quotation(passage)
	stop := "."
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(quoted, `"\`)); strings.ContainsRune(".!?…。！？", r) {
		stop = ""
	}
	return deed + ": " + quoted + stop
}

// Deed returns the message of f without the passage where it quotes that, for a screen
// on which the passage stands by itself.
func (f Finding) Deed() string {
	if !f.Quoted() {
		return f.Message
	}
	deed, rest, _ := strings.Cut(f.Message, ": "+Quotation(f.Passage))
	return deed + "." + strings.TrimPrefix(rest, ".")
}

// Quoted reports whether the message of f quotes its passage.
func (f Finding) Quoted() bool {
	return f.Passage != "" && strings.Contains(f.Message, ": "+Quotation(f.Passage))
}
