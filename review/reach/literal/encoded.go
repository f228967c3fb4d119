// This file decodes base64, hexadecimal, and tag characters.

package literal

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"toolcrib/review/reach/fact"
)

// minEncoded is the minimum length in bytes of a word that is decoded. Shorter words are usually
// names.
const minEncoded = 20

// encoded decodes w if it is base64 (RFC 4648) or hexadecimal. It adds the decoded text and the
// facts of this text.
func (s *scanner) encoded(w word) {
	raw := strings.TrimRight(w.text, "=")
	if i := strings.IndexByte(raw, '='); i >= 0 {
		raw = raw[i+1:]
	}
	text, ok := Decode(raw)
	if !ok {
		return
	}
	s.Add(w.start, fact.Run, fact.Decoded, text)
	if inner, ok := s.Within(w.start, text); ok {
		Scan(inner, Data, fact.Decoded)
	}
}

// Decode decodes raw, which may be base64 or hexadecimal. It returns false if raw cannot be
// decoded, or if the result is not readable text that contains a space, a slash, or a dot.
func Decode(raw string) (string, bool) {
	var b []byte
	var err error
	raw = strings.TrimRight(raw, "=")
	if len(raw) < minEncoded {
		return "", false
	}
	if strings.Trim(raw, "0123456789abcdefABCDEF") == "" && len(raw)%2 == 0 {
		b, err = hex.DecodeString(raw)
	} else if strings.ContainsAny(raw, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		b, err = base64.RawStdEncoding.DecodeString(raw)
		if err != nil {
			b, err = base64.RawURLEncoding.DecodeString(raw)
		}
	}
	text := string(b)
	if err != nil || len(b) == 0 || !utf8.ValidString(text) || !strings.ContainsAny(text, " /.") {
		return "", false
	}
	letters := 0
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return "", false
		}
		if r >= 'a' && r <= 'z' || r == ' ' || r == '/' || r == '.' {
			letters++
		}
	}
	return text, letters*3 > utf8.RuneCountInString(text)*2
}

// Hidden adds the text that d contains in tag characters, which viewers do not display
// (https://www.unicode.org/charts/PDF/UE0000.pdf). It also adds the facts of this text.
func Hidden(d fact.Doc) {
	const first = "\xf3\xa0" // the first bytes of all tag characters
	start := strings.Index(d.Text, first)
	if start < 0 {
		return
	}
	var b strings.Builder
	for _, r := range d.Text[start:] {
		if r > 0xE0000 && r < 0xE007F {
			b.WriteRune(r - 0xE0000)
		}
	}
	if b.Len() < 6 {
		return // the emoji of a flag, https://www.unicode.org/reports/tr51/#def_emoji_tag_sequence
	}
	d.Add(start, fact.Run, fact.Decoded, b.String())
	if inner, ok := d.Within(start, b.String()); ok {
		Scan(inner, Data, fact.Decoded)
	}
}
