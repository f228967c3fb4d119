// This file finds addresses that send data to a third party, and lists of patterns for files with
// credentials.

package wording

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lazyregexp"
	"toolcrib/review/rules"
)

// linkWithData matches a Markdown image, a Markdown link, or an HTML image with a placeholder in
// its address. It also matches a Markdown image with a query value in capital letters in its
// address.
var linkWithData = sync.OnceValue(func() *regexp.Regexp {
	const (
		link    = `!?\[[^\]\n]{0,80}\]\(\s*https?://[^)\s]{1,300}(\{|\$\(|\$\{|%7B|<|\[)[^)\n]{0,200}\)`
		capital = `!\[[^\]\n]{0,80}\]\(\s*https?://[^)\s?]{1,200}\?(?:[^)\s]{0,200}&)?[a-z_]{1,20}=(?-i:[A-Z][A-Z_]{3,30})[&)]`
		image   = `<img[^>\n]{0,80}src=["']?https?://[^"'>\s]{1,300}(\{|\$\(|<|\[)`
	)
	return regexp.MustCompile(`(?i)` + link + `|` + capital + `|` + image)
})

var shellInAddress = lazyregexp.New("https?://[^\\s\"'`]{1,300}[?&/=](\\$\\(|`\\w)")

// linkParts yields the byte ranges of the paragraphs that linkWithData or shellInAddress may match:
// the paragraphs with an address that builtAddress accepts. The expressions are too slow for a
// whole text, and no link extends over an empty line.
func linkParts(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for at := 0; at < len(text); {
			i := strings.Index(text[at:], "://")
			if i < 0 {
				return
			}
			start, end := at, len(text)
			if n := strings.LastIndex(text[at:at+i], "\n\n"); n >= 0 {
				start = at + n
			}
			if n := strings.Index(text[at+i:], "\n\n"); n >= 0 {
				end = at + i + n
			}
			if builtAddress(text[at+i:end]) && !yield(start, end) {
				return
			}
			at = end
		}
	}
}

// builtAddress reports whether text contains an address with a character that may begin a
// placeholder or a query.
func builtAddress(text string) bool {
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return false
		}
		text = text[i:]
		end := strings.IndexAny(text, " \t\n\f\r")
		if end < 0 {
			end = len(text)
		}
		if strings.ContainsAny(text[:end], "{$%<[`?") {
			return true
		}
		text = text[end:]
	}
}

// carriesPrivate reports whether the path or query of link mentions a secret, the conversation, or
// the user's data.
func carriesPrivate(link string) bool {
	_, address, _ := strings.Cut(link, "://")
	_, path, _ := strings.Cut(address, "/")
	words := strings.Map(func(r rune) rune {
		if letterOrDigit(r) {
			return r
		}
		return ' '
	}, path)
	g := grammar()
	return g.Scan(words).Concepts.Meets(g.Concept("secretFile|secret|internals|wholeTalk|conversation|userData"))
}

// placeInAddress matches a placeholder in an address.
var placeInAddress = lazyregexp.New(`(?i)\$?\{+([^{}]{0,60})\}*|%7B(.{0,60}?)%7D|<([^<>]{0,60})>?|\[([^\[\]]{0,60})\]?`)

// addressing are words for ordinary parts of an address, such as the page, the record, or the
// version. Placeholders for private data have other names.
var addressing = words(`owner org organization organisation repo repository project workspace namespace group team id ids uuid guid num number no nr n
	key slug tag branch ref version ver sha commit hash revision env environment region zone dc date year month day page path file filename
	folder dir ticket issue pr pull mr run workflow build job step pipeline host hostname domain port base lang language locale country package pkg module
	crate lib library app application service component resource type kind section anchor doc docs dashboard panel chart board sprint
	release server cluster instance node site 0 x y z name timestamp encoded url uri link the your`)

// isTemplate reports whether link contains placeholders and every placeholder is named after an
// ordinary part of an address.
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

// dataInLinks finds addresses that send data to a third party when they are displayed or opened.
func dataInLinks(c *View) []candidate {
	var found []candidate
	for _, s := range c.scanned() {
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
			return "Builds an address that leaks data when it is shown or opened"
		}) {
			// A client loads an image as soon as it displays the answer, without a click.
			f.certain = strings.HasPrefix(f.Passage, "![") || strings.HasPrefix(f.Passage, "<img")
			f.plain = f.certain && carriesPrivate(f.Passage)
			found = append(found, f)
		}
	}
	return found
}

// credentialPattern matches the names of files with credentials, and patterns for such names.
var credentialPattern = lazyregexp.New(`(?:\*\*/)?(?:\.env\b(?:\.[\w*]+)?|\*?(?:secret|credential|token|password)s?(?:\*(?:\.\w+)?|\.\*)|\*(?:secret|credential|token|password)s?\b|\*\.(?:pem|key|p12|pfx|env)\b|\bid_rsa\b|~/\.(?:ssh|aws|kube)\b[\w./]*|\.(?:npmrc|netrc|pypirc)\b)`)

// patternWords are substrings. Each match of credentialPattern contains at least one of these
// substrings.
var patternWords = []string{".env", "*.", "secret", "credential", "token", "password", "id_rsa", "~/.", ".npmrc", ".netrc", ".pypirc"}

// patternsIn returns the matches of credentialPattern in text. It applies the expression only to
// lines that contain one of patternWords, because the expression has no literal prefix and is slow.
// No match extends over a line break.
func patternsIn(text string) [][]int {
	var found [][]int
	start := 0
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(patternWords, func(word string) bool { return strings.Contains(line, word) }) {
			for _, at := range credentialPattern().FindAllStringIndex(line, -1) {
				found = append(found, []int{start + at[0], start + at[1]})
			}
		}
		start += len(line)
	}
	return found
}

// manyPatterns is the minimum number of different patterns in a list that collects credentials.
// betweenPatterns is the maximum number of bytes between two consecutive patterns of the list.
const (
	manyPatterns    = 3
	betweenPatterns = 40
)

// credentialPatterns finds instructions to read or send all files that match a list of patterns for
// credentials.
func credentialPatterns(c *View) []candidate {
	g := grammar()
	var found []candidate
	for _, s := range c.scanned() {
		if !s.Visible || s.Kind == rules.Program {
			continue
		}
		text := cmp.Or(s.Prose, s.Value)
		var spans []rules.Passage
		patterns := map[string]bool{}
		start, end := 0, 0
		for _, at := range append(patternsIn(text), []int{len(text) + betweenPatterns + 1, 0}) {
			if at[0] > end+betweenPatterns {
				if len(patterns) >= manyPatterns {
					list := s.wholeSentence(rules.Passage{Start: start, End: end})
					if said := g.Scan(text[list.Start:list.End]).Concepts; said.Meets(g.Concept("read|include|send|exfil")) && !said.Meets(g.Concept("neg|negator")) {
						spans = append(spans, list)
					}
				}
				start = at[0]
				clear(patterns)
			}
			end = at[1]
			if end > 0 {
				patterns[strings.Trim(envName().ReplaceAllString(text[at[0]:end], ".env"), "*/.")] = true
			}
		}
		for _, f := range s.candidates(spans, func(rules.Passage) string { return "Tells the agent to read all files that may contain credentials" }) {
			f.certain = true
			found = append(found, f)
		}
	}
	return found
}

// envName matches the name of a file of environment variables for a particular stage, such as
// .env.production.
var envName = lazyregexp.New(`\.env\.[\w*]+`)
