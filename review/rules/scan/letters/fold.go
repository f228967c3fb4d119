// Package letters folds characters to the plain letters that they are or imitate.
package letters

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Class is the kind of a character to the tokenizer.
type Class uint8

// The classes of characters.
const (
	Other  Class = iota // punctuation and symbols
	Space               // white space
	Letter              // part of a word
	Digit
	Skip     // nothing to the eye: invisible characters and combining marks
	Unspaced // letter of a script that puts no spaces between words
)

// Imitates returns the ASCII character that r can be taken for, 0 if none.
func Imitates(r rune) byte { return imitations()[r] }

// Script is a bit for each writing system whose letters imitate Latin ones.
type Script uint8

// The scripts.
const (
	Latin Script = 1 << iota
	Imitating
	Foreign
)

// Folded is the plain form of a character.
type Folded struct {
	Class  Class
	Script Script
	Upper  bool
	// Text is the character in lower case without accents and presentation;
	// ASCII the Latin letter or digit it imitates, 0 when there is none.
	Text  string
	ASCII byte
}

// indicVowel reports whether r is a sign of the scripts of India that stands for a
// vowel or joins consonants: a letter of its word, which it neither ends nor only
// accents.
func indicVowel(r rune) bool {
	return r >= 0x0900 && r <= 0x0dff && unicode.In(r, unicode.Mn, unicode.Mc) && !nukta(r)
}

// nukta reports whether r is the dot below a letter, which composed letters have too.
func nukta(r rune) bool { return r == 0x093c || r == 0x09bc || r == 0x0a3c }

// imitations returns the ASCII character that r can be taken for, 0 if none.
var imitations = sync.OnceValue(func() map[rune]byte {
	m := make(map[rune]byte, 1024)
	for ascii, looks := range confusables {
		for _, r := range looks {
			m[r] = ascii
		}
	}
	return m
})

// foldRune folds one character outside ASCII.
func foldRune(r rune) Folded {
	switch {
	case Ignorable(r):
		return Folded{Class: Skip}
	case indicVowel(r):
		return Folded{Class: Letter, Script: Foreign, Text: string(r)}
	case unicode.In(r, unicode.Mn, unicode.Me):
		return Folded{Class: Skip}
	case unicode.IsSpace(r), unicode.Is(unicode.Z, r):
		return Folded{Class: Space, Text: " "}
	case NoSpaces(r):
		return Folded{Class: Unspaced, Script: Foreign, Text: string(r)}
	}
	f := Folded{Script: ScriptOf(r), Upper: unicode.IsUpper(r) || unicode.IsTitle(r)}
	f.ASCII = imitations()[r]
	for _, d := range decompose(r) {
		switch {
		case unicode.In(d, unicode.Mn, unicode.Me), d == '(' && r != d, d == ')' && r != d:
			// Accents, and the brackets of a parenthesised letter.
		case d < 0x80:
			f.Text += string(unicode.ToLower(d))
			f.Upper = f.Upper || unicode.IsUpper(d)
		default:
			d = unicode.ToLower(d)
			if a := imitations()[d]; a != 0 {
				if f.ASCII == 0 || f.Text == "" {
					f.ASCII = a
				}
				if f.Script == Latin {
					f.Text += string(rune(a))
					continue
				}
			}
			f.Text += string(d)
		}
	}
	if len(f.Text) == 1 && IsWord(f.Text[0]) {
		f.ASCII, f.Script = f.Text[0], Latin
	}
	switch {
	case f.Text == "":
		return Folded{Class: Skip}
	case IsDigits(f.Text):
		f.Class = Digit
	case unicode.IsLetter(r), unicode.Is(unicode.Nl, r), f.ASCII != 0, IsWord(f.Text[0]):
		f.Class = Letter
	default:
		f.Class = Other
	}
	return f
}

// decompose returns the full compatibility decomposition of r (NFKD of UAX
// #15), with the letters it leaves whole spelled out.
func decompose(r rune) []rune {
	switch r {
	case 'ß', 'ẞ':
		return []rune("ss")
	case 'æ', 'Æ':
		return []rune("ae")
	case 'œ', 'Œ':
		return []rune("oe")
	}
	if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); d != nil {
		return []rune(string(d))
	}
	return []rune{r}
}

// ScriptOf returns the kind of writing system that r belongs to, 0 if r is no letter.
func ScriptOf(r rune) Script {
	switch {
	case unicode.Is(unicode.Latin, r):
		return Latin
	case unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Cherokee, unicode.Armenian, unicode.Coptic, unicode.Lisu):
		return Imitating
	case unicode.IsLetter(r):
		return Foreign
	}
	return 0
}

// NoSpaces reports whether r belongs to a script that runs words together.
func NoSpaces(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x30fe, r >= 0xac00 && r <= 0xd7a3:
		return true
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x20000 && r <= 0x3ffff:
		return true
	}
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// IsWord reports whether c is an ASCII letter or digit.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// IsDigits reports whether s consists of ASCII digits.
func IsDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Skeleton maps the characters of leet spelling, and the letters they are confused
// with, to one representative each, so that "1gn0r3", "ignor€" and "ignore" have
// the same Skeleton. It returns 0 for a character that replaces no letter.
func Skeleton(c byte) byte {
	switch c {
	case 'i', 'l', '1', '!', '|', 'j':
		return 'l'
	case 'o', '0':
		return 'o'
	case 'e', '3':
		return 'e'
	case 'a', '4', '@':
		return 'a'
	case 's', '5', '$':
		return 's'
	case 't', '7', '+':
		return 't'
	case 'b', '8':
		return 'b'
	case 'g', '9', '6':
		return 'g'
	case 'z', '2':
		return 'z'
	}
	if c >= 'a' && c <= 'z' {
		return c
	}
	return 0
}

// confusables lists, for each ASCII letter and digit, the characters that look
// like it, written as escapes so that this file shows its content. Most are the
// single-character rows of confusables.txt of UTS #39 (Unicode Security
// Mechanisms) whose Skeleton is one ASCII letter or digit; added are small
// capitals, letters with hooks and strokes, the Lower-case Greek and Cyrillic
// letters of similar shape, and the negative squared, negative circled and
// regional letters. Characters that compatibility decomposition (NFKD) maps to
// ASCII by itself are left out.
var confusables = map[byte]string{
	'2': "\u01a7\u01bb\u03e8\u14bf\ua644\ua6ef\ua75a",
	'3': "\u01b7\u021c\u0417\u0437\u0498\u04e0\u2ccc\ua76a\ua7ab\U000118ca\U00016f3b\U0001d206",
	'4': "\u13ce\U000118af",
	'5': "\u01bc\U000118bb",
	'6': "\u0431\u13ee\u2cd2\U000118d5",
	'7': "\U000104d2\U000118c6\U0001d212",
	'8': "\u0222\u0223\u09ea\u0a6a\U0001031a\U0001e8cb",
	'9': "\u09ed\u0a67\u0b68\u0d6d\u2cca\ua76e\U000118ac\U000118cc\U000118d6",
	'a': "\u0250\u0251\u0391\u03b1\u03bb\u0410\u0430\u13aa\u15c5\u1d00\u1e9a\u2376\u237a\ua4ee\U000102a0\U00016f40\U0001d6a8" +
		"\U0001d6c2\U0001d6e2\U0001d6fc\U0001d71c\U0001d736\U0001d756\U0001d770\U0001d790\U0001d7aa\U0001f150\U0001f170\U0001f1e6",
	'b': "\u0180\u0181\u0182\u0183\u0184\u0185\u0253\u0299\u0392\u03b2\u0411\u0412\u042c\u0432\u044c\u0462\u0463\u048c\u048d" +
		"\u13cf\u13f4\u15af\u15f7\ua4d0\ua7b4\U00010282\U000102a1\U00010301\U0001d6a9\U0001d6e3\U0001d71d\U0001d757\U0001d791" +
		"\U0001f151\U0001f171\U0001f1e7",
	'c': "\u00a2\u0187\u0188\u023c\u0255\u03f2\u03f9\u0421\u0441\u04aa\u04ab\u13df\u1d04\u20a1\u2ca4\u2ca5\ua4da\uabaf\U000102a2" +
		"\U00010302\U00010415\U0001043d\U0001051c\U000118e9\U000118f2\U0001f152\U0001f172\U0001f1e8\U0001f74c",
	'd': "\u00d0\u00f0\u0110\u0111\u0189\u018a\u018c\u0256\u0257\u03b4\u0501\u13a0\u13e7\u146f\u1487\u15de\u15ea\u1d05\u20ab" +
		"\ua4d2\ua4d3\U0001f153\U0001f173\U0001f1e9",
	'e': "\u01dd\u0246\u0247\u0258\u0259\u025b\u0395\u03b5\u0415\u0435\u0451\u04bd\u04bf\u13ac\u1d07\u212e\u22ff\u2d39\ua4f0" +
		"\uab32\U00010286\U000118a6\U000118ae\U0001d6ac\U0001d6e6\U0001d720\U0001d75a\U0001d794\U0001f154\U0001f174\U0001f1ea",
	'f': "\u0191\u0192\u03dc\u0493\u0584\u15b4\u1d6e\u1e9d\ua4dd\ua730\ua798\ua799\uab35\U00010287\U000102a5\U00010525\U000118a2" +
		"\U000118c2\U0001d213\U0001d7ca\U0001f155\U0001f175\U0001f1eb",
	'g': "\u018d\u0193\u01e4\u01e5\u0260\u0261\u0262\u050c\u0581\u13c0\u13f3\u1d83\u1da2\ua4d6\U0001f156\U0001f176\U0001f1ec",
	'h': "\u0126\u0127\u0266\u029c\u0397\u041d\u043d\u045b\u04a2\u04bb\u04c7\u04c9\u0570\u13bb\u13c2\u13f2\u157c\u1d78\u210f" +
		"\u2c67\u2c8e\ua4e7\ua695\U000102cf\U0001d6ae\U0001d6e8\U0001d722\U0001d75c\U0001d796\U0001f157\U0001f177\U0001f1ed",
	'i': "\u0131\u0196\u0268\u0269\u026a\u0399\u03b9\u0406\u0456\u0457\u04c0\u13a5\u1d7b\u1d7c\u1fbe\u2373\u2378\u2c92\ua4f2" +
		"\ua647\uab75\U000118c3\U0001d6a4\U0001d6ca\U0001d704\U0001d73e\U0001d778\U0001d7b2\U0001f158\U0001f178\U0001f1ee",
	'j': "\u0237\u0248\u0249\u029d\u037f\u03f3\u0408\u0458\u13ab\u148d\u1d0a\ua4d9\ua7b2\U0001f159\U0001f179\U0001f1ef",
	'k': "\u0198\u0199\u039a\u03ba\u041a\u043a\u049a\u049e\u13e6\u16d5\u1d0b\u20ad\u2c69\u2c94\ua4d7\ua740\U00010518\U0001d6b1" +
		"\U0001d6eb\U0001d725\U0001d75f\U0001d799\U0001f15a\U0001f17a\U0001f1f0",
	'l': "\u0141\u0142\u0197\u019a\u01c0\u026b\u026d\u029f\u04cf\u05d5\u05df\u05f1\u0625\u0627\u0661\u0673\u06f1\u07ca\u13de" +
		"\u14aa\u16c1\u2223\u23fd\u2cd0\u2d4f\ua4e1\ufd3c\ufd3d\ufe87\ufe88\ufe8d\ufe8e\uffe8\U0001028a\U00010309\U00010320" +
		"\U0001041b\U00010526\U000118a3\U000118b2\U00016f16\U00016f28\U0001d22a\U0001d6b0\U0001d6ea\U0001d724\U0001d75e\U0001d798" +
		"\U0001e8c7\U0001ee00\U0001ee80\U0001f15b\U0001f17b\U0001f1f1",
	'm': "\u0271\u039c\u03fa\u041c\u043c\u04cd\u13b7\u15f0\u16d6\u1d0d\u2c98\ua4df\U000102b0\U00010311\U0001d6b3\U0001d6ed" +
		"\U0001d727\U0001d761\U0001d79b\U0001f15c\U0001f17c\U0001f1f2",
	'n': "\u0149\u014b\u019d\u019e\u0272\u0273\u0274\u039d\u03b7\u03c0\u043f\u0578\u057c\u1d70\u2c9a\ua4e0\U0001018e\U00010513" +
		"\U0001d6b4\U0001d6c8\U0001d6ee\U0001d702\U0001d728\U0001d73c\U0001d762\U0001d776\U0001d79c\U0001d7b0\U0001f15d\U0001f17d" +
		"\U0001f1f3",
	'o': "\u00d8\u00f8\u019f\u01fe\u0254\u0275\u0398\u039f\u03b8\u03bf\u03c3\u03d1\u03f4\u041e\u043e\u0472\u0473\u04e8\u04e9" +
		"\u0555\u0585\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u06ff\u07c0\u0966\u09e6\u0a66\u0ae6\u0b20\u0b66\u0be6\u0c66" +
		"\u0ce6\u0d20\u0d66\u0e50\u0ed0\u101d\u1040\u10ff\u12d0\u13a4\u13be\u13eb\u1d0f\u1d11\u2296\u229d\u236c\u2c9e\u2c9f" +
		"\u2d31\u2d41\u2d54\u3007\ua4f3\ua74a\ua74b\uab3d\uab3e\uab74\uab8e\uabbb\ufba6\ufba7\ufba8\ufba9\ufbaa\ufbab\ufbac" +
		"\ufbad\ufcd9\ufee9\ufeea\ufeeb\ufeec\U00010292\U000102ab\U00010404\U0001042c\U000104c2\U000104ea\U00010516\U000114d0" +
		"\U000118b5\U000118c8\U000118d7\U000118e0\U0001d21a\U0001d6af\U0001d6b6\U0001d6b9\U0001d6c9\U0001d6d0\U0001d6d4\U0001d6dd" +
		"\U0001d6e9\U0001d6f0\U0001d6f3\U0001d703\U0001d70a\U0001d70e\U0001d717\U0001d723\U0001d72a\U0001d72d\U0001d73d\U0001d744" +
		"\U0001d748\U0001d751\U0001d75d\U0001d764\U0001d767\U0001d777\U0001d77e\U0001d782\U0001d78b\U0001d797\U0001d79e\U0001d7a1" +
		"\U0001d7b1\U0001d7b8\U0001d7bc\U0001d7c5\U0001ee24\U0001ee64\U0001ee84\U0001f15e\U0001f17e\U0001f1f4\U0001f714",
	'p': "\u00fe\u01a4\u01a5\u03a1\u03c1\u03f1\u0420\u0440\u13e2\u146d\u1486\u1d18\u1d7d\u2374\u2ca2\u2ca3\ua4d1\U00010295" +
		"\U0001d6b8\U0001d6d2\U0001d6e0\U0001d6f2\U0001d70c\U0001d71a\U0001d72c\U0001d746\U0001d754\U0001d766\U0001d780\U0001d78e" +
		"\U0001d7a0\U0001d7ba\U0001d7c8\U0001f15f\U0001f17f\U0001f1f5",
	'q': "\u02a0\u051b\u0563\u0566\u2d55\ua7af\U0001f160\U0001f180\U0001f1f6",
	'r': "\u01a6\u024d\u0279\u027c\u027d\u027e\u0280\u0433\u0491\u13a1\u13d2\u1587\u1d26\u1d72\u2c85\ua4e3\uab47\uab48\uab81" +
		"\U000104b4\U00016f35\U0001d216\U0001f161\U0001f181\U0001f1f7",
	's': "\u01bd\u0282\u0405\u0455\u054f\u13d5\u13da\u1d74\ua4e2\ua731\uabaa\U00010296\U00010420\U00010448\U000118c1\U00016f3a" +
		"\U0001f162\U0001f182\U0001f1f8",
	't': "\u0166\u0167\u01ac\u01ad\u01ae\u023e\u0288\u03a4\u03c4\u0422\u0442\u04ac\u13a2\u1d1b\u1d75\u20ae\u22a4\u2361\u27d9" +
		"\u2ca6\ua4d4\U00010297\U000102b1\U00010315\U000118bc\U00016f0a\U0001d6bb\U0001d6f5\U0001d72f\U0001d769\U0001d7a3" +
		"\U0001f163\U0001f183\U0001f1f9\U0001f768",
	'u': "\u0244\u0289\u028a\u03bc\u03c5\u0446\u054d\u057d\u1200\u13cc\u144c\u1467\u1d1c\u1d7e\u222a\u22c3\ua4f4\ua79f\uab4e" +
		"\uab52\uab9c\U000104ce\U000104f6\U000118b8\U000118d8\U00016f42\U0001d6d6\U0001d710\U0001d74a\U0001d784\U0001d7be" +
		"\U0001f164\U0001f184\U0001f1fa",
	'v': "\u028b\u028c\u03bd\u0474\u0475\u05d8\u0667\u06f7\u13d9\u142f\u1d20\u2228\u22c1\u2d38\ua4e6\ua6df\uaba9\U00010197" +
		"\U0001051d\U00011706\U000118a0\U000118c0\U00016f08\U0001d20d\U0001d6ce\U0001d708\U0001d742\U0001d77c\U0001d7b6\U0001f165" +
		"\U0001f185\U0001f1fb\U0001f708",
	'w': "\u026f\u03c9\u0448\u0461\u047d\u051c\u051d\u0561\u13b3\u13d4\u1d21\u20a9\ua4ea\ua761\uab83\U000114c5\U0001170a\U0001170e" +
		"\U0001170f\U000118e6\U000118ef\U0001f166\U0001f186\U0001f1fc",
	'x': "\u00d7\u03a7\u03c7\u0425\u0445\u04b2\u1541\u157d\u166d\u16b7\u2573\u292b\u292c\u2a2f\u2a30\u2cac\u2d5d\ua4eb\ua7b3" +
		"\U00010196\U00010290\U000102b4\U00010317\U00010322\U00010527\U000118ec\U0001d6be\U0001d6f8\U0001d732\U0001d76c\U0001d7a6" +
		"\U0001f167\U0001f187\U0001f1fd",
	'y': "\u00a5\u01b3\u01b4\u024e\u024f\u0263\u028f\u03a5\u03b3\u03d2\u0423\u0443\u04ae\u04af\u04b0\u04b1\u10e7\u13a9\u13bd" +
		"\u1d8c\u1eff\u213d\u2ca8\ua4ec\uab5a\U000102b2\U000118a4\U000118dc\U00016f43\U0001d6bc\U0001d6c4\U0001d6f6\U0001d6fe" +
		"\U0001d730\U0001d738\U0001d76a\U0001d772\U0001d7a4\U0001d7ac\U0001f168\U0001f188\U0001f1fe",
	'z': "\u01b5\u01b6\u0224\u0225\u0290\u0291\u0396\u03b6\u13c3\u1d22\u1d76\ua4dc\uab93\U000102f5\U000118a9\U000118c4\U000118e5" +
		"\U0001d6ad\U0001d6e7\U0001d721\U0001d75b\U0001d795\U0001f169\U0001f189\U0001f1ff",
}

// Fold returns text with every character in its plain form: letters that imitate
// ASCII ones, styled letters and accents become plain letters in lower case,
// invisible characters and combining marks go.
func Fold(text string) string {
	if Plain(text) {
		return text
	}
	var b strings.Builder
	var cache Cache
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch f := cache.Fold(r); {
		case f.Class == Skip:
		case f.ASCII != 0:
			b.WriteByte(f.ASCII)
		default:
			b.WriteString(f.Text)
		}
		i += n
	}
	return b.String()
}

// Cache keeps folded characters outside ASCII: a text uses few of them, again and
// again.
type Cache [256]struct {
	r rune
	f Folded
}

// Fold returns the folded form of a character outside ASCII.
func (c *Cache) Fold(r rune) *Folded {
	e := &c[uint32(r)%uint32(len(c))]
	if e.r != r {
		e.r, e.f = r, foldRune(r)
	}
	return &e.f
}

// Lower returns c, an ASCII letter in lower case.
func Lower(c byte) byte {
	if IsUpper(c) {
		return c | 0x20
	}
	return c
}

// Ignorable reports whether r draws nothing by itself.
func Ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3:
		return true
	case r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// Plain reports whether text is printable ASCII, line feeds and tabs, in which
// nothing can hide.
func Plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsUpper reports whether c is an ASCII letter in upper case.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsASCII reports whether s has ASCII characters alone.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
