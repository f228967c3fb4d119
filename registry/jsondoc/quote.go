package jsondoc

import (
	"strconv"
	"strings"

	"toolcrib/internal/plaintext"
)

// Limits of untrusted text in a message, in characters.
const (
	maxQuoted    = 64
	maxPrintable = 200
)

// Quote returns s for use inside a message: in double quotes, everything but
// printable ASCII escaped, and cut after 64 characters, so that a hostile text
// can neither act on a terminal, hide in the message, nor flood it.
func Quote(s string) string {
	cut := plaintext.Cut(s, maxQuoted)
	quoted := strconv.QuoteToASCII(cut)
	if len(cut) < len(s) {
		quoted += "..."
	}
	return quoted
}

// Printable returns a message that may repeat untrusted text in a form that is
// safe inside another message: everything but printable ASCII escaped, and cut
// after 200 characters.
func Printable(s string) string {
	cut := plaintext.Cut(s, maxPrintable)
	var b strings.Builder
	for _, r := range cut {
		if r >= ' ' && r <= '~' {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	if len(cut) < len(s) {
		b.WriteString("...")
	}
	return b.String()
}
