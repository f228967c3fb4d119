// This file quotes passages in the messages of findings.

package rules

import (
	"strings"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
)

// maxQuoted limits the length in bytes of a quoted passage.
const maxQuoted = 600

// Quotation returns text in quotation marks on a single line. It replaces characters that a
// terminal would interpret or hide with their code points, and truncates long text.
func Quotation(text string) string {
	var b strings.Builder
	for i, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.Trim(line, " \t"); i > 0 && line != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return `"` + strings.ReplaceAll(visible.Line(plaintext.ClipBytes(b.String(), maxQuoted)), `"`, `\"`) + `"`
}

// Quoting returns the message `deed: "passage"`. The message ends with a full stop unless the
// passage already ends a sentence.
func Quoting(deed, passage string) string {
	quoted := Quotation(passage)
	stop := "."
	if r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(quoted, `"\`)); strings.ContainsRune(".!?…。！？", r) {
		stop = ""
	}
	return deed + ": " + quoted + stop
}

// Deed returns the message of f without the quoted passage, for screens that show the passage
// separately.
func (f Finding) Deed() string {
	if !f.HasQuote() {
		return f.Message
	}
	deed, rest, _ := strings.Cut(f.Message, ": "+Quotation(f.Passage))
	return deed + "." + strings.TrimPrefix(rest, ".")
}

// HasQuote reports whether the message of f quotes its passage.
func (f Finding) HasQuote() bool {
	return f.Passage != "" && strings.Contains(f.Message, ": "+Quotation(f.Passage))
}
