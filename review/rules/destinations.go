package rules

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules/scan"
)

// A waiver of a sentence with an address covers that address alone. The address can move
// without a change of the sentence: another field names a host, a later sentence redirects
// what was said, a variable is preferred to it. So such a waiver is bound to all of the
// definition that may say where something goes (destinations), and ends when that changes.
// In doubt a text counts: a waiver that ends too early is asked for again.

// destinations returns what in the draft may name or move an address, sorted, each once:
// tokens that may be addresses in some spelling, and the sentences that speak of addresses.
// hosts are words of the waived address, by which a sentence speaks of it too.
func (b *binder) destinations(hosts []string) []string {
	key := strings.Join(hosts, " ")
	if known, ok := b.byHosts[key]; ok {
		return known
	}
	var found []string
	for _, t := range b.c.Texts() {
		if !t.Visible && !strings.HasPrefix(t.Path, "definition.provider.") {
			continue
		}
		folded := plainDots(scan.Fold(t.Value))
		found = append(found, addressTokens(folded)...)
		for sentence := range sentences(folded) {
			if speaksOfAddress(sentence) || mentions(sentence, hosts) {
				found = append(found, sentence)
			}
		}
	}
	found = append(found, addressNumbers(b.draft(), nil)...)
	slices.Sort(found)
	if b.byHosts == nil {
		b.byHosts = map[string][]string{}
	}
	b.byHosts[key] = slices.Compact(found)
	return b.byHosts[key]
}

// plainDots replaces the full stops that browsers take for the dot of a host (UTS 46).
func plainDots(text string) string {
	return strings.NewReplacer("。", ".", "．", ".", "｡", ".", "․", ".", "﹒", ".").Replace(text)
}

// sentences yields the sentences of text, without the space around them.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		last := 0
		for at := range sentenceStarts(text) {
			if !yield(strings.TrimSpace(text[last:at])) {
				return
			}
			last = at
		}
		yield(strings.TrimSpace(text[last:]))
	}
}

// spelledAddress matches spellings of addresses that have no mark of one: a dot or an at
// sign in words, letters apart, the integer of an IP address, names of variables, and what
// may be encoded.
var spelledAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`(?i:[\pL\d-]+[\s\[({<_-]*\b(?:dot|punkt|punto|point|ponto|kropka|nokta|точка)\b[\s\])}>_-]*[\pL\d-]+)`,
		`[\pL\d-]+\s*(?:点|點|점|ドット)\s*[\pL\d-]+`,
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
	return append(addresses(text), spelledAddress().FindAllString(text, -1)...)
}

// leastAddress is the integer of the IP address 1.0.0.0.
const leastAddress = 1 << 24

// addressNumbers adds the numbers below n that may be an IP address.
func addressNumbers(n *jsondoc.Node, found []string) []string {
	switch n.Kind {
	case jsondoc.Number:
		if text := string(jsondoc.Canonical(n)); len(text) > 7 {
			if value, err := strconv.ParseFloat(text, 64); err == nil && value >= leastAddress {
				found = append(found, text)
			}
		}
	case jsondoc.Array:
		for _, item := range n.Items {
			found = addressNumbers(item, found)
		}
	case jsondoc.Object:
		for _, m := range n.Members {
			found = addressNumbers(m.Value, found)
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.String:
	}
	return found
}

// addressParts are parts of words that speak of an address, in names such as auditUrl too.
var addressParts = sync.OnceValue(func() []string {
	parts := strings.Fields(`
		url uri http www host server servid serveur serwer sunucu endpoint domain domän addr adres indiri direcci endere
		destin recipient receiver inbox mailbox e-mail email webhook callback proxy gateway mirror upstream downstream collector
		location hostname website redirect forward reroute relay tunnel localhost
		адрес сервер домен 地址 服务器 伺服器 網址 网址 域名 宛先 アドレス サーバ 주소 서버 عنوان خادم पता सर्वर`)
	for i, part := range parts {
		parts[i] = strings.ToLower(scan.Fold(part))
	}
	return parts
})

// addressWords are whole words that speak of an address, or of another thing in the place of
// one that was named.
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
		set[strings.ToLower(scan.Fold(word))] = true
	}
	return set
})

// speaksOfAddress reports whether a sentence is about an address, or puts something in the
// place of what was said.
func speaksOfAddress(sentence string) bool {
	lower := strings.ToLower(sentence)
	if slices.ContainsFunc(addressParts(), func(part string) bool { return strings.Contains(lower, part) }) {
		return true
	}
	return slices.ContainsFunc(wordsOf(lower), func(word string) bool { return addressWords()[word] })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
}

// mentions reports whether a sentence has one of some words.
func mentions(sentence string, words []string) bool {
	lower := strings.ToLower(sentence)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(lower, word) })
}

// hostWords returns the words in the addresses of a text by which people speak of them.
func hostWords(text string) []string {
	var hosts []string
	for _, address := range addressTokens(text) {
		for _, word := range wordsOf(strings.ToLower(address)) {
			if len(word) >= 5 && !slices.Contains([]string{"https", "example"}, word) {
				hosts = append(hosts, word)
			}
		}
	}
	return hosts
}

// back are words that mean what the sentence before named.
var back = strings.Fields("it its them they that this those these there here one ones which such so same other others another latter former first second no not but actually correction nope wait except")

// beside returns the sentence behind another of text where it goes on about it.
func beside(text, sentence string) string {
	_, rest, _ := strings.Cut(text, sentence)
	for next := range sentences(strings.TrimSpace(rest)) {
		if slices.ContainsFunc(wordsOf(strings.ToLower(next)), func(word string) bool { return slices.Contains(back, word) }) {
			return next
		}
		break
	}
	return ""
}
