package wording

import (
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules"
)

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

// dataInLinks finds addresses that carry data out.
func dataInLinks(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		var spans []rules.Passage
		for _, r := range s.Readings() {
			if !s.Visible || !strings.Contains(r.Text, "://") {
				continue
			}
			for _, pattern := range []*regexp.Regexp{linkWithData(), shellInAddress()} {
				for _, at := range pattern.FindAllStringIndex(r.Text, rules.MaxPerText) {
					spans = append(spans, r.At(at[0], at[1]))
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
