package scan

import "unicode/utf8"

// cutWords folds s and cuts it into words as the reader does.
func (c *foldCache) cutWords(s string) []string {
	var words []string
	var w []byte
	end := func() {
		if len(w) > 0 && string(w) != "." {
			words = append(words, string(w))
		}
		w = w[:0]
	}
	glyphs := false
	for i, r := range s {
		switch {
		case r == '\'' || r == '’':
		case r == '.' && (i == 0 || s[i-1] == ' '):
			end()
			w = append(w, '.')
		case r < utf8.RuneSelf && isWord(byte(r)):
			if glyphs {
				end()
			}
			glyphs = false
			w = append(w, lower(byte(r)))
		case r < utf8.RuneSelf:
			end()
		default:
			f := c.fold(r)
			switch f.class {
			case skip:
			case letter, digit, unspaced:
				if glyphs != (f.class == unspaced) {
					end()
				}
				glyphs = f.class == unspaced
				w = append(w, f.text...)
			case other, space:
				end()
			}
		}
	}
	end()
	return words
}

// simple reports whether s is one word of lower-case ASCII letters.
func simple(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s != ""
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}
