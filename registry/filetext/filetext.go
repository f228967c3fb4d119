// Package filetext shows the bytes of a file as text, whatever its encoding, and turns
// that text back into exactly those bytes: people and rules read all that an agent reads,
// and no two files look the same.
package filetext

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Encodings of a file that is not plain UTF-8; "" stands for UTF-8 without NULs.
const (
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
	// Bytes is UTF-8 except for some bytes, which the text shows as ⟨E9⟩.
	Bytes = "bytes"
)

// The marks around an escape. A text that is not plain UTF-8 shows an opening mark of the
// file itself as an escape too, so that no file can imitate one.
const (
	mark    = '⟨'
	opening = string(mark)
	closing = "⟩"
)

const hexDigits = "0123456789ABCDEF"

// Decode returns the text of a file and its encoding. NULs, and bytes and UTF-16 units
// that belong to no character, are escaped. It reports false for a binary, in which more
// than every tenth byte belongs to no text; a file that must be text is never one.
func Decode(data []byte, must bool) (text, encoding string, ok bool) {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return string(data), "", true
	}
	if encoding := utf16Of(data); encoding != "" {
		if text, ok := decodeUTF16(data, order(encoding)); ok {
			return text, encoding, true
		}
	}
	if !must && strange(data) > len(data)/10 {
		return "", "", false
	}
	var b strings.Builder
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == 0 || r == mark || r == utf8.RuneError && n == 1 {
			for _, c := range data[i : i+n] {
				escape(&b, uint16(c), 2)
			}
		} else {
			b.Write(data[i : i+n])
		}
		i += n
	}
	return b.String(), Bytes, true
}

// Encode returns the bytes that Decode shows as text, and false if it shows none so.
func Encode(text, encoding string) (data []byte, ok bool) {
	order := order(encoding)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		escaped := EscapeLength(text[i:])
		switch {
		case escaped > 0 && encoding != "":
			n = escaped
			digits, value := text[i+len(opening):i+n-len(closing)], uint16(0)
			for j := range len(digits) {
				value = value<<4 | uint16(strings.IndexByte(hexDigits, digits[j]))
			}
			switch {
			case len(digits) == 2:
				data = append(data, byte(value))
			case order != nil:
				data = order.AppendUint16(data, value)
			}
		case order != nil:
			for _, unit := range utf16.AppendRune(nil, r) {
				data = order.AppendUint16(data, unit)
			}
		default:
			data = append(data, text[i:i+n]...)
		}
		i += n
	}
	shown, as, _ := Decode(data, true)
	return data, shown == text && as == encoding
}

// EscapeLength returns the length in bytes of the escape at the start of text, 0 if none
// is there.
func EscapeLength(text string) int {
	rest, ok := strings.CutPrefix(text, opening)
	if !ok {
		return 0
	}
	n := 0
	for n < len(rest) && strings.IndexByte(hexDigits, rest[n]) >= 0 {
		n++
	}
	if n != 2 && n != 4 || !strings.HasPrefix(rest[n:], closing) {
		return 0
	}
	return len(opening) + n + len(closing)
}

// Escapes counts the escapes of a text that is not plain UTF-8, and reports whether it can
// be read: at most every fourth character is escaped, apart from NULs.
func Escapes(text string) (count int, readable bool) {
	shown, unknown := 0, 0
	for i := 0; i < len(text); shown++ {
		escaped := EscapeLength(text[i:])
		if escaped == 0 {
			_, escaped = utf8.DecodeRuneInString(text[i:])
		} else {
			count++
			if strings.Trim(text[i:i+escaped], opening+"0"+closing) != "" {
				unknown++
			}
		}
		i += escaped
	}
	return count, 4*unknown <= shown
}

func escape(b *strings.Builder, value uint16, digits int) {
	b.WriteString(opening)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hexDigits[value>>shift&15])
	}
	b.WriteString(closing)
}

// strange counts bytes that belong to no text.
func strange(data []byte) int {
	count := 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 || r < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", r) {
			count++
		}
		data = data[n:]
	}
	return count
}

// byteOrder reads and appends UTF-16 units.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func order(encoding string) byteOrder {
	switch encoding {
	case UTF16LE:
		return binary.LittleEndian
	case UTF16BE:
		return binary.BigEndian
	}
	return nil
}

// utf16Of returns the encoding of UTF-16, with a byte order mark or where four of five
// units are ASCII characters; "" for anything else. Bytes that a reader of UTF-8 finds
// words in are not UTF-16: then the mark alone would decide what people are shown, and
// many clients do not look at it. The same holds for words in the other byte order, to
// which one byte too many leads.
func utf16Of(data []byte) string {
	little, big := make([]byte, len(data)/2), make([]byte, len(data)/2) // ASCII characters, 0 for others
	var littles, bigs int
	for i := range little {
		switch first, second := data[2*i], data[2*i+1]; {
		case second == 0 && plain(first):
			little[i] = first
			littles++
		case first == 0 && plain(second):
			big[i] = second
			bigs++
		}
	}
	enough := max(2, (len(little)*4+4)/5)
	markedLE, markedBE := bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff})
	switch {
	case hasWords(data):
	case (markedLE || littles >= enough && !markedBE) && !hasWords(big):
		return UTF16LE
	case (markedBE || bigs >= enough && !markedLE) && !hasWords(little):
		return UTF16BE
	}
	return ""
}

// plain reports whether c is an ASCII character of texts.
func plain(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t' }

// A passage of so many bytes, of which so many are letters of one case or spaces, is made
// of words: the bytes of UTF-16 seldom look like that in any language.
const (
	wordWindow = 12
	wordBytes  = 9
)

func hasWords(data []byte) bool {
	var odd, lower, upper int // in the window that ends before i
	add := func(c byte, n int) {
		switch {
		case !plain(c):
			odd += n
		case c == ' ':
			lower, upper = lower+n, upper+n
		case c >= 'a' && c <= 'z':
			lower += n
		case c >= 'A' && c <= 'Z':
			upper += n
		}
	}
	for i, c := range data {
		add(c, 1)
		if i >= wordWindow {
			add(data[i-wordWindow], -1)
		}
		if i >= wordWindow-1 && odd == 0 && max(lower, upper) >= wordBytes {
			return true
		}
	}
	return false
}

// decodeUTF16 returns a text of UTF-16, and false where more than every tenth unit belongs
// to none.
func decodeUTF16(data []byte, order byteOrder) (string, bool) {
	var b strings.Builder
	wrong := 0
	for i := 0; i+1 < len(data); i += 2 {
		unit := order.Uint16(data[i:])
		r := rune(unit)
		if utf16.IsSurrogate(r) && i+3 < len(data) {
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:])))
		}
		switch {
		case r == 0, r == mark, utf16.IsSurrogate(r), r == utf8.RuneError && unit != utf8.RuneError:
			escape(&b, unit, 4)
		default:
			b.WriteRune(r)
			if r > 0xffff {
				i += 2
			}
		}
		if !unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			wrong++
		}
	}
	if len(data)%2 == 1 {
		escape(&b, uint16(data[len(data)-1]), 2)
	}
	return b.String(), wrong <= len(data)/20
}
