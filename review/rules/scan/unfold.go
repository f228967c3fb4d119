package scan

import (
	"strings"
	"unicode/utf8"
)

// Fold returns text with every character in its plain form: letters that imitate
// ASCII ones, styled letters and accents become plain letters in lower case,
// invisible characters and combining marks go.
func Fold(text string) string {
	if Plain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch f := foldRune(r); {
		case f.class == skip:
		case f.ascii != 0:
			b.WriteByte(f.ascii)
		default:
			b.WriteString(f.text)
		}
		i += n
	}
	return b.String()
}
