package scan

import "unicode/utf8"

// readFolded reads the run of letters and digits that begins at i and has
// characters outside ASCII among them, accents and invisible ones included.
func (s *reader) readFolded(i int) int {
	w := foldedWord{native: s.nat[:0], ascii: s.asc[:0], imitated: true}
	j := i
	for j < len(s.text) {
		n := s.addFolded(&w, j)
		if n == 0 {
			break
		}
		j += n
	}
	s.nat, s.asc = w.native, w.ascii
	end := w.end
	t := token{start: int32(i), end: int32(end), upper: w.upper}
	s.lookUp(&w, &t)
	if w.letters == 1 {
		s.spelled(i)
	} else {
		s.endSpelled()
	}
	if t.id == 0 && w.imitated && len(w.ascii) >= minRunTogether && len(w.ascii) <= maxRunTogether {
		if s.runTogetherText(string(w.ascii), i, end) {
			return j
		}
	}
	s.emit(t)
	return j
}

// foldedWord is a word that is being read character by character.
type foldedWord struct {
	native   []byte // as folded
	ascii    []byte // as imitated
	imitated bool   // every character has an ASCII counterpart
	scripts  script
	styled   bool // a character is an ASCII letter in disguise
	hidden   bool // invisible characters stand within
	pending  bool // invisible characters seen since the last letter
	upper    bool
	letters  int
	digits   int
	end      int
}

// addFolded adds the character at j to w and returns its length, 0 when the
// word has ended before it.
func (s *reader) addFolded(w *foldedWord, j int) int {
	c := s.text[j]
	if c < utf8.RuneSelf {
		switch {
		case isLetter(c):
			w.upper = w.upper || len(w.native) == 0 && isUpper(c)
			w.scripts |= latin
			w.letters++
			c |= 0x20
		case c >= '0' && c <= '9':
			w.digits++
		case c == '\'' && w.letters > 0 && j+1 < len(s.text) && (isLetter(s.text[j+1]) || s.text[j+1] >= utf8.RuneSelf):
			return 1
		default:
			return 0
		}
		w.native, w.ascii = append(w.native, c), append(w.ascii, c)
		w.took(j + 1)
		return 1
	}
	r, size := utf8.DecodeRuneInString(s.text[j:])
	f := s.folds.fold(r)
	switch f.class {
	case skip:
		if ignorable(r) {
			w.pending = true
		}
		return size
	case letter, digit:
	default:
		if r == '’' && w.letters > 0 && j+size < len(s.text) && isLetter(s.text[j+size]) {
			return size
		}
		return 0
	}
	w.upper = w.upper || len(w.native) == 0 && f.upper
	w.scripts |= f.script
	w.letters++
	w.native = append(w.native, f.text...)
	switch {
	case f.ascii != 0:
		w.ascii = append(w.ascii, f.ascii)
		w.styled = w.styled || r >= 0x250 && (r < 0x1e00 || r > 0x1eff)
	case len(f.text) > 0 && f.script == latin && asciiOnly(f.text):
		w.ascii = append(w.ascii, f.text...)
	default:
		w.imitated = false
	}
	w.took(j + size)
	return size
}

// took notes that a letter ended at byte end.
func (w *foldedWord) took(end int) {
	w.hidden = w.hidden || w.pending && w.end > 0
	w.pending = false
	w.end = end
}

// lookUp finds the word itself, and failing that the word that it imitates.
func (s *reader) lookUp(w *foldedWord, t *token) {
	lex := s.g.lex
	if w.hidden {
		t.hide |= Interspersed
	}
	if t.id = lex.words.get(hash(string(w.native))); t.id != 0 {
		if w.styled && w.scripts == latin {
			t.hide |= Lookalike
		}
		return
	}
	if !w.imitated || len(w.ascii) == 0 {
		return
	}
	if t.id = lex.words.get(hash(string(w.ascii))); t.id == 0 && len(w.ascii) >= minLeet && len(w.ascii) <= maxLeet {
		t.id = s.leet(string(w.ascii))
		if w.digits > 0 && t.id != 0 {
			t.hide |= Leet
		}
	}
	if t.id != 0 && (w.styled || w.scripts&^latin != 0) {
		t.hide |= Lookalike
	}
}

func asciiOnly(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readGlyphs reads the run of characters that begins at i, in a script that
// puts no spaces between words: the longest known word at each place, else one
// character.
func (s *reader) readGlyphs(i int) int {
	s.endSpelled()
	r, size := utf8.DecodeRuneInString(s.text[i:])
	if !s.g.lex.starts[r] {
		s.filler(i, size)
		return i + size
	}
	h, j := hashSeed, i
	found, end := uint32(0), i
	for glyphs := 0; j < len(s.text) && glyphs < maxGlyph; glyphs++ {
		r, n := utf8.DecodeRuneInString(s.text[j:])
		f := s.folds.fold(r)
		if f.class == skip {
			j += n
			continue
		}
		if f.class != unspaced {
			break
		}
		h = hashMore(h, f.text)
		j += n
		if id := s.g.lex.words.get(h); id != 0 {
			found, end = id, j
		}
	}
	if found == 0 {
		s.filler(i, size)
		return i + size
	}
	s.emit(token{start: int32(i), end: int32(end), id: found})
	return end
}

// filler counts a character that is no known word: two of them are as far as
// one word.
func (s *reader) filler(i, size int) {
	if s.n > 0 && s.tokens[s.n-1].id == 0 && s.gap == 0 && s.tokens[s.n-1].end == int32(i) && s.tokens[s.n-1].end-s.tokens[s.n-1].start < 6 {
		s.tokens[s.n-1].end += int32(size)
		return
	}
	s.emit(token{start: int32(i), end: int32(i + size)})
}
