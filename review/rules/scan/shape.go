// This file recognizes addresses, paths, names, and account numbers by their form.

package scan

import (
	"toolcrib/review/rules/scan/letters"
)

// shape records the concepts that the characters around the last token imply, such as url, email,
// path, or label. The last token is text[i:j].
func (s *sentence) shape(i, j, digits, letterCount int) {
	last := s.n - 1
	t := &s.tokens[last]
	text := s.text
	var next byte
	if j < len(text) {
		next = text[j]
	}
	switch next {
	case ':':
		if hasPrefixAt(text, j, "://") {
			s.recordShape(last, last, s.g.url)
		} else if j+1 == len(text) || text[j+1] == ' ' || text[j+1] == '\n' || text[j+1] == ']' {
			s.recordShape(last, last, s.g.label)
		}
	case '(':
		if hasPrefixAt(text, j, "()") {
			s.recordShape(last, last, s.g.ident)
		}
	case '>':
		name := i // start of the name of the tag, which may contain "_" and "-"
		for name > 0 && (letters.IsWord(text[name-1]) || text[name-1] == '_' || text[name-1] == '-') {
			name--
		}
		if name > 0 && (text[name-1] == '<' || text[name-1] == '/' && name > 1 && text[name-2] == '<') {
			s.recordShape(last, last, s.g.tag)
		}
	case '@':
		if mailbox(text[j+1:]) {
			s.recordShape(last, last, s.g.email)
		}
	}
	if letterCount > 1 && digits == 0 && letters.IsUpper(text[i]) && letters.IsUpper(text[j-1]) && letters.IsUpper(text[i+1]) {
		s.recordShape(last, last, s.g.caps)
	}
	if digits > 0 && letterCount == 0 {
		s.recordShape(last, last, s.g.number)
		if t.gap&gPlus != 0 && digits >= 7 {
			s.recordShape(last, last, s.g.phone)
		}
	}
	if digits >= 2 && letterCount >= 2 && accountLike(text, i, j, digits) {
		s.recordShape(last, last, s.g.account)
	}
	switch {
	case i == 0:
	case t.gap&gDot != 0:
		s.hostShape(last, digits, letterCount)
	case text[i-1] == '/' && (i == 1 || text[i-2] == '~' || text[i-2] <= ' ' || text[i-2] == '"' || text[i-2] == '\'' || text[i-2] == '`'):
		s.recordShape(last, last, s.g.path)
	case text[i-1] == '[' && (i == 1 || text[i-2] <= ' '):
		s.recordShape(last, last, s.g.bracket)
	}
	if t.gap&gQuote != 0 && t.gap&gJoin == 0 && (next == '`' || next == '\'' || next == '"') && letterCount > 1 && (text[i-1] == next) {
		s.recordShape(last, last, s.g.quoted)
	}
}

// hostShape records the host name or the IP address that ends with token last, if any.
func (s *sentence) hostShape(last, digits, letterCount int) {
	t := &s.tokens[last]
	if letterCount > 0 && t.id != 0 {
		if set := &s.g.lex.list[t.id].set; set.has(s.g.tld) && last > 0 {
			s.recordShape(last-1, last, s.g.host)
		}
	}
	if digits == 0 || letterCount > 0 || last < 3 {
		return
	}
	for k := last - 3; k <= last; k++ {
		if s.text[s.tokens[k].start] > '9' || k > last-3 && s.tokens[k].gap&gDot == 0 {
			return
		}
	}
	s.recordShape(last-3, last, s.g.host)
}

// mailbox reports whether text, which follows an "@", begins with the domain of an email address.
func mailbox(text string) bool {
	for i := 0; i < len(text) && i < 64; i++ {
		c := text[i]
		if c == '.' && i > 0 && i+1 < len(text) && letters.IsLetter(text[i+1]) {
			return true
		}
		if !letters.IsWord(c) && c != '-' && c != '_' {
			return false
		}
	}
	return false
}

// accountLike reports whether the word text[i:j] is a cryptocurrency address or the beginning of an
// IBAN. An IBAN (ISO 13616) consists of two letters, two check digits, and either groups of four
// characters or a single block.
func accountLike(text string, i, j, digits int) bool {
	word := text[i:j]
	if len(word) >= 4 && letters.IsUpper(word[0]) && letters.IsUpper(word[1]) && letters.IsDigits(word[2:4]) {
		next := j + 1
		return len(word) >= 15 || len(word) == 4 && len(text) >= next+4 && text[j] == ' ' && letters.IsDigits(text[next:next+4])
	}
	return len(word) >= 26 && len(word) <= 64 && digits >= 4 && (word[:3] == "bc1" || word[:2] == "0x" && len(word) == 42)
}
