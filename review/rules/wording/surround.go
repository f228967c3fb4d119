package wording

import (
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// fewSentences is the number of sentences that a prompt needs for one to be judged
// against the others.
const fewSentences = 6

// surround counts what a prompt speaks of, so that a line can be judged by what it
// adds: words, concepts and hosts that stand nowhere else.
func (c *View) surround(st *setting) {
	st.concepts, st.hosts = make([]int, len(grammar().Names())), map[string]int{}
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

// alone reports whether a prompt has too few sentences to judge one by the others.
func (c *View) alone() bool { return !c.IsAction() && c.setting().sentences < fewSentences }

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

// surroundings adds how a line of a prompt fits the others: what it alone speaks of.
func (c *View) surroundings(s *Sentence, words []string, f *Features) {
	st := c.setting()
	if c.alone() || s.part {
		return
	}
	known, strange := 0, 0
	for i, w := range words {
		if idle[w] || w[0] == '~' || len(w) < 3 || i > 60 {
			continue
		}
		if st.count[stem(w)] < 2 {
			strange++
		} else {
			known++
		}
	}
	far := []string{"0", "1", "2", "3", "4", "5"}[min(strange/2, 5)]
	ratio := []string{"0", "1", "2", "3", "4"}[min(5*strange/max(1, strange+known), 4)]
	f.name(signalGroup, "@far", far)
	f.name(signalGroup, "@foreign", ratio)
	f.name(signalGroup, "@far", far, "@foreign", ratio)
	all, novel := conceptHashes(), 0
	at := fnvBasis.str("@foreign").str(ratio)
	for n := range s.concepts.Numbers() {
		h := all[n]
		if h == 0 {
			continue
		}
		f[pairGroup] = append(f[pairGroup], at.and(h).mixed())
		if st.concepts[n] < 2 {
			novel++
			f[pairGroup] = append(f[pairGroup], onceBasis.and(h).mixed())
		}
	}
	f.name(signalGroup, "@novel", []string{"0", "1", "2", "3", "4", "5"}[min(novel, 5)])
	for host := range hostsIn(s.Text) {
		if st.hosts[host] < 2 {
			f.name(signalGroup, "@host.once")
		} else {
			f.name(signalGroup, "@host.again")
		}
		break
	}
}

// onceBasis is the hash of the prefix of a concept that stands in one line only.
var onceBasis = fnvBasis.str("once")
