// Package folding normalizes letters for comparisons of words.
package folding

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Unspaced reports whether r is a letter of a writing system that does not put spaces
// between words.
func Unspaced(r rune) bool {
	const prolonged = 'ー' // the prolonged sound mark of kana, which Unicode assigns to no script
	return r == prolonged || r >= 0x0e00 && unicode.IsLetter(r) &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Decompose returns the full compatibility decomposition of r (NFKD, UAX #15). For
// letters without a decomposition, such as ø and ß, it returns the usual transliteration
// in lower case.
func Decompose(r rune) string {
	if r < 0x80 {
		return string(r)
	}
	if letters, ok := transliterations[r]; ok {
		return letters
	}
	return norm.NFKD.String(string(r))
}

var transliterations = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'ø': "o", 'Ø': "o", 'ł': "l", 'Ł': "l", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe",
	'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'þ': "th", 'Þ': "th",
}
