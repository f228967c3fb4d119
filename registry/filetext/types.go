package filetext

import (
	"bytes"
	"strings"
)

// Binary is the media type of unknown binaries.
const Binary = "application/octet-stream"

// signatures has the first bytes of binaries and their media types. Definitions
// contain these types, so changing a row changes the hash of every definition with
// such a file.
var signatures = []struct {
	start string
	at    int    // offset of more
	more  string // further bytes
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

// Type returns the media type of a binary according to its first bytes.
func Type(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.start)) && len(data) >= s.at && bytes.HasPrefix(data[s.at:], []byte(s.more)) {
			return s.kind
		}
	}
	return Binary
}

// Inert reports whether files of a media type are only displayed or played, and not
// executed or unpacked.
func Inert(mediaType string) bool {
	family, _, _ := strings.Cut(mediaType, "/")
	return family == "image" || family == "font" || family == "audio" || family == "video" || mediaType == "application/pdf"
}
