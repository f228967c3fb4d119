package wording

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules/scan/letters"

	"toolcrib/review/rules"
)

// privatePlace is a place in a value that something private is to be put into.
var privatePlace = sync.OnceValue(func() *regexp.Regexp {
	const (
		private = `conversation|chat|history|transcript|system[ _]prompt|passwords?|cookies?|secrets?|credentials?|` +
			`memory|memories|last[ _]message|clipboard`
		around = `[^{}<>\[\]]{0,40}`
	)
	return regexp.MustCompile(`(?i)(?:\{\{|\$\{|<|\[\[)` + around + `\b(?:` + private + `)\b` + around + `(?:\}|>|\])`)
})

// copying are names of parameters for further recipients of a call.
var copying = words("bcc cc blind_copy copy_to also_to forward_to reply_to notify notify_url callback callback_url webhook webhook_url mirror report_to postback beacon")

// valuesThatLeak finds values with a place for something private, and fixed
// addresses in parameters for further recipients.
func valuesThatLeak(c *View) []candidate {
	if !c.IsAction() {
		return nil
	}
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Kind != rules.Value || s.Param == "" || len(s.Value) < 6 {
			continue
		}
		var spans []rules.Passage
		if strings.ContainsAny(s.Value, "{<[") && !c.about("dTalk|dAuth") {
			if at := privatePlace().FindStringIndex(s.Value); at != nil {
				spans = append(spans, rules.Passage{Start: at[0], End: at[1]})
			}
		}
		if copying[strings.ToLower(s.Param)] && fixed(s.Path) && addressOfStranger(s.Value) {
			spans = append(spans, rules.Passage{Start: 0, End: len(s.Value)})
		}
		found = append(found, s.candidates(spans, func(rules.Passage) string {
			return "A value of the schema carries something private out, or to an address that nobody chose"
		})...)
	}
	return found
}

// fixed reports whether a call gets the value at p without anybody choosing it.
func fixed(p string) bool {
	last := strings.TrimPrefix(path.Ext(p), ".")
	return last == "default" || last == "const"
}

// addressOfStranger reports whether value is an address of somebody in
// particular, rather than one of the examples of RFC 2606 or this machine.
func addressOfStranger(value string) bool {
	lower := strings.ToLower(letters.Fold(value))
	if !strings.Contains(lower, "://") && !strings.Contains(lower, "@") {
		return false
	}
	for _, harmless := range []string{"example", "localhost", "127.0.0.1", ".test", ".invalid", "your", "<", "{"} {
		if strings.Contains(lower, harmless) {
			return false
		}
	}
	return true
}

// linkWithData is a Markdown image or link, or an address after a word such as
// "render", whose query or path holds a placeholder; in the address of a picture
// also a word in capitals.
var linkWithData = sync.OnceValue(func() *regexp.Regexp {
	const (
		link    = `!?\[[^\]\n]{0,80}\]\(\s*https?://[^)\s]{1,300}(\{|\$\(|\$\{|%7B|<|\[)[^)\n]{0,200}\)`
		capital = `!\[[^\]\n]{0,80}\]\(\s*https?://[^)\s?]{1,200}\?(?:[^)\s]{0,200}&)?[a-z_]{1,20}=(?-i:[A-Z][A-Z_]{3,30})[&)]`
		image   = `<img[^>\n]{0,80}src=["']?https?://[^"'>\s]{1,300}(\{|\$\(|<|\[)`
	)
	return regexp.MustCompile(`(?i)` + link + `|` + capital + `|` + image)
})

// shellInAddress is a command substitution within an address.
var shellInAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("https?://[^\\s\"'`]{1,300}[?&/=](\\$\\(|`\\w)")
})

// linkParts yields the parts of a text around its addresses that have all that linkWithData and
// shellInAddress match: expressions are too slow for the rest.
func linkParts(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		const label = 4 * 100 // bytes ahead of an address
		for at := 0; ; {
			i := strings.Index(text[at:], "://")
			if i < 0 {
				return
			}
			start, end := max(at, at+i-label), len(text)
			if n := strings.IndexByte(text[at+i:], '\n'); n >= 0 {
				end = at + i + n
			}
			if strings.ContainsAny(text[at+i:end], "{$%<[`?") && !yield(start, end) {
				return
			}
			at = end
		}
	}
}

// carriesPrivate reports whether the words in the address of a link, behind its host,
// name a secret, the conversation or the user's data.
func carriesPrivate(link string) bool {
	_, address, _ := strings.Cut(link, "://")
	_, path, _ := strings.Cut(address, "/")
	words := strings.Map(func(r rune) rune {
		if LetterOrDigit(r) {
			return r
		}
		return ' '
	}, path)
	g := grammar()
	return g.Scan(words).Concepts.Meets(g.Concept("secretFile|secret|internals|wholeTalk|conversation|userData"))
}

// placeInAddress is a place in an address that something is to be put into.
var placeInAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\$?\{+([^{}]{0,60})\}*|%7B(.{0,60}?)%7D|<([^<>]{0,60})>?|\[([^\[\]]{0,60})\]?`)
})

// addressing are words for the parts that addresses are made of: which page, record or
// version is meant. What is said or known goes by other names.
var addressing = words(`owner org organization organisation repo repository project workspace namespace group team id ids uuid guid num number no nr n
	key slug tag branch ref version ver sha commit hash revision env environment region zone dc date year month day page path file filename
	folder dir ticket issue pr pull mr run workflow build job step pipeline host hostname domain port base lang language locale country package pkg module
	crate lib library app application service component resource type kind section anchor doc docs dashboard panel chart board sprint
	release server cluster instance node site 0 x y z name timestamp encoded url uri link the your`)

// isTemplate reports whether a link is a pattern for addresses: each place in it is for
// a part of an address.
func isTemplate(link string) bool {
	_, address, _ := strings.Cut(link, "://")
	places := placeInAddress().FindAllStringSubmatch(address, rules.MaxPerText)
	for _, p := range places {
		named := wordsOf(strings.Join(p[1:], ""))
		if len(named) == 0 || slices.ContainsFunc(named, func(w string) bool { return !addressing[w] }) {
			return false
		}
	}
	return len(places) > 0
}

// dataInLinks finds addresses that carry data out.
func dataInLinks(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		var spans []rules.Passage
		for _, r := range s.Readings() {
			if !s.Visible {
				continue
			}
			for start, end := range linkParts(r.Text) {
				for _, pattern := range []*regexp.Regexp{linkWithData(), shellInAddress()} {
					for _, at := range pattern.FindAllStringIndex(r.Text[start:end], rules.MaxPerText) {
						if !isTemplate(r.Text[start+at[0] : start+at[1]]) {
							spans = append(spans, r.At(start+at[0], start+at[1]))
						}
					}
				}
			}
		}
		for _, f := range s.candidates(spans, func(rules.Passage) string {
			return "Builds an address that carries data out as soon as it is shown or opened"
		}) {
			// A picture is fetched when the answer is drawn, without a click.
			f.certain = strings.HasPrefix(f.Passage, "![") || strings.HasPrefix(f.Passage, "<img")
			f.plain = f.certain && carriesPrivate(f.Passage)
			found = append(found, f)
		}
	}
	return found
}

// processCalls start a process or evaluate a text when a parenthesis follows.
const processCalls = "execSync spawnSync os.system os.popen subprocess.run subprocess.Popen subprocess.call subprocess.check_output __import__ eval exec"

// processCode returns where code stands that starts a process or evaluates a text, in
// order. Plain searches take a tenth of the time of an expression: most texts have none.
func processCode(text string) []int {
	var found []int
	each := func(word string, counts func(at int) bool) {
		for from := 0; ; {
			at := strings.Index(text[from:], word)
			if at < 0 {
				return
			}
			if at += from; counts(at) {
				found = append(found, at)
			}
			from = at + len(word)
		}
	}
	for call := range strings.FieldsSeq(processCalls) {
		each(call, func(at int) bool {
			rest := strings.TrimPrefix(text[at+len(call):], " ")
			return strings.HasPrefix(rest, "(") && (len(call) > len("eval") || at == 0 || !wordByte(text[at-1]))
		})
	}
	for _, word := range []string{"child_process", "Runtime.getRuntime()"} {
		each(word, func(int) bool { return true })
	}
	slices.Sort(found)
	return found[:min(len(found), rules.MaxPerText)]
}

// wordByte reports whether b is a part of a word of ASCII.
func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// commanding are words in the keys of values that are commands by nature.
var commanding = words("command cmd args script scripts run exec shell hook hooks entrypoint code snippet example test build start")

// codeInValues finds code that stands as a plain value of a JSON object: whatever reads
// the value may run it.
func codeInValues(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if !s.Visible || !strings.Contains(s.Value, `"`) {
			continue
		}
		var spans []rules.Passage
		for _, r := range s.Readings() {
			for _, at := range processCode(r.Text) {
				if start, end, key := memberAround(r.Text, at); key != "" && !slices.ContainsFunc(wordsOf(key), func(w string) bool { return commanding[w] }) {
					spans = append(spans, r.At(start, end))
				}
			}
		}
		for _, f := range s.candidates(spans, func(rules.Passage) string {
			return "Puts code that starts a process into a value that is no command"
		}) {
			f.certain = true
			found = append(found, f)
		}
	}
	return found
}

// memberAround returns the member of a JSON object whose value, a string in one line,
// has byte at, with its key; "" when there is none.
func memberAround(text string, at int) (start, end int, key string) {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	key, keyAt := "", 0
	for i := from; i < at; i++ {
		if text[i] != '"' {
			continue
		}
		stop := stringEnd(text, i)
		if stop > at {
			return keyAt, stop, key
		}
		between, _, _ := strings.Cut(text[stop:at], `"`)
		switch {
		case strings.TrimSpace(between) == ":" && stop-i >= 2:
			key, keyAt = text[i+1:stop-1], i
		default:
			key = ""
		}
		i = stop - 1
	}
	return 0, 0, ""
}

// stringEnd returns the end of the JSON string that begins at i, or of its line.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return min(i, len(text))
}
