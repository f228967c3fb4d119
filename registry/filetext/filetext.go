// Package filetext converts the bytes of any file to text, and the text back to exactly
// the same bytes. Reviewers and automatic checks can therefore read everything that an
// agent reads. Two different files never have the same text and encoding.
package filetext

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Encodings of a file. The encoding "" means UTF-8 without NULs.
const (
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
	// Bytes means UTF-8 that contains NULs or invalid bytes. The text shows such a
	// byte as an escape, such as ⟨E9⟩.
	Bytes = "bytes"
)

// The marks before and after an escape. Unless the encoding is "", an opening mark in
// the file is also escaped, so a file cannot imitate an escape.
const (
	mark    = '⟨'
	opening = string(mark)
	closing = "⟩"
)

const hexDigits = "0123456789ABCDEF"

// Decode returns the text of a file and its encoding. It escapes NULs, and bytes
// and UTF-16 units that are not part of a character. It returns false if the file
// is a binary, that is, if more than one in ten bytes cannot be part of a text. If
// force is true, Decode treats every file as text.
func Decode(data []byte, force bool) (text, encoding string, ok bool) {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return string(data), "", true
	}
	if encoding := utf16Of(data); encoding != "" {
		if text, ok := decodeUTF16(data, order(encoding)); ok {
			return text, encoding, true
		}
	}
	if !force && isBinary(data) {
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

// Encode is the inverse of Decode. It returns false if Decode does not return the given
// text and encoding for any file.
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

// EscapeLength returns the length, in bytes, of the escape at the start of text. It
// returns 0 if text does not start with an escape.
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

// Escapes returns the number of escapes in text. The encoding of text must not be "". A
// text is readable if at most one in four characters is an escape, not counting escaped
// NULs.
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

// isBinary reports whether more than one in ten bytes cannot be part of a text.
func isBinary(data []byte) bool {
	left := len(data) / 10
	for len(data) > 0 && left >= 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 || r < ' ' && !strings.ContainsRune("\t\n\f\r\x1b", r) {
			left--
		}
		data = data[n:]
	}
	return left < 0
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

// utf16Of returns the UTF-16 encoding of data, or "" if data is not UTF-16. Data is
// UTF-16 if it has a byte order mark, or if four of five units are ASCII
// characters.
//
// Many clients ignore byte order marks and read every file as UTF-8. Data that contains
// words when it is read as UTF-8 is therefore never treated as UTF-16, even with a byte
// order mark. Otherwise, reviewers would see a different text than agents. For the same
// reason, utf16Of rejects a byte order if data contains words in the opposite byte
// order, for example after one extra byte.
func utf16Of(data []byte) string {
	little, big := make([]byte, len(data)/2), make([]byte, len(data)/2) // ASCII characters by unit; 0 for other units
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
	isLE, isBE := markedLE || littles >= enough && !markedBE, markedBE || bigs >= enough && !markedLE
	switch {
	case !isLE && !isBE, hasWords(data):
	case isLE && !hasWords(big):
		return UTF16LE
	case isBE && !hasWords(little):
		return UTF16BE
	}
	return ""
}

// plain reports whether c is an ASCII character that is common in texts.
func plain(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == '\t' }

// Text contains words if, in a window of 12 bytes, at least 9 bytes are spaces and
// lower-case letters, or spaces and upper-case letters. UTF-16 text seldom meets
// this condition, in any language.
const (
	wordWindow = 12
	wordBytes  = 9
)

func hasWords(data []byte) bool {
	var odd, lower, upper int // counts in the current window
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

// decodeUTF16 decodes UTF-16 text in the given byte order. It returns false if more
// than one in ten units cannot be part of a text.
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

// Binary is the media type of a binary of unknown type.
const Binary = "application/octet-stream"

// signatures lists the first bytes of binaries and their media types. Definitions
// contain the media type, so changing a row changes the hash of every definition that
// contains such a file.
var signatures = []struct {
	start string
	at    int    // offset of more in the file
	more  string // bytes that the file must contain at this offset
	kind  string
}{
	{"\x89PNG\r\n\x1a\n", 0, "", "image/png"},
	{"\xff\xd8\xff", 0, "", "image/jpeg"},
	{"GIF87a", 0, "", "image/gif"},
	{"GIF89a", 0, "", "image/gif"},
	{"RIFF", 8, "WEBP", "image/webp"},
	{"BM", 6, "\x00\x00\x00\x00", "image/bmp"},
	{"\x00\x00\x01\x00", 0, "", "image/x-icon"},
	{"II*\x00", 0, "", "image/tiff"},
	{"MM\x00*", 0, "", "image/tiff"},
	{"", 4, "ftypavif", "image/avif"},
	{"", 4, "ftypheic", "image/heic"},
	{"wOFF", 0, "", "font/woff"},
	{"wOF2", 0, "", "font/woff2"},
	{"OTTO", 0, "", "font/otf"},
	{"\x00\x01\x00\x00\x00", 0, "", "font/ttf"},
	{"ttcf", 0, "", "font/collection"},
	{"ID3", 0, "", "audio/mpeg"},
	{"\xff\xfb", 0, "", "audio/mpeg"},
	{"RIFF", 8, "WAVE", "audio/wav"},
	{"OggS", 0, "", "audio/ogg"},
	{"fLaC", 0, "", "audio/flac"},
	{"MThd", 0, "", "audio/midi"},
	{"RIFF", 8, "AVI ", "video/x-msvideo"},
	{"\x1aE\xdf\xa3", 0, "", "video/webm"},
	{"", 4, "ftyp", "video/mp4"},
	{"%PDF-", 0, "", "application/pdf"},
	{"\x7fELF", 0, "", "application/x-elf"},
	{"MZ", 0, "", "application/x-msdownload"},
	{"\xcf\xfa\xed\xfe", 0, "", "application/x-mach-binary"},
	{"\xca\xfe\xba\xbe", 0, "", "application/x-mach-binary"},
	{"\x00asm", 0, "", "application/wasm"},
	{"PK\x03\x04", 0, "", "application/zip"},
	{"\x1f\x8b", 0, "", "application/gzip"},
	{"BZh", 0, "", "application/x-bzip2"},
	{"\xfd7zXZ\x00", 0, "", "application/x-xz"},
	{"\x28\xb5\x2f\xfd", 0, "", "application/zstd"},
	{"7z\xbc\xaf\x27\x1c", 0, "", "application/x-7z-compressed"},
	{"Rar!", 0, "", "application/vnd.rar"},
	{"", 257, "ustar", "application/x-tar"},
	{"SQLite format 3\x00", 0, "", "application/vnd.sqlite3"},
}

// Type detects the media type of a binary by its first bytes.
func Type(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.start)) && len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.more)) {
			return s.kind
		}
	}
	return Binary
}

// Inert reports whether files of the given media type are only displayed or played,
// and never executed or unpacked.
func Inert(mediaType string) bool {
	family, _, _ := strings.Cut(mediaType, "/")
	return family == "image" || family == "font" || family == "audio" || family == "video" || mediaType == "application/pdf"
}
