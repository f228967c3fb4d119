package guard

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth limits how deep values are nested in a message: the scanner recurses.
const maxDepth = 10_000

// errNoJSON reports a text that is not one JSON value.
var errNoJSON = errors.New("it is no JSON")

// ambiguous is a message that two readers could understand differently.
type ambiguous string

// Error returns what is ambiguous.
func (a ambiguous) Error() string { return string(a) }

// span is a part of a text.
type span struct{ from, to int }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

func (s span) there() bool { return s.to > s.from }

// scanner checks the grammar of JSON (RFC 8259) and finds where values begin and
// end. It builds nothing, so a message of a megabyte costs as much as looking at
// its bytes once. It takes any bytes inside strings that cannot end a line.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// take passes one character, which must come next.
func (s *scanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// value passes a value, around which depth others stand.
func (s *scanner) value(depth int) error {
	if s.at >= len(s.text) || depth > maxDepth {
		return errNoJSON
	}
	switch c := s.text[s.at]; {
	case c == '"':
		_, err := s.str()
		return err
	case c == '{':
		return s.members(depth, func([]byte, span) error { return nil })
	case c == '[':
		return s.elements(depth, func(span) error { return nil })
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(s.text[s.at:], []byte(word)) {
			s.at += len(word)
			return nil
		}
	}
	return errNoJSON
}

// str passes a string and returns where its characters stand.
func (s *scanner) str() (span, error) {
	if !s.take('"') {
		return span{}, errNoJSON
	}
	from, quote := s.at, -1
	for {
		if quote < s.at {
			i := bytes.IndexByte(s.text[s.at:], '"')
			if i < 0 {
				return span{}, errNoJSON
			}
			quote = s.at + i
		}
		i := bytes.IndexByte(s.text[s.at:quote], '\\')
		if i < 0 {
			s.at = quote + 1
			return span{from, quote}, nil
		}
		s.at += i + 1
		if s.at >= len(s.text) || !strings.ContainsRune(`"\/bfnrtu`, rune(s.text[s.at])) {
			return span{}, errNoJSON
		}
		s.at++
	}
}

// number passes a number.
func (s *scanner) number() error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return errNoJSON
	}
	if s.take('.') && !s.digits() {
		return errNoJSON
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return errNoJSON
		}
	}
	return nil
}

// digits passes the digits that come next, and reports whether there is one.
func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// members passes an object and calls each with the key of every member, as it
// stands between the quotes, and the place of its value.
func (s *scanner) members(depth int, each func(key []byte, value span) error) error {
	if !s.take('{') {
		return errNoJSON
	}
	s.space()
	if s.take('}') {
		return nil
	}
	for {
		s.space()
		key, err := s.str()
		if err != nil {
			return err
		}
		s.space()
		if !s.take(':') {
			return errNoJSON
		}
		value, err := s.inner(depth)
		if err != nil {
			return err
		}
		if err := each(key.of(s.text), value); err != nil {
			return err
		}
		switch {
		case s.take('}'):
			return nil
		case !s.take(','):
			return errNoJSON
		}
	}
}

// elements passes an array and calls each with the place of every value.
func (s *scanner) elements(depth int, each func(value span) error) error {
	if !s.take('[') {
		return errNoJSON
	}
	s.space()
	if s.take(']') {
		return nil
	}
	for {
		value, err := s.inner(depth)
		if err != nil {
			return err
		}
		if err := each(value); err != nil {
			return err
		}
		switch {
		case s.take(']'):
			return nil
		case !s.take(','):
			return errNoJSON
		}
	}
}

// inner passes a value inside another, and the space around it.
func (s *scanner) inner(depth int) (span, error) {
	s.space()
	from := s.at
	if err := s.value(depth + 1); err != nil {
		return span{}, err
	}
	value := span{from, s.at}
	s.space()
	return value, nil
}

// whole checks that a text is one value.
func whole(text []byte) error {
	s := scanner{text: text}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	if s.space(); s.at != len(text) {
		return errNoJSON
	}
	return nil
}

// object reads the members of the object at a place of a checked text. A key that
// stands there twice, or that differs from a known one in case alone, is ambiguous:
// readers of JSON take the first, the last, or either. The rest is read all the same.
func object(text []byte, at span, known []string, each func(key string, value span)) error {
	s := scanner{text: text[:at.to], at: at.from}
	var seen keySet
	var unclear error
	err := s.members(0, func(raw []byte, value span) error {
		key := unquote(raw)
		if seen.add(key) {
			unclear = ambiguous("it has the member " + strconv.Quote(clip(key)) + " twice")
			return nil
		}
		for _, k := range known {
			if key != k && strings.EqualFold(key, k) {
				unclear = ambiguous("it has the member " + strconv.Quote(clip(key)) + ", which some readers take for " + strconv.Quote(k))
			}
		}
		each(key, value)
		return nil
	})
	return cmp.Or(err, unclear)
}

// keySet notices a key that comes twice. A message has a few keys, a list of schemas
// many.
type keySet struct {
	few  [8]string
	n    int
	many map[string]struct{}
}

// add adds a key and reports whether it was there.
func (k *keySet) add(key string) bool {
	for _, other := range k.few[:k.n] {
		if other == key {
			return true
		}
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
		k.n++
		return false
	}
	if _, there := k.many[key]; there {
		return true
	}
	if k.many == nil {
		k.many = map[string]struct{}{}
	}
	k.many[key] = struct{}{}
	return false
}

// unquote returns the text of a string that stands between its quotes.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, more := escaped(raw[i:])
			out, i = utf8.AppendRune(out, r), i+more
		default:
			out = append(out, raw[i])
		}
	}
	return string(out)
}

// escaped reads the character of "uXXXX", and of the "\uXXXX" behind it where both
// are halves of one, and returns how many bytes follow the u.
func escaped(text []byte) (r rune, more int) {
	r, ok := hex4(text[1:])
	if !ok {
		return utf8.RuneError, 0
	}
	if utf16.IsSurrogate(r) && len(text) >= 11 && text[5] == '\\' && text[6] == 'u' {
		if low, ok := hex4(text[7:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 10
			}
		}
	}
	return r, 4
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n), err == nil
}
