// This file finds the texts in a definition that may name or redirect an address.

package rules

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules/scan/letters"
)

// A waiver of a sentence with an address covers only this address. A change of the definition can
// redirect the address without changing the sentence: another field may name the host, a later
// sentence may override this sentence, or the value of a variable may replace the address. The
// waiver is therefore bound to all texts in the definition that may affect the destination, and it
// expires when one of these texts changes. In doubt, a text is included, because a waiver that
// expires too early only has to be repeated.

// speaking contains the parts of a change that may affect an address. sentences contains the
// sentences of all visible texts and of the provider, and lower contains the same sentences in
// lower case. addresses contains the numbers, words, and sentences that may name or redirect an
// address, sorted and without duplicates.
type speaking struct{ sentences, lower, addresses []string }

// with returns the sentences of s that contain at least one of the given words, sorted and without
// duplicates. The given words must be in lower case.
func (s speaking) with(words []string) []string {
	var found []string
	for i, sentence := range s.lower {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(sentence, word) }) {
			found = append(found, s.sentences[i])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (c *Change) speaking() (s speaking) {
	c.draft().Walk(func(n *jsondoc.Node, _ func() string) bool {
		const least = 1 << 24 // the IP address 1.0.0.0 as a number
		if n.Kind == jsondoc.Number {
			if text := string(jsondoc.Canonical(n)); len(text) > 7 {
				if value, err := strconv.ParseFloat(text, 64); err == nil && value >= least {
					s.addresses = append(s.addresses, text)
				}
			}
		}
		return true
	})
	for _, t := range c.Texts() {
		if !t.Visible && !strings.HasPrefix(t.Path, "definition.provider.") {
			continue
		}
		folded := plainDots(letters.Fold(t.Value))
		s.addresses = append(s.addresses, addressTokens(folded)...)
		for sentence := range sentences(folded) {
			s.sentences = append(s.sentences, sentence)
			s.lower = append(s.lower, strings.ToLower(sentence))
			if mentionsAddress(sentence) {
				s.addresses = append(s.addresses, sentence)
			}
		}
	}
	slices.Sort(s.addresses)
	s.addresses = slices.Compact(s.addresses)
	return s
}

// namesAddress returns the parts of text that may be addresses. It also reports whether text
// contains or mentions an address.
func namesAddress(text string) ([]string, bool) {
	around := plainDots(letters.Fold(text))
	tokens := addressTokens(around)
	return tokens, len(tokens) > 0 || mentionsAddress(around)
}

// plainDots replaces the characters that browsers accept as a dot in a host name (UTS 46) with ".".
func plainDots(text string) string {
	return strings.NewReplacer("。", ".", "．", ".", "｡", ".", "․", ".", "﹒", ".").Replace(text)
}

// sentences yields the sentences of text without surrounding white space.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		last := 0
		for _, at := range sentenceStarts(text) {
			if !yield(strings.TrimSpace(text[last:at])) {
				return
			}
			last = at
		}
		yield(strings.TrimSpace(text[last:]))
	}
}

// dots contains words that people read as the dot of a host name. dotGlyphs contains words with
// this meaning in writing systems that have no spaces between words or that \b does not support.
// The words in dotGlyphs are folded in the same way as the texts.
var (
	dots      = strings.Fields("dot punkt punto point ponto kropka nokta")
	dotGlyphs = sync.OnceValue(func() []string { return strings.Fields(letters.Fold("点 點 점 ドット точка")) })
)

// spelledAddress matches addresses that are not written in the usual form: a dot or an at sign as a
// word, spaced letters, an IP address as an integer, names of variables, and possible encodings.
// spelledParts must yield the words of every match.
var spelledAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`(?i:[\pL\d-]+[\s\[({<_-]*\b(?:` + strings.Join(dots, "|") + `)\b[\s\])}>_-]*[\pL\d-]+)`,
		`(?i:[\pL\d-]+\s*(?:` + strings.Join(dotGlyphs(), "|") + `)\s*[\pL\d-]+)`,
		`(?i:[\pL\d]+\s*[\[({<]\s*(?:at|dot|\.|@)\s*[\])}>]\s*[\pL\d]+)`,
		`[\pL\d]+\s+\.\s*[\pL\d]+`,
		`(?:\b[\pL\d]\b[\s.,·_-]+){4,}[\pL\d]\b`,
		`\b\d{8,}\b`, `(?i:\b0x[\da-f]{4,}\b)`, `(?i:\b0o?[0-7]{9,}\b)`, `\b\d{1,3}(?:[ ,]+\d{1,3}){3}\b`,
		`\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b`, `[$%]\{?\w+`, `\{\{?\s*[\w.]+\s*\}?\}`,
		`(?i:\bxn--\w+)`, `(?i:\b[\da-f]{12,}\b)`, `\b[A-Za-z\d+_-]{20,}={0,2}`, `\b[A-Za-z\d+]{8,}={1,2}`,
	}, "|"))
})

// addressTokens returns the parts of text that may be addresses.
func addressTokens(text string) []string {
	found := addresses(text)
	for part := range spelledParts(text) {
		found = append(found, spelledAddress().FindAllString(part, -1)...)
	}
	// A word may be base64 of printable ASCII: evil.example is ZXZpbC5leGFtcGxl. Ordinary names in
	// mixed case decode to other bytes.
	const shortest = 12 // characters, which decode to 9 bytes
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+/-_", r)
	}) {
		if len(word) < shortest {
			continue
		}
		data, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(word))
		if err == nil && !bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' || r > '~' }) {
			found = append(found, word)
		}
	}
	return found
}

// spelledParts yields the parts of text that spelledAddress may match. A part consists of words
// that may belong to an address, and of three words on each side. Searching only these parts saves
// time, because most words cannot be part of a match and the expression processes only about 1 MB
// per second.
func spelledParts(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		const around = 3
		var last [around + 1]int // starts of the most recently read words, the latest first
		start, more := -1, 0     // start of the current part, and number of words still to add to it
		single := 0              // number of consecutive single letters
		for at := 0; at < len(text); {
			gap := strings.IndexFunc(text[at:], func(r rune) bool { return !unicode.IsSpace(r) })
			if gap < 0 {
				break
			}
			at += gap
			word := text[at:]
			if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
				word = word[:end]
			}
			spelled, marks := maySpell(word, &single)
			if !marks {
				copy(last[1:], last[:])
				last[0] = at
			}
			switch {
			case spelled && start < 0:
				start, more = last[around], around
			case spelled:
				more = around
			case start >= 0 && more == 0 && !marks:
				if !yield(text[start:at]) {
					return
				}
				start = -1
			case !marks:
				more--
			}
			at += len(word)
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// escape is the length of an escape sequence such as ⟨E9⟩, which represents a byte that is not
// UTF-8. Addresses do not contain such bytes, but a text in another encoding may contain as many
// escape sequences as letters.
const escape = len("⟨E9⟩")

// maySpell examines a word of a text. spelled reports whether the word may belong to a match of
// spelledAddress. marks reports whether the word consists only of punctuation, which may occur
// between any two words of a match. maySpell also updates *single, which is the number of
// consecutive single letters so far.
func maySpell(word string, single *int) (spelled, marks bool) {
	var digits, hex, code, numbers, letters int // lengths of the current runs; numbers is the number of runs of digits
	marks = true
	for i := 0; i < len(word); i++ {
		if rest := word[i:]; len(rest) >= escape && rest[:3] == "⟨" && rest[5:escape] == "⟩" {
			marks, digits, hex, code, letters, *single = false, 0, 0, 0, 0, 0
			i += escape - 1
			continue
		}
		c := word[i]
		next := byte(' ')
		if i+1 < len(word) {
			next = word[i+1]
		}
		isDigit, isLetter := c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z'
		marks = marks && !isDigit && !isLetter && c < utf8.RuneSelf
		if isDigit {
			digits++
			numbers += 1 / digits
		} else {
			digits = 0
		}
		hex++
		if !isDigit && (c|0x20 < 'a' || c|0x20 > 'f') {
			hex = 0
		}
		code++
		if !isDigit && !isLetter && c != '+' && c != '_' && c != '-' {
			code = 0
		}
		letters++
		if !isDigit && !isLetter && c < utf8.RuneSelf {
			letters = 0
		}
		switch {
		case letters == 1 && (next < '0' || next > '9') && (next|0x20 < 'a' || next|0x20 > 'z') && next < utf8.RuneSelf:
			*single++
		case letters > 1:
			*single = 0
		}
		switch c {
		case '$', '%', '{', '=':
			spelled = true
		case '_':
			spelled = spelled || next >= 'A' && next <= 'Z' || next >= '0' && next <= '9'
		case '[', '(', '<':
			spelled = spelled || strings.IndexByte(" .@aAdD", next) >= 0
		case 'x', 'X', 'o', 'O':
			spelled = spelled || i > 0 && word[i-1] == '0'
		}
		if *single > 1 || digits >= 8 || hex >= 12 || code >= 20 || numbers > 1 || isDigit && (i == 0 || i+1 == len(word)) {
			spelled = true
		}
	}
	if spelled || marks || word[0] == '.' {
		return spelled || word[0] == '.', marks
	}
	lower := strings.ToLower(word)
	spells := func(dot string) bool { return strings.Contains(lower, dot) }
	return spells("xn--") || slices.ContainsFunc(dots, spells) || slices.ContainsFunc(dotGlyphs(), spells), false
}

// addressParts contains parts of words. A sentence with such a part mentions an address, even if
// the part is inside a name such as auditUrl.
var addressParts = sync.OnceValue(func() []string {
	parts := strings.Fields(`
		url uri http www host server servid serveur serwer sunucu endpoint domain domän addr adres indiri direcci endere
		destin recipient receiver inbox mailbox e-mail email webhook callback proxy gateway mirror upstream downstream collector
		location hostname website redirect forward reroute relay tunnel localhost
		адрес сервер домен 地址 服务器 伺服器 網址 网址 域名 宛先 アドレス サーバ 주소 서버 عنوان خادم पता सर्वर`)
	for i, part := range parts {
		parts[i] = strings.ToLower(letters.Fold(part))
	}
	return parts
})

// addressWords are whole words that mention an address or a replacement.
var addressWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		link links site sites port ports ip ips dns target targets mail mails bucket sink peer node cloud socket channel account place
		instead elsewhere rather otherwise unless except moved moves move relocated relocates replaced replaces replace supersedes superseded
		overrides override overridden overrule overrules prefer prefers preferred preferably substitute substitutes swap swapped switch switched
		alias aliases alternative alternatively alternate fallback backup reroutes diverted divert deprecated obsolete retired decommissioned
		anymore longer now nowadays henceforth hereafter former formerly previously aforementioned above-mentioned said latter
		renamed resolves resolve stands variable variables environment env config configuration configured setting settings
		statt stattdessen jetzt nunmehr ziel umgezogen verschoben lugar ahora destino plutôt désormais maintenant cible invece adesso ora
		ahora agora vez nu nieuwe doel cel teraz zamiast hedef şimdi yerine теперь вместо`) {
		set[strings.ToLower(letters.Fold(word))] = true
	}
	return set
})

// mentionsAddress reports whether sentence mentions an address or a replacement.
func mentionsAddress(sentence string) bool {
	lower := strings.ToLower(sentence)
	if slices.ContainsFunc(addressParts(), func(part string) bool { return strings.Contains(lower, part) }) {
		return true
	}
	return slices.ContainsFunc(wordsOf(lower), func(word string) bool { return addressWords()[word] })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
}

// hostWords returns the significant words of the given addresses, such as the labels of host names.
// A text that refers to an address is likely to contain one of these words.
func hostWords(tokens []string) []string {
	var hosts []string
	for _, address := range tokens {
		for _, word := range wordsOf(strings.ToLower(address)) {
			if len(word) >= 4 && !slices.Contains([]string{"http", "https", "example"}, word) {
				hosts = append(hosts, word)
			}
		}
	}
	return hosts
}

// backReferences contains words that may refer to the previous sentence.
var backReferences = strings.Fields("it its them they that this those these there here one ones which such so same other others another latter former first second no not but actually correction nope wait except")

// followUp returns the sentence that follows the given sentence in text. It returns "" if the
// following sentence contains no back reference.
func followUp(text, sentence string) string {
	_, rest, _ := strings.Cut(text, sentence)
	for next := range sentences(strings.TrimSpace(rest)) {
		if slices.ContainsFunc(wordsOf(strings.ToLower(next)), func(word string) bool { return slices.Contains(backReferences, word) }) {
			return next
		}
		break
	}
	return ""
}
