package wording

import (
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// fewSentences is the number of sentences that a prompt needs to show what one of them
// adds to it.
const fewSentences = 6

// alone reports whether a prompt has too few sentences to judge one by the others.
func (c *View) alone() bool { return !c.IsAction() && c.setting().sentences < fewSentences }

// surround counts what a prompt speaks of, so that a line can be judged by what it
// adds: words, concepts and hosts that stand nowhere else.
func (c *View) surround(st *setting) {
	st.count, st.concepts, st.hosts = map[string]int{}, make([]int, len(grammar().Names())), map[string]int{}
	left := maxCounted
	scans := c.Scan()
	for i := range scans {
		s := &scans[i]
		if !s.Visible || s.Kind != rules.Prose {
			continue
		}
		for k := range s.Sentences {
			x := &s.Sentences[k]
			if left -= x.End - x.Start; left < 0 {
				return
			}
			st.sentences++
			for n := range x.Concepts.Numbers() {
				st.concepts[n]++
			}
			for w := range wordsIn(scan.Fold(s.Value[x.Start:x.End])) {
				st.count[stem(w)]++
			}
			for host := range hostsIn(s.Value[x.Start:x.End]) {
				st.hosts[host]++
			}
		}
	}
}

// maxCounted is how many bytes of a prompt are counted.
const maxCounted = 128 << 10

// hostsIn yields the hosts of the addresses in text.
func hostsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, after, ok := strings.Cut(text, "://")
			if !ok {
				return
			}
			end := strings.IndexFunc(after, func(r rune) bool { return !LetterOrDigit(r) && r != '.' && r != '-' })
			if end < 0 {
				end = len(after)
			}
			if host := strings.ToLower(strings.TrimPrefix(after[:end], "www.")); host != "" && !yield(host) {
				return
			}
			text = after[end:]
		}
	}
}
