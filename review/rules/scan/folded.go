// This file reads words with disguised letters, and inflects the words of the lexicon.

package scan

import (
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules/scan/disguise"
	"toolcrib/review/rules/scan/letters"
)

// readFolded reads the word at i and returns its end. The word contains characters outside ASCII,
// such as accented or invisible characters.
func (s *reader) readFolded(i int) int {
	w := foldedWord{native: s.nativeBuf[:0], ascii: s.asciiBuf[:0], imitated: true}
	j := i
	for j < len(s.text) {
		n := s.addFolded(&w, j)
		if n == 0 {
			break
		}
		j += n
	}
	s.nativeBuf, s.asciiBuf = w.native, w.ascii
	end := w.end
	t := token{start: int32(i), end: int32(end), upper: w.upper}
	s.lookUp(&w, &t)
	if w.letters == 1 {
		s.addSpelled(i)
	} else {
		s.endSpelled()
	}
	if t.id == 0 && w.imitated && len(w.ascii) >= minRunTogether && len(w.ascii) <= maxRunTogether {
		if s.splitRunTogether(string(w.ascii), i, end) {
			return j
		}
	}
	s.emit(t)
	return j
}

// foldedWord is the state of reading a word with characters outside ASCII.
type foldedWord struct {
	native   []byte // the folded word
	ascii    []byte // the word with every character replaced by the ASCII character that it imitates
	imitated bool   // every character is or imitates an ASCII character
	scripts  letters.Script
	styled   bool // at least one character is a disguised ASCII letter
	hidden   bool // invisible characters occur between letters
	pending  bool // invisible characters follow the last letter
	upper    bool
	letters  int
	digits   int
	end      int
}

// addFolded adds the character at j to w and returns its length in bytes, or 0 if the word ends
// before j.
func (s *reader) addFolded(w *foldedWord, j int) int {
	c := s.text[j]
	if c < utf8.RuneSelf {
		switch {
		case letters.IsLetter(c):
			w.upper = w.upper || len(w.native) == 0 && letters.IsUpper(c)
			w.scripts |= letters.Latin
			w.letters++
			c |= 0x20
		case c >= '0' && c <= '9':
			w.digits++
		case c == '\'' && w.letters > 0 && j+1 < len(s.text) && (letters.IsLetter(s.text[j+1]) || s.text[j+1] >= utf8.RuneSelf):
			return 1
		default:
			return 0
		}
		w.native, w.ascii = append(w.native, c), append(w.ascii, c)
		w.endLetter(j + 1)
		return 1
	}
	r, size := utf8.DecodeRuneInString(s.text[j:])
	f := s.folds.Fold(r)
	switch f.Class {
	case letters.Skip:
		if letters.Ignorable(r) {
			w.pending = true
		}
		return size
	case letters.Letter, letters.Digit:
	default:
		if r == '’' && w.letters > 0 && j+size < len(s.text) && letters.IsLetter(s.text[j+size]) {
			return size
		}
		return 0
	}
	w.upper = w.upper || len(w.native) == 0 && f.Upper
	w.scripts |= f.Script
	w.letters++
	w.native = append(w.native, f.Text...)
	switch {
	case f.ASCII != 0:
		w.ascii = append(w.ascii, f.ASCII)
		w.styled = w.styled || r >= 0x250 && (r < 0x1e00 || r > 0x1eff)
	case len(f.Text) > 0 && f.Script == letters.Latin && letters.IsASCII(f.Text):
		w.ascii = append(w.ascii, f.Text...)
	default:
		w.imitated = false
	}
	w.endLetter(j + size)
	return size
}

// endLetter records that a letter of the word ends at byte end.
func (w *foldedWord) endLetter(end int) {
	w.hidden = w.hidden || w.pending && w.end > 0
	w.pending = false
	w.end = end
}

// lookUp looks up the word w in the lexicon, and stores its number and disguises in t. If the word
// is unknown, lookUp looks up the word that it imitates.
func (s *reader) lookUp(w *foldedWord, t *token) {
	lex := s.g.lex
	if w.hidden {
		t.hide |= disguise.Interspersed
	}
	if t.id = lex.words.get(hash(string(w.native))); t.id != 0 {
		if w.styled && w.scripts == letters.Latin {
			t.hide |= disguise.Lookalike
		}
		return
	}
	if !w.imitated || len(w.ascii) == 0 {
		return
	}
	if t.id = lex.words.get(hash(string(w.ascii))); t.id == 0 && len(w.ascii) >= minLeet && len(w.ascii) <= maxLeet {
		t.id = s.lookUpLeet(string(w.ascii))
		if w.digits > 0 && t.id != 0 {
			t.hide |= disguise.Leet
		}
	}
	if t.id != 0 && (w.styled || w.scripts&^letters.Latin != 0) {
		t.hide |= disguise.Lookalike
	}
}

// readGlyphs reads a word at i in a writing system without spaces between words. It reads the
// longest known word or, if no known word begins at i, a single character. It returns the end of
// the word.
func (s *reader) readGlyphs(i int) int {
	s.endSpelled()
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if !s.g.lex.starts[r] {
		s.addUnknownGlyph(i, size)
		return i + size
	}
	h, j := hashSeed, i
	found, end := uint32(0), i
	for glyphs := 0; j < len(s.text) && glyphs < maxGlyph; glyphs++ {
		r, n := utf8.DecodeRuneInString(s.text[j:])
		f := s.folds.Fold(r)
		if f.Class == letters.Skip {
			j += n
			continue
		}
		if f.Class != letters.Unspaced {
			break
		}
		h = extendHash(h, f.Text)
		j += n
		if id := s.g.lex.words.get(h); id != 0 {
			found, end = id, j
		}
	}
	if found == 0 {
		s.addUnknownGlyph(i, size)
		return i + size
	}
	s.emit(token{start: int32(i), end: int32(end), id: found})
	return end
}

// addUnknownGlyph adds the character at i, which does not begin a known word. Two consecutive
// characters of this kind are treated as one word.
func (s *reader) addUnknownGlyph(i, size int) {
	if s.words.n > 0 && s.words.tokens[s.words.n-1].id == 0 && s.words.gap == 0 && s.words.tokens[s.words.n-1].end == int32(i) && s.words.tokens[s.words.n-1].end-s.words.tokens[s.words.n-1].start < 6 {
		s.words.tokens[s.words.n-1].end += int32(size)
		return
	}
	s.emit(token{start: int32(i), end: int32(i + size)})
}

// inflected is an inflected form of a word.
type inflected struct {
	text string
	form form
}

// inflect returns the inflected forms of a word of a lexeme. A verb ("send~") has the base,
// third-person, past, and -ing forms. They follow the regular rules, with and without a doubled
// final consonant, because adding both is cheaper than determining which one is correct. A noun
// ("token^") has a singular and a plural form. Any other word has only one form.
func inflect(w string) []inflected {
	if stem, ok := strings.CutSuffix(w, "^"); ok {
		return []inflected{{stem, base}, {plural(stem), base}}
	}
	stem, verb := strings.CutSuffix(w, "~")
	if !verb {
		return []inflected{{w, base}}
	}
	forms := []inflected{{stem, base}, {plural(stem), third}}
	switch {
	case strings.HasSuffix(stem, "e"):
		return append(forms, inflected{stem + "d", past}, inflected{stem[:len(stem)-1] + "ing", ing})
	case strings.HasSuffix(stem, "y") && !vowel(stem, 2):
		return append(forms, inflected{stem[:len(stem)-1] + "ied", past}, inflected{stem + "ing", ing})
	}
	forms = append(forms, inflected{stem + "ed", past}, inflected{stem + "ing", ing})
	if !vowel(stem, 1) && vowel(stem, 2) && !vowel(stem, 3) {
		double := stem + stem[len(stem)-1:]
		forms = append(forms, inflected{double + "ed", past}, inflected{double + "ing", ing})
	}
	return forms
}

// inflects reports whether a word of a lexeme is marked as a verb or a noun and therefore has
// several forms.
func inflects(w string) bool { return strings.HasSuffix(w, "~") || strings.HasSuffix(w, "^") }

func plural(stem string) string {
	switch {
	case strings.HasSuffix(stem, "y") && !vowel(stem, 2):
		return stem[:len(stem)-1] + "ies"
	case strings.HasSuffix(stem, "s"), strings.HasSuffix(stem, "sh"), strings.HasSuffix(stem, "ch"), strings.HasSuffix(stem, "x"), strings.HasSuffix(stem, "z"):
		return stem + "es"
	}
	return stem + "s"
}

// vowel reports whether the nth letter from the end of s is a vowel.
func vowel(s string, n int) bool {
	return len(s) >= n && strings.IndexByte("aeiou", s[len(s)-n]) >= 0
}

// readWord reads the run of letters and digits at i and returns its end.
func (s *reader) readWord(i int) int {
	h, j := hashSeed, i
	var digits, letterCount, camel int
	lower := false
	for j < len(s.text) {
		c := s.text[j]
		if c >= utf8.RuneSelf {
			return s.readFolded(i)
		}
		switch asciiKinds[c] {
		case kLower:
			letterCount++
			lower = true
		case kUpper:
			c |= 0x20
			letterCount++
			if lower {
				camel++
			}
			lower = false
		case kDigit:
			digits++
			lower = false
		case kApostrophe:
			if letterCount > 0 && j+1 < len(s.text) && letters.IsLetter(s.text[j+1]) && j > i {
				j++
				continue
			}
			fallthrough
		case kLeet:
			if end, ok := s.readLeetChunk(i, j); ok {
				return end
			}
			s.emitWord(i, j, h, digits, letterCount, camel)
			return j
		case kMark, kSpace, kLine:
			s.emitWord(i, j, h, digits, letterCount, camel)
			return j
		}
		h = (h ^ uint64(c)) * hashPrime
		j++
	}
	s.emitWord(i, j, h, digits, letterCount, camel)
	return j
}

// emitWord emits the ASCII word text[i:j] with the hash h.
func (s *reader) emitWord(i, j int, h uint64, digits, letterCount, camel int) {
	if letterCount == 1 && digits == 0 || digits == 1 && letterCount == 0 {
		s.addSpelled(i)
	} else {
		s.endSpelled()
	}
	t := token{start: int32(i), end: int32(j), upper: s.text[i] < 'a'}
	t.id = s.g.lex.words.get(h)
	if i > 0 && s.text[i-1] == '.' && (i == 1 || !letters.IsWord(s.text[i-2])) {
		if id := s.g.lex.words.get(hashFold(extendHash(hashSeed, "."), s.text[i:j])); id != 0 {
			t.id, t.start = id, int32(i-1) // a name such as ".env"
			s.words.gap &^= gStop | gDot
		}
	}
	switch {
	case t.id != 0:
	case camel > 0 && s.emitCamelCase(i, j):
		return
	case digits > 0 && letterCount > 0 && j-i >= minLeet && j-i <= maxLeet:
		if id := s.lookUpLeet(s.text[i:j]); id != 0 {
			t.id, t.hide = id, disguise.Leet
		}
	case letterCount >= minRunTogether && letterCount <= maxRunTogether && digits == 0:
		if s.splitRunTogether(strings.ToLower(s.text[i:j]), i, j) {
			return
		}
	}
	s.emit(t)
	if i > 0 && s.text[i-1] == ' ' && j < len(s.text) && s.text[j] == ' ' && digits == 0 && (!t.upper || letterCount == 1 || !letters.IsUpper(s.text[i+1])) {
		return // an ordinary word between two spaces has no special shape
	}
	s.words.shape(i, j, digits, letterCount)
}

const (
	maxLeet        = 24
	minRunTogether = 14
	maxRunTogether = 240
)

// hashFold extends the hash h by the ASCII string s in lower case, without apostrophes.
func hashFold(h uint64, s string) uint64 {
	for i := range len(s) {
		c := s[i]
		if c == '\'' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// emitCamelCase emits the parts of a name such as "apiKey". It reports whether it emitted any
// words.
func (s *reader) emitCamelCase(i, j int) bool {
	start, parts := i, 0
	for k := i + 1; k <= j; k++ {
		if k < j && (!letters.IsUpper(s.text[k]) || letters.IsUpper(s.text[k-1])) {
			continue
		}
		if k-start < 2 && k < j {
			return parts > 0 // "iPhone" and words in randomly mixed case are not split
		}
		t := token{start: int32(start), end: int32(k), upper: letters.IsUpper(s.text[start])}
		t.id = s.g.lex.words.get(hashFold(hashSeed, s.text[start:k]))
		if parts > 0 {
			s.words.gap = gJoin
		}
		s.emit(t)
		start = k
		parts++
	}
	return true
}

// lookUpLeet returns the number of the known word that text represents in leet spelling, or 0 if
// there is no such word.
func (s *reader) lookUpLeet(text string) uint32 {
	b := s.asciiBuf[:0]
	for i := range len(text) {
		c := text[i]
		if letters.IsUpper(c) {
			c |= 0x20
		}
		k := letters.Skeleton(c)
		if k == 0 {
			return 0
		}
		b = append(b, k)
	}
	s.asciiBuf = b
	return s.g.lex.skeletons.get(hash(string(b)))
}

// readLeetChunk tries to read a word in leet spelling, which is a run of letters, digits, and leet
// symbols that begins at i and includes position j. It returns the end of the word.
func (s *reader) readLeetChunk(i, j int) (end int, ok bool) {
	if c := s.text[j]; c == '\'' || (i == j && s.words.gap == 0 && s.words.n > 0) {
		return 0, false
	}
	k, letterCount := i, 0
	for k < len(s.text) && k-i <= maxLeet {
		c := s.text[k]
		if c >= utf8.RuneSelf || !letters.IsWord(c) && asciiKinds[c] != kLeet {
			break
		}
		if letters.IsLetter(c) {
			letterCount++
		}
		k++
	}
	for k > i && (s.text[k-1] == '!' || s.text[k-1] == '+') {
		k--
	}
	if k <= j || letterCount < 2 || k-i < minLeet || k-i > maxLeet {
		return 0, false
	}
	id := s.lookUpLeet(s.text[i:k])
	if id == 0 {
		return 0, false
	}
	s.endSpelled()
	s.emit(token{start: int32(i), end: int32(k), id: id, hide: disguise.Leet})
	return k, true
}
